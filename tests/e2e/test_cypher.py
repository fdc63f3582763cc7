"""Cypher on a vault that went on since: what is private or gone now is in no row, no count and no part of a name."""

import json
from pathlib import Path

import pytest

from graphrag.app import App
from graphrag.domain.access import Limit
from graphrag.domain.graph import GraphQuery
from graphrag.errors import QuestionError, SnapshotMissing
from tests.e2e.conftest import silent, write_vault

NOTES = {
    "a.md": "---\ntags: [open]\n---\nSee [[secret]], [[gone]] and [[Kafka]].\n",
    "b.md": "---\ntags: [open]\n---\nSee [[a]].\n",
    "secret.md": "---\naliases: [zqx alias]\ntags: [zqx-tag]\ncategory: zqx-category\n---\n依赖:: [[zqx topic]]\n",
    "gone.md": "---\ntitle: zqx gone\n---\nSee [[b]].\n",
}
EVERY = "MATCH (n:Entity) OPTIONAL MATCH (n)-[r:Link]-(m:Entity) RETURN n, r, m"


def open_app(vault: Path) -> App:
    return App.open(vault, vault, {"index": {"embedder": "none"}})


def test_what_is_withheld_now_was_never_there(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", NOTES)
    app = open_app(vault)
    with pytest.raises(SnapshotMissing):
        app.cypher(GraphQuery(EVERY))
    app.index(False, silent)
    assert app.cypher(GraphQuery("MATCH (n:Entity {kind: 'note'}) RETURN count(*)")).rows == ((4,),)
    (vault / "secret.md").write_text("---\nprivate: true\n---\n" + NOTES["secret.md"])
    (vault / "gone.md").unlink()
    (vault / "b.md").touch()
    assert app.cypher(GraphQuery("MATCH (n:Entity {kind: 'note'}) RETURN count(*)")).rows == ((2,),)
    table = app.cypher(GraphQuery(EVERY, max_rows=1000))
    shown = json.dumps(table.rows)
    assert not any(word in shown for word in ("zqx", "secret", "gone"))
    assert {"a.md", "b.md", "?kafka", "#open"} <= {str(row[0]["id"]) for row in table.rows if isinstance(row[0], dict)}
    app.close()


def test_a_limited_part_has_a_graph_of_its_own(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", NOTES)
    app = open_app(vault)
    app.index(False, silent)
    part = app.limited(Limit(tags=("open",)))
    part.index(False, silent)
    shown = json.dumps(part.cypher(GraphQuery(EVERY, max_rows=1000)).rows)
    assert "a.md" in shown
    assert "zqx" not in shown
    assert "gone.md" not in shown
    with pytest.raises(QuestionError):
        part.cypher(GraphQuery("MATCH (n) DELETE n"))
    part.close()
    app.close()
