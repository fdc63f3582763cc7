"""Writes docs/answers.md: the questions of asked.txt with their answers on the example vault, as a terminal shows them.

    python examples/answers.py

No chat model takes part. The page is for reading through after a change to search or answers.
"""

import io
import shutil
import tempfile
from pathlib import Path

from rich.console import Console

from graphrag.app import App
from graphrag.cli.render_answer import render_answer
from graphrag.domain.query import NO_FILTERS

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "answers.md"
HEAD = """# Answers on the example vault

`python examples/answers.py` writes this page: the questions of `examples/asked.txt`, and what `graphrag ask` prints for
them on `examples/vault` with the default embedder and without a chat model.
"""


def main() -> None:
    """Write the page."""
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        shutil.copytree(HERE / "vault", vault)
        app = App.open(vault, vault, {"answer": {"chat": "none"}})
        app.index(False, lambda *_: None)
        asked = (HERE / "asked.txt").read_text(encoding="utf-8").splitlines()
        parts = [f"## {question}\n\n```text\n{_answer(app, question)}\n```\n" for question in asked]
        app.close()
    PAGE.write_text("\n".join([HEAD, *parts]), encoding="utf-8")


def _answer(app: App, question: str) -> str:
    printed = io.StringIO()
    render_answer(Console(file=printed, width=100, soft_wrap=True), app.ask(question, NO_FILTERS))
    return printed.getvalue().strip().replace("```", "'''")


if __name__ == "__main__":
    main()
