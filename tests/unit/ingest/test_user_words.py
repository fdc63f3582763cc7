from pathlib import Path

from graphrag.ingest.note_rule import read_user_words


def test_the_first_word_of_each_line_counts(tmp_path: Path) -> None:
    file = tmp_path / "userdict.txt"
    assert read_user_words(file) == ()
    file.write_bytes("\ufeff支付中台 10 n\n\n  风控引擎\nSaga模式\t5\n".encode() + b"\xff\n")
    assert read_user_words(file) == ("支付中台", "风控引擎", "Saga模式", "\ufffd")
