"""Mentions in `near`: names that stand in a text without a link."""

from collections.abc import Callable

import pytest

from graphrag.app import App
from tests.e2e.conftest import silent

Open = Callable[..., App]
NOTES = {
    "熔断.md": "---\naliases: [断路器]\n---\n# 熔断\n\n与限流不同，见 [[重试]]。\n",
    "重试.md": "# 重试\n\n熔断打开以后不再重试。\n",
    "网关.md": "# 网关\n\n第一行。\n断路器在网关里实现。\n",
    "限流.md": "# 限流\n\n令牌桶。\n",
}


def mentions(app: App, name: str) -> list[tuple[str, bool, list[int]]]:
    return [
        (item.entity.title, item.is_backlink, [place.line for place in item.places])
        for item in app.near(name, 1, 30).mentions
    ]


def test_near_shows_both_directions_with_lines_and_no_pair_that_is_linked(open_vault: Open) -> None:
    app = open_vault(NOTES)
    app.index(False, silent)
    assert mentions(app, "熔断") == [("限流", False, [6]), ("网关", True, [4])]
    assert mentions(app, "网关") == [("熔断", False, [4])]
    assert mentions(app, "重试") == []


def test_a_walk_that_is_not_made_yet_means_no_mentions(open_vault: Open) -> None:
    app = open_vault(NOTES)
    app.index(False, silent)
    for file in app.vault.rglob("*.walk"):
        file.unlink()
    assert mentions(app, "熔断") == []


@pytest.mark.parametrize("text", [None, "---\nprivate: true\n---\n# 网关\n\n断路器在网关里实现。\n", "# 网关\n"])
def test_what_the_vault_no_longer_says_is_no_mention(open_vault: Open, text: str | None) -> None:
    app = open_vault(NOTES)
    app.index(False, silent)
    if text is None:
        (app.vault / "网关.md").unlink()
    else:
        (app.vault / "网关.md").write_text(text, encoding="utf-8")
    assert mentions(app, "熔断") == [("限流", False, [6])]
