"""The JSON format of verdicts on logs, version 1.0: what ``adjudge judge --output FILE.json`` writes.

A minor version adds keys and takes none away; a major version may change anything. Every key is
always there. Numbers are finite. The published JSON schema is made from these classes, and the writer is
type-checked against them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

# pydantic reads typing.TypedDict only from Python 3.12 on.
from typing_extensions import TypedDict

from adjudge_plugins.reporters.json_reporter.document import ExitStatus, Verdict
from adjudge_plugins.reporters.json_reporter.shared_document import (
    Count,
    EvidenceRow,
    FailureRow,
    JudgeCallsRow,
    JudgingRow,
    ParticipantRow,
    Position,
    VotesRow,
    documented,
)

Confidence = Annotated[float, Field(ge=0, le=1)]


@documented
class CheckRow(TypedDict):
    """One locked check of a criterion: a statement that a run meets or not."""

    check_id: str
    text: str
    about: Literal["process", "outcome", "answer"]
    """`outcome`: what was reached; the agent's own claims are no evidence of it. `answer`: what the agent says to its user."""
    reducer: Literal["all", "any", "last"]
    """Over parts of a long run: met where every part meets it; where one part does; as the last part to which it
    applies has it."""


@documented
class CriterionRow(TypedDict):
    """A criterion with the checks that every run was judged by."""

    name: str
    description: str
    granularity: str | None
    """The one that its author names."""
    threshold: float
    """The share of the checks that apply that must be met."""
    checks: list[CheckRow]
    compiled_by: str
    """Who wrote the checks: `author`, `code`, or a judge as `provider/model`."""
    sha256: str
    """The hash of all this. Verdicts with the same hash are comparable."""


@documented
class MeasuredRow(TypedDict):
    """An installed criterion that measures a run, without words of the user's."""

    name: str
    criterion: str
    """As `plugin/component`."""
    threshold: float
    lower_is_better: bool
    document: dict[str, Any]
    """Everything that decides its results: version, distribution, options, judges."""
    sha256: str
    """The hash of `document`. Verdicts with the same hash are comparable."""


@documented
class CurveRow(TypedDict):
    """From the judged probability of PASS to the labelled one."""

    method: Literal["platt", "isotonic"]
    slope: float
    """`platt`: logit P(PASS) = slope x logit(judged P(PASS)) + intercept."""
    intercept: float
    points: list[list[float]]
    """`isotonic`: judged and labelled probability, linear between the points and level beyond them."""


@documented
class CalibrationRow(TypedDict):
    """What made the confidence of one criterion and its judges a probability."""

    criterion_name: str
    """As the labels call it."""
    criterion_sha256: str | None
    judges: list[str]
    curve: CurveRow
    rows: Count
    """How many labelled verdicts it was fitted to."""
    threshold: Confidence | None
    """Below it a verdict is `UNSURE`."""
    wanted_agreement: Confidence | None
    """What the threshold was asked for."""
    fitted_at: str
    """ISO 8601, UTC."""
    labels_sha256: str
    """Of the file of labels."""


@documented
class ClusterRow(TypedDict):
    """A sub-task."""

    name: str
    steps: list[int]
    summary: str | None
    boundary: str | None
    """Why it begins where it does; `null` for the first."""


@documented
class DecompositionRow(TypedDict):
    """The sub-tasks of a run: every step is in exactly one, in order."""

    clusters: list[ClusterRow]
    named_by: Literal["code", "judge"]


@documented
class AggregatedStepsRow(TypedDict):
    """The run at one granularity."""

    granularity: str
    aggregated_content: str
    step_mapping: dict[str, list[int]]
    """Labels of the content, to step numbers."""
    summary_metadata: dict[str, Any]


@documented
class ChoiceRow(TypedDict):
    """Which granularity was chosen first, and why."""

    name: str
    reason: str
    chosen_by: Literal["criterion", "option", "rules", "judge"]


@documented
class CheckResultRow(TypedDict):
    """One check on one run."""

    check_id: str
    text: str
    state: Literal["met", "not_met", "not_applicable", "unsure", "error"]
    reasoning: str | None
    evidence: EvidenceRow
    confidence: Confidence | None
    unsure_code: str | None
    error: FailureRow | None
    granularity: str
    """At which it was decided."""
    votes: VotesRow | None
    dropped_citations: Count
    """Citations of its votes that do not stand in the log, not even after the judge was told."""
    steps_not_shown: Count
    """Steps that the judge saw shortened, in a line or not at all, for want of room in a request."""
    steps_fetched: list[int]
    """Steps that it saw as they were recorded because votes had asked for them."""


@documented
class VotedRow(TypedDict):
    """What the votes alone say."""

    verdict: Verdict
    confidence_score: Confidence
    """A posterior of the votes. Calibrations are fitted to this one."""


@documented
class EvaluationRow(TypedDict):
    """The verdict of one criterion on one run."""

    criterion_name: str
    verdict: Verdict
    reasoning: str
    confidence_score: Confidence | None
    """`null` where the verdict is `UNSURE`."""
    used_granularity: str
    """At which the verdict was decided."""
    evidence: EvidenceRow
    """Every quote stands in the log, at that step and field: code looked it up."""
    calibrated: bool
    """Whether the score was fitted to labels; otherwise it is a posterior of the votes alone."""
    before_calibration: VotedRow | None
    """What the votes alone say of a result that is calibrated."""
    reason_codes: list[str]
    """Why it is `UNSURE` (`split_votes`, `no_evidence`, `abstained`, `injection`, `low_confidence`,
    `not_applicable`), and what it is to be taken with care for (`self_reported`, `addresses_judge`,
    `invisible_text`, `steps_not_shown`, `other_judges`)."""
    granularity: ChoiceRow
    checks: list[CheckResultRow]
    criterion_sha256: str
    """That of the criterion it was judged by."""
    score: float | None
    """What was measured, in the criterion's own unit; `null` for a criterion in words."""
    threshold: float | None
    """What the score was compared with."""
    judging: JudgingRow | None


@documented
class InapplicableRow(TypedDict):
    """A criterion that has nothing to measure in a run. It is no verdict."""

    criterion_name: str
    reasoning: str


@documented
class LogRow(TypedDict):
    """One run of an agent, read from a log. A log with several runs gives several rows."""

    source: str
    run: Position
    """Which run of that log."""
    reader: str
    """Who read it, as `plugin/component`."""
    task: str | None
    """What the judge was told of the goal."""
    agent: str | None
    steps: Count
    lost: list[str]
    """What the reader could not keep."""
    task_decomposition: DecompositionRow | None
    aggregated_steps: list[AggregatedStepsRow]
    """What the judge was given an overview with, each view once, in the order of use."""
    results: list[EvaluationRow]
    """The criteria that have a verdict: those of `criteria`, then those of `measured`, in their order."""
    not_applicable: list[InapplicableRow]
    """Criteria that have nothing to measure here. What is in neither is in `errors`."""


@documented
class ErrorRow(TypedDict):
    """Something that could not be measured. It is no verdict."""

    source: str
    run: Position | None
    """`null` where the log as a whole could not be read."""
    criterion_name: str | None
    """`null` where it concerns every criterion."""
    error: FailureRow
    checks: list[CheckResultRow]
    """What is known of the criterion all the same."""


@documented
class LogsSummaryRow(TypedDict):
    """Everything together."""

    status: Literal["PASS", "FAIL", "UNSURE", "error"] | None
    """`FAIL` before `error` before `UNSURE` before `PASS`; `null` where nothing was judged."""
    exit_status: ExitStatus
    counts: dict[Literal["PASS", "FAIL", "UNSURE", "error"], Count]
    """Verdicts, and entries of `errors`."""
    judges: dict[str, JudgeCallsRow]
    """What was asked, by model."""


@documented
class LogsDocument(TypedDict):
    """What `adjudge judge` concludes."""

    schema_version: Literal["1.0"]
    adjudge_version: str
    started_at: str
    """ISO 8601, UTC."""
    duration: float
    """Seconds."""
    warnings: list[str]
    plugins: list[ParticipantRow]
    """What took part: criteria, strategies, readers, judge backends, reporters."""
    summary: LogsSummaryRow
    criteria: list[CriterionRow]
    """Those in words; empty where it ended after aggregation."""
    measured: list[MeasuredRow]
    """Those that measure."""
    calibrations: list[CalibrationRow]
    """Those that results here were calibrated by."""
    logs: list[LogRow]
    """In the order in which the logs were named, then in that of each log."""
    errors: list[ErrorRow]


def logs_schema() -> dict[str, Any]:
    """Make the JSON schema (draft 2020-12) of the document."""
    from pydantic import TypeAdapter

    schema = TypeAdapter(LogsDocument).json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


if __name__ == "__main__":
    # How docs/reference/judge-result.schema.json is made.
    import json
    import sys

    sys.stdout.write(json.dumps(logs_schema(), indent=2) + "\n")
