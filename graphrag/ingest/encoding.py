"""A file's bytes -> its text and the name of its encoding; doubt is part of the name."""

import codecs
import unicodedata
from collections.abc import Callable

from charset_normalizer import from_bytes

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ODD = frozenset({"Cc", "Cn", "Co", "Cs"})
_SAMPLE = 65536  # enough to tell an encoding by
_ZEROS = 0.01  # share of zero bytes from which a file is UTF-16, or binary
_TOLERATED_DAMAGE = 0.05  # share of undecodable characters among the non-ASCII ones of a file that is still UTF-8
_DAMAGE_BESIDE = 0.5  # undecodable characters for each sound one of three bytes, in which other encodings hardly fall


def decode(data: bytes) -> tuple[str, str]:
    """Return the text and the name of its encoding.

    Raises:
        UnicodeError: the bytes are not text in any encoding that can be told.
    """
    text, encoding = _decode_marked(data) or _decode_unmarked(data)
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return text, encoding


def _decode_marked(data: bytes) -> tuple[str, str] | None:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, errors="replace"), encoding
    return None


def _decode_unmarked(data: bytes) -> tuple[str, str]:
    if data.count(0) > _ZEROS * len(data):
        return _decode_wide(data)
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        pass
    text = data.decode("utf-8", errors="replace")
    damage = text.count("\ufffd")
    sound = sum("\u07ff" < character != "\ufffd" for character in text)  # of three bytes or more, by chance hardly ever
    non_ascii = sum(character > "\x7f" for character in text)
    if damage <= _TOLERATED_DAMAGE * non_ascii or (sound >= _FEW and damage <= _DAMAGE_BESIDE * sound):
        return text, "utf-8 with damage"
    return _decode_national(data)


_FREQUENT = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事"
    "成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日者意无力它与长把机十第公此已工使"
    "情明性知全三又关点正业外将两高间由问很最重并物手应向头文体相见被什二等产或新己制身果加月话合回代内信表化给世位次度门"
    "常先通教儿原东提立及比员解水名真论处义各入几口条平系气题更别打变四总何电数安少报才结反目量再建务做接必场件计管期市直"
    "這個們來為國說時會對過發後裡種經學現當沒動還進樣開從實無與長機關點業將兩間問並應頭體見產話內門東員論處義條氣題變電數"
    "報結務場計裏於應該讓"
)
_KANA = range(0x3041, 0x3100)
_HANGUL = frozenset("이다는에의가을를하고로지사대기한도시인자어리나아스그서라해수일부여정상전구주보동제")
_ENOUGH = 0.6  # plausibility from which an encoding may be taken for certain
_LEAD = 0.1  # by which it must go before the next one
_FEW = 4  # characters outside ASCII, with which nothing is certain


def _decode_national(data: bytes) -> tuple[str, str]:
    """Decode by the encoding in which the text is most plausible; of an uncertain one, the name says so.

    gb18030 accepts nearly every sequence of bytes, so that a text is not in it because it can be read so.
    """
    sample = data if len(data) <= _SAMPLE else data[: data.rfind(b"\n", 0, _SAMPLE) + 1 or _SAMPLE]
    scores = sorted(((_plausibility(sample, name), name) for name in _MEASURES), reverse=True)
    (best, name), (second, _) = scores[:2]
    if best < _DOUBTFUL:
        try:
            text, name = _decode_guessed(data)
        except UnicodeError:
            if best <= 0:
                raise
            text = data.decode(name, errors="replace")
        return text, f"{name}{_GUESS}"
    is_certain = best >= _ENOUGH and best - second >= _LEAD and sum(byte > 0x7F for byte in sample) > _FEW
    return data.decode(name, errors="replace"), name if is_certain else f"{name}{_GUESS}"


def _plausibility(data: bytes, encoding: str) -> float:
    """Return how much a text in this encoding looks like one that people write, 0 to 1."""
    text = data.decode(encoding, errors="replace")
    foreign = [place for place, character in enumerate(text) if character > "\x7f"]
    damage = sum(text[place] == "\ufffd" for place in foreign)
    if not foreign or damage > len(foreign) * 0.02 or not _is_plausible(text):
        return 0.0
    measure = _MEASURES[encoding]
    return sum(measure(text, place) for place in foreign) / len(foreign)


def _chinese(charset: str, first: int, last: int) -> Callable[[str, int], float]:
    """Return a measure by which frequent characters count in full, and rare ones hardly."""

    def measure(text: str, place: int) -> float:
        character = text[place]
        if character in _FREQUENT or character in _PUNCTUATION:
            return 1.0
        try:
            written = character.encode(charset)
        except UnicodeEncodeError:
            return 0.0
        return 0.5 if len(written) == 2 and first <= written[0] <= last and ord(character) not in _KANA else 0.1

    return measure


def _japanese(text: str, place: int) -> float:
    character = text[place]
    if ord(character) in _KANA or character in _PUNCTUATION:
        return 1.0
    if "\uff61" <= character <= "\uff9f":
        return 0.1  # half-width kana: single bytes, to which anything can be read
    written = character.encode("cp932", errors="ignore")
    return 0.5 if len(written) == 2 and 0x88 <= written[0] <= 0x97 else 0.1


def _korean(text: str, place: int) -> float:
    character = text[place]
    if character in _HANGUL or character in _PUNCTUATION:
        return 1.0
    return 0.6 if "가" <= character <= "힣" else 0.1


def _cyrillic(text: str, place: int) -> float:
    """Capitals begin words; inside of them, and beside plain letters, they tell that another encoding was meant."""
    character = text[place]
    if not "\u0401" <= character <= "\u0451":
        return 1.0 if character in _TYPOGRAPHY else 0.1
    if any(beside.isascii() and beside.isalpha() for beside in text[max(0, place - 1) : place + 2]):
        return 0.1
    is_inside = "\u0401" <= text[max(0, place - 1) : place] <= "\u0451"
    return 0.9 if character.islower() or not is_inside else 0.2


def _western(text: str, place: int) -> float:
    """Letters with accents stand among plain ones; a row of them is a text in another script."""
    beside = text[max(0, place - 1) : place] + text[place + 1 : place + 2]
    if any(character > "\x7f" for character in beside):
        return 0.2
    character = text[place]
    return 0.9 if character.isalpha() or character in _TYPOGRAPHY else 0.3 if character.isprintable() else 0.0


_PUNCTUATION = frozenset("，。、；：？！“”‘’（）《》「」『』【】—…·～－　１２３４５６７８９０％")
_TYPOGRAPHY = frozenset("–—‘’“”…•€£©®°·«»§±×½¼¾²³™¿¡\u00a0")
_MEASURES: dict[str, Callable[[str, int], float]] = {
    "gb18030": _chinese("gb2312", 0xB0, 0xD7),
    "big5": _chinese("big5", 0xA4, 0xC6),
    "shift_jis": _japanese,
    "euc_jp": _japanese,
    "euc_kr": _korean,
    "cp1251": _cyrillic,
    "koi8_r": _cyrillic,
    "cp1252": _western,
}
_DOUBTFUL = 0.4  # plausibility under which another reader is asked
_GUESS = ", which is a guess"


def _decode_guessed(data: bytes) -> tuple[str, str]:
    sample = data if len(data) <= _SAMPLE else data[: data.rfind(b"\n", 0, _SAMPLE) + 1 or _SAMPLE]
    best = from_bytes(sample).best()
    if best is None or b"\0" in data:
        raise UnicodeError("not text in a known encoding")
    return data.decode(best.encoding, errors="replace"), best.encoding


def _decode_wide(data: bytes) -> tuple[str, str]:
    """Decode UTF-16 without a mark: the zero bytes of its ASCII characters lie on one side.

    Chinese has some on the other one (those of `\u4e00`), but makes no sense when read the wrong way round.
    """
    sample = data[:4096]
    is_little = sample[1::2].count(0) >= sample[0::2].count(0)
    for encoding in ("utf-16-le", "utf-16-be") if is_little else ("utf-16-be", "utf-16-le"):
        if len(data) % 2 == 0 and _is_plausible(sample.decode(encoding, errors="replace")):
            return data.decode(encoding, errors="replace"), encoding
    raise UnicodeError("looks like a binary file")


def _is_plausible(text: str) -> bool:
    """Whether nearly all characters are such as people write."""
    odd = sum(1 for character in text if unicodedata.category(character) in _ODD and character not in "\t\r\n")
    return odd <= len(text) * 0.02
