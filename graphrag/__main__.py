"""`python -m graphrag` is the `graphrag` command."""

from graphrag.cli.main import run

run()
