"""Lines for a person: text that is safe to print, in pieces that a renderer may colour."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

# CSI, OSC and other string sequences, two-character escapes: what ECMA-48 lets a terminal act on.
_ESCAPES: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
# Control characters, halves of surrogate pairs, and the characters that reorder a line.
_UNPRINTABLE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_SPACES: Final = re.compile(r"\s+")


class Tone(StrEnum):
    """What a piece of text is, for renderers that have colours."""

    PLAIN = "plain"
    STRONG = "strong"
    FAINT = "faint"
    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    ERROR = "error"
    UNSURE = "unsure"
    EXPECTED = "expected"
    """Only the expectation has it."""
    ACTUAL = "actual"
    """Only the agent did it."""


Piece: TypeAlias = "str | tuple[str, Tone]"


@dataclass(frozen=True, slots=True)
class Line:
    """One line: pieces of clean text without line breaks."""

    pieces: tuple[tuple[str, Tone], ...]
    indent: int = 0
    """Columns before the text."""

    def __str__(self) -> str:
        """Give the line without colours."""
        return " " * self.indent + "".join(text for text, _ in self.pieces)


def line(*pieces: Piece, indent: int = 0) -> Line:
    """Make a line. Whatever a piece contains, the result is one line and safe to print."""
    return Line(
        tuple(
            (one_line(piece), Tone.PLAIN) if isinstance(piece, str) else (one_line(piece[0]), piece[1])
            for piece in pieces
        ),
        indent,
    )


def clean(text: str) -> str:
    """Remove terminal escapes; show what cannot be printed as U+FFFD. Line breaks and tabs stay."""
    text = text.replace("\r\n", "\n")
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", _ESCAPES.sub("", text))


def one_line(text: str) -> str:
    """Clean a text and put it on one line. Spaces at its ends and between its words stay."""
    return re.sub(r"[\n\t\u2028\u2029]", " ", clean(text))


def shortened(text: str, limit: int) -> str:
    """Put a text on one line of at most ``limit`` characters, runs of white space as one space."""
    # What is cut away is not cleaned either: agents may answer with megabytes.
    short = _SPACES.sub(" ", clean(text[: 4 * limit])).strip()
    if len(short) > limit or len(text) > 4 * limit:
        return short[: limit - 1] + "…"
    return short
