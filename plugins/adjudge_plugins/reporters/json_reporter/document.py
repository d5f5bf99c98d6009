"""The JSON result format, version 1.2: what is in the document that the reporter writes.

A minor version adds keys and takes none away; a major version may change anything. Every key is
always there unless it is said here that it may be absent. Numbers are finite. The published JSON
schema is made from these classes, and the writer is type-checked against them.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired

# pydantic reads typing.TypedDict only from Python 3.12 on.
from typing_extensions import TypedDict

from adjudge_plugins.reporters.json_reporter.shared_document import (
    Count,
    EvidenceRow,
    FailureRow,
    JudgeCallsRow,
    JudgingRow,
    ParticipantRow,
    Position,
    RubricScoreRow,
    UsageRow,
    documented,
)

Status = Literal["PASS", "FAIL", "UNSURE", "error", "not_applicable", "informational"]
Verdict = Literal["PASS", "FAIL", "UNSURE"]
ExitStatus = Literal[0, 1, 3]


@documented
class InvocationScoreRow(TypedDict):
    """One criterion on one turn."""

    score: float | None
    verdict: Verdict | None
    status: Status
    reasoning: str | None
    unsure_code: str | None
    """Why it could not be decided, where `verdict` is `UNSURE`."""
    error: FailureRow | None
    details: dict[str, Any]
    """What the criterion shows of its own: a diff of calls, labels, counts."""
    evidence: EvidenceRow | None
    rubric_scores: list[RubricScoreRow]
    """Of a criterion that decides rubrics turn by turn."""


@documented
class CriterionRow(TypedDict):
    """One criterion on one repeat of one case."""

    criterion_name: str
    """The name in the configuration."""
    criterion: str
    """The component that measured, as `plugin/component`."""
    status: Status
    score: float | None
    """The mean over the turns, or the one score of the whole case; `null` where something is missing."""
    verdict: Verdict | None
    threshold: float | None
    """`null`: informational, it decides nothing."""
    reasoning: str | None
    error: FailureRow | None
    scored: Count
    """How many turns have a score."""
    total: Count
    """How many turns there are, those that the criterion does not apply to left out."""
    best_possible: float | None
    """The best score that the missing turns would allow; set only where some are missing."""
    details: dict[str, Any]
    evidence: EvidenceRow | None
    rubric_scores: list[RubricScoreRow]
    """Of a criterion that decides rubrics over the case as a whole."""
    judging: JudgingRow | None
    """`null` where no judge was asked."""
    per_invocation: list[InvocationScoreRow]
    """One entry a turn, in the order of `invocations`; empty where the case is measured as a whole."""


@documented
class ExpectedCallRow(TypedDict):
    """A tool call that the eval set expects."""

    name: str
    args: dict[str, Any] | None


@documented
class ActualCallRow(TypedDict):
    """A tool call that the agent made."""

    step: Position
    """The number of the step that made it; evidence cites steps by number."""
    name: str
    args: dict[str, Any] | None
    id: NotRequired[str]
    """Absent where the log has none."""
    raw_args: NotRequired[str]
    """The arguments as the agent wrote them; there only where they are not a JSON object."""


@documented
class TurnRow(TypedDict):
    """One turn: what was asked, what was expected, what happened."""

    invocation_id: str
    """The eval set's own id of the turn, or the agent's where the set has none."""
    prompt: str
    expected_response: str | None
    """`null` where the eval set has none."""
    actual_response: str | None
    """`null` where the agent gave none."""
    expected_calls: list[ExpectedCallRow] | None
    """`null` in a simulated conversation, which expects nothing turn by turn."""
    actual_calls: list[ActualCallRow] | None
    """`null` where the turn never happened."""


@documented
class CaseRow(TypedDict):
    """One repeat of one case."""

    eval_set_id: str
    eval_set_file: str | None
    eval_id: str
    repeat: Position
    status: Status
    verdict: Verdict | None
    """`null` where there is none: `status` says why."""
    error: FailureRow | None
    """Set where the agent could not be run to the end, or nothing could be measured."""
    duration: float | None
    """Seconds that the agent took."""
    usage: UsageRow | None
    criteria: list[CriterionRow]
    invocations: list[TurnRow]


@documented
class RepeatedCriterionRow(TypedDict):
    """One criterion on one case over all repeats. The threshold applies to `mean`."""

    criterion_name: str
    status: Status
    verdict: Verdict | None
    mean: float | None
    standard_deviation: float | None
    """The sample standard deviation; `null` for fewer than two scores."""
    threshold: float | None
    scored: Count
    total: Count


@documented
class RepeatedCaseRow(TypedDict):
    """One case over all repeats. These statuses, not those of the single repeats, decide the run."""

    eval_set_id: str
    eval_set_file: str | None
    eval_id: str
    status: Status
    verdict: Verdict | None
    criteria: list[RepeatedCriterionRow]
    error: FailureRow | None


@documented
class CriterionSummaryRow(TypedDict):
    """One criterion over all cases of the run."""

    criterion_name: str
    criterion: str
    threshold: float | None
    mean: float | None
    """The mean over the cases that have a score."""
    counts: dict[Status, Count]
    """Cases per status; a status that no case has may be absent."""
    error: FailureRow | None
    """Set where it has a threshold and applied to no case of an eval set: the run does not pass."""


@documented
class SummaryRow(TypedDict):
    """The whole run."""

    status: Status
    verdict: Verdict | None
    """`null` too while the run is incomplete."""
    exit_status: ExitStatus
    """0 all passed, 1 something failed, 3 something could not be measured or decided, or is not run yet."""
    incomplete: bool
    """Whether the run was interrupted and not resumed. What has no result yet is an `error`, `not_finished`."""
    cases: Count
    """Cases, repeats not counted."""
    repeats: Position
    counts: dict[Status, Count]
    """Cases per status; a status that no case has may be absent."""
    criteria: list[CriterionSummaryRow]
    repeated: list[RepeatedCaseRow]
    """Every case over its repeats; empty where there is one repeat."""
    judges: dict[str, JudgeCallsRow]
    """By model, as `provider/model`; empty where no judge was asked."""


@documented
class RunRow(TypedDict):
    """What is needed to know the run again, and to repeat it."""

    name: str
    started_at: str
    """ISO 8601, UTC."""
    finished_at: str | None
    """Null where the run was interrupted and not resumed."""
    duration: float
    """Seconds, over all resumptions."""
    adjudge_version: str
    python_version: str
    plan_hash: str
    """SHA-256 of what decides the results: agent, eval sets, criteria, options, thresholds, versions."""
    agent: dict[str, Any]
    """The adapter with its version and distribution, the target, and its options."""
    eval_sets: dict[str, dict[str, Any]]
    """By file: its id, SHA-256, the selected cases, the configuration and the criteria."""
    num_runs: Position
    timeout: float | None
    """Seconds that a case may take."""
    scoring_timeout: float | None
    """Seconds that a criterion may take on a case, without what it waits for judges."""
    plugins: list[ParticipantRow]
    """What took part, over all resumptions; what only read or wrote files and what observed the run included."""


@documented
class ResultDocument(TypedDict):
    """The result of one run of adjudge."""

    schema_version: Literal["1.2"]
    run: RunRow
    warnings: list[str]
    summary: SummaryRow
    cases: list[CaseRow]
    """A row per case and repeat, in the order of the plan."""


def result_schema() -> dict[str, Any]:
    """Make the JSON schema (draft 2020-12) of the document."""
    from pydantic import TypeAdapter

    schema = TypeAdapter(ResultDocument).json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


if __name__ == "__main__":
    # How docs/reference/result.schema.json is made.
    import json
    import sys

    sys.stdout.write(json.dumps(result_schema(), indent=2) + "\n")
