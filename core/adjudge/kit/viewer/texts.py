"""Texts for documents: without control characters, and with a limited length."""

from __future__ import annotations

import json
from typing import Final, TypeAlias, TypedDict

from adjudge.model.base import JsonValue
from adjudge.model.printable import clean

MOST: Final = 1_000_000
"""The maximum length of one text in a document, in characters."""
RECORDED: Final = 200_000
"""The maximum length of a recorded event, request or response, in characters."""


class CutText(TypedDict):
    """The beginning of a text that is too long for a document."""

    text: str
    left_out: int
    """The number of omitted characters."""


Text: TypeAlias = str | CutText
"""A text without control characters, complete or truncated."""

Segment: TypeAlias = tuple[str, bool]
"""A part of a text, and whether it differs from the other text."""


def text_of(text: str, limit: int = MOST) -> Text:
    """Remove escapes and control characters from a text, and truncate it to ``limit`` characters."""
    if len(text) <= limit:
        return clean(text)
    return {"text": clean(text[:limit]), "left_out": len(text) - limit}


def json_view(value: JsonValue) -> Text:
    """A JSON value as indented text, with a lower limit than other texts: requests of a long run repeat each other."""
    if isinstance(value, str):
        return text_of(value, RECORDED)
    return text_of(json.dumps(value, ensure_ascii=False, indent=2, default=str), RECORDED)
