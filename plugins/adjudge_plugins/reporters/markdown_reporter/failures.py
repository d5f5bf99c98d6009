"""The cases that did not pass, the most important first, as many as fit into a report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from adjudge.kit import render
from adjudge.kit.viewer import case_row
from adjudge.model import Status
from adjudge_plugins.reporters.markdown_reporter.escaping import code
from adjudge_plugins.reporters.markdown_reporter.signs import sign

NAME: Final = 200
"""The maximum length of a name in characters."""
LINE: Final = 300
"""The maximum length of a line about a difference, in characters."""
_LINES: Final = 6
"""The number of lines about the differences in one case."""
_ORDER: Final[tuple[Status, ...]] = ("FAIL", "error", "UNSURE")
_DIFFERING: Final = frozenset(
    {render.Tone.EXPECTED, render.Tone.ACTUAL, render.Tone.FAIL, render.Tone.UNSURE, render.Tone.ERROR}
)


class Failures:
    """Collects the cases that did not pass. Memory holds at most ``room`` characters for each status."""

    def __init__(self, room: int) -> None:
        """Start without cases.

        Args:
            room: The size in characters above which no further cases of a status can be shown.
        """
        self.count = 0
        """The number of cases that did not pass."""
        self._room = room
        self._blocks: dict[Status, list[str]] = {status: [] for status in _ORDER}
        self._sizes: dict[Status, int] = dict.fromkeys(_ORDER, 0)

    def add(self, case: render.WholeCase) -> None:
        """Add a case, if it did not pass."""
        status = case.overall.status
        if status not in self._blocks or case.unfinished:
            return
        self.count += 1
        if self._sizes[status] <= self._room:
            block = "".join(f"{line}\n" for line in _failure(case))
            self._blocks[status].append(block)
            self._sizes[status] += len(block)

    def fitting(self, room: int) -> list[str]:
        """The blocks that fit into ``room`` characters: FAIL before error before UNSURE."""
        shown: list[str] = []
        for block in (block for status in _ORDER for block in self._blocks[status]):
            room -= len(block)
            if room < 0:
                break
            shown.append(block)
        return shown


def _failure(case: render.WholeCase) -> Iterator[str]:
    """A headline, and a line for each difference; for a run in a log, a line for each criterion."""
    status = case.overall.status
    row = case_row(case, (), "")
    head = f"- {sign(status)} **{status}** {code(row['name'], NAME)}"
    if case.repeats[0].result.source is None:
        yield f"{head} {code(row['headline'], LINE)}"
        differences = filter(_is_difference, render.explained(case))
        lines = [code(line, LINE) for line in dict.fromkeys(str(line).strip() for line in differences)]
    else:
        yield head
        lines = list(_of_criteria(case))
    for line in lines[:_LINES]:
        yield f"  - {line}"
    if len(lines) > _LINES:
        yield f"  - and {len(lines) - _LINES} more"


def _of_criteria(case: render.WholeCase) -> Iterator[str]:
    """A line for each criterion that did not pass: its reason, where it went wrong, and the first evidence."""
    findings = render.findings_of(case.repeats[0].result, decides=True)
    found = [item for item in findings if item.status in _ORDER and not item.unfinished]
    for item in sorted(found, key=lambda item: _ORDER.index(item.status)):
        told = f"**{item.status}** {code(item.name, NAME)} {code(item.reasoning, LINE)}"
        for ground in item.grounds():
            told += f" {code(str(ground), LINE)}"
        yield told


def _is_difference(line: render.Line) -> bool:
    return line.indent >= 4 and any(tone in _DIFFERING for _, tone in line.pieces)
