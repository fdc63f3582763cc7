"""The files that put the service on a machine: what they name is there, and what they start is a known command."""

import configparser
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from pathspec import GitIgnoreSpec
from typer.main import get_command

from graphrag.cli.main import app
from graphrag.domain.access import DEFAULT_PORT
from graphrag.server.admission import OPEN_PATHS

ROOT = Path(__file__).parents[2]
UNIT = ROOT / "deploy" / "graphrag-serve.service"


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile with their arguments."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = re.sub(r"\\\n", " ", "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#")))
    return [(line.split()[0], line.split(maxsplit=1)[1].strip()) for line in lines.splitlines() if line.strip()]


def arguments_of(instruction: str) -> str:
    """Return the arguments of the last such instruction, which is the one that counts."""
    return [rest for name, rest in instructions() if name == instruction][-1]


def parse(words: list[str]) -> dict[str, Any]:
    """Return the options that the command line reads from words, which must all be known."""
    name, *rest = words
    command = get_command(app).commands[name]  # type: ignore[attr-defined]
    return dict(command.make_context(name, rest, parent=click.Context(command)).params)


def copied() -> list[str]:
    own = [rest.split() for name, rest in instructions() if name == "COPY" and not rest.startswith("--from")]
    return [source for words in own for source in words[:-1]]


def test_what_is_copied_is_there_and_let_through() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    ignored = GitIgnoreSpec.from_lines(lines)
    assert {"graphrag", "vault_sync", "ontology", "pyproject.toml"} <= set(copied())
    for source in copied():
        assert (ROOT / source).exists()
        assert not ignored.match_file(source)
    for path in (".git/config", "tests/conftest.py", "examples/vault/a.md", "graphrag/__pycache__/a.cpython-311.pyc"):
        assert ignored.match_file(path)


def test_what_the_build_needs_is_copied() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    readme = re.search(r'^readme = "(.+)"', project, re.MULTILINE)
    licences = re.search(r"^license-files = (\[.+\])", project, re.MULTILINE)
    packages = re.search(r"^packages = (\[.+\])", project, re.MULTILINE)
    assert readme and licences and packages
    needed = [readme[1], *json.loads(licences[1]), *json.loads(packages[1])]
    assert [name for name in needed if not any(name == own or name.startswith(f"{own}/") for own in copied())] == []


def test_the_image_runs_as_nobody_special_and_starts_the_service() -> None:
    assert arguments_of("USER") == "graphrag"
    names = [name for name, _ in instructions()]
    assert names.index("USER") > max(position for position, name in enumerate(names) if name in ("RUN", "COPY"))
    assert json.loads(arguments_of("ENTRYPOINT")) == ["graphrag"]
    options = parse(json.loads(arguments_of("CMD")))
    assert (options["host"], options["watch"], options["insecure_http"]) == ("0.0.0.0", True, True)
    assert options["port"] == DEFAULT_PORT == int(arguments_of("EXPOSE"))
    environment = arguments_of("ENV")
    assert "GRAPHRAG_VAULT=/vault" in environment
    assert f"GRAPHRAG_INDEX_DIR={arguments_of('VOLUME')}" in environment


def test_the_healthcheck_asks_an_open_path() -> None:
    command = json.loads(arguments_of("HEALTHCHECK").partition("CMD ")[2])
    (url,) = re.findall(r"http://127\.0\.0\.1:(\d+)(/\w+)", command[-1])
    assert url == (str(DEFAULT_PORT), "/health")
    assert "/health" in OPEN_PATHS
    compile(command[-1], "healthcheck", "exec")


def test_compose_shows_the_service_to_this_machine_only_and_never_writes_the_vault() -> None:
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    ollama, graphrag = compose["services"]["ollama"], compose["services"]["graphrag"]
    assert graphrag["network_mode"] == "service:ollama"  # Ollama is on the loopback that the settings name by default
    assert ollama["ports"] == [f"127.0.0.1:{DEFAULT_PORT}:{DEFAULT_PORT}"]
    vault, index = graphrag["volumes"]
    assert vault.endswith(":/vault:ro")
    assert index.split(":") == ["index", arguments_of("VOLUME")]
    assert graphrag["read_only"] is True
    assert graphrag["cap_drop"] == ["ALL"]
    assert set(compose["volumes"]) == {"index", "models"}
    assert graphrag["build"]["args"].keys() <= {
        rest.partition("=")[0] for name, rest in instructions() if name == "ARG"
    }


def test_the_unit_starts_the_service() -> None:
    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(UNIT, encoding="utf-8")
    program, *words = shlex.split(unit["Service"]["ExecStart"])
    assert program == "%h/.local/bin/graphrag"
    assert parse(words)["watch"] is True
    assert unit["Service"]["Environment"].startswith("GRAPHRAG_VAULT=")
    assert unit["Install"]["WantedBy"] == "default.target"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed here")
def test_systemd_has_nothing_against_the_unit(tmp_path: Path) -> None:
    text = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", UNIT.read_text(encoding="utf-8"), flags=re.MULTILINE)
    file = tmp_path / UNIT.name
    file.write_text(text, encoding="utf-8")
    command = ["systemd-analyze", "verify", "--user", str(file)]
    environment = {"XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
