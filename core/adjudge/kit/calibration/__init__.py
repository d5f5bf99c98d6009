"""Calibration of a judge's confidence by human labels: curves, their files, and the stored calibrations."""

from adjudge.kit.calibration.curve import (
    ENOUGH_FOR_ISOTONIC,
    Decided,
    Judged,
    calibrated_confidence,
    fit_curve,
    pass_probability,
)
from adjudge.kit.calibration.document import Calibration, Calibrations, Curve
from adjudge.kit.calibration.file import read_calibrations
from adjudge.kit.calibration.store import KeptCalibrations

__all__ = [
    "ENOUGH_FOR_ISOTONIC",
    "Calibration",
    "Calibrations",
    "Curve",
    "Decided",
    "Judged",
    "KeptCalibrations",
    "calibrated_confidence",
    "fit_curve",
    "pass_probability",
    "read_calibrations",
]
