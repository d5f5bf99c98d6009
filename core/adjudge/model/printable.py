"""Text that is safe to print on a terminal."""

from __future__ import annotations

import re
from typing import Final

# The control sequences of terminals in ECMA-48: CSI, OSC and other string sequences, two-character escapes.
_ESCAPES: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
# Control characters, halves of surrogate pairs, and bidirectional control characters, which reorder a line.
_UNPRINTABLE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def clean(text: str) -> str:
    """Remove terminal escapes, and replace unprintable characters by U+FFFD. Line breaks and tabs stay."""
    if text.isprintable():  # fast path for most texts: ten times faster than the patterns
        return text
    text = text.replace("\r\n", "\n")
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", _ESCAPES.sub("", text))


def one_line(text: str) -> str:
    """Clean a text, and replace line breaks and tabs by spaces. Other spaces stay."""
    return re.sub(r"[\n\t\u2028\u2029]", " ", clean(text))


def writable(text: str) -> str:
    """Escape lone surrogates, which file names that are not UTF-8 contain: UTF-8 files cannot contain them."""
    return text.encode(errors="backslashreplace").decode()
