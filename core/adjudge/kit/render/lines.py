"""Lines of text that are safe to print, in pieces that a renderer may colour."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from adjudge.model.printable import clean, one_line

_SPACES: Final = re.compile(r"\s+")


class Tone(StrEnum):
    """The meaning of a piece of text, for renderers with colours."""

    PLAIN = "plain"
    STRONG = "strong"
    FAINT = "faint"
    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    ERROR = "error"
    UNSURE = "unsure"
    EXPECTED = "expected"
    """Only in the expectation."""
    ACTUAL = "actual"
    """Only in the agent's result."""
    COMMAND = "command"
    """A command to copy, which must stay on one line."""


Piece: TypeAlias = "str | tuple[str, Tone]"


@dataclass(frozen=True, slots=True)
class Line:
    """One line: pieces of clean text without line breaks."""

    pieces: tuple[tuple[str, Tone], ...]
    indent: int = 0
    """The number of columns before the text."""

    def __str__(self) -> str:
        """The line without colours."""
        return " " * self.indent + "".join(text for text, _ in self.pieces)


def line(*pieces: Piece, indent: int = 0) -> Line:
    """Create a line. Pieces may contain anything: the result is one line that is safe to print."""
    return Line(
        tuple(
            (one_line(piece), Tone.PLAIN) if isinstance(piece, str) else (one_line(piece[0]), piece[1])
            for piece in pieces
        ),
        indent,
    )


def shortened(text: str, limit: int) -> str:
    """Shorten a text to one line of at most ``limit`` characters, with single spaces."""
    # Truncate before cleaning, because agents may answer with megabytes.
    short = _SPACES.sub(" ", clean(text[: 4 * limit])).strip()
    if len(short) > limit or len(text) > 4 * limit:
        return short[: limit - 1] + "…"
    return short
