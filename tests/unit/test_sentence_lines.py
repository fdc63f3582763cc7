"""The lines behind a stretch of a chunk, through all that cleaning does to a note."""

from pathlib import Path

import pytest

from graphrag.app import App
from graphrag.domain.query import NO_FILTERS
from graphrag.language.sentences import fit_sentences
from tests.e2e.conftest import silent

ROWS = "\n".join(
    f"| 参数{number} | 这是第 {number} 个参数的说明，写得长一些以便占满一块 | {number} |" for number in range(40)
)
NOTE = f"""---
title: 支付
tags: [a]
---

# 支付

<div>第一句跨了
两行</div>，[[消息队列|队列]]在后面。这是 **第二句**。

%% 不见的注释 %%

> 引用的一句话。

## 参数

| 名称 | 说明 | 值 |
| --- | --- | --- |
{ROWS}

最后一句话在这里。
"""


@pytest.fixture
def app(tmp_path: Path) -> App:
    (tmp_path / "支付.md").write_text(NOTE, encoding="utf-8")
    (tmp_path / "graphrag.toml").write_text('[index]\nembedder = "none"\n', encoding="utf-8")
    opened = App.open(tmp_path, tmp_path)
    opened.index(False, silent)
    return opened


def test_every_sentence_leads_to_the_lines_that_it_stands_on(app: App) -> None:
    readers = app._snapshot.readers
    source = NOTE.split("\n")
    chunks = readers.chunks.chunks_of(["支付.md"], NO_FILTERS)["支付.md"]
    assert len(chunks) > 2  # rows of one table in several, each with the head again
    found = {}
    for chunk in chunks:
        for sentence in fit_sentences(chunk.text):
            place = chunk.lines_of(sentence.start, sentence.end)
            if place is None:  # the head of a table, repeated: it stands elsewhere
                assert sentence.text == "名称 · 说明 · 值" and chunk is not chunks[0]
            else:
                found[sentence.text] = place
    numbered = {text: source[first - 1 : last] for text, (first, last) in found.items()}
    assert numbered["参数7 · 这是第 7 个参数的说明，写得长一些以便占满一块 · 7"] == [
        "| 参数7 | 这是第 7 个参数的说明，写得长一些以便占满一块 | 7 |"
    ]
    assert numbered["最后一句话在这里。"] == ["最后一句话在这里。"]
    assert numbered["引用的一句话。"] == ["> 引用的一句话。"]
    assert numbered["这是 第二句。"] == ["两行</div>，[[消息队列|队列]]在后面。这是 **第二句**。"]


def test_lines_of_a_passage_need_no_note(app: App, tmp_path: Path) -> None:
    readers = app._snapshot.readers
    (tmp_path / "支付.md").unlink()
    chunk = readers.chunks.chunks_of(["支付.md"], NO_FILTERS)["支付.md"][0]
    start = chunk.text.index("第一句")
    assert chunk.lines_of(start, start + len("第一句跨了")) == (8, 8)
    assert chunk.lines_of(start, chunk.text.index("这是")) == (8, 9)
    assert chunk.lines_of(start, start) is None
