import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from graphrag.app import App
from graphrag.cli.main import app
from graphrag.domain.access import Scope
from graphrag.vault.access_control import AccessTokens, limit_text
from tests.e2e.conftest import silent, write_vault

Run = Callable[..., Result]
COMMANDS = ("create", "list", "enable", "disable", "delete")
ONCE = "This is shown once: keep it now. `graphrag token delete` takes it back.\n"
SETTINGS = '[index]\nembedder = "none"\n[answer]\nchat = "none"\n'


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return write_vault(tmp_path, {"graphrag.toml": SETTINGS, "工作/a.md": "#支付/核心 甲"})


@pytest.fixture
def run(vault: Path) -> Run:
    return lambda *arguments: CliRunner().invoke(app, ["token", *arguments, "--vault", str(vault)])


def tokens(vault: Path) -> AccessTokens:
    return AccessTokens(vault / ".graphrag")


def test_a_token_is_printed_once_and_alone_on_stdout(run: Run, vault: Path) -> None:
    result = run("create", "手机", "--scope", "ask", "--expires", "30d")
    assert (result.exit_code, result.stderr) == (0, ONCE)
    secret = result.stdout.removesuffix("\n")
    (token,) = tokens(vault).all()
    assert (token.name, token.scope, token.is_enabled) == ("手机", Scope.ASK, True)
    assert token.expires is not None and (token.expires - token.created).days in (29, 30)
    assert secret not in run("list").stdout + run("list", "--json").stdout


def test_json_holds_the_token_and_what_it_allows(run: Run) -> None:
    result = run("create", "a", "--only", 'category:工作 tag:"x y"', "--only", "tag:支付", "--json")
    shape = json.loads(result.stdout)
    assert shape.pop("token").startswith("grag_")
    assert shape == {
        "name": "a",
        "scope": "read",
        "limit": {"categories": ["工作"], "tags": ["x y", "支付"]},
        "expires": None,
    }


def test_names_that_no_note_has_are_warned_of(run: Run, vault: Path) -> None:
    unindexed = run("create", "a", "--only", "tag:无")
    assert unindexed.exit_code == 0
    assert "nothing is indexed yet" in unindexed.stderr
    opened = App.open(vault, vault)
    opened.index(False, silent)
    opened.close()
    result = run("create", "b", "--only", "category:工作 category:工做 tag:支付 tag:#支付/核心")
    assert result.exit_code == 0
    assert result.stderr == (
        "warning: no note has the category '工做'. Until one has, the token shows nothing by it.\n" + ONCE
    )


def test_the_list_tells_limits_states_and_last_use(run: Run, vault: Path) -> None:
    assert run("list").stdout == "There are no tokens. Make one: graphrag token create NAME\n"
    run("create", "a", "--only", 'category:"x y"')
    run("create", "b", "--scope", "admin")
    run("disable", "b")
    first, second = run("list").stdout.splitlines()[1:3]
    assert first.split()[:4] == ["a", "read", 'category:"x', 'y"']
    assert second.split()[:4] == ["b", "admin", "whole", "vault"]
    assert second.rstrip().endswith("disabled")
    shape = json.loads(run("list", "--json").stdout)
    assert [(item["name"], item["is_enabled"], item["last_used"]) for item in shape] == [
        ("a", True, None),
        ("b", False, None),
    ]
    assert limit_text(tokens(vault).all()[0].limit) == 'category:"x y"'


def test_enable_disable_delete(run: Run, vault: Path) -> None:
    run("create", "a")
    for command, state in (("disable", [False]), ("enable", [True]), ("delete", [])):
        result = run(command, "a")
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
        assert [token.is_enabled for token in tokens(vault).all()] == state


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (("create", "a/b"), 1, "error: 'a/b' is no name of a token."),
        (("create", "a", "--only", "工作"), 2, "error: '工作' is no limit. Write it like category:工作 tag:支付."),
        (("create", "a", "--only", "path:x"), 2, "error: 'path:x' is no limit. Only category: and tag:"),
        (("create", "a", "--only", "tag:#"), 2, "error: 'tag:#' is no limit, since a name in it is empty."),
        (("create", "a", "--only", ""), 2, "error: '' is no limit."),
        (("create", "this run"), 1, "error: 'this run' is what `graphrag serve` calls its own token."),
        (("create", "a", "--expires", ""), 2, "error: '' is no time to expire at."),
        (("create", "a", "--expires", "9999-12-31"), 2, "error: '9999-12-31' is no time to expire at."),
        (("create", "a", "--expires", "soon"), 2, "error: 'soon' is no time to expire at."),
        (("create", "a", "--expires", "2020-01-01"), 1, "error: the token would expire in the past"),
        (("create", "a", "--scope", "admin", "--only", "tag:x"), 1, "error: a token of scope admin sees"),
        (("create", "taken"), 1, "error: there is a token 'taken' already."),
        (("delete", "takn"), 1, "error: there is no token 'takn'. Did you mean: taken?"),
    ],
)
def test_mistakes_are_one_line(run: Run, arguments: tuple[str, ...], code: int, line: str) -> None:
    run("create", "taken")
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.startswith(line)
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_summary_and_two_examples(name: str) -> None:
    help_text = CliRunner().invoke(app, ["token", name, "--help"]).stdout
    assert help_text.splitlines()[2].strip().endswith(".")
    assert help_text.count(f"    graphrag token {name}") == 2
    assert "--vault" in help_text and "--index-dir" in help_text
