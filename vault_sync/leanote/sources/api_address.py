"""What a user gives as the address of a server -> where its API is. Opens no connection."""

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from graphrag.errors import SourceRefused

_PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True, slots=True)
class ApiAddress:
    """A server, and the folder that Leanote has on it."""

    scheme: str
    host: str
    port: int
    prefix: str  # empty, or starts with a slash and ends without one

    @property
    def label(self) -> str:
        """The address without the scheme, for messages."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}{'' if self.port == _PORTS[self.scheme] else f':{self.port}'}{self.prefix}"

    @property
    def url(self) -> str:
        """The address in full, without a slash at its end."""
        return f"{self.scheme}://{self.label}"


def read_address(given: str, allow_plain_http: bool = False) -> ApiAddress:
    """Return the address; without a scheme it is https.

    Raises:
        SourceRefused: it is not an address, holds a password, or would send one unencrypted to another machine.
    """
    text = given.strip()
    try:
        parts = urlsplit(text if "://" in text else f"https://{text}")
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise SourceRefused(
            "The server's address cannot be read. Give it as https://host or https://host/path."
        ) from error
    if parts.username is not None or parts.password is not None:
        raise SourceRefused(f"{host}: the address holds a user or password. Give the address alone.")
    if parts.scheme not in _PORTS or not host or parts.query or parts.fragment or not _is_printable(text):
        raise SourceRefused("The server's address cannot be read. Give it as https://host or https://host/path.")
    if parts.scheme == "http" and not allow_plain_http and not _is_local(host):
        raise SourceRefused(
            f"{host}: http would send the password and the notes unencrypted. Use https, or allow plain http."
        )
    prefix = parts.path.rstrip("/").removesuffix("/api").rstrip("/")
    return ApiAddress(parts.scheme, host, port or _PORTS[parts.scheme], prefix)


def _is_local(host: str) -> bool:
    """Whether it is this machine's loopback; a name that only looks like an address, 127.example.com, is not."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _is_printable(text: str) -> bool:
    return text.isprintable() and " " not in text and "\\" not in text
