"""Writes lines to a stream: in colour on a terminal, wrapped to its width."""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, BinaryIO, Final

import click

from adjudge.kit import render
from adjudge.plugin import RunReport

_WIDTH: Final = 100
"""The default width in columns, if there is no terminal and ``COLUMNS`` is not set."""
_HANGING: Final = 4
"""The additional indentation of a wrapped line's continuation, in columns."""

_STYLES: Final[dict[render.Tone, dict[str, Any]]] = {
    render.Tone.STRONG: {"bold": True},
    render.Tone.FAINT: {"dim": True},
    render.Tone.PASS: {"fg": "green"},
    render.Tone.FAIL: {"fg": "red", "bold": True},
    render.Tone.ERROR: {"fg": "magenta", "bold": True},
    render.Tone.UNSURE: {"fg": "yellow"},
    render.Tone.EXPECTED: {"fg": "green"},
    render.Tone.ACTUAL: {"fg": "red"},
    render.Tone.COMMAND: {"bold": True},
}
# The units of wrapping: a command to copy is one unit; otherwise a word with the spaces after it. In scripts
# without spaces a line may break after every character.
_BREAKS: Final = re.compile(
    r"'(?:adjudge|pip|pytest) [^']*'\S*\s*|(?<=: )(?:adjudge|pip|pytest) .*\Z|"
    "[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]\\s*|[^\\s\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]+\\s*|\\s+"
)


class Screen:
    """A binary stream with width and colours, to which text is written in UTF-8."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        terminal = stream.isatty()
        self.colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self.width = shutil.get_terminal_size((_WIDTH, 0)).columns if terminal else _given_width()

    def show(self, lines: Iterable[render.Line]) -> None:
        """Print lines."""
        for item in lines:
            for row in self._wrapped(item):
                self._stream.write(row.encode() + b"\n")

    def blank(self) -> None:
        """Print an empty line."""
        self._stream.write(b"\n")

    def _wrapped(self, item: render.Line) -> Iterator[str]:
        row, column, start = " " * item.indent, item.indent, item.indent
        for text, tone in item.pieces:
            pending = ""
            for word in [text] if tone == render.Tone.COMMAND else _BREAKS.findall(text):
                if column + cells(word.rstrip()) > self.width and column > start:
                    yield (row + self._styled(pending, tone)).rstrip()
                    start = item.indent + _HANGING
                    row, column, pending = " " * start, start, ""
                pending += word
                column += cells(word)
            row += self._styled(pending, tone)
        yield row.rstrip()

    def _styled(self, text: str, tone: render.Tone) -> str:
        style = _STYLES.get(tone)
        return click.style(text, **style) if self.colour and style and text else text


def _given_width() -> int:
    """The width in ``COLUMNS``, used if there is no terminal."""
    given = os.environ.get("COLUMNS", "")
    return int(given) if given.isdecimal() and int(given) else _WIDTH


def all_of_them(report: RunReport, hidden: str) -> Iterator[render.Line]:
    """Say that something is ``hidden``, and the commands that show all of it."""
    yield render.line(f"{hidden}; these show all of them:")
    for options in ("--print_detailed_results", "--output result.json"):
        yield render.line((f"adjudge runs show {report.run.name} {options}", render.Tone.COMMAND), indent=2)
    yield render.line()


def cells(text: str) -> int:
    """The number of terminal columns that a text takes."""
    return len(text) if text.isascii() else sum(map(_cell, text))


@cache
def _cell(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def filled(text: str, width: int, to_the_right: bool) -> str:
    """Pad a text with spaces to ``width`` columns."""
    spaces = " " * (width - cells(text))
    return spaces + text if to_the_right else text + spaces
