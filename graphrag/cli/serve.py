"""`serve`: the vault over HTTP, with its page, until it is stopped."""

import socket
import sys
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag.cli import options
from graphrag.cli.session import UsageError, opened
from graphrag.cli.standby import Standby
from graphrag.cli.words import say
from graphrag.domain.access import DEFAULT_PORT
from graphrag.errors import ConfigError

if TYPE_CHECKING:
    from graphrag.app import App
    from graphrag.server.asgi import Server


def mcp_(
    allow_write: Annotated[
        bool, typer.Option("--allow-write", help="Offer save_answer, which writes answers as new notes.")
    ] = False,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
) -> None:
    """Serve the vault to an agent over stdin and stdout (MCP).

    For the settings of an editor or agent, which starts this command itself; `graphrag serve` offers the same over
    HTTP.
    """
    from graphrag.mcp.handshake import greet

    if sys.stdin.isatty():
        typer.echo(say("Waiting for an MCP client on stdin; Ctrl-C ends it."), err=True)
    first = greet()  # before the vault and all that reads it are loaded
    with opened(vault, index_dir) as app:
        from graphrag.mcp.server import serve_stdio

        serve_stdio(app, allow_write, first)


_ANY = ("0.0.0.0", "::", "")
_STOP_SECONDS = 5  # that requests under way are waited for


def serve(
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, metavar="N", help="0 takes a free one.")
    ] = DEFAULT_PORT,
    watch: Annotated[bool, typer.Option("--watch", help="Also follow the vault, as `graphrag watch` does.")] = False,
    tls_cert: Annotated[
        Path | None, typer.Option("--tls-cert", metavar="FILE", help="Certificate for HTTPS, in PEM.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help="Its private key.")] = None,
    insecure_http: Annotated[
        bool, typer.Option("--insecure-http", help="Allow another host than this machine without HTTPS.")
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="A name that browsers call this server by; repeatable."),
    ] = None,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
) -> None:
    """Serve the vault over HTTP: a page, an API, MCP for agents.

    Prints a link with a token for this run. Other tokens are made by `graphrag token create`.
    """
    _check(host, tls_cert, tls_key, insecure_http)
    with _listen(host, port) as listening, opened(vault, index_dir) as app:
        from graphrag.domain.access import LOOPBACK_NAMES, ServerRules
        from graphrag.server.asgi import Server
        from graphrag.vault.follow import limit_malloc_arenas

        limit_malloc_arenas()
        names = {_without_port(name.strip().lower()) for name in allow_host or ()}
        own = set() if host in _ANY else {f"[{host.lower()}]" if ":" in host else host.lower()}
        server = Server(app, ServerRules(hosts=frozenset(LOOPBACK_NAMES | own | names), watched=watch))
        with Standby(app.index_dir):
            _run(app, server, listening, _address(host, listening, tls_cert is not None), tls_cert, tls_key)


def _check(host: str, tls_cert: Path | None, tls_key: Path | None, insecure_http: bool) -> None:
    if (tls_cert is None) != (tls_key is None):
        raise UsageError("--tls-cert and --tls-key go together: give both.")
    for file in (tls_cert, tls_key):
        if file is not None and not file.is_file():
            raise UsageError(f"{file}: no such file.")
    if _is_loopback(host) or tls_cert is not None:
        return
    if not insecure_http:
        raise UsageError(
            f"--host {host} opens the vault to other machines. Give --tls-cert and --tls-key, or --insecure-http "
            "if nobody can listen on the way (tokens and notes would be readable there)."
        )
    typer.echo(say("warning: without HTTPS, tokens and notes can be read by whoever is on the way."), err=True)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _without_port(name: str) -> str:
    """Return a name as it is compared: browsers say the port as well, which does not matter."""
    return name if name.endswith("]") or name.count(":") != 1 else name.partition(":")[0]


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", "") or str(error)
        where = f"{host}, port {port}"
        raise ConfigError(f"cannot listen at {where}: {reason}. Choose others by --host and --port.") from None


def _address(host: str, listening: socket.socket, is_secure: bool) -> str:
    shown = "127.0.0.1" if host in _ANY else f"[{host}]" if ":" in host else host
    return f"{'https' if is_secure else 'http'}://{shown}:{listening.getsockname()[1]}"


def _run(
    app: "App",
    server: "Server",
    listening: socket.socket,
    address: str,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> None:
    import uvicorn

    from graphrag.domain.access import LOOPBACK_NAMES

    config = uvicorn.Config(
        server.asgi,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_STOP_SECONDS,
        ssl_certfile=tls_cert,
        ssl_keyfile=tls_key,
    )
    try:
        config.load()
    except OSError as error:  # an ssl.SSLError is one
        raise ConfigError(f"{tls_cert}, {tls_key}: not a certificate with its private key, in PEM: {error}.") from error
    typer.echo(f"{address}/#token={server.token}")
    if listening.getsockname()[0] in _ANY and server.service.rules.hosts == LOOPBACK_NAMES:
        hint = say(
            "Others reach it by the names and addresses that --allow-host gives only, e.g. --allow-host 192.168.1.7"
        )
        typer.echo(hint, err=True)
    if not (app.is_indexed or server.service.rules.watched):
        typer.echo(say("Nothing is indexed yet. Run: graphrag index"), err=True)
    with suppress(KeyboardInterrupt):  # how a server is stopped; requests under way were waited for
        uvicorn.Server(config).run(sockets=[listening])
