"""Checks that a report is valid in the format that its suffix promises."""

from __future__ import annotations

import json
import xml.parsers.expat
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from adjudge.testing.conformance.results import UNFRIENDLY


def well_formed(report: bytes, suffixes: Iterable[str]) -> None:
    """Check the report of a run whose texts contain marks of every format.

    Args:
        report: The bytes that were written.
        suffixes: The suffixes of the reporter; those of other formats are not checked.

    Raises:
        AssertionError: it is not valid, so a text of an agent was not escaped.
    """
    for suffix in suffixes:
        check = _CHECKS.get(f".{suffix.rpartition('.')[2]}")
        if check is not None:
            check(report, suffix)


def _json(report: bytes, suffix: str) -> None:
    try:
        json.loads(report)
    except ValueError as error:
        raise AssertionError(f"what is written to *{suffix} is no JSON: {error}") from None


def _json_lines(report: bytes, suffix: str) -> None:
    for number, line in enumerate(filter(None, report.splitlines()), start=1):
        try:
            json.loads(line)
        except ValueError as error:
            raise AssertionError(
                f"what is written to *{suffix} is no JSON Lines: line {number}: {error}"
            ) from None


def _xml(report: bytes, suffix: str) -> None:
    try:
        xml.parsers.expat.ParserCreate().Parse(report, True)
    except xml.parsers.expat.ExpatError as error:
        raise AssertionError(f"what is written to *{suffix} is no XML: {error}") from None


def _html(report: bytes, suffix: str) -> None:
    tag = UNFRIENDLY[UNFRIENDLY.index("<") : UNFRIENDLY.index(">") + 2]
    assert tag.encode() not in report, (
        f"what is written to *{suffix} shows a text of the run as HTML: {tag!r}; escape it, for instance with html.escape"
    )


_CHECKS: Final[Mapping[str, Callable[[bytes, str], None]]] = {
    ".json": _json,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".xml": _xml,
    ".html": _html,
    ".htm": _html,
}
