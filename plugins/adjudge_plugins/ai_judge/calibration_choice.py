"""Selects the calibrations that apply to a run, by checks and judges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from adjudge.kit.calibration import Calibration
from adjudge.plugin import InputError, Judge, Problem

NamedHash: TypeAlias = tuple[str, str | None]
"""A criterion's name and the hash of its checks; ``None`` if a judge has not written the checks yet."""


def may_apply(
    calibrations: Iterable[Calibration], judge: Judge, sha256: str | None
) -> tuple[Calibration, ...]:
    """Select the calibrations for this judge and these checks. A property that is not known yet excludes none.

    Args:
        calibrations: All calibrations.
        judge: The judge.
        sha256: The hash of the compiled criterion; ``None`` if it is not compiled yet.
    """
    return tuple(
        item
        for item in calibrations
        if item.criterion_sha256 is not None
        and _is_of(item, judge)
        and sha256 in (None, item.criterion_sha256)
    )


def check_given(
    calibrations: Sequence[Calibration], file: str, criteria: Sequence[NamedHash], judge: Judge
) -> None:
    """Check that a file named by the user has at least one calibration that applies to the run.

    Raises:
        InputError: none applies; the error has the reason for each.
    """
    reasons = [(item.criterion_name, _why_not(item, criteria, judge)) for item in calibrations]
    told = [f"{name!r} {reason}" for name, reason in reasons if reason is not None]
    if len(told) == len(reasons):
        what = "it contains no calibration for the criteria and the judges of this run"
        raise InputError(Problem(what=what, file=file, hint="\n".join(dict.fromkeys(told))))


def _is_of(calibration: Calibration, judge: Judge) -> bool:
    return judge.recorded or set(calibration.judges) == set(judge.models)


def _why_not(calibration: Calibration, criteria: Sequence[NamedHash], judge: Judge) -> str | None:
    sha256 = calibration.criterion_sha256
    if sha256 is None:
        return "is a criterion without checks in words."
    if not _is_of(calibration, judge):
        return (
            f"was judged by {', '.join(calibration.judges)}; this run is judged by {', '.join(judge.models)}."
        )
    if any(known == sha256 for _, known in criteria):
        return None
    named = [known for name, known in criteria if name == calibration.criterion_name]
    if not named:
        return "is not a criterion of this run."
    if None in named:
        return None
    return (
        f"is another criterion now: its checks, description, granularity or threshold have changed "
        f"(it was {sha256[:12]}, and is {str(named[0])[:12]})."
    )
