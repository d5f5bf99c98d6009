"""Results: what the core concludes from measurements."""

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
    """One criterion on one turn."""

    status: Status
    verdict: Verdict | None = None
    score: float | None = None
    reasoning: str | None = None
    unsure_code: str | None = None
    """Why it could not be decided, where ``verdict`` is ``UNSURE``."""
    error: Failure | None = None
    details: JsonObject = {}
    """What the criterion shows of its own: a diff of calls, labels, counts."""
    evidence: Evidence | None = None
    rubric_scores: tuple[RubricScore, ...] = ()
    """Of a criterion that decides rubrics turn by turn."""
    best_possible: float | None = None
    """Where there is no score: the best one that the parts that are known still allow."""


class CriterionResult(Frozen):
    """One criterion on one case, or on one run in a log. Its first six fields are seed 003's ``EvaluationResult``."""

    criterion_name: str
    """The instance's name in the configuration."""
    verdict: Verdict | None = None
    """``None`` where there is none: ``status`` says why."""
    reasoning: str | None = None
    confidence_score: float | None = None
    """0 to 1: how sure the judge's votes are, or what labels have shown them to be worth."""
    used_granularity: str | None = None
    """The strategy at which AI Judge decided; ``None`` where another criterion measured."""
    evidence: Evidence | None = None
    """Every quote stands in the log, at that step and field: code looked it up."""
    criterion: str
    """The component that measured, as ``plugin/component``."""
    status: Status
    score: float | None = None
    """The mean over the turns, or the one score of the whole case; ``None`` where something is missing."""
    threshold: float | None = None
    """What the score is compared with; ``None``: informational, it decides nothing."""
    error: Failure | None = None
    """Set where something could not be measured."""
    scored: int = 0
    """How many outcomes have a score."""
    total: int = 0
    """How many there are, those that are not applicable left out."""
    best_possible: float | None = None
    """The best score that the missing outcomes allow; set only where some are missing and it is finite."""
    details: JsonObject = {}
    """What the criterion shows of its own."""
    rubric_scores: tuple[RubricScore, ...] = ()
    """Of a criterion that decides rubrics over the case as a whole."""
    judging: JudgeUse | None = None
    """What was asked of judges; ``None`` where none was asked."""
    per_invocation: tuple[InvocationResult, ...] = ()
    """One entry a turn; empty where the case is measured as a whole."""
    granularity: GranularityChoice | None = None
    """Which strategy was chosen first, and why."""
    calibrated: bool = False
    """Whether ``confidence_score`` was fitted to labels; otherwise it is a posterior of the votes alone."""
    before_calibration: VotedVerdict | None = None
    """What the votes alone say; set exactly where ``calibrated`` is."""
    calibration: AppliedCalibration | None = None
    """What was applied; set exactly where ``calibrated`` is."""
    reason_codes: tuple[str, ...] = ()
    """Why it is UNSURE (``split_votes``, ``no_evidence``, ``abstained``, ``injection``, ``low_confidence``,
    ``not_applicable``), and what it is to be taken with care for (``self_reported``, ``addresses_judge``,
    ``invisible_text``, ``steps_not_shown``, ``other_judges``)."""
    checks: tuple[CheckResult, ...] = ()
    """The statements that AI Judge decided one by one."""
    criterion_sha256: str | None = None
    """Of the checks that AI Judge decided, and of what they were made from. Verdicts with the same hash are comparable."""
    task_decomposition: TaskDecomposition | None = None
    """The sub-tasks that were found in the run on the way."""
    aggregated_steps: tuple[AggregatedSteps, ...] = ()
    """The views of the run that the judge was given, in the order of use."""


class CaseResult(Frozen):
    """One repeat of one case."""

    eval_set_id: str
    """Of a run that was read from a log: the log."""
    eval_set_file: str | None = None
    eval_id: str
    """Of a run that was read from a log: its number."""
    source: str | None = None
    """The log that the run was read from, as the user named it or as it was found; ``None`` for a case."""
    run: int | None = None
    """Which run of that log, from 1; ``None`` where the log could not be read up to there, and for a case."""
    repeat: int = 1
    """From 1."""
    task: str | None = None
    """The goal that a log names; ``None`` where nobody names one."""
    agent: str | None = None
    """The agent's name, where the agent or the log says it."""
    steps: int = 0
    """How many steps the agent took."""
    lost: tuple[str, ...] = ()
    """What the reader of the log could not keep, in its words."""
    status: Status
    verdict: Verdict | None = None
    """``None`` where there is none: ``status`` says why."""
    error: Failure | None = None
    """Set where the agent could not be run to the end or the log not be read, and nothing is scored; or where no
    criterion applies."""
    criteria: tuple[CriterionResult, ...] = ()
    """What each criterion says; empty where nothing is scored."""
    duration: float | None = None
    """Seconds that the agent took."""
    simulation: Simulation | None = None
    """Who played the user, where a program did, and why the conversation ended."""
    usage: Usage | None = None


class RepeatedCriterion(Frozen):
    """One criterion on one case over all its repeats. The threshold applies to ``mean``."""

    criterion_name: str
    status: Status
    verdict: Verdict | None = None
    mean: float | None = None
    standard_deviation: float | None = None
    """The sample standard deviation; ``None`` for fewer than two scores."""
    threshold: float | None = None
    scored: int = 0
    total: int = 0


class RepeatedCase(Frozen):
    """One case over all its repeats. These statuses, not those of the single repeats, decide the run."""

    eval_set_id: str
    eval_set_file: str | None = None
    eval_id: str
    source: str | None = None
    run: int | None = None
    status: Status
    verdict: Verdict | None = None
    criteria: tuple[RepeatedCriterion, ...] = ()
    error: Failure | None = None
    """The first repeat's error where the agent could not be run."""


class CriterionSummary(Frozen):
    """One criterion over all cases of a run."""

    criterion_name: str
    criterion: str
    threshold: float | None = None
    lower_is_better: bool = False
    mean: float | None = None
    """The mean over the cases that have a score."""
    counts: dict[Status, int] = {}
    """Cases per status; a status that no case has may be absent."""
    error: Failure | None = None
    """Set where it has a threshold and applied to no case of an eval set or to no run in a log: it measured nothing there."""


class JudgeCalls(Frozen):
    """What one judge model did in a run."""

    calls: int = 0
    """Calls made, retries not counted."""
    retries: int = 0
    cached: int = 0
    """Answers that were known already, from the cache or from before an interruption."""
    failed: int = 0
    """Calls that were given up."""
    usage: Usage | None = None
    """Tokens of the calls made."""
    cost: float | None = None
    """USD of the calls made; ``None`` where no price is known."""
    items: int = 0
    """Items that got two votes or more."""
    unanimous: int = 0
    """Those of them on which all votes agreed."""
    stopped: str | None = None
    """Why it was not asked any more in the end, where that is so."""

    def __add__(self, later: JudgeCalls) -> JudgeCalls:
        """Both together; how it ended is what ``later`` says."""
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
        """For people and files, with how it ended: the order of a sum's parts depends on who answered first."""
        return self.model_copy(update={"cost": total_cost([self.cost]), "stopped": stopped})


USER_AT_FAULT: Final = "user_at_fault"
"""The code of the error of a case whose simulated user did not keep to its scenario, as a criterion found."""

NOT_MEASURED: Final = "not_measured"
"""The code of the error of a criterion that decides nothing and lacks something: a judge, its key, a module."""

NOTHING_MEASURED: Final = "nothing_measured"
"""The code of the error where nothing was left to decide: for a case, or for a criterion in a whole eval set."""

NOT_FINISHED: Final = "not_finished"
"""The code of the error of what an interrupted run has no result for yet."""


class RunSummary(Frozen):
    """A whole run."""

    status: Status
    verdict: Verdict | None = None
    """``None`` too while the run is incomplete."""
    exit_status: int
    """0 all passed, 1 something failed, 3 something could not be measured or decided, or is not run yet."""
    incomplete: bool = False
    """Whether the run was interrupted and not resumed. What has no result yet counts as ``error``."""
    cases: int = 0
    """Cases, repeats not counted."""
    repeats: int = 1
    counts: dict[Status, int] = {}
    """Cases per status; a status that no case has may be absent."""
    criteria: tuple[CriterionSummary, ...] = ()
    repeated: tuple[RepeatedCase, ...] = ()
    """Every case over its repeats; empty where there is one repeat."""
    judges: dict[str, JudgeCalls] = {}
    """By model, as ``provider/model``; empty where no judge was asked."""


class Participant(Frozen):
    """A component of a plugin that took part in a run; or a plugin that observed it."""

    kind: str
    """``criterion``, ``judge backend``, ``agent adapter`` and so on; or ``observer``."""
    component: str
    """As ``plugin/component``; of an observer the plugin's name."""
    version: int | None
    """The component's own, from its spec; ``None`` for an observer."""
    distribution: str
    distribution_version: str


class CriterionInfo(Frozen):
    """A criterion as a run was planned with it: everything that decides its results."""

    criterion: str
    """The component, as ``plugin/component``."""
    version: int
    """The component's own."""
    distribution: str
    """Name and version of the distribution that it comes from."""
    threshold: float | None
    """``None``: informational."""
    options: JsonObject
    """Every option with its value, as the component's own class has them."""
    judges: tuple[JsonObject, ...] = ()
    """For each judge that it asked for: models, votes, parameters, and what the backends say of themselves."""
    delegates: tuple[JsonObject, ...] = ()
    """The criteria that measure in its place, each with what decides its results."""
    declared: JsonObject = {}
    """What else the component says decides its results."""


class SimulatorInfo(Frozen):
    """Who plays the users of an eval set's scenarios."""

    simulator: str
    """As ``plugin/component``."""
    version: int
    """The component's own."""
    distribution: str
    """Name and version of the distribution that it comes from."""
    options: JsonObject
    """Every option with its value."""
    judges: tuple[JsonObject, ...] = ()
    """For each model that it asks for: its name, and what the backend says of itself."""
    declared: JsonObject = {}
    """What else it says decides its messages."""


class EvalSetInfo(Frozen):
    """An eval-set file of a run."""

    eval_set_id: str
    sha256: str
    """Of the file."""
    cases: Literal["all"] | tuple[str, ...]
    """The ids of the selected cases."""
    config: str | None
    """The configuration file; ``None`` for the default criteria, and for a configuration made in Python."""
    criteria: dict[str, CriterionInfo]
    """By the name of the instance."""
    user_simulator: SimulatorInfo | None = None
    """``None`` where no user is simulated."""


class LogInfo(Frozen):
    """A log of a run."""

    reader: str | None
    """The trace reader, as ``plugin/component``; ``None`` where no reader knows the log."""
    sha256: str | None
    """Of the file; ``None`` where it cannot be read."""


class LogsInfo(Frozen):
    """The logs of a run, and what is measured on them."""

    files: dict[str, LogInfo]
    """By the path of the log."""
    criteria: dict[str, CriterionInfo]
    """By the name of the instance."""
    task: str | None = None
    """The goal that was given for runs whose log names none."""
    instructions: str | None = None
    """SHA-256 of the instructions that were given for runs whose log has none."""
    tools: str | None = None
    """SHA-256 of the tools that were given for runs whose log declares none."""
    roles: dict[str, str] | None = None
    """Whose the messages of a role or a name were said to be: ``user``, ``agent`` or ``environment``."""


class RunInfo(Frozen):
    """What is needed to know a run again, and to repeat it."""

    name: str
    started_at: str
    """ISO 8601, UTC."""
    finished_at: str | None = None
    """``None`` where the run was interrupted and not resumed."""
    duration: float = 0.0
    """Seconds, over all resumptions."""
    adjudge_version: str
    python_version: str
    plan_hash: str
    """SHA-256 of what decides the results: agent, eval sets, criteria, options, thresholds, versions."""
    agent: JsonObject | None = None
    """The adapter with its version and distribution, the target, and its options; ``None`` of a run over logs."""
    eval_sets: dict[str, EvalSetInfo] = {}
    """By file."""
    logs: LogsInfo | None = None
    """Of a run over logs, otherwise ``None``."""
    prepared: dict[str, JsonObject] = {}
    """By criterion: what it locked before the first case, for instance its checks."""
    decides: bool = True
    """Whether there is a criterion that decides; otherwise the run has no verdict and measures or aggregates alone."""
    num_runs: int = 1
    timeout: float | None = None
    """Seconds that a case may take."""
    scoring_timeout: float | None = None
    """Seconds that a criterion may take on a case, without what it waits for judges."""
    plugins: tuple[Participant, ...] = ()
    """What took part, over all resumptions. Not all of it decides results: the plan's hash leaves it out."""
