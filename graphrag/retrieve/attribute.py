"""What a Chinese question asks of its subject: 职业 in 罗某的职业是什么.

Passages about a subject hold most words of a question about it. What tells whether they hold the answer is the word
for what is asked of it. Only questions in so many words are read: 他做什么工作 asks for the same and says it otherwise.
English notes say the same in too many ways for this to tell anything there: a father is found as "son of".
"""

import re

_END = "，,。？?、；;：:！!"
_ASKS = "什么|什麼|甚么|甚麼|多少|谁|誰|哪|几|幾|何|怎|多[大高长長久重远遠]"
_ADVERBS = "分别|分別|各自|都|各|又|也|就|还|還|具体|具體|大概|大约|大約|到底|究竟"
_OF_SUBJECT = re.compile(
    rf"(?:的|其(?![中他它实實]))\s*(?P<part>[^的{_END}\s][^的{_END}]{{0,11}}?)(?:{_ADVERBS})*\s*"
    rf"(?:是|[为為](?!什[么麼]|何)|叫做?|有|在|属于|屬於|位于|位於|达到?|達到?)\s*(?:{_ASKS})"
)


def asked_attribute(question: str) -> str:
    """Return the words for what is asked of the subject, empty where the question does not name it."""
    found = _OF_SUBJECT.search(question)
    return found["part"].strip() if found else ""
