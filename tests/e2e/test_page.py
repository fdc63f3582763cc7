"""The page in Chromium, before a real service: what a person asks, reads, filters and follows."""

import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from selenium.webdriver.common.keys import Keys

from tests.e2e.conftest import SMALL, write_vault
from tests.e2e.page_driver import Page, Served, browsing, needs_chromium, serving
from tests.fakes.ollama_server import Mood, OllamaServer, running_server

pytestmark = needs_chromium
QUESTION = "重试次数由什么控制"
ANSWER = ("重试次数由 retry_count", " 控制，默认三次。[来源1]")
LONG = "# 长笔记\n\n" + "".join(f"第 {number} 段，说的是日志轮转的第 {number} 条规则。\n\n" for number in range(1, 60))
NOTES = {
    **SMALL,
    "支付/支付模块.md": "---\ntype: 模块\n" + SMALL["支付/支付模块.md"].removeprefix("---\n"),
    "支付/交易系统.md": "---\ntype: 系统\n" + SMALL["支付/交易系统.md"].removeprefix("---\n"),
    "订单模块.md": '---\n属于: "[[交易系统]]"\n---\n# 订单模块\n\n订单模块只管订单的状态。\n',
    "日志/长笔记.md": LONG,
    "日志/轮转.md": "---\ntags: [日志]\nupdated: 2024-05-01\n---\n# 轮转\n\n日志轮转每天一次，见 [[长笔记]]。\n",
}


@pytest.fixture(scope="module")
def model() -> Iterator[OllamaServer]:
    with running_server(*ANSWER) as server:
        yield server


@pytest.fixture(scope="module")
def served(model: OllamaServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("page") / "我的笔记", NOTES, model.host) as served:
        yield served


@pytest.fixture(scope="module")
def browser(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browsing(served, tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture
def page(browser: Page, model: OllamaServer) -> Iterator[Page]:
    """The first view; whatever a test does, the policy stops nothing and no script fails."""
    model.mood = Mood.ANSWER
    browser.js("if (location.protocol !== 'data:') { localStorage.clear(); sessionStorage.clear(); }")
    yield browser.open()
    assert browser.faults() == []


def test_the_token_leaves_the_address_at_once_and_three_questions_are_offered(page: Page, served: Served) -> None:
    assert served.token not in page.driver.current_url
    assert page.js("return Object.keys(localStorage).length") == 0
    assert served.token not in page.driver.page_source
    example = page.all(".example")[1]
    question = example.text
    example.click()
    page.wait("document.querySelector('#answer .status-word')")
    assert page.text("#answer .asked") == question
    assert page.text(".status-word") == "根据笔记回答"


def test_a_draft_is_shown_as_one_and_replaced_by_the_checked_answer(page: Page, model: OllamaServer) -> None:
    model.mood = Mood.STALL_MIDWAY
    page.ask(QUESTION)
    page.wait("document.querySelector('.draft').textContent.includes('retry_count')")
    assert page.text(".draft-label") == "草稿，尚未核对"
    assert page.all(".sources") == []
    top = page.js("return document.querySelector('.answer-text').getBoundingClientRect().top")
    page.press(Keys.ESCAPE)
    assert "已停止" in page.text(".stopped")
    model.released.set()
    model.released.clear()

    model.mood = Mood.ANSWER
    page.click(".stopped button")
    page.wait("document.querySelector('.sources')")
    assert page.all(".draft") == []
    assert page.text(".answer-text").startswith("重试次数由 retry_count 控制，默认三次")
    assert page.text(".status-by") == "由 ollama:qwen2.5:7b 撰写"
    assert abs(page.js("return document.querySelector('.answer-text').getBoundingClientRect().top") - top) < 30
    asked = len(model.requests)
    page.click("nav a[data-view=notes]")
    page.find("#notes-list li")
    page.driver.back()
    page.wait("document.querySelector('.sources')")
    assert len(model.requests) == asked, "going back asks nothing again"


def test_a_citation_opens_the_note_at_its_lines_beside_the_answer(page: Page) -> None:
    page.ask(QUESTION)
    page.click(".answer-text a.cite")
    page.wait("document.querySelector('#note-body .cited')")
    assert "retry_count" in "".join(block.text for block in page.all("#note-body .cited"))
    assert page.text("#note-title") == "支付模块"
    assert page.focused() == "支付模块"
    assert page.find(".answer-text").is_displayed()
    assert page.find("#note-head a[href^='obsidian://open']").is_displayed()
    assert page.find("a.cite[aria-current]").text == "1"
    links = page.text("#note-links")
    assert "消息队列" in links and "属于" in links and "交易系统" in links

    page.press(Keys.ESCAPE)
    page.wait("document.querySelector('#note').hidden")
    assert page.js("return document.activeElement.matches('.answer-text a.cite')")


def test_cited_front_matter_is_shown_as_it_stands_in_the_file(page: Page) -> None:
    page.ask("张三负责哪些模块")
    page.click(".source-open[href*='lines=3-3']")
    page.wait("document.querySelector('.source-lines .cited')")
    assert page.text(".source-lines .cited") == '属于: "[[交易系统]]"'
    assert page.text(".status-by") == "由笔记之间的关系得出"


def test_why_a_source_was_found_and_how_long_it_took(page: Page) -> None:
    page.ask(QUESTION)
    page.click(".source .why-block summary")
    assert "重试" in page.text(".source .why")
    page.click(".how summary")
    assert "全文检索" in page.text(".how")
    assert "ms" in page.text(".how")


def test_a_refusal_says_so_and_offers_a_search(page: Page) -> None:
    page.ask("火星上有几座火山")
    page.wait("document.querySelector('.status-word')")
    assert page.text(".status-word") in (
        "笔记里没有相关内容",
        "没有找到相关的笔记",
        "找到了相近的段落，但答案不在笔记里",
    )
    page.click("#answer button.quiet")
    page.wait("location.hash.startsWith('#/search')")


def test_filters_are_chips_with_counts_in_the_address_and_removable(page: Page, served: Served) -> None:
    page.click("label:has(#mode-search)")
    page.find("#question").send_keys("日志轮转" + Keys.ENTER)
    page.wait("document.querySelectorAll('.result').length > 1")
    page.click("#filters-button")
    choice = page.find("#filters-tags button[data-name='日志']")
    assert choice.text.split() == ["日志", "1"]
    choice.click()
    page.wait("document.querySelectorAll('.result').length === 1")
    assert page.text(".result-title") == "轮转"
    assert "tag=" in page.driver.current_url and served.token not in page.driver.current_url

    page.driver.refresh()
    page.wait("document.querySelectorAll('.result').length === 1")
    page.click("#filters-chips .chip-on")
    page.wait("document.querySelectorAll('.result').length > 1")
    assert "tag=" not in page.driver.current_url
    page.js(
        "const day = document.querySelector('#filters-since'); day.value = '2024-04-30'; "
        "day.dispatchEvent(new Event('change'));"
    )
    page.wait("document.querySelector('#filters-chips').textContent.includes('2024-04-30')")
    page.wait("location.hash.includes('since=2024-04-30')")


def test_the_graph_is_expanded_and_a_line_tells_what_it_follows_from(page: Page) -> None:
    page.driver.get(f"{page.served.address}/#/graph?name=支付模块")
    page.wait("document.querySelector('#graph-chosen')?.textContent === '支付模块'")
    before = _points(page)
    assert "推断" in page.text("#graph-legend")
    proof = page.find("#graph-list .proof")
    assert "支付模块 · 第 3 行" in proof.text and "交易系统 · 第 3 行" in proof.text

    page.find("#graph-list .point-note").send_keys(Keys.ENTER)
    page.wait("document.querySelector('#graph-chosen').textContent !== '支付模块'")
    assert page.focused() == page.text("#graph-chosen")
    assert _points(page) > before
    chosen = set()
    for key in (Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_LEFT, Keys.ARROW_UP):
        page.find("#graph-canvas").send_keys(key)
        chosen.add(page.text("#graph-chosen"))
    assert len(chosen) > 1
    page.click("#graph-list .note-tools a")
    page.wait("document.querySelector('#note-title')")


def _points(page: Page) -> int:
    label = page.find("#graph-canvas").get_attribute("aria-label") or ""
    return int("".join(filter(str.isdigit, label.split("个点")[0])))


def test_everything_is_reached_by_the_keyboard_alone(page: Page) -> None:
    page.press("/")
    assert page.focused() == "question"
    page.press("日志轮转", Keys.TAB)
    page.press(Keys.TAB, Keys.ARROW_RIGHT)  # from asking to searching
    page.wait("document.querySelectorAll('.result').length > 1")
    page.press("/")
    page.press(Keys.ARROW_DOWN)
    first = page.focused()
    page.press(Keys.ARROW_DOWN)
    assert page.focused() != first
    page.press(Keys.ARROW_UP)
    assert page.focused() == first
    page.press(Keys.ENTER)
    page.wait("document.activeElement.id === 'note-title'")
    page.press(Keys.ESCAPE)
    page.wait("document.querySelector('#note').hidden")
    assert page.focused() == first
    page.press(Keys.ESCAPE)
    assert page.focused() == "question"
    page.press(Keys.ESCAPE)
    page.press("?")
    assert page.find("#keys").is_displayed()
    page.press(Keys.ESCAPE)
    assert not page.find("#keys").is_displayed()


def test_an_input_method_that_composes_sends_nothing(page: Page) -> None:
    page.find("#question").send_keys("重试")
    page.js(
        "document.querySelector('#question').dispatchEvent("
        "new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true, cancelable: true}))"
    )
    assert "q=" not in page.driver.current_url
    page.find("#question").send_keys(Keys.ENTER)
    page.wait("location.hash.includes('q=')")


def test_the_language_changes_with_everything_shown_and_stays(page: Page) -> None:
    page.ask(QUESTION)
    page.wait("document.querySelector('.sources')")
    page.click("#language")
    assert page.text(".status-word") == "Answered from your notes"
    assert page.text("nav a[aria-current]") == "Ask"
    assert page.js("return document.documentElement.lang") == "en"
    page.driver.refresh()
    page.wait("document.querySelector('.status-word')")
    assert page.text(".sources h2") == "Sources"
    hidden = page.js("return [...document.querySelectorAll('[data-t]')].filter((item) => !item.textContent).length")
    assert hidden == 0


def test_notes_and_what_is_not_in_git_are_told_plainly(page: Page) -> None:
    page.click("nav a[data-view=notes]")
    page.wait("document.querySelectorAll('#notes-list li').length === 7")
    page.find("#notes-find").send_keys("张三" + Keys.ENTER)
    page.wait("document.querySelectorAll('#notes-list li').length === 1")
    page.click("#notes-list a")
    page.wait("document.querySelector('#note-title')?.textContent === '张三'")
    page.find("#note-body .unresolved")
    page.click("nav a[data-view=changes]")
    assert "Git" in page.text("#changes-list .problem")
    page.driver.get_log("browser")  # the browser itself counts a reply that is a problem as an error


def test_the_index_and_its_state_are_one_press_away(page: Page) -> None:
    assert page.text("#index-word") == "7 篇笔记"
    assert page.text("#brand-name") == "我的笔记"
    page.click("#index-button")
    assert "链接" in page.text("#index-facts")
    page.press(Keys.ESCAPE)
    assert not page.find("#index-panel").is_displayed()


def test_sides_of_a_conflict_and_unsupported_sentences_are_shown(page: Page) -> None:
    answer = {
        "question": "超时几秒",
        "route": "hybrid",
        "status": "answered",
        "answer": "超时 5 秒 [1]。以前 3 秒 [2]。九秒 [未证实]。",
        "model": "ollama:m",
        "citations": [_citation(1, "新.md", "5 秒"), _citation(2, "旧.md", "3 秒")],
        "snapshot": None,
        "conflict": True,
        "conflicts": [
            {
                "subject": "超时",
                "sides": [
                    {"value": "5 秒", "key": 1, "date": "2024-06-01"},
                    {"value": "3 秒", "key": 2, "date": "2023-01-01"},
                ],
            }
        ],
        "flags": [{"sentence": "九秒", "reason": "number", "detail": "9 秒"}],
        "sub_questions": [],
        "notice": "注意 <b>",
        "trace": {"generate": 12.4, "new_stage": 3},
    }
    page.driver.execute_async_script(
        "const [answer, done] = arguments; Promise.all([import('/page/answer.js'), import('/page/state.js')]).then("
        "([{ renderAnswer }, { current }]) =>"
        "done(renderAnswer(document.querySelector('#answer'), answer, current())))",
        answer,
    )
    sides = page.text(".conflict-sides").split("\n")
    assert sides[0] == "超时"
    values = [side.text for side in page.all(".conflict-sides ul li")]
    assert [value.split()[0] for value in values] == ["5", "3"], values
    assert "2024年6月1日" in page.text(".conflict-sides")
    assert "数字与出处不符：9 秒" in page.text(".callout-warn:not(:has(.conflict-sides))")
    assert page.text(".unverified") == "未证实"
    assert page.text("aside.callout") == "注意 <b>"
    page.click(".how summary")
    assert "new stage" in page.text(".how"), "a step that this page does not know keeps its name"


def _citation(key: int, note: str, quote: str) -> dict[str, object]:
    return {
        "key": key,
        "note": note,
        "title": note,
        "heading": [],
        "lines": [1, 2],
        "commit": "",
        "changed": "",
        "url": "obsidian://open?vault=v",
        "quote": quote,
        "ref": note,
        "origin": "javascript:alert(1)",
    }


@pytest.fixture
def index_again(served: Served) -> Iterator[Callable[[], None]]:
    """Index the vault as it is; at the end without the note of today."""

    def index() -> None:
        command = [sys.executable, "-m", "graphrag", "index", "--vault", str(served.vault)]
        subprocess.run(command, check=True, capture_output=True, timeout=120)

    yield index
    (served.vault / "今天.md").unlink()
    index()


def test_a_new_index_shows_by_itself_and_its_kinds_of_callouts_look_different(
    page: Page, served: Served, index_again: Callable[[], None]
) -> None:
    callouts = "> [!tip] 窍门\n> 先备份。\n\n> [!bug]\n> 会丢。\n\n> [!warning]- 折起\n> 小心。\n"
    write_vault(served.vault, {"今天.md": f"---\nupdated: 2030-01-01\n---\n# 今天写的\n\n新的一篇。\n\n{callouts}"})
    index_again()
    # A page that comes to the front again asks at once, and not only after its pause.
    page.wait(
        "(document.dispatchEvent(new Event('visibilitychange')),"
        "document.querySelector('#glance .note-name')?.textContent === '今天写的')"
    )
    page.wait("document.querySelector('#index-word').textContent === '8 篇笔记'")
    page.wait("document.querySelector('#announcer').textContent === '笔记已更新'")

    page.js("location.hash = '#/note/' + encodeURIComponent('今天.md') + '?lines=15-15'")
    page.wait("document.querySelector('#note-body details')")
    colour = "return getComputedStyle(document.querySelector('#note-body .framed-{}')).borderLeftColor"
    assert len({page.js(colour.format(look)) for look in ("tip", "danger", "warning")}) == 3
    assert page.js("return document.querySelector('#note-body details').open"), "a cited one is unfolded"
