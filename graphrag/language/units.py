"""The word after a number -> what it counts or measures, in one unit for each kind: 毫秒 and 分钟 become seconds."""

import re
from decimal import Decimal

COUNT = "count"  # things one by one: 个, 次, 台
PERCENT = "%"
CLOCK = "clock"  # minutes since midnight
WEEKDAY = "weekday"  # 1 is Monday
MONEY = {"¥": "yuan", "￥": "yuan", "$": "dollar", "€": "euro"}
MONEY_UNITS = frozenset(MONEY.values())
DESIGNATING = (
    "层層级級列组組章節节頁页段句步行条條位处處门門轮輪批"  # things that go by their number: 三层 is one of them
)

_CLASSIFIERS = (
    "个個次台臺张張条條笔筆人名位行份篇项項种種类類家层層道步件組组处處遍级級列核套间間户戶辆輛门門章节節页頁句段轮輪批"
)
# unit -> (factor, the ways to write it)
_MEASURES: dict[str, tuple[tuple[str, str], ...]] = {
    "second": (
        ("0.000001", "微秒 µs μs us"),
        ("0.001", "毫秒 ms msecs? milliseconds?"),
        ("60", "分钟 分鐘 mins? minutes?"),
        ("3600", "个?小时 個?小時 个?钟头 hrs? hours? h"),
        ("1", "秒钟 秒鐘 秒 secs? seconds? s"),
        ("604800", "周 週 个?星期 个?礼拜 weeks?"),
        ("86400", "天 days?"),
    ),
    "working day": (("1", r"个?工作日 (?:working|business)\s*days? workdays?"),),
    "month": (("1", "个月 個月 months?"),),
    "year": (("1", "年 years? yrs?"),),
    "byte": (
        ("1024", "KiB KB kB kb"),
        ("1048576", "MiB MB 兆"),
        ("1073741824", "GiB GB"),
        ("1099511627776", "TiB TB"),
        ("1", "个?字节 bytes? B"),
    ),
    "yuan": (("1", "元 块钱 块 人民币 yuan RMB CNY"),),
    "dollar": (("1", "美元 美金 dollars? USD"),),
    "euro": (("1", "欧元 euros? EUR"),),
    PERCENT: (("1", r"% percent per\s?cent"),),
    "percentage point": (("1", r"个?百分点 percentage\s*points?"),),
    "metre": (("1000", "公里 千米 km"), ("0.01", "厘米 cm"), ("0.001", "毫米 mm"), ("1", "米")),
    "gram": (("1000", "公斤 千克 kg"), ("1000000", "吨"), ("500", "斤"), ("1", "克")),
    "degree": (("1", "摄氏度 ℃ °C 度"),),
    "fold": (("1", "倍"),),
    COUNT: (("1", f"[{_CLASSIFIERS}]"),),
}
_SPECS = [(unit, Decimal(factor), ways.split()) for unit, all_ways in _MEASURES.items() for factor, ways in all_ways]


def _alternative(way: str) -> str:
    """Return the pattern of one way to write a unit: a word in Latin letters ends where its letters end."""
    return rf"{way}(?![A-Za-z])" if re.search(r"[A-Za-z]\)?\??\Z", way) else way


UNIT = "|".join(f"(?P<u{place}>{'|'.join(map(_alternative, ways))})" for place, (_, _, ways) in enumerate(_SPECS))


def unit_of(found: re.Match[str]) -> tuple[str, Decimal]:
    """Return the unit that a match of a pattern with `UNIT` in it holds, and its factor; an empty one where none is."""
    group = found.lastgroup
    places = [place for place in range(len(_SPECS)) if found[f"u{place}"] is not None] if group else []
    return _SPECS[places[0]][:2] if places else ("", Decimal(1))
