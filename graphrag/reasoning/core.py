"""The core ontology that ships with the program."""

from pathlib import Path

CORE_FILE = "core.ttl"  # its name in places and problems
_PACKAGE = Path(__file__).parents[1]


def core_ontology() -> str:
    """Return the Turtle text of the core ontology.

    It lies beside the package in a checkout, `ontology/core.ttl`, and is carried inside the package by a wheel.
    """
    installed = _PACKAGE / "ontology" / CORE_FILE
    file = installed if installed.exists() else _PACKAGE.parent / "ontology" / CORE_FILE
    return file.read_text(encoding="utf-8")
