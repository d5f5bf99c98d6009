"""Cuts an answer into sentences, whatever its language and its markup."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final, cast

from sentencex import segment  # pyright: ignore[reportAttributeAccessIssue, reportMissingTypeStubs, reportUnknownVariableType]

# sentencex wants a language and cannot tell which one it is. What ends a sentence it knows for every
# script, whatever the language; a language adds abbreviations only ("Dr.", "5 p.m."). English ones cut
# right most often in texts of other languages too, where those of French or Italian take words for them.
_LANGUAGE: Final = "en"

_WINDOW: Final = 4000
"""Characters that are cut into sentences at a time, far more than a sentence has."""

_FENCE: Final = re.compile(r"\s*(```+|~~~+)")
_MARKER: Final = re.compile(r"\A\s*(?:>\s*)*(?:(?:#{1,6}|[-*+•‣◦・]|\(?[0-9]{1,3}[.)])\s+)?")
_BLOCK: Final = re.compile(r"\s*(?:>|\||#{1,6}\s|[-*+•‣◦・]\s|\(?[0-9]{1,3}[.)]\s)")
_EMPHASIS_END: Final = re.compile(r"[*_~`]+(?=\s)")


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text in Markdown or plain words, in order.

    A list item, a heading, a table row and a line of its own end where the line ends; a line that goes
    on in lower case on the next one is one line. A fenced block of code is one sentence. A piece
    without a letter, a digit or a pictograph says nothing, and is left out.
    """
    pieces = (piece.strip() for block in _blocks(_encodable(text)) for piece in _cut(block))
    return tuple(piece for piece in pieces if _says_something(piece))


def _encodable(text: str) -> str:
    """Half a character, which broken JSON can bring, cannot be handed to sentencex."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _blocks(text: str) -> Iterator[str]:
    """Fenced code, and lines with those that they go on in."""
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
    """Whether a line is the rest of the one before."""
    return not _BLOCK.match(line) and line.lstrip()[:1].islower()


def _cut(block: str) -> list[str]:
    """The sentences of a block; what marks it as an item of a list stays with the first one."""
    if _FENCE.match(block) or block.lstrip().startswith("|"):
        return [block]
    words = _MARKER.sub("", block, count=1)
    found: list[str] = []
    for piece in _segmented(words):
        # sentencex leaves the end of "**Done.** Next" to the sentence that follows.
        tail = _EMPHASIS_END.match(piece) if found else None
        if tail is not None:
            found[-1] = found[-1].rstrip() + tail[0]
        found.append(piece if tail is None else piece[tail.end() :])
    marker = block[: len(block) - len(words)]
    return [marker + "".join(found[:1]), *found[1:]]


def _segmented(text: str) -> Iterator[str]:
    """The sentences of a text; one that has no end within ``_WINDOW`` characters is cut there.

    sentencex takes time that grows with the square of a text's length where many quotes are open.
    """
    start = 0
    while start < len(text):
        window = text[start : start + _WINDOW]
        found = list(cast("Iterable[str]", segment(_LANGUAGE, window)))
        end = len(window)
        if start + end < len(text) and len(found) > 1:
            end = window.rfind(found.pop())  # the last one may go on after the window
        yield from found
        start += end


def _says_something(piece: str) -> bool:
    return any(sign.isalnum() or unicodedata.category(sign) == "So" for sign in piece)
