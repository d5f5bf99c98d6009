"""The agreement report: verdicts compared with labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from adjudge.kit.calibration import Calibration, Decided
from adjudge.model.base import Frozen
from adjudge_plugins.agreement.statistics.confusion import Confusion


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenVerdict:
    """A judge's verdict on one run by one criterion, from a file of results."""

    names: tuple[str, ...]
    """The names by which a label may refer to the run: the log; or the case, alone and after its file."""
    run: int | None
    """Which run of the log, or which repeat of the case; ``None`` where the log could not be read."""
    criterion: str | None
    """``None`` where nothing could be measured, whatever the criterion."""
    verdict: Decided | None
    unsure: bool = False
    confidence: float | None = None
    step: int | None = None
    """The step that ``details`` name; otherwise the first one that is cited for a FAIL."""
    source_ref: str | None = None
    """Where the step that ``details`` name was read from."""
    agent: str | None = None
    """The agent at fault, from ``details``."""
    length: int | None = None
    """Steps of a log, turns of a case."""
    voted: Decided | None = None
    """The verdict of the votes alone: calibration may have left it open."""
    vote_confidence: float | None = None
    """That of the votes alone."""
    judges: tuple[str, ...] = ()
    criterion_sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictLabel:
    """A human label of one run by one criterion."""

    source: str
    run: int | None
    criterion: str
    label: Decided
    step: int | None = None
    """Where it fails, by the log's own number."""
    source_ref: str | None = None
    """Where it fails, by the place in the log that the step was read from."""
    agent: str | None = None
    length: int | None = None
    split: str | None = None
    line: int
    """From 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledVerdict:
    """A human label and a verdict of one run by one criterion."""

    source: str
    """The run. Rows of one run are not independent, and are drawn together."""
    label: Decided
    verdict: Decided | None
    """``None``: no verdict, because the judge is UNSURE or because nothing could be measured."""
    unsure: bool = False
    """Whether there is no verdict because the judge abstains."""
    confidence: float | None = None
    """Of the verdict, 0 to 1."""
    length: int | None = None
    """The length of the run."""
    split: str | None = None
    true_step: int | None = None
    """Where it fails, as the person says."""
    found_step: int | None = None
    """Where it fails, as the judge says."""
    true_agent: str | None = None
    """The agent of the step, by the label."""
    found_agent: str | None = None
    """The agent of the step, by the judge."""

    @property
    def right(self) -> bool:
        """Whether the verdict is as labelled; never without a verdict."""
        return self.verdict == self.label


class Interval(Frozen):
    """A 95 % interval."""

    low: float
    high: float
    method: Literal["bootstrap", "exact"]
    """``exact``: where every draw of the bootstrap would be the same, from the binomial distribution."""


class Figure(Frozen):
    """A number, with what the labels leave open about it."""

    value: float
    interval: Interval | None = None
    """``None`` where the labels are too few, or too much alike, to say."""


class LengthBin(Frozen):
    """Runs of about the same length."""

    shortest: int
    longest: int
    labelled: int
    decided: int
    accuracy: Figure | None
    kappa: Figure | None
    majority_class: float
    """What always giving the more frequent label would reach."""


class CurvePoint(Frozen):
    """What is reached by answering only where the confidence is at least so high."""

    confidence: float
    decided: int
    coverage: float
    """The share of the labelled verdicts that are still given."""
    agreement: float
    """The share of those that are as labelled; the risk is one minus that."""


class ReliabilityBin(Frozen):
    """Verdicts of about the same confidence."""

    count: int
    confidence: float
    """The mean."""
    right: float
    """The share that is as labelled."""


class StepAccuracy(Frozen):
    """How often the faulty step is named, give or take."""

    within: int
    """The tolerance in steps; 0: exact."""
    judge: Figure
    position_prior: float | None
    """What naming one position every time reaches, the best one for all other runs; ``None`` for one run."""


class Localisation(Frozen):
    """Where runs fail: the judge's step against the labelled one."""

    labelled: int
    """Failures with a labelled step."""
    located: int
    """Those of them for which the judge names a step at all; the others count as missed."""
    accuracies: tuple[StepAccuracy, ...]
    agent: Figure | None = None
    """How often the judge names the labelled agent; ``None`` where an agent is not labelled, or the judge names none at all."""
    majority_agent: float | None = None
    """How often naming one agent every time is right; ``None`` without labelled agents."""


class PassRate(Frozen):
    """The share of runs that pass, among those that nobody labelled."""

    verdicts: int
    judged: float
    """As the judge says."""
    corrected: float | None
    """For its known errors; ``None`` where it tells PASS from FAIL no better than chance."""
    interval: tuple[float, float] | None


class HeldOut(Frozen):
    """A calibration on labels that it was not fitted to."""

    fitted_on: int
    brier: Figure | None
    ece: Figure | None
    auroc: Figure | None
    threshold: float | None
    wanted_agreement: float | None
    coverage: float | None
    """The share of the labelled verdicts at or above the threshold."""
    agreement: Figure | None
    """Of those."""


class CriterionAgreement(Frozen):
    """One criterion, or all together."""

    criterion_name: str
    labelled: int
    """Labels with a result, verdict or not."""
    decided: int
    unsure: int
    not_measured: int
    counts: Confusion
    """Of what is decided."""
    figures: dict[str, Figure | None]
    """By name; ``None`` where the counts leave it undefined."""
    majority_class: float | None
    """What always giving the more frequent label would reach."""
    lengths: tuple[LengthBin, ...] = ()
    risk_coverage: tuple[CurvePoint, ...] = ()
    reliability: tuple[ReliabilityBin, ...] = ()
    localisation: Localisation | None = None
    pass_rate: PassRate | None = None
    calibrated: HeldOut | None = None
    notes: tuple[str, ...] = ()


class AgreementReport(Frozen):
    """What ``adjudge agreement`` says."""

    measured_on: str
    """Which labels: every one, or those outside the split that something was fitted to."""
    labels: int
    labelled_not_judged: tuple[str, ...]
    """Labels for which there is no result."""
    judged_not_labelled: int
    """Results for which there is no label."""
    seed: int
    resamples: int
    criteria: tuple[CriterionAgreement, ...]
    calibrations: tuple[Calibration, ...] = ()
