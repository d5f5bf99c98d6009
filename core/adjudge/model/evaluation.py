"""AI Judge: a criterion in words, and the evaluation of one run (seed 003, section 3.3)."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from adjudge.model.base import Frozen
from adjudge.model.evidence import Evidence, Failure, UnsureCode
from adjudge.model.judging import JudgeUse, Votes
from adjudge.model.verdict import Verdict

CheckKind: TypeAlias = Literal["process", "outcome", "answer"]
"""``process``: how the agent proceeds. ``outcome``: the state at the end; the agent's own claims are no evidence that
something was achieved. ``answer``: what the agent says to its user, whether it is true or not."""


class WordedCriterion(Frozen):
    """A criterion described in words."""

    name: str
    description: str
    granularity: str | None = None
    """The name of a granularity strategy; ``None``: the analyzer chooses."""
    about: CheckKind | None = None
    """The kind of all checks; ``None``: the judge decides the kind of each check, once for all runs."""
    checks: tuple[str, ...] = ()
    """Atomic statements, each of which a run meets or not; empty: a judge derives them from the description."""
    checks_about: tuple[CheckKind | None, ...] = ()
    """The kind of each check; ``None`` for a check of the kind ``about``. Empty: all checks have the kind ``about``."""
    threshold: float = Field(default=1.0, gt=0, le=1)
    """The share of the applicable checks that must be met."""


class GranularityChoice(Frozen):
    """The chosen granularity strategy, and the reason."""

    name: str
    reason: str
    chosen_by: Literal["criterion", "option", "rules", "judge"]


class CheckResult(Frozen):
    """The result of one check on one run."""

    check_id: str
    text: str
    state: Literal["met", "not_met", "not_applicable", "unsure", "error"]
    reasoning: str | None = None
    evidence: Evidence = Evidence()
    confidence: float | None = None
    """See ``Decision.confidence``."""
    unsure_code: UnsureCode | None = None
    error: Failure | None = None
    granularity: str
    """The granularity strategy with which it was decided."""
    votes: Votes = Votes()
    """The votes of its judges; empty if no judge was asked."""
    steps_not_shown: int = 0
    """The number of steps that the judge saw only shortened, as one line, or not at all, because they did not fit."""
    steps_fetched: tuple[int, ...] = ()
    """Steps that the judge saw as recorded because votes had requested them."""


Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]


class AppliedCalibration(Frozen):
    """The calibration of a confidence: a fit to verdicts labelled by people.

    A calibrated confidence estimates the probability that the verdict is right.
    """

    criterion_name: str
    judges: tuple[str, ...]
    """The judge models, as ``provider/model``."""
    rows: int
    """The number of labelled verdicts used for the fit."""
    threshold: Share | None = None
    """The calibrated confidence below which a verdict is UNSURE; ``None`` if the labels give no such threshold."""
    fitted_at: str
    """ISO 8601, UTC."""
    labels_sha256: str
    """SHA-256 of the file of labels."""


class VotedVerdict(Frozen):
    """The verdict from the votes alone, before calibration."""

    verdict: Verdict
    confidence_score: float
    """The posterior probability of the majority, given the votes."""


class EvaluationResult(Frozen):
    """The result of one criterion for one run (seed 003, ``EvaluationResult``), with its evidence and votes."""

    criterion_name: str
    verdict: Verdict | None
    """``None`` if the criterion could not be measured: see ``error``."""
    reasoning: str
    confidence_score: float | None = None
    """0 to 1."""
    calibrated: bool = False
    """Whether ``confidence_score`` is calibrated with labels; otherwise it is a posterior probability of the votes."""
    before_calibration: VotedVerdict | None = None
    """The verdict before calibration; set only if ``calibrated``."""
    calibration: AppliedCalibration | None = None
    """The applied calibration; set only if ``calibrated``."""
    used_granularity: str
    """The granularity strategy of the verdict; ``step_level`` if a criterion measured the steps themselves."""
    evidence: Evidence = Evidence()
    reason_codes: tuple[str, ...] = ()
    """For instance ``split_votes``, ``low_confidence``, ``self_reported``, ``addresses_judge``."""
    error: Failure | None = None
    granularity: GranularityChoice
    checks: tuple[CheckResult, ...] = ()
    criterion_sha256: str
    """The hash of the criterion with its checks, or of a measuring criterion's settings."""
    score: float | None = None
    """The measured value in the criterion's own unit; ``None`` for a criterion in words."""
    threshold: float | None = None
    """The threshold for ``score``."""
    judging: JudgeUse | None = None
