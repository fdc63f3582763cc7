"""Whether a server's message says that a text is too long for the model: each server has its own words for it.

Ollama: "the input length exceeds the context length"; llama.cpp: "input is too large to process", "exceeds the
available context size"; vLLM and OpenAI: "maximum context length is 8192 tokens"; LM Studio: "tokens to keep from the
initial prompt is greater than the context length".
"""

import re

_ABOUT_LENGTH = re.compile(
    r"context (?:length|size|window)|context_length|context_size|too large to process|context the overflows"
    r"|max(?:imum)? (?:sequence |input |model )?(?:length|tokens)"
    r"|(?:input|prompt|text|sequence)s? (?:is |are )?too long"
    r"|must have less than \d+ tokens|max_tokens must be at least 1",
    re.IGNORECASE,
)


def is_about_length(message: str) -> bool:
    """Whether the message is about the length of what was sent."""
    return bool(_ABOUT_LENGTH.search(message))
