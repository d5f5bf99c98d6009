"""Splits an answer into sentences, in any language and with markup."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final, cast

from sentencex import segment  # pyright: ignore[reportAttributeAccessIssue, reportMissingTypeStubs, reportUnknownVariableType]

# sentencex needs a language but cannot detect it. It knows the sentence terminators of every script without
# one; a language only adds abbreviations ("Dr.", "5 p.m."). English abbreviations give the best results for
# texts in other languages too: those of French or Italian include ordinary words.
_LANGUAGE: Final = "en"

_WINDOW: Final = 4000
"""The size in characters of the window that is segmented at a time; sentences are far shorter."""

_FENCE: Final = re.compile(r"\s*(```+|~~~+)")
_MARKER: Final = re.compile(r"\A\s*(?:>\s*)*(?:(?:#{1,6}|[-*+•‣◦・]|\(?[0-9]{1,3}[.)])\s+)?")
_BLOCK: Final = re.compile(r"\s*(?:>|\||#{1,6}\s|[-*+•‣◦・]\s|\(?[0-9]{1,3}[.)]\s)")
_EMPHASIS_END: Final = re.compile(r"[*_~`]+(?=\s)")


def sentences(text: str) -> tuple[str, ...]:
    """Split a text in Markdown or plain text into its sentences, in order.

    A list item, a heading, a table row and a separate line end at the end of the line; a line that
    continues in lower case on the next line is joined with it. A fenced code block is one sentence. Pieces
    without a letter, a digit or a pictograph are left out.
    """
    pieces = (piece.strip() for block in _blocks(_encodable(text)) for piece in _cut(block))
    return tuple(piece for piece in pieces if _says_something(piece))


def _encodable(text: str) -> str:
    """Replace lone surrogates, which broken JSON may contain and sentencex cannot process."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _blocks(text: str) -> Iterator[str]:
    """Split a text into fenced code blocks and lines, each line with its continuations."""
    block: list[str] = []
    fence = ""
    for line in text.splitlines():
        if fence:
            block.append(line)
            if line.strip().startswith(fence):
                yield "\n".join(block)
                block, fence = [], ""
            continue
        opening = _FENCE.match(line)
        if block and opening is None and _goes_on(line):
            block.append(line)
            continue
        if block:
            yield "\n".join(block)
        block = [line] if line.strip() else []
        fence = "" if opening is None else opening[1]
    if block:
        yield "\n".join(block)


def _goes_on(line: str) -> bool:
    """Whether a line continues the one before."""
    return not _BLOCK.match(line) and line.lstrip()[:1].islower()


def _cut(block: str) -> list[str]:
    """Split a block into sentences; a list marker stays with the first one."""
    if _FENCE.match(block) or block.lstrip().startswith("|"):
        return [block]
    words = _MARKER.sub("", block, count=1)
    found: list[str] = []
    for piece in _segmented(words):
        # sentencex would put the closing marks of "**Done.** Next" into the next sentence.
        tail = _EMPHASIS_END.match(piece) if found else None
        if tail is not None:
            found[-1] = found[-1].rstrip() + tail[0]
        found.append(piece if tail is None else piece[tail.end() :])
    marker = block[: len(block) - len(words)]
    return [marker + "".join(found[:1]), *found[1:]]


def _segmented(text: str) -> Iterator[str]:
    """Split a text into sentences; one that is longer than ``_WINDOW`` characters is cut there.

    The run time of sentencex is quadratic in the length of a text with many open quotes.
    """
    start = 0
    while start < len(text):
        window = text[start : start + _WINDOW]
        found = list(cast("Iterable[str]", segment(_LANGUAGE, window)))
        end = len(window)
        if start + end < len(text) and len(found) > 1:
            end = window.rfind(found.pop())  # the last sentence may continue after the window
        yield from found
        start += end


def _says_something(piece: str) -> bool:
    return any(sign.isalnum() or unicodedata.category(sign) == "So" for sign in piece)
