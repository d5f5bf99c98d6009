"""Lines for a person: text that is safe to print, in pieces that a renderer may colour."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from adjudge.model.printable import clean, one_line

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
    COMMAND = "command"
    """To copy: it stays on one line."""


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


def shortened(text: str, limit: int) -> str:
    """Put a text on one line of at most ``limit`` characters, runs of white space as one space."""
    # What is cut away is not cleaned either: agents may answer with megabytes.
    short = _SPACES.sub(" ", clean(text[: 4 * limit])).strip()
    if len(short) > limit or len(text) > 4 * limit:
        return short[: limit - 1] + "…"
    return short
