"""A real `graphrag serve` process on a free port."""

import os
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

FREE_PORT = ("--port", "0")


@dataclass(frozen=True)
class Running:
    """A server with a client that shows the token of the printed link."""

    process: "subprocess.Popen[str]"
    link: str
    client: httpx.Client
    log: Path  # what it says on stderr

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(20)


@contextmanager
def serving(vault: Path, *options: str, verify: ssl.SSLContext | bool = True) -> Iterator[Running]:
    """Serve a vault until the block ends."""
    command = [sys.executable, "-m", "graphrag", "serve", "--vault", str(vault), *FREE_PORT, *options]
    log = vault.parent / "serve.log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
        )
    try:
        assert process.stdout
        link = process.stdout.readline().strip()
        base, _, token = link.partition("#token=")
        assert token, log.read_text("utf-8")
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=base, headers=headers, timeout=60, trust_env=False, verify=verify) as client:
            yield Running(process, link, client, log)
    finally:
        process.kill()
        process.wait()
        assert process.stdout
        process.stdout.close()
