"""Shows the log `graphrag` on stderr: a line for each request to another machine, and for weights that are fetched."""

import logging

import typer


class _Stderr(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        typer.echo(self.format(record), err=True)


_HANDLER = _Stderr(logging.INFO)


def show_log() -> None:
    """Show what is logged from now on; calling it again changes nothing."""
    log = logging.getLogger("graphrag")
    log.setLevel(logging.INFO)
    log.addHandler(_HANDLER)
