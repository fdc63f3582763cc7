"""The dictionary is jieba's, and cuts as jieba does; jieba itself is the oracle."""

import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any

import jieba
import pytest

from graphrag.providers.jieba_dictionary import JiebaDictionary, jieba_dictionary
from graphrag.providers.word_forms import CJK

_RUN = re.compile(f"[{CJK}]+")
_VAULT = Path(__file__).parents[3] / "examples" / "vault"


@lru_cache(maxsize=1)
def oracle() -> Any:
    tokenizer = jieba.Tokenizer()
    tokenizer.initialize()
    return tokenizer


def test_every_chinese_word_counts_what_jieba_counts() -> None:
    mine, theirs = jieba_dictionary(), oracle()
    wrong = [word for word, count in theirs.FREQ.items() if _RUN.fullmatch(word) and mine.count(word) != count]
    assert wrong == []
    assert mine.total == theirs.total


def test_what_jieba_does_not_hold_counts_nothing() -> None:
    assert [jieba_dictionary().count(word) for word in ("", "堃堃堃", "\U00020000", "a", "々", "\udc80")] == [0] * 6


def test_the_notes_of_the_example_vault_are_cut_as_jieba_cuts_them() -> None:
    texts = [file.read_text(encoding="utf-8") for file in sorted(_VAULT.rglob("*.md"))]
    runs = [run for text in texts for run in _RUN.findall(text)]
    assert len(runs) > 1000
    assert [run for run in runs if jieba_dictionary().cut(run) != list(oracle().cut(run, HMM=False))] == []


def test_rows_of_any_words_and_characters_are_cut_as_jieba_cuts_them() -> None:
    rng = random.Random(5)
    words = [word for word in oracle().FREQ if _RUN.fullmatch(word)]
    odd = "々〇㐀鿖龥豈\U00020000\U0003134f"
    for _ in range(3000):
        run = "".join(rng.choice(odd) if rng.random() < 0.05 else rng.choice(words) for _ in range(rng.randint(1, 12)))
        assert jieba_dictionary().cut(run) == list(oracle().cut(run, HMM=False))


def test_several_threads_cut_alike() -> None:
    file = Path(jieba.__file__).parent / "dict.txt"
    runs = _RUN.findall((_VAULT / "支付系统" / "支付模块.md").read_text(encoding="utf-8"))
    wanted = [jieba_dictionary().cut(run) for run in runs]
    fresh = JiebaDictionary(file)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: [fresh.cut(run) for run in runs], range(4))) == [wanted] * 4


@pytest.mark.parametrize(("word", "part"), [("事务", "n"), ("补偿", "vn"), ("堃堃", "")])
def test_parts_of_speech(word: str, part: str) -> None:
    assert jieba_dictionary().part_of_speech(word) == part


def test_a_new_process_cuts_without_importing_jieba() -> None:
    program = (
        "import sys; from graphrag.providers.jieba_tokenizer import JiebaTokenizer; "
        "print(JiebaTokenizer().tokenize_query('补偿事务'), {'jieba', 'pkg_resources'} & {*sys.modules})"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.stdout == "['补偿', '事务'] set()\n", run.stderr
