import pytest

from graphrag.ingest.encoding import decode

TEXT = "一个关于分布式事务的笔记，一共有一百条。\n一二三四五六七八九十，and English.\n" * 3


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("gb18030", "gb18030"),
        ("utf-16", "utf-16-le"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32-le"),
    ],
)
def test_encodings_are_told_apart(encoding: str, name: str) -> None:
    assert decode(TEXT.encode(encoding)) == (TEXT, name)


def test_utf16_big_endian_with_its_mark() -> None:
    assert decode(b"\xfe\xff" + TEXT.encode("utf-16-be")) == (TEXT, "utf-16-be")


def test_english_in_utf16_without_a_mark() -> None:
    assert decode(("plain words\n" * 5).encode("utf-16-be"))[0] == "plain words\n" * 5


@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n"])
def test_line_endings_become_one_newline(ending: str) -> None:
    assert decode(f"一{ending}二{ending}{ending}三".encode())[0] == "一\n二\n\n三"


def test_damaged_utf8_keeps_what_can_be_read() -> None:
    text, encoding = decode(("分布式事务" * 50).encode() + b"\xff" + "补偿".encode())
    assert text.endswith("事务\ufffd补偿")
    assert encoding == "utf-8 with damage"


@pytest.mark.parametrize("damage", [b"\xff", b"\xe4\xb8", b"\x80"])
def test_a_short_text_with_one_damaged_character_is_still_utf8(damage: bytes) -> None:
    text, encoding = decode("重试次数".encode() + damage + "是三次。".encode())
    assert (text.replace("\ufffd", ""), encoding) == ("重试次数是三次。", "utf-8 with damage")


def test_a_few_zero_bytes_are_replaced() -> None:
    assert decode(b"one\0two" + b" words" * 50)[0].startswith("one\ufffdtwo words")


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 20,
        bytes(100),
        b"\x7fELF" + bytes(range(1, 100)) + bytes(90) + bytes(range(255, 100, -1)) * 9 + b"\0",
    ],
)
def test_binary_files_are_refused(data: bytes) -> None:
    with pytest.raises(UnicodeError):
        decode(data)


def test_nothing() -> None:
    assert decode(b"") == ("", "utf-8")


NATIONAL = {
    "big5": "會議紀錄：下週三上午討論伺服器搬遷的時程，請各組先準備好清單與預算。\n",
    "gb18030": "会议记录：下周三上午讨论服务器搬迁的时间表，请各组先准备好清单与预算。\n",
    "shift_jis": "会議の記録：来週の水曜日にサーバーの移転について話し合います。\n",
    "euc_jp": "会議の記録：来週の水曜日にサーバーの移転について話し合います。\n",
    "euc_kr": "회의 기록: 다음 주 수요일에 서버 이전 일정을 논의합니다.\n",
    "koi8_r": "Завтра встреча с Иваном в девять утра, взять отчёт за март.\n",
    "cp1251": "Завтра встреча с Иваном в девять утра, взять отчёт за март.\n",
    "cp1252": "Café menu – crème brûlée, naïve façade, “quotes”, 20 °C, señor Müller.\n",
}


@pytest.mark.parametrize("encoding", NATIONAL)
def test_a_national_encoding_is_told_by_what_makes_sense(encoding: str) -> None:
    text = NATIONAL[encoding]
    found, name = decode(text.encode(encoding))
    assert found == text
    assert name == encoding


@pytest.mark.parametrize("encoding", NATIONAL)
def test_a_short_text_is_read_right_or_doubted(encoding: str) -> None:
    text = NATIONAL[encoding][:12]
    found, name = decode(text.encode(encoding))
    assert found == text or name.endswith("a guess")


def test_nonsense_is_called_a_guess() -> None:
    assert decode(bytes(range(0x81, 0xFF)) * 3)[1].endswith("a guess")
