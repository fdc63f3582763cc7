"""`chat` over a facade with fixed data: the loop, its commands, and `ask --save`."""

import builtins
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphrag.answers.conversation import Reply
from graphrag.cli import chat, session
from graphrag.cli.chat import filter_words
from graphrag.domain.query import NO_FILTERS, Answer, AnswerStatus, Filters, Why
from graphrag.errors import QuestionError, VaultError
from graphrag.understand.filters import read_filters
from tests.fakes.app import ANSWER_TEXT, FakeApp
from tests.unit.cli.conftest import RunCommand


class FakeConversation:
    """Takes every question that begins with 它 for one about 支付模块."""

    def __init__(self, app: FakeApp) -> None:
        self._app = app
        self.asked: tuple[str, ...] = ()
        self.warning = ""
        self.last: Reply | None = None

    def ask(self, text: str, filters: Filters, on_text: object = None) -> Reply:
        if text == "坏":
            raise QuestionError("the question cannot be used")
        if text == "停":
            raise KeyboardInterrupt
        rewritten = text.replace("它", "支付模块") if text.startswith("它") else ""
        self.last = Reply(text, rewritten, filters, self._app.ask(rewritten or text, filters))
        return self.last

    def reasons(self) -> dict[int, Why]:
        return {1: Why(1, 12.4, ("补偿",))}

    def forget(self) -> None:
        self.asked, self.last = (), None


class ChatApp(FakeApp):
    """The fixed data, with a conversation; `saved` keeps what was to be written."""

    def __init__(self, vault: Path) -> None:
        super().__init__(vault)
        self.conversation = FakeConversation(self)
        self.saved: list[tuple[str, str]] = []

    def converse(self) -> FakeConversation:
        return self.conversation

    def save_answer(self, answer: Answer, name: str = "") -> str | None:
        if name == "outside":
            raise VaultError("a symbolic link")
        if answer.status is not AnswerStatus.ANSWERED:
            return None
        self.saved.append((answer.question, name))
        return f"问答/{name or answer.question}.md"


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ChatApp:
    facade = ChatApp(tmp_path)
    monkeypatch.setattr(session, "open_app", lambda vault, index_dir, worktree=False: facade)
    return facade


def test_every_piped_line_is_a_question(run_command: RunCommand, fake: ChatApp) -> None:
    result = run_command("chat", stdin="\ufeff为什么选择 Saga\n\n  它的负责人呢\n".encode())
    assert result.exit_code == 0
    assert [call[1][0] for call in fake.calls] == ["为什么选择 Saga", "支付模块的负责人呢"]
    lines = result.stdout.splitlines()
    assert lines[:2] == ["> 为什么选择 Saga", ANSWER_TEXT]
    asked = lines.index("> 它的负责人呢")
    assert lines[asked + 1 : asked + 3] == ["理解为：支付模块的负责人呢", ANSWER_TEXT]
    assert fake.is_closed


def test_it_says_that_it_goes_on(run_command: RunCommand, fake: ChatApp) -> None:
    fake.conversation.asked = ("为什么", "它呢\x1b[31m")
    fake.conversation.warning = "chat.jsonl: damaged"
    lines = run_command("chat", stdin="").stderr.splitlines()
    assert lines == [
        "chat.jsonl: damaged",
        "Going on with the last conversation (2 questions, the last one: 它呢[31m). /new begins anew.",
    ]


def test_options_are_the_filters_until_they_are_changed(run_command: RunCommand, fake: ChatApp) -> None:
    stdin = '/filter\n一\n/filter category:"a b" since:2024-01-02\n二\n/filter clear\n三\n'
    result = run_command("chat", "--tag", "支付", stdin=stdin)
    changed = Filters(categories=("a b",), since=read_filters("since:2024-01-02").since)
    assert [call[1][1] for call in fake.calls] == [Filters(tags=("支付",)), changed, NO_FILTERS]
    shown = [line for line in result.stdout.splitlines() if line.startswith(("tag:", "category:", "no filters"))]
    assert shown == ["tag:支付", 'category:"a b" since:2024-01-02', "no filters"]


@pytest.mark.parametrize("line", ["/filter nonsense", "/filter since:gestern", "坏"])
def test_a_failure_is_one_line_and_the_next_question_is_answered(
    run_command: RunCommand, fake: ChatApp, line: str
) -> None:
    result = run_command("chat", stdin=f"{line}\n为什么\n")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("error: ")
    assert [call[1][0] for call in fake.calls] == ["为什么"]


def test_an_unknown_command_is_one_line_with_the_list(run_command: RunCommand, fake: ChatApp) -> None:
    result = run_command("chat", stdin="/wy\n")
    assert result.stderr == ("/wy is no command. There are: /sources, /why, /filter, /save, /new, /help, /quit\n")
    assert (result.exit_code, fake.calls) == (1, [])


def test_the_path_of_a_file_is_a_question(run_command: RunCommand, fake: ChatApp) -> None:
    run_command("chat", stdin="/etc/hosts 怎么改\n")
    assert fake.calls[0][1][0] == "/etc/hosts 怎么改"


def test_nothing_is_read_after_quit_and_help_lists_the_commands(run_command: RunCommand, fake: ChatApp) -> None:
    result = run_command("chat", stdin="/HELP\n/quit\n为什么\n")
    assert fake.calls == []
    assert [line.split()[0] for line in result.stdout.splitlines()] == [
        *("/sources", "/why", "/filter", "/save", "/new", "/help", "/quit")
    ]


@pytest.mark.parametrize("command", ["/sources", "/why", "/save"])
def test_without_an_answer_there_is_nothing_to_look_back_on(run_command: RunCommand, command: str) -> None:
    assert "no answer yet" in run_command("chat", stdin=f"{command}\n").stderr
    assert "no answer yet" in run_command("chat", stdin=f"为什么\n/new\n{command}\n").stderr


def test_sources_are_shown_with_their_lines(run_command: RunCommand) -> None:
    lines = run_command("chat", stdin="为什么\n/sources\n").stdout.splitlines()
    start = max(place for place, line in enumerate(lines) if line.startswith("[1] "))
    assert lines[start].startswith("[1] 支付模块 › 分布式事务 › 为什么选择 Saga  架构/支付模块.md:12-20@3f2a9c1")
    assert [line.strip() for line in lines[start + 1 : start + 3]] == ["重试  三次", "[31m红"]


def test_a_source_that_is_withheld_says_why(
    run_command: RunCommand, fake: ChatApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def withhold(text: str) -> None:
        raise VaultError("the note is private")

    monkeypatch.setattr(fake, "open_citation", withhold)
    assert run_command("chat", stdin="为什么\n/sources\n").stdout.count("    the note is private") == 2


def test_why_tells_the_reading_the_stages_and_the_reasons(run_command: RunCommand) -> None:
    output = run_command("chat", "--tag", "支付", stdin="它呢\n/why\n").stdout
    told = output[output.rindex("理解为：支付模块呢") :]
    for part in (
        "路线       综合检索",
        "筛选条件   tag:支付",
        "search 16 ms",
        "词语 #1 (12.40): 补偿",
        "为回答选取",
    ):
        assert part in told


def test_save_names_the_note_or_says_that_there_is_none(run_command: RunCommand, fake: ChatApp) -> None:
    result = run_command("chat", stdin="为什么\n/save\n/save 结论\n/save outside\n")
    assert fake.saved == [("为什么", ""), ("为什么", "结论")]
    assert result.stderr.splitlines() == ["Saved: 问答/为什么.md", "Saved: 问答/结论.md", "error: a symbolic link"]
    fake.status_of_answer = AnswerStatus.NO_HIT
    assert "Nothing was saved" in run_command("chat", stdin="为什么\n/save\n").stderr


def test_a_vault_without_an_index_is_indexed_first(
    run_command: RunCommand, fake: ChatApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.is_indexed = False

    def stale() -> tuple[str, ...]:
        fake._check_index()
        return ()

    monkeypatch.setattr(fake, "stale", stale)
    result = run_command("chat", stdin="为什么\n")
    assert [name for name, _ in fake.calls] == ["index", "ask"]
    assert "No index" in result.stderr


def test_an_interrupt_ends_what_is_piped(run_command: RunCommand) -> None:
    assert run_command("chat", stdin="停\n为什么\n").exit_code == 130


def test_ctrl_c_drops_the_line_and_ctrl_d_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed: Iterator[str | BaseException] = iter(["一", KeyboardInterrupt(), "二", EOFError()])

    def read(prompt: str = "") -> str:
        line = next(typed)
        if isinstance(line, BaseException):
            raise line
        return line

    monkeypatch.setattr(builtins, "input", read)
    assert list(chat._typed_lines(())) == ["一", "二"]
    assert "> " in capsys.readouterr().err  # stdout is no terminal here


def test_an_interrupt_stops_only_the_answer_at_a_terminal(
    fake: ChatApp, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    loop = chat._Chat(fake, NO_FILTERS)  # type: ignore[arg-type]
    loop._is_typed = True
    monkeypatch.setattr(chat, "_typed_lines", lambda asked: iter(["停", "为什么"]))
    assert loop.run()
    assert [call[1][0] for call in fake.calls] == ["为什么"]
    assert capsys.readouterr().err.splitlines()[-1] == "stopped"


def test_filters_are_shown_as_they_are_written() -> None:
    filters = read_filters('tag:a tag:b category:"x y" path:会议 type:decision since:2024-01-01 until:2024-02-01')
    assert filter_words(filters) == (
        'tag:a tag:b category:"x y" path:会议 type:decision since:2024-01-01 until:2024-02-01'
    )
    assert read_filters(filter_words(filters)) == filters


def test_ask_saves_on_demand_and_says_where(run_command: RunCommand, fake: ChatApp) -> None:
    result = run_command("ask", "为什么", "--save")
    assert (result.exit_code, result.stderr) == (0, "已保存：问答/为什么.md\n")
    assert result.stdout.startswith(ANSWER_TEXT)
    assert run_command("ask", "为什么", "--save-as", "结论").stderr == "已保存：问答/结论.md\n"
    assert fake.saved == [("为什么", ""), ("为什么", "结论")]
    run_command("ask", "为什么")
    assert len(fake.saved) == 2


def test_the_path_of_the_note_stands_in_json(run_command: RunCommand, fake: ChatApp) -> None:
    assert json.loads(run_command("ask", "为什么", "--save", "--json").stdout)["saved"] == "问答/为什么.md"
    assert "saved" not in json.loads(run_command("ask", "为什么", "--json").stdout)
    fake.status_of_answer = AnswerStatus.NOT_IN_NOTES
    result = run_command("ask", "为什么", "--save", "--json")
    assert json.loads(result.stdout)["saved"] is None
    assert "没有保存" in result.stderr


def test_an_answer_that_cannot_be_saved_is_still_shown(run_command: RunCommand) -> None:
    result = run_command("ask", "为什么", "--save-as", "outside")
    assert (result.exit_code, result.stderr) == (1, "错误：符号链接\n")
    assert result.stdout.startswith(ANSWER_TEXT)
