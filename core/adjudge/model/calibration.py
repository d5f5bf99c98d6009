"""Calibrations: what a judge's confidence was found to be worth, as it is stored."""

from __future__ import annotations

from typing import Literal

from adjudge.model.base import Frozen


class Curve(Frozen):
    """From the judged probability of PASS to the labelled one."""

    method: Literal["platt", "isotonic"]
    slope: float = 1.0
    """platt: logit P(PASS) = slope x logit(judged P(PASS)) + intercept."""
    intercept: float = 0.0
    points: tuple[tuple[float, float], ...] = ()
    """isotonic: judged and labelled probability, linear between the points and level beyond them."""


class Calibration(Frozen):
    """How the confidence of one criterion and its judges becomes the probability that a verdict is right."""

    criterion_name: str
    criterion_sha256: str | None
    """Of the compiled criterion; ``None`` for a criterion of ``adjudge eval``."""
    judges: tuple[str, ...]
    """As ``provider/model``."""
    curve: Curve
    rows: int
    """How many labelled verdicts it was fitted to."""
    threshold: float | None = None
    """The calibrated confidence below which a verdict should be UNSURE; ``None``: the labels show none."""
    wanted_agreement: float | None = None
    """What the threshold was asked for; ``None``: nobody asked."""
    fitted_at: str
    """ISO 8601, UTC."""
    labels_sha256: str
    """Of the file of labels."""


class Calibrations(Frozen):
    """A file of calibrations."""

    format_version: Literal[1] = 1
    adjudge_version: str
    calibrations: tuple[Calibration, ...]
