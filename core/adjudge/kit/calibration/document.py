"""The stored form of a calibration."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from adjudge.model.base import Frozen
from adjudge.model.evaluation import AppliedCalibration, Share

Finite: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]


class Curve(Frozen):
    """A curve from the judged to the labelled probability of PASS."""

    method: Literal["platt", "isotonic"]
    slope: Finite = 1.0
    """For ``platt``: logit P(PASS) = slope x logit(judged P(PASS)) + intercept."""
    intercept: Finite = 0.0
    points: tuple[tuple[Share, Share], ...] = ()
    """For ``isotonic``: judged and labelled probabilities; linear between the points and constant outside."""

    @model_validator(mode="after")
    def _can_be_read(self) -> Self:
        if self.method == "isotonic" and not self.points:
            raise ValueError("an isotonic curve has points")
        if any(one[0] >= other[0] for one, other in pairwise(self.points)):
            raise ValueError("the judged probabilities of the points must increase")
        return self


class Calibration(AppliedCalibration):
    """The calibration of one criterion with its judges: converts confidence to the probability of being right."""

    criterion_sha256: str | None
    """The hash of the compiled criterion; ``None`` for a criterion of ``adjudge eval`` without such a hash."""
    curve: Curve
    wanted_agreement: Share | None = None
    """The agreement for which the threshold was computed; ``None`` if the user gave none."""

    @property
    def applied(self) -> AppliedCalibration:
        """The part of the calibration that results contain."""
        return AppliedCalibration(**{name: getattr(self, name) for name in AppliedCalibration.model_fields})


class Calibrations(Frozen):
    """A file of calibrations."""

    format_version: Literal[1] = 1
    adjudge_version: str
    calibrations: tuple[Calibration, ...]
