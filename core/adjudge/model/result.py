"""Results: what the core computes from measurements."""

from __future__ import annotations

from typing import Final, Literal

from adjudge.model.aggregated import AggregatedSteps, TaskDecomposition
from adjudge.model.base import Frozen, JsonObject
from adjudge.model.evaluation import AppliedCalibration, CheckResult, GranularityChoice, VotedVerdict
from adjudge.model.evidence import Evidence, Failure
from adjudge.model.judging import JudgeUse, total_cost
from adjudge.model.measurement import RubricScore
from adjudge.model.simulation import Simulation
from adjudge.model.step import Usage, total_usage
from adjudge.model.verdict import Status, Verdict


class InvocationResult(Frozen):
    """The result of one criterion on one turn."""

    status: Status
    verdict: Verdict | None = None
    score: float | None = None
    reasoning: str | None = None
    unsure_code: str | None = None
    """Why the verdict is ``UNSURE``."""
    error: Failure | None = None
    details: JsonObject = {}
    """Details that the criterion shows: a diff of calls, labels, counts."""
    evidence: Evidence | None = None
    rubric_scores: tuple[RubricScore, ...] = ()
    """The results of rubrics, for a criterion that decides rubrics on every turn."""
    best_possible: float | None = None
    """If there is no score: the best score that is still possible, given the known parts."""


class CriterionResult(Frozen):
    """The result of one criterion on one case, or on one run in a log.

    Its first six fields are seed 003's ``EvaluationResult``.
    """

    criterion_name: str
    """The instance's name in the configuration."""
    verdict: Verdict | None = None
    """``None`` if there is no verdict: ``status`` is the reason."""
    reasoning: str | None = None
    confidence_score: float | None = None
    """0 to 1: the posterior probability of the majority, given the judge's votes; or a calibrated value."""
    used_granularity: str | None = None
    """The granularity strategy of AI Judge's verdict; ``None`` for other criteria."""
    evidence: Evidence | None = None
    """Code has checked that every quote is in the log, at the cited step and field."""
    criterion: str
    """The component that measured, as ``plugin/component``."""
    status: Status
    score: float | None = None
    """The mean over the turns, or the score of the whole case; ``None`` if outcomes are missing."""
    threshold: float | None = None
    """The threshold for the score; ``None``: the criterion is informational and does not affect the verdict."""
    lower_is_better: bool = False
    """Whether a score passes at or below the threshold, instead of at or above it."""
    error: Failure | None = None
    """Why something could not be measured."""
    scored: int = 0
    """The number of outcomes with a score."""
    total: int = 0
    """The number of applicable outcomes."""
    best_possible: float | None = None
    """The best score that is still possible; set only if outcomes are missing and it is finite."""
    details: JsonObject = {}
    """Details that the criterion shows."""
    rubric_scores: tuple[RubricScore, ...] = ()
    """The results of rubrics, for a criterion that decides rubrics on the case as a whole."""
    judging: JudgeUse | None = None
    """The use of judges; ``None`` if no judge was asked."""
    per_invocation: tuple[InvocationResult, ...] = ()
    """One entry per turn; empty if the case is measured as a whole."""
    granularity: GranularityChoice | None = None
    """The granularity strategy that was chosen first, and the reason."""
    calibrated: bool = False
    """Whether ``confidence_score`` is calibrated with labels; otherwise it is a posterior probability of the votes."""
    before_calibration: VotedVerdict | None = None
    """The verdict before calibration; set only if ``calibrated``."""
    calibration: AppliedCalibration | None = None
    """The applied calibration; set only if ``calibrated``."""
    reason_codes: tuple[str, ...] = ()
    """Reasons for UNSURE (``split_votes``, ``no_evidence``, ``abstained``, ``injection``, ``low_confidence``,
    ``not_applicable``), and reasons for caution (``self_reported``, ``addresses_judge``, ``invisible_text``,
    ``steps_not_shown``, ``other_judges``)."""
    checks: tuple[CheckResult, ...] = ()
    """The results of AI Judge's single checks."""
    criterion_sha256: str | None = None
    """The hash of AI Judge's checks and their source. Verdicts with the same hash are comparable."""
    task_decomposition: TaskDecomposition | None = None
    """The sub-tasks found in the run."""
    aggregated_steps: tuple[AggregatedSteps, ...] = ()
    """The aggregated views of the run that the judge saw, in the order of use."""


class CaseResult(Frozen):
    """The result of one repeat of one case, or of one run in a log."""

    eval_set_id: str
    """For a run in a log: the path of the log."""
    eval_set_file: str | None = None
    eval_id: str
    """For a run in a log: its number."""
    source: str | None = None
    """The path of the log; ``None`` for a case."""
    run: int | None = None
    """The number of the run in the log, from 1; ``None`` for a case, and if the log could not be read."""
    repeat: int = 1
    """The number of the repeat, from 1."""
    task: str | None = None
    """The task; ``None`` if it is unknown."""
    agent: str | None = None
    """The name of the agent; ``None`` if it is unknown."""
    steps: int = 0
    """The number of the agent's steps."""
    lost: tuple[str, ...] = ()
    """Descriptions of data in the log that the reader could not keep."""
    status: Status
    verdict: Verdict | None = None
    """``None`` if there is no verdict: ``status`` is the reason."""
    error: Failure | None = None
    """Set if nothing is scored, because the agent failed or the log could not be read; or if no criterion applies."""
    criteria: tuple[CriterionResult, ...] = ()
    """The result of each criterion; empty if nothing is scored."""
    duration: float | None = None
    """The duration of the agent's run in seconds."""
    simulation: Simulation | None = None
    """The simulator of the user, and the reason of the conversation's end; ``None`` if no user was simulated."""
    usage: Usage | None = None


class RepeatedCriterion(Frozen):
    """The result of one criterion on one case over all repeats. The threshold applies to ``mean``."""

    criterion_name: str
    status: Status
    verdict: Verdict | None = None
    mean: float | None = None
    standard_deviation: float | None = None
    """The sample standard deviation; ``None`` for fewer than two scores."""
    threshold: float | None = None
    lower_is_better: bool = False
    scored: int = 0
    total: int = 0


class RepeatedCase(Frozen):
    """The result of one case over all repeats. These statuses, not those of single repeats, decide the run."""

    eval_set_id: str
    eval_set_file: str | None = None
    eval_id: str
    source: str | None = None
    run: int | None = None
    status: Status
    verdict: Verdict | None = None
    criteria: tuple[RepeatedCriterion, ...] = ()
    error: Failure | None = None
    """The error of the first repeat that could not be run."""


class CriterionSummary(Frozen):
    """The summary of one criterion over all cases of a run."""

    criterion_name: str
    criterion: str
    threshold: float | None = None
    lower_is_better: bool = False
    mean: float | None = None
    """The mean over the cases with a score."""
    counts: dict[Status, int] = {}
    """The number of cases by status; a status without cases may be missing."""
    error: Failure | None = None
    """Set if the criterion has a threshold but applied to no case of an eval set, or to no run in the logs."""


class JudgeCalls(Frozen):
    """Counts of the calls to one judge model in a run."""

    calls: int = 0
    """The number of calls, without retries."""
    retries: int = 0
    cached: int = 0
    """The number of answers that were already known, from the cache or from before an interruption."""
    failed: int = 0
    """The number of calls that failed with all retries."""
    usage: Usage | None = None
    """The tokens of the calls."""
    cost: float | None = None
    """The cost of the calls in USD; ``None`` if a price is unknown."""
    items: int = 0
    """The number of items with two or more votes."""
    unanimous: int = 0
    """The number of those items on which all votes agree."""
    stopped: str | None = None
    """Why the model was no longer called at the end; ``None`` if it was."""

    def __add__(self, later: JudgeCalls) -> JudgeCalls:
        """Add the counts; ``stopped`` is that of ``later``."""
        counted = ("calls", "retries", "cached", "failed", "items", "unanimous")
        costs = [each.cost for each in (self, later) if each.calls]
        known = [cost for cost in costs if cost is not None]
        return JudgeCalls(
            **{name: getattr(self, name) + getattr(later, name) for name in counted},
            usage=total_usage([self.usage, later.usage]),
            cost=sum(known) if known and len(known) == len(costs) else None,
            stopped=later.stopped,
        )

    def rounded(self, *, stopped: str | None) -> JudgeCalls:
        """A copy with a rounded cost and with ``stopped``. The last digits of a sum depend on the order of answers."""
        return self.model_copy(update={"cost": total_cost([self.cost]), "stopped": stopped})


USER_AT_FAULT: Final = "user_at_fault"
"""Error code of a case whose simulated user violated its scenario, as a criterion found."""
NOT_MEASURED: Final = "not_measured"
"""Error code of an informational criterion that was not measured because a judge, its key or a module is missing."""
NOTHING_MEASURED: Final = "nothing_measured"
"""Error code of a case to which no criterion with a threshold applies, or of a criterion that applies to no case."""
NOT_FINISHED: Final = "not_finished"
"""Error code of a case that an interrupted run has not finished."""


class RunSummary(Frozen):
    """The summary of a run."""

    status: Status
    verdict: Verdict | None = None
    """``None`` also while the run is incomplete."""
    exit_status: int
    """0: all passed; 1: a case failed; 3: none failed, but some could not be measured or decided or are unfinished."""
    incomplete: bool = False
    """Whether the run was interrupted and not resumed. Cases without a result count as ``error``."""
    cases: int = 0
    """The number of cases, without repeats."""
    repeats: int = 1
    counts: dict[Status, int] = {}
    """The number of cases by status; a status without cases may be missing."""
    criteria: tuple[CriterionSummary, ...] = ()
    repeated: tuple[RepeatedCase, ...] = ()
    """Every case over its repeats; empty if there is only one repeat."""
    judges: dict[str, JudgeCalls] = {}
    """Calls by model, as ``provider/model``; empty if no judge was asked."""


class Participant(Frozen):
    """A component that took part in a run, or a plugin that observed it."""

    kind: str
    """``criterion``, ``judge backend``, ``agent adapter`` and so on; or ``observer``."""
    component: str
    """As ``plugin/component``; for an observer the plugin's name."""
    version: int | None
    """The component's version from its spec; ``None`` for an observer."""
    distribution: str
    distribution_version: str


class CriterionInfo(Frozen):
    """A criterion in the plan of a run: all settings that determine its results."""

    criterion: str
    """The component, as ``plugin/component``."""
    version: int
    """The component's version from its spec."""
    distribution: str
    """The name and version of its distribution."""
    threshold: float | None
    """``None``: informational."""
    options: JsonObject
    """All options with their values."""
    judges: tuple[JsonObject, ...] = ()
    """For each judge that it requested: models, votes, parameters, and the fingerprints of the backends."""
    delegates: tuple[JsonObject, ...] = ()
    """The criteria to which it delegates, each with its settings."""
    declared: JsonObject = {}
    """Other settings that determine its results, declared by the component."""


class SimulatorInfo(Frozen):
    """The user simulator for the scenarios of an eval set."""

    simulator: str
    """As ``plugin/component``."""
    version: int
    """The component's version from its spec."""
    distribution: str
    """The name and version of its distribution."""
    options: JsonObject
    """All options with their values."""
    judges: tuple[JsonObject, ...] = ()
    """For each model that it requested: its name, and the fingerprint of the backend."""
    declared: JsonObject = {}
    """Other settings that determine its messages, declared by the component."""


class EvalSetInfo(Frozen):
    """An eval-set file of a run."""

    eval_set_id: str
    sha256: str
    """SHA-256 of the file."""
    cases: Literal["all"] | tuple[str, ...]
    """The ids of the selected cases."""
    config: str | None
    """The configuration file; ``None`` for the default criteria, and for a configuration made in Python."""
    criteria: dict[str, CriterionInfo]
    """Criteria by the name of the instance."""
    user_simulator: SimulatorInfo | None = None
    """``None`` if no user is simulated."""


class LogInfo(Frozen):
    """A log of a run."""

    reader: str | None
    """The trace reader, as ``plugin/component``; ``None`` if no reader recognises the log."""
    sha256: str | None
    """SHA-256 of the file; ``None`` if it cannot be read."""


class LogsInfo(Frozen):
    """The logs of a run, and their criteria."""

    files: dict[str, LogInfo]
    """Logs by path."""
    criteria: dict[str, CriterionInfo]
    """Criteria by the name of the instance."""
    task: str | None = None
    """The task that the user gave for runs whose log contains none."""
    instructions: str | None = None
    """SHA-256 of the instructions that the user gave for runs whose log contains none."""
    tools: str | None = None
    """SHA-256 of the tools that the user gave for runs whose log contains none."""
    roles: dict[str, str] | None = None
    """The authors that the user gave for the messages of roles or names: ``user``, ``agent`` or ``environment``."""


class RunInfo(Frozen):
    """The identity of a run, and the data needed to repeat it: versions, options, hashes."""

    name: str
    started_at: str
    """ISO 8601, UTC."""
    finished_at: str | None = None
    """ISO 8601, UTC; ``None`` if the run was interrupted and not resumed."""
    duration: float = 0.0
    """Seconds, over all resumptions."""
    adjudge_version: str
    python_version: str
    plan_hash: str
    """SHA-256 of all settings that determine the results: agent, eval sets, criteria, options, thresholds, versions."""
    agent: JsonObject | None = None
    """The adapter with its version and distribution, the target, and its options; ``None`` for a run over logs."""
    eval_sets: dict[str, EvalSetInfo] = {}
    """Eval sets by file."""
    logs: LogsInfo | None = None
    """The logs and their criteria; ``None`` for a run over eval sets."""
    prepared: dict[str, JsonObject] = {}
    """Data that criteria prepared before the first case, by criterion; for instance checks."""
    decides: bool = True
    """Whether a criterion has a threshold; otherwise the run has no verdict, and only measures or aggregates."""
    num_runs: int = 1
    timeout: float | None = None
    """The time limit of a case in seconds; ``None``: no limit."""
    scoring_timeout: float | None = None
    """The time limit of a criterion on a case in seconds, without waiting for judges; ``None``: no limit."""
    plugins: tuple[Participant, ...] = ()
    """All participants over all resumptions. The plan's hash does not include them, as not all influence results."""
