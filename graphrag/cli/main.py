"""The entry point of `graphrag`: a running `watch` or `serve` runs the command, else this process does.

The first takes next to nothing, so nothing is imported here before it is known that this process has to do the work.
"""

import sys


def run() -> None:
    """Run the command line; the entry point of the `graphrag` script."""
    from graphrag.cli.handover import hand_over

    code = hand_over(sys.argv[1:])
    if code is None:
        from graphrag.cli.commands import run_line

        code = run_line(sys.argv[1:])
    sys.exit(code)


def __getattr__(name: str) -> object:
    """Give `app`, the whole command line, to whoever asks for it."""
    if name != "app":
        raise AttributeError(name)
    from graphrag.cli.commands import command_line

    return command_line()
