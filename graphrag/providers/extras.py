"""Optional packages: whether one is there is asked without importing it."""

from importlib.util import find_spec

from graphrag.errors import MissingExtra
from graphrag.providers.failures import reason_of


def require(package: str, extra: str) -> None:
    """Make sure that a package is installed.

    Raises:
        MissingExtra: it is not; the message names the command that installs it.
    """
    if find_spec(package) is None:
        raise MissingExtra(f"the package '{package}' is not installed. Run: {_command(extra)}")


def broken(package: str, extra: str, error: ImportError) -> MissingExtra:
    """Return the exception for a package that is there and cannot be imported."""
    return MissingExtra(f"the package '{package}' cannot be imported: {reason_of(error)}. Run: {_command(extra)}")


def _command(extra: str) -> str:
    return f"pip install 'vault-graphrag[{extra}]'" if extra else "pip install vault-graphrag"
