"""The real process: it starts, answers, follows the index, and ends."""

import shutil
import ssl
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from graphrag.app import App
from graphrag.domain.access import Scope
from graphrag.vault.access_control import AccessTokens
from tests.e2e.conftest import SMALL, silent, write_vault
from tests.e2e.serving import serving
from tests.fakes.git import isolate_git, run_git
from tests.fakes.ollama_server import Mood, running_server

SETTINGS = '[index]\nembedder = "none"\n[answer]\nchat = "none"\n'


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return write_vault(tmp_path / "vault", {**SMALL, "graphrag.toml": SETTINGS, ".gitignore": ".graphrag/\n"})


def index(vault: Path) -> None:
    app = App.open(vault, vault)
    app.index(False, silent)
    app.close()


def eventually(holds: Callable[[], bool], seconds: float = 30) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.1)
    return False


def notes(client: httpx.Client) -> int:
    return int(client.get("/notes").json().get("total", 0))


def test_it_serves_what_the_printed_link_opens_and_ends_when_told(vault: Path) -> None:
    index(vault)
    secret = AccessTokens(vault / ".graphrag").create("phone", Scope.ASK)
    with serving(vault) as running:
        client = running.client
        assert running.link.startswith("http://127.0.0.1:") and "/#token=grag_" in running.link
        assert client.get("/").status_code == 200
        assert client.get("/health", headers={"Authorization": ""}).json() == {"status": "ok"}
        assert client.get("/search", params={"q": "retry_count"}).json()["results"][0]["note"] == "支付/支付模块.md"
        assert client.post("/ask", json={"question": "谁负责交易系统"}).json()["status"] == "answered"
        phone = {"Authorization": f"Bearer {secret}"}
        assert client.get("/tags", headers=phone).status_code == 200
        assert client.get("/metrics", headers=phone).status_code == 403
        assert client.get("/tags", headers={"Host": "evil.example"}).status_code == 421
        assert client.get("/tags", headers={"Authorization": "Bearer x"}).status_code == 401
        assert "graphrag_requests_total" in client.get("/metrics").text
        assert "server" not in client.get("/tags").headers
        assert running.stop() in (0, -15, 143)
        assert "Traceback" not in running.log.read_text("utf-8")


def test_it_answers_from_what_another_process_indexes(vault: Path) -> None:
    with serving(vault) as running:
        assert running.client.get("/health").status_code == 503
        assert "graphrag index" in running.log.read_text("utf-8")
        index(vault)
        assert eventually(lambda: notes(running.client) == 4)
        (vault / "新.md").write_text("# 鲸鱼\n\n鲸鱼吃磷虾。\n", "utf-8")
        index(vault)
        assert eventually(lambda: notes(running.client) == 5)
        found = running.client.get("/search", params={"q": "磷虾"}).json()["results"]
        assert [item["note"] for item in found][:1] == ["新.md"]
        (vault / "新.md").unlink()
        shutil.rmtree(vault / ".graphrag" / "tables-00000001", ignore_errors=True)
        app = App.open(vault, vault)
        app.index(True, silent)  # into new tables; the old ones are gone at once
        app.close()
        assert eventually(lambda: notes(running.client) == 4)


def test_it_follows_the_vault_by_itself(vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    isolate_git(monkeypatch, tmp_path)
    run_git(vault, "init", "-q")
    run_git(vault, "add", "-A")
    run_git(vault, "commit", "-q", "-m", "first")
    with serving(vault, "--watch") as running:
        assert eventually(lambda: running.client.get("/health").status_code == 200)
        assert eventually(lambda: notes(running.client) == 4)
        (vault / "新.md").write_text("# 鲸鱼\n\n鲸鱼吃磷虾。\n", "utf-8")
        run_git(vault, "add", "-A")
        run_git(vault, "commit", "-q", "-m", "second")
        assert eventually(lambda: notes(running.client) == 5)
        status = running.client.get("/status").json()
        assert status["commit"] == run_git(vault, "rev-parse", "HEAD") and status["watcher"]["is_alive"]
        assert eventually(lambda: running.client.get("/status").json()["indexing"] is None)
        assert "新.md" in {item["path"] for item in running.client.get("/changes").json()["notes"]}
        assert running.stop() in (0, -15, 143)
    watcher = App.open(vault, vault).watcher()
    assert watcher is not None and not watcher.is_alive and watcher.heartbeat.state == "stopped"


def test_it_ends_at_once_though_a_model_does_not_answer(vault: Path) -> None:
    index(vault)
    with running_server("三次", "", mood=Mood.STALL) as ollama:
        settings = SETTINGS.replace('"none"\n[answer]\nchat = "none"', f'"none"\n[answer]\nhost = "{ollama.host}"')
        (vault / "graphrag.toml").write_text(settings, "utf-8")
        with serving(vault) as running, ThreadPoolExecutor(1) as pool:
            asked = pool.submit(running.client.post, "/ask", json={"question": "重试次数是多少"})
            assert eventually(lambda: bool(ollama.requests))
            started = time.monotonic()
            running.stop()
            assert time.monotonic() - started < 15
            assert ollama.abandoned.wait(5)
            assert asked.exception() is not None or asked.result().status_code >= 500


def certificate(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for this machine, which signs itself."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"),
            *("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(cert)),
        ],
        check=True,
        capture_output=True,
    )
    return cert, key


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate with")
def test_it_speaks_https(vault: Path, tmp_path: Path) -> None:
    index(vault)
    cert, key = certificate(tmp_path)
    trusted = ssl.create_default_context(cafile=str(cert))
    with serving(vault, "--tls-cert", str(cert), "--tls-key", str(key), verify=trusted) as running:
        assert running.link.startswith("https://127.0.0.1:")
        assert running.client.get("/tags", headers={"Origin": running.link.partition("/#")[0]}).status_code == 200


def test_another_host_is_served_when_that_is_wanted(vault: Path) -> None:
    index(vault)
    with serving(vault, "--host", "0.0.0.0", "--insecure-http", "--allow-host", "notes.lan") as running:
        assert "can be read by whoever" in running.log.read_text("utf-8")
        assert running.client.get("/tags", headers={"Host": "notes.lan"}).status_code == 200
        assert running.client.get("/tags", headers={"Host": "0.0.0.0"}).status_code == 421
