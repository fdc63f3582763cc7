"""What a question asks of its subject: 职业 in 罗某的职业是什么, "salary range" in What is the salary range for staff?

Passages about a subject hold most words of a question about it. What tells whether they hold the answer is the word
for what is asked of it. Only questions in so many words are read: 他做什么工作 asks for the same and says it otherwise.
"""

import re

_CHINESE = re.compile(r"[\u3400-\u9fff]")
_END = "，,。？?、；;：:！!"
_ASKS = "什么|什麼|甚么|甚麼|多少|谁|誰|哪|几|幾|何|怎|多[大高长長久重远遠]"
_ADVERBS = "分别|分別|各自|都|各|又|也|就|还|還|具体|具體|大概|大约|大約|到底|究竟"
_OF_SUBJECT = re.compile(
    rf"(?:的|其(?![中他它实實]))\s*(?P<part>[^的{_END}\s][^的{_END}]{{0,11}}?)(?:{_ADVERBS})*\s*"
    rf"(?:是|[为為](?!什[么麼]|何)|叫做?|有|在|属于|屬於|位于|位於|达到?|達到?)\s*(?:{_ASKS})"
)
_ENGLISH = (
    re.compile(
        r"\b(?:what|who|which|when|where)(?:['’]s| is| was| are| were) (?:the |his |her |its |their |our |my )?"
        r"(?P<part>[a-z][a-z' -]{1,30}?) (?:of|for|in|on|at)\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:which|what) (?P<part>[a-z][a-z -]{1,30}?) (?:is|was|are|were|does|do|did|has|have|had|can|will)\b",
        re.IGNORECASE,
    ),
    re.compile(r"\w['’]s (?P<part>[a-z][a-z -]{1,30}?)(?:\?|$| (?:is|was|are|were)\b)", re.IGNORECASE),
)


def asked_attribute(question: str) -> str:
    """Return the words for what is asked of the subject, empty where the question does not name it."""
    patterns = (_OF_SUBJECT,) if _CHINESE.search(question) else _ENGLISH
    return next((found["part"].strip() for pattern in patterns if (found := pattern.search(question))), "")
