"""Replays a folder of fault cases: copies each small vault, indexes it, runs its commands, shows right beside actual.

    python benchmarks/bugcases.py FOLDER [ID ...]

`FOLDER/cases.jsonl` holds a case a line: {id, kind, commands, expected, …}; `FOLDER/ID/vault` is its vault.
`make.sh` in a vault makes its repository; `FOLDER/ID/export` is an export to import. A verdict says whether every
phrase of `expected` stands in the output, and whether what should be first comes first. `read` asks for eyes.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

_SETTINGS = '[index]\nembedder = "none"\n'
_PROSE = re.compile(
    r"\b(?:first|found in|found|quotes|links to|linked|resolved|tags|alias|row|from)\b|(?<![\w)])\([^()]*\)(?!\.md)"
)
_COMMAND = re.compile(r"(?:ask|search|show|near|status|tags|index|import|path|sample|categories)\b")
_NOTE = re.compile(r"[^\s/\"'(]*[\w)]\.md\b")


def main() -> None:
    """Replay the cases and print each with its verdict."""
    folder, wanted = Path(sys.argv[1]).resolve(), set(sys.argv[2:])
    lines = (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [case for line in lines if line.strip() and ((case := json.loads(line))["id"] in wanted or not wanted)]
    verdicts: dict[str, int] = {}
    for case in cases:
        with tempfile.TemporaryDirectory() as scratch:
            outputs = _replay(case, folder / case["id"], Path(scratch))
        verdict = _verdict(case["expected"], outputs)
        verdicts[verdict.split(":")[0]] = verdicts.get(verdict.split(":")[0], 0) + 1
        print(f"== {case['id']} {case['kind']}\nexpected: {case['expected']}\nactual:")
        for command, output in outputs:
            print(f"  $ {command}\n" + "\n".join(f"    {line}" for line in output.strip().splitlines()[:40]))
        print(f"verdict: {verdict}\n")
    print(verdicts)


def _replay(case: dict[str, Any], source: Path, scratch: Path) -> list[tuple[str, str]]:
    vault = scratch / "vault"
    if (source / "vault" / "make.sh").is_file():
        shutil.copy(source / "vault" / "make.sh", scratch / "make.sh")
        makes_pair = "$d/vault" in (scratch / "make.sh").read_text() or "vault;" in (scratch / "make.sh").read_text()
        target = scratch if makes_pair else vault
        _run(["bash", str(scratch / "make.sh"), str(target)], scratch)
    elif (source / "vault").is_dir():
        shutil.copytree(source / "vault", vault)
    else:
        vault.mkdir()
    for path in (vault, *vault.rglob("*")):
        path.chmod(path.stat().st_mode | 0o200)
    if (source / "export").is_dir():
        shutil.copytree(source / "export", scratch / "export")
    (vault / "graphrag.toml").write_text(_SETTINGS)
    commands = [part for text in case["commands"] for part in _commands(text)]
    if not any(command.startswith(("index", "import")) for command in commands):
        commands.insert(0, "index")
    done = []
    for command in commands:
        words = _words(command)
        if words[0] == "import":
            words = [str(scratch / word) if word == "export" else word for word in words]
        output = _run([sys.executable, "-m", "graphrag", *words, "--vault", str(vault)], scratch)
        done.append((command, output))
    return done


def _commands(text: str) -> list[str]:
    """Split `a; b` and leave out remarks in brackets behind a command."""
    parts = (re.sub(r"\s*\([^()]*\)\s*\Z", "", part.strip()) for part in text.split(";"))
    return [part for part in parts if _COMMAND.match(part)]


def _words(command: str) -> list[str]:
    """Split a command: what is asked for is one argument, quoted or not."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    if words[0] in ("ask", "search", "show", "near") and '"' not in command:
        options = [word for word in words[1:] if word.startswith("--")]
        return [words[0], *options, *filter(None, [" ".join(word for word in words[1:] if word not in options)])]
    return words


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    return done.stdout + done.stderr


def _verdict(expected: str, outputs: list[tuple[str, str]]) -> str:
    if not expected:
        return "read: the case expects nothing in words"
    shown = "\n".join(output for command, output in outputs if command.split()[0] != "index")
    missing = [phrase for phrase in _phrases(expected) if phrase not in shown]
    if missing:
        return f"read: the output lacks {missing}"
    questions = [output for command, output in outputs if command.split()[0] in ("ask", "search")]
    firsts = [name for part in re.split("[;/]", expected) if "first" in part for name in _NOTE.findall(part)]
    for name, output in zip(firsts, questions, strict=False):
        found = _NOTE.findall(output)
        if found and Path(found[0]).name != Path(name).name:
            return f"wrong: {found[0]} comes before {name}"
    return "right"


def _phrases(expected: str) -> list[str]:
    parts = (_PROSE.sub("", part).strip(" =") for part in re.split(r"[;,]|\s/\s", expected))
    return [part for part in parts if part]


if __name__ == "__main__":
    main()
