"""AI Judge: a criterion in words, and what was concluded of one run (seed 003, section 3.3)."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from adjudge.model.base import Frozen
from adjudge.model.evidence import Evidence, Failure, UnsureCode
from adjudge.model.judging import JudgeUse, Votes
from adjudge.model.verdict import Verdict

CheckKind: TypeAlias = Literal["process", "outcome", "answer"]
"""``process``: how the agent goes about it. ``outcome``: what is true at the end; the agent's own claims are no
evidence that something was reached. ``answer``: what the agent says to its user, whether or not it is so."""


class WordedCriterion(Frozen):
    """A criterion as its author words it."""

    name: str
    description: str
    granularity: str | None = None
    """A strategy's name; ``None``: the analyzer chooses."""
    about: CheckKind | None = None
    """What all checks are about; ``None``: the judge says it of each, once for all runs."""
    checks: tuple[str, ...] = ()
    """Atomic texts, each of which a run meets or not; empty: they are compiled from the description."""
    threshold: float = Field(default=1.0, gt=0, le=1)
    """The share of the checks that apply that must be met."""


class GranularityChoice(Frozen):
    """Which strategy was chosen, and why."""

    name: str
    reason: str
    chosen_by: Literal["criterion", "option", "rules", "judge"]


class CheckResult(Frozen):
    """One check on one run."""

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
    """The strategy that it was decided at."""
    votes: Votes = Votes()
    """What its judges voted; no votes where none was asked."""
    steps_not_shown: int = 0
    """Steps that the judge saw shortened, in a line or not at all, for want of room."""
    steps_fetched: tuple[int, ...] = ()
    """Steps that it saw as they were recorded because votes had asked for them."""


Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]


class AppliedCalibration(Frozen):
    """What made a confidence the probability that a verdict is right: a fit to verdicts that people labelled."""

    criterion_name: str
    judges: tuple[str, ...]
    """As ``provider/model``."""
    rows: int
    """How many labelled verdicts it was fitted to."""
    threshold: Share | None = None
    """The calibrated confidence below which a verdict is UNSURE; ``None``: the labels show none."""
    fitted_at: str
    """ISO 8601, UTC."""
    labels_sha256: str
    """Of the file of labels."""


class VotedVerdict(Frozen):
    """What the votes alone say of a run, before labels say what that is worth."""

    verdict: Verdict
    confidence_score: float
    """A posterior of the votes."""


class EvaluationResult(Frozen):
    """What was concluded of one run (seed 003, ``EvaluationResult``), with what is needed to check it."""

    criterion_name: str
    verdict: Verdict | None
    """``None`` where it could not be measured: see ``error``."""
    reasoning: str
    confidence_score: float | None = None
    """0 to 1."""
    calibrated: bool = False
    """Whether the score was fitted to labels; otherwise it is a posterior of the votes alone."""
    before_calibration: VotedVerdict | None = None
    """What the votes alone say; set exactly where ``calibrated`` is."""
    calibration: AppliedCalibration | None = None
    """What was applied; set exactly where ``calibrated`` is."""
    used_granularity: str
    """The strategy at which the verdict was decided; ``step_level`` where a criterion measured the steps themselves."""
    evidence: Evidence = Evidence()
    reason_codes: tuple[str, ...] = ()
    """For instance ``split_votes``, ``low_confidence``, ``self_reported``, ``addresses_judge``."""
    error: Failure | None = None
    granularity: GranularityChoice
    checks: tuple[CheckResult, ...] = ()
    criterion_sha256: str
    """Of the compiled criterion, or of the measured one."""
    score: float | None = None
    """What was measured, in the criterion's own unit; ``None`` for a criterion in words."""
    threshold: float | None = None
    """What the score was compared with."""
    judging: JudgeUse | None = None
