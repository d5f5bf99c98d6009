"""Calibrations: what a judge's confidence was found to be worth, as it is stored."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from adjudge.model.base import Frozen
from adjudge.model.evaluation import AppliedCalibration, Share

Finite: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]


class Curve(Frozen):
    """From the judged probability of PASS to the labelled one."""

    method: Literal["platt", "isotonic"]
    slope: Finite = 1.0
    """platt: logit P(PASS) = slope x logit(judged P(PASS)) + intercept."""
    intercept: Finite = 0.0
    points: tuple[tuple[Share, Share], ...] = ()
    """isotonic: judged and labelled probability, linear between the points and level beyond them."""

    @model_validator(mode="after")
    def _can_be_read(self) -> Self:
        if self.method == "isotonic" and not self.points:
            raise ValueError("an isotonic curve has points")
        if any(one[0] >= other[0] for one, other in pairwise(self.points)):
            raise ValueError("the judged probabilities of the points must increase")
        return self


class Calibration(AppliedCalibration):
    """How the confidence of one criterion and its judges becomes the probability that a verdict is right."""

    criterion_sha256: str | None
    """Of the compiled criterion; ``None`` for a criterion of ``adjudge eval`` that has no such hash."""
    curve: Curve
    wanted_agreement: Share | None = None
    """What the threshold was asked for; ``None``: nobody asked."""

    @property
    def applied(self) -> AppliedCalibration:
        """What a result says of it."""
        return AppliedCalibration(**{name: getattr(self, name) for name in AppliedCalibration.model_fields})


class Calibrations(Frozen):
    """A file of calibrations."""

    format_version: Literal[1] = 1
    adjudge_version: str
    calibrations: tuple[Calibration, ...]
