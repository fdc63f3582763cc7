"""A server that really listens, for what the client in the process cannot do: go away, and wait in line."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import uvicorn

from graphrag.server.asgi import Server


@contextmanager
def listening(server: Server, token: str | None = None) -> Iterator[httpx.Client]:
    """Serve on a free port in a thread; the client shows the token of the run, or another."""
    config = uvicorn.Config(server.asgi, host="127.0.0.1", port=0, log_level="error", timeout_graceful_shutdown=1)
    bound = config.bind_socket()
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [bound]})
    thread.start()
    while not running.started:  # before that, connections are refused
        assert thread.is_alive()
        time.sleep(0.01)
    base = f"http://127.0.0.1:{bound.getsockname()[1]}"
    headers = {"Authorization": f"Bearer {token or server.token}"}
    try:
        with httpx.Client(base_url=base, headers=headers, timeout=30, trust_env=False) as client:
            yield client
    finally:
        running.should_exit = True
        thread.join()
        bound.close()
