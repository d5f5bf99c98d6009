"""Errors: what a log says went wrong, and when two errors are the same."""

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
"""Characters of a result in which it says that it is an error."""

_CHANGING: Final = re.compile(
    r"""
      \x1b\[[0-9;]*[A-Za-z]                                                          # colours of a terminal
    | \b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b               # UUIDs
    | \b0x[0-9a-f]+\b                                                                # addresses in memory
    | \b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?      # times
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What differs from one telling of an error to the next. Plain numbers do not: they name lines and elements."""


@dataclass(frozen=True, slots=True)
class ShownError:
    """An error that the log reports, or a result that says that it is one."""

    step: int
    message: str
    key: str
    """Two errors are the same where their keys are equal."""
    citation: Citation | None
    """``None`` where its words are too few to be found."""
    call_id: str | None = None
    """The call that failed, where the log says so."""


def errors_of(step: Step) -> list[ShownError]:
    """The errors of a step, each once, in order."""
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
    """The error that a result is, else ``None``.

    It is one where the log marks it as failed, where it is an object with an ``error`` or marked with ``isError``, and
    where it is a text that begins like an error.
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
    """Where the error stands, and its words there: strings inside JSON are escaped."""
    field, text = place_of(result) or ("result", "")
    said = result.value.get("error") if is_object(result.value) else None
    if said:
        text = json.dumps(said, ensure_ascii=False, default=str).removeprefix('"').removesuffix('"')
    return field, text


def unchanging(text: str) -> str:
    """A text without what differs from one telling to the next: case, white space, colours, times, UUIDs, addresses."""
    return " ".join(_CHANGING.sub("#", text).split()).casefold()
