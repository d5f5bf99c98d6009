"""The types of view documents: plain JSON with all computed results, and without control characters in texts.

A tone is one of ``render.Tone``; a status is one of the keys of ``ViewerWords.statuses``.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

from adjudge.kit.viewer.texts import Segment, Text
from adjudge.kit.viewer.trace_documents import Trace

VERSION = 1
"""The version of the types. A viewer only shows documents of its own version."""


class Votes(TypedDict):
    """The votes of a decision."""

    text: str
    """The tally as a text."""
    bars: list[tuple[str, int]]
    """The labels with their number of votes, the decided label first."""
    rows: list[tuple[str, str, str]]
    """Model, label and reason of every vote."""


class Citation(TypedDict):
    """A quote from the log: step, field and text."""

    step: int
    row: int
    """The ``step`` of the row that contains the quote."""
    field: str
    quote: str
    """With an ellipsis where code took only the beginning of a longer text."""
    at: tuple[int, int, int] | None
    """The index of the item in the row, and start and end of the quote in its text, in UTF-16 code units as in
    JavaScript; ``None`` if the quote is in the omitted part of a long text."""


class CallView(TypedDict):
    """A call: its name, and its arguments (name, value, whether it differs)."""

    name: str
    args: list[tuple[str, Text, bool]]


class CallPair(TypedDict):
    """An expected call and the actual call that is compared with it."""

    sign: str
    tone: str
    words: str
    expected: CallView | None
    actual: CallView | None
    differences: list[Difference]


class Difference(TypedDict):
    """A place in which two values differ; a missing value is ``None``."""

    path: str
    expected: list[Segment] | None
    actual: list[Segment] | None


class Check(TypedDict):
    """A single decided statement: a check of AI Judge, a rubric, or a sentence."""

    id: str
    tone: str
    word: str
    text: str
    reason: Text
    granularity: NotRequired[str]
    citations: NotRequired[list[Citation]]
    absences: NotRequired[list[str]]
    votes: NotRequired[Votes]


class Place(TypedDict):
    """A step with its agent."""

    step: int
    agent: str


class Fault(TypedDict):
    """The step of the first error, and the next most likely steps."""

    first: Place
    others: list[Place]


class Finding(TypedDict):
    """The result of a criterion on a case or on one turn. Keys without a value are absent."""

    name: str
    component: NotRequired[str]
    status: str
    shown: str
    """The score and its threshold, as a text."""
    gaps: NotRequired[str]
    score: NotRequired[float]
    threshold: NotRequired[float]
    confidence: NotRequired[str]
    granularity: NotRequired[str]
    reason: NotRequired[Text]
    error: NotRequired[ErrorView]
    notes: NotRequired[list[str]]
    details: NotRequired[list[tuple[str, str]]]
    calls: NotRequired[list[CallPair]]
    differences: NotRequired[list[Difference]]
    checks: NotRequired[list[Check]]
    votes: NotRequired[Votes]
    citations: NotRequired[list[Citation]]
    absences: NotRequired[list[str]]
    fault: NotRequired[Fault]
    lines: NotRequired[list[str]]
    """Other lines of text."""


class ErrorView(TypedDict):
    """The error of something that could not be measured."""

    code: str
    text: Text
    place: str
    traceback: Text


class Side(TypedDict):
    """The expected or the actual side of a turn."""

    answer: list[Segment] | None
    """``None`` if there is no answer."""
    left_out: int
    """The number of omitted characters of the answer."""
    calls: list[CallView]


class Turn(TypedDict):
    """A turn: the prompt, the expected and the actual side, and the results of criteria."""

    number: int
    of: int
    prompt: Text
    expected: Side | None
    actual: Side | None
    """``None`` if the turn did not happen."""
    note: str
    """A note about the comparison of the two answers; empty if there is none."""
    findings: list[Finding]


class ViewSection(TypedDict):
    """A section of a judge's view of the run, with its steps."""

    label: str
    steps: list[int]
    text: Text


class JudgeLevel(TypedDict):
    """A judge's view of the run at one granularity."""

    name: str
    of_steps: bool
    """Whether its sections are the single steps."""
    sections: list[ViewSection]


class Repeat(TypedDict):
    """One repeat of a case, or one run in a log."""

    repeat: int
    status: str
    facts: list[tuple[str, str]]
    error: ErrorView | None
    simulation: list[str]
    findings: list[Finding]
    turns: list[Turn]
    trace: Trace
    levels: list[JudgeLevel]
    """Empty if no judge saw an aggregated view."""
    judged: bool
    """Whether there are results of AI Judge to show."""


class CaseView(TypedDict):
    """The full view of one case."""

    version: int
    kind: Literal["case"]
    words: ViewerWords
    name: str
    """The name with which the command line selects the case."""
    title: str
    """The name without the folders of an absolute path."""
    status: str
    headline: str
    overall: list[Finding]
    """The results over all repeats; empty if there is only one."""
    opens: int
    """The repeat to show first: the first one that did not pass."""
    repeats: list[Repeat]


class Row(TypedDict):
    """The row of a case in the list."""

    key: str
    """The argument of ``load`` for its ``CaseView``."""
    name: str
    """The name with which the command line selects the case; used in addresses."""
    id: str
    set: str
    status: str
    headline: str
    prompt: str
    seconds: float | None
    time: str
    cells: list[tuple[str, str, float | None]]
    """Status, shown text and score for each column of the document; without a status if the case has no such result."""


class CriterionRow(TypedDict):
    """The summary of a criterion over the run, or over its eval sets with one threshold."""

    name: str
    component: str
    threshold: str
    mean: str
    passed: str
    rest: str
    counts: list[tuple[str, int]]
    error: str


class Change(TypedDict):
    """The change of a case between two runs."""

    name: str
    before: str
    after: str
    """Statuses before and after; empty if the run has no such case."""
    kind: Literal["worse", "better", "other", "score", "new", "gone"]
    words: str
    """The kind as a text."""
    tone: str
    what: list[str]
    """The changes, one line per criterion."""
    key: str
    """The key of the case in the later run; empty if it is gone."""


class Comparison(TypedDict):
    """The comparison of two runs, the most important changes first."""

    before: str
    after: str
    text: str
    criteria: list[tuple[str, str, str, str, str]]
    """Name, mean before, mean after, the difference, its tone."""
    changes: list[Change]
    same: int
    notes: list[str]
    """Other differences between the runs: agent, plan, versions."""


class ViewerWords(TypedDict):
    """The texts for all statuses."""

    statuses: dict[str, tuple[str, str, str]]
    """Text, tone and sign by status."""


class RunDocument(TypedDict):
    """A run. Its cases are in ``rows``; their full views are loaded on demand."""

    version: int
    kind: Literal["run"]
    words: ViewerWords
    name: str
    verdict: tuple[str, str, str]
    """Text, tone, and a summary of the result."""
    noun: str
    """The noun for a row: "case" or "run"."""
    facts: list[tuple[str, str]]
    warnings: list[str]
    errors: list[str]
    judges: list[str]
    counts: list[tuple[str, int]]
    columns: list[str]
    """The names of the criteria, in the order of the cells of rows."""
    criteria: list[CriterionRow]
    """A row for each criterion; one row for each threshold, if eval sets have different ones."""
    comparison: Comparison | None
    rows: list[Row]


class TraceDocument(TypedDict):
    """A trajectory without verdicts: a session, or a run in a log."""

    version: int
    kind: Literal["trace"]
    words: ViewerWords
    name: str
    trace: Trace


Document: TypeAlias = RunDocument | CaseView | TraceDocument
