"""Errors in a log, and their equality."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from adjudge.adk.validation import is_object
from adjudge.kit.trace.citations import quoted
from adjudge.kit.trace.locations import json_text, place_of
from adjudge.model.evidence import Citation
from adjudge.model.items import ErrorItem, ToolResult
from adjudge.model.step import Step

_FAILED: Final = re.compile(
    r"\s*[\[(<]?(?:\w{0,40}(?:error|exception)|traceback|failed|failure)\b", re.IGNORECASE
)

_HEAD: Final = 100
"""The number of characters at the beginning of a result that are searched for words such as "error"."""

_CHANGING: Final = re.compile(
    r"""
      \x1b\[[0-9;]*[A-Za-z]                                                          # colours of a terminal
    | \b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b               # UUIDs
    | \b0x[0-9a-f]+\b                                                                # addresses in memory
    | \b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?      # times
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Parts of messages that differ between occurrences of the same error. Plain numbers are not included, because they
identify lines and elements."""


@dataclass(frozen=True, slots=True)
class ShownError:
    """An error recorded in the log, or a result that is an error."""

    step: int
    message: str
    key: str
    """Two errors are equal if their keys are."""
    citation: Citation | None
    """``None`` if the text is too short to be cited."""
    call_id: str | None = None
    """The id of the failed call, if the log contains it."""


def errors_of(step: Step) -> list[ShownError]:
    """The errors of a step in order, without duplicates."""
    found: dict[tuple[str, str | None], ShownError] = {}
    for error in _errors(step):
        found.setdefault((error.key, error.call_id), error)
    return list(found.values())


def _errors(step: Step) -> Iterator[ShownError]:
    for item in step.items:
        if isinstance(item, ErrorItem):
            message = item.message or item.code or "error"
            citation = quoted(step.number, "error", item.message)
            yield ShownError(step.number, message, unchanging(message), citation)
        elif isinstance(item, ToolResult) and (failure := failure_of(item)) is not None:
            citation = quoted(step.number, *_words(item))
            yield ShownError(step.number, failure, unchanging(failure), citation, item.call_id)


def failure_of(result: ToolResult) -> str | None:
    """The error message of a result; ``None`` if it is not an error.

    A result is an error if the log marks it as failed, if it is an object with ``error`` or ``isError``, or if it is a
    text that begins like an error.
    """
    value = result.value
    if is_object(value):
        if said := value.get("error"):
            return json_text(said)
        return json_text(value) if result.is_error or value.get("isError") is True else None
    if result.is_error:
        return json_text(value)
    return value if isinstance(value, str) and _FAILED.match(value, 0, _HEAD) else None


def _words(result: ToolResult) -> tuple[str, str]:
    """The field of the error, and its text as in the log, where strings inside JSON are escaped."""
    field, text = place_of(result) or ("result", "")
    said = result.value.get("error") if is_object(result.value) else None
    if said:
        text = json.dumps(said, ensure_ascii=False, default=str).removeprefix('"').removesuffix('"')
    return field, text


def unchanging(text: str) -> str:
    """Normalise a message: lower case, single spaces, without terminal colours, times, UUIDs and memory addresses."""
    return " ".join(_CHANGING.sub("#", text).split()).casefold()
