"""The user's own dictionary: words that the tokenizer finds whole."""

import os
from pathlib import Path


def read_user_words(file: Path) -> tuple[str, ...]:
    """Return the words of a file in jieba's form, a word a line, frequency and tag ignored; none without the file."""
    if not os.access(file, os.R_OK):
        return ()
    lines = file.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    return tuple(line.split()[0] for line in lines if line.split())
