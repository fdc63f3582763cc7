"""Terms that recur, as entities of `near`: who holds one, and whom a note shares its rare terms with."""

from collections.abc import Callable

import pytest

from graphrag.app import App
from graphrag.domain.graph import EntityKind
from graphrag.errors import NoteNotFound
from tests.e2e.conftest import silent

Open = Callable[..., App]
NOTES = {
    "支付.md": "# 支付\n\n重试次数由 retry_count 控制。\n\n渠道表是 sg_pay_2024。\n",
    "退款.md": "# 退款\n\n退款也读 retry_count，见《幂等规范》。\n",
    "对账.md": "# 对账\n\n第一行。\n读 SG_PAY_2024 与 retry_count。\n\n遵守《幂等规范》。\n",
    "请假.md": "# 请假\n\n提前三天，表单在 only_here 里。\n",
}


def holders(app: App, term: str) -> list[tuple[str, list[int]]]:
    view = app.near(term, 1, 30)
    assert view.center.kind is EntityKind.TERM
    return [(item.entity.title, [place.line for place in item.places]) for item in view.mentions]


def test_near_a_term_shows_which_notes_hold_it_and_where(open_vault: Open) -> None:
    app = open_vault(NOTES)
    app.index(False, silent)
    assert holders(app, "retry_count") == [("对账", [4]), ("支付", [3]), ("退款", [3])]
    assert holders(app, " SG_pay_2024 ") == [("对账", [4]), ("支付", [5])]
    assert holders(app, "幂等规范") == [("对账", [6]), ("退款", [3])]
    assert app.near("retry_count", 1, 2).omitted == 1


def test_a_tag_needs_no_mark_and_a_term_may_be_pasted_as_code(open_vault: Open) -> None:
    app = open_vault({**NOTES, "标签.md": "---\ntags: [风控/规则]\n---\n# 甲\n\n文。\n"})
    app.index(False, silent)
    assert app.near("风控/规则", 1, 30).center.kind is EntityKind.TAG
    assert holders(app, "`retry_count`")


@pytest.mark.parametrize("name", ["only_here", "请假单", ""])
def test_what_recurs_in_no_two_notes_is_no_entity(open_vault: Open, name: str) -> None:
    app = open_vault(NOTES)
    app.index(False, silent)
    with pytest.raises(NoteNotFound):
        app.near(name, 1, 30)


def test_a_note_that_bears_the_name_wins(open_vault: Open) -> None:
    app = open_vault({**NOTES, "retry_count.md": "# retry_count\n\n一个参数。\n", "sg_pay.md": "# sg_pay\n\n旧表。\n"})
    app.index(False, silent)
    assert app.near("retry_count", 1, 30).center.kind is EntityKind.NOTE
    assert holders(app, "sg_pay_2024"), "a note with a similar name is no hindrance"


def test_notes_that_share_rare_terms_come_with_them_as_written(open_vault: Open) -> None:
    app = open_vault(NOTES)
    app.index(False, silent)
    shared = app.near("对账", 1, 30).shared_terms
    assert [(item.entity.title, set(item.terms)) for item in shared] == [
        ("支付", {"sg_pay_2024", "retry_count"}),
        ("退款", {"幂等规范", "retry_count"}),
    ]
    assert shared[0].weight >= shared[1].weight > 0
    assert app.near("请假", 1, 30).shared_terms == ()


@pytest.mark.parametrize("text", [None, "---\nprivate: true\n---\n读 retry_count。\n", "# 对账\n"])
def test_what_the_vault_no_longer_says_is_not_told(open_vault: Open, text: str | None) -> None:
    app = open_vault(NOTES)
    app.index(False, silent)
    if text is None:
        (app.vault / "对账.md").unlink()
    else:
        (app.vault / "对账.md").write_text(text, encoding="utf-8")
    assert [title for title, _ in holders(app, "retry_count")] == ["支付", "退款"]
    if text != "# 对账\n":
        assert [item.entity.title for item in app.near("支付", 1, 30).shared_terms] == ["退款"]
