"""A clause -> whether it denies what it says; double negations cancel out, 不仅 and "not only" deny nothing.

It goes by words alone. Where they leave it open, as in a question or under a condition, nothing is said.
"""

import re

# What looks like a negation and is none, or cancels one. Longer words first: 不得不 is none, 不得 is one. What follows
# tells words apart that only begin alike: 不过 denies nothing, 不过敏 and 不过滤 do.
_NUMBER = "(?=\\s*[约\\d一二两三四五六七八九十百千万半])"
_NO_DENIAL_ZH = (
    "(?:不得|不能|不会|不可|不是|未必|并非|并不是|没有|无|莫)不(?!同|足|良|错|久|一[致样])|不无|不仅|不但|不只"
    "|不光(?![滑亮彩洁])|不单(?![独元])|不止(?![血步损])|不论(?![证述])|无论(?!文)|无非"
    "|不管(?=.*(?:多|怎|什么|谁|哪|何|几|是否|是不是|有没有|还是|大小|三七))"
    "|不过(?![敏滤期问关载夜度户境审账拟流])|不同(?![步意频]|时(?![间区段刻候]))|不断(?![开电连网线言流掉链])|不久|不少"
    "|不错(?![过开峰])|不如(?![实期约愿])|不停(?![机服止车工用电产写流业])|不时|不已|不由(?:得|自主|分说)|不约而同"
    "|不折不扣|不可或缺|不可避免|不妨(?![碍害])|不惜|不禁(?![止用言烟令入])|不等(?=式|\\W|\\Z)|不一(?![致样定起])|不足"
    f"|(?:不到|不满|未满|不(?:能|得|会|可|应)?(?:超过|大于|小于|多于|少于|低于|高于|早于|晚于)){_NUMBER}"
    "|没错(?![过误失])|差不多|(?<![只主需重])要不|不然|无限(?!制)|无数(?!据)|非常|除非|莫非|是非|未来(?!得)|未免"
    "|别人|别的|别名|级别|类别|区别|特别|分别|个别|差别|识别|性别|辨别|告别|不知不觉|无锁|无状态|非阻塞|非空|非必要"
    "|不变(?=[式量性的])|非法|未知(?![道会悉])|未读|(?P<asked>[\u4e00-\u9fff])[不没](?P=asked)|有没有|是否|能否"
)
_DENIAL_ZH = (
    "不|没有?|未(?!必)|无(?:[须需法效用权人]|限制|数据)|毋|勿|切勿|禁止|严禁|杜绝|拒绝"
    "|别(?=再|去|用|把|让|在|动|碰|改|直接)|并非|绝非|决非"
)
_NO_DENIAL_EN = (
    r"not only|not just|not merely|no (?:more|less|later|earlier|fewer) than|not (?:more|less) than|no matter|"
    r"whether or not|no doubt|not until|why not|if not|not un(?!der|i|til|less|to)\w+|not in\w+able|no\.(?=\s?\d)"
)
_DENIAL_EN = (
    r"not|never|no|none|nobody|nothing|neither|nor|cannot|without|unable|"
    r"(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|must|need|ain|wo|ca)n['’]t|"
    r"(?:forbidden|prohibited|disallowed|refuses?|refused|fails? to|failed to)"
)
_CUE = re.compile(
    rf"(?P<none>{_NO_DENIAL_ZH}|\b(?:{_NO_DENIAL_EN})\b)|(?P<denial>{_DENIAL_ZH}|\b(?:{_DENIAL_EN})\b)", re.IGNORECASE
)
_ABLE = re.compile(r"(?<=[\u4e00-\u9fff])得(?=[到了起住动完出])")  # 做得到 says what 做不到 denies
_OPEN = re.compile(
    r"[?？吗呢]\s*\Z|如果|假如|倘若|要是|若(?!干)|除非|一旦|可能|不一定|也许|或许|怎么|为什么|为何|是不是"
    r"|\b(?:if|unless|whether|maybe|perhaps|might|why|how)\b",
    re.IGNORECASE,
)
_AUXILIARY = "is|are|was|were|has|have|had|do|does|did|can|cannot|could|will|would|must|should|may|never"
_BORDER = re.compile(
    r"[，；;。！!？?\n]|,(?!\d)|[:：](?!\s*[约\d/])|(?<=\s)[-–—](?=\s)|——|\.(?=\s|\Z)|\b(?:but|while|whereas)\b"
    rf"|\band(?=\s(?:[^\W\d]\w*\s){{1,3}}?(?:{_AUXILIARY})\b)"
    r"|(?<!不)但是?|(?<![然从进反因])而(?!且)|却"
)


def split_clauses(sentence: str) -> list[str]:
    """Return the parts of a sentence that may each be denied by itself."""
    start, clauses = 0, list[str]()
    for border in _BORDER.finditer(sentence):
        end = border.end() if border.group() in "？?" else border.start()
        clauses.append(sentence[start:end])
        start = border.end() if not border.group()[0].isalpha() else border.start()
    return [clause.strip() for clause in (*clauses, sentence[start:]) if clause.strip()]


def is_denied(clause: str) -> bool | None:
    """Whether a clause denies what its other words say, None where that is left open."""
    if _OPEN.search(clause):
        return None
    cues = [found for found in _CUE.finditer(clause) if found["denial"]]
    return len(cues) % 2 == 1


def without_denial(clause: str) -> str:
    """Return a clause without the words that deny, so that it can be set beside one that says the opposite."""
    return _CUE.sub(lambda found: " " if found["denial"] else found.group(), _ABLE.sub(" ", clause))
