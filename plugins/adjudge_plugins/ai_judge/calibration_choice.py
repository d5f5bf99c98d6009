"""Which calibrations say something of a run: by their checks, and by who judges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from adjudge.kit.calibration import Calibration
from adjudge.plugin import InputError, Judge, Problem

NamedHash: TypeAlias = tuple[str, str | None]
"""A criterion's name, and the hash of its checks; ``None`` where a judge has yet to write them."""


def may_apply(
    calibrations: Iterable[Calibration], judge: Judge, sha256: str | None
) -> tuple[Calibration, ...]:
    """Those of this judge and of these checks. What is not known yet rules nothing out.

    Args:
        calibrations: What there is.
        judge: Who judges.
        sha256: The hash of the compiled criterion; ``None`` where it is not compiled yet.
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
    """Make sure that the calibrations of a file that a user named say something of the run.

    Raises:
        InputError: not one of them does; why is told for each.
    """
    reasons = [(item.criterion_name, _why_not(item, criteria, judge)) for item in calibrations]
    told = [f"{name!r} {reason}" for name, reason in reasons if reason is not None]
    if len(told) == len(reasons):
        what = "no calibration in it is of the criteria and the judges of this run"
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
        return "is no criterion of this run."
    if None in named:
        return None
    return (
        f"is another criterion now: its checks, description, granularity or threshold have changed "
        f"(it was {sha256[:12]}, and is {str(named[0])[:12]})."
    )
