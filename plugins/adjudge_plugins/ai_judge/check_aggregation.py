"""Aggregates decisions: from parts of a run to the run, and from checks to a verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence

from adjudge.kit.evaluation import Check
from adjudge.model import CheckResult, Evidence, Verdict, Votes


def is_decided_by_part(check: Check, result: CheckResult) -> bool:
    """Whether the rest of the run cannot change the decision on the check."""
    return (check.reducer, result.state) in (("all", "not_met"), ("any", "met"))


def over_parts(check: Check, parts: Sequence[CheckResult]) -> CheckResult:
    """Combine the results of one check on the parts of a run.

    With the reducer ``all``, one part that does not meet the check decides; with ``any``, one part that meets
    it. Otherwise a part that is undecided or in error leaves the check open. With ``last``, the last part to
    which the check applies decides.
    """
    if len(parts) == 1:
        return parts[0]
    if check.reducer == "last":
        applying = [part for part in parts if part.state != "not_applicable"]
        return _of_all((applying or parts)[-1], parts)
    deciding, other = ("not_met", "met") if check.reducer == "all" else ("met", "not_met")
    for state in (deciding, "error", "unsure", other, "not_applicable"):
        found = [part for part in parts if part.state == state]
        if found:
            # If a run addresses its judge, that is the reason to report.
            first = next((part for part in found if part.unsure_code == "injection"), found[0])
            return _of_all(first, parts).model_copy(
                update={
                    "evidence": merged([part.evidence for part in found]),
                    # If all parts had to agree, the confidence is that of the least certain part.
                    "confidence": _weakest(found) if state == other else first.confidence,
                }
            )
    raise ValueError("a check is judged over at least one part")


def _of_all(deciding: CheckResult, parts: Sequence[CheckResult]) -> CheckResult:
    """Return the result of one part, with the evidence and the shown steps of all parts."""
    return deciding.model_copy(
        update={
            "votes": _with_flags(deciding.votes, parts),
            "steps_not_shown": sum(part.steps_not_shown for part in parts),
            "steps_fetched": tuple(step for part in parts for step in part.steps_fetched),
        }
    )


def verdict_of(results: Sequence[CheckResult], threshold: float) -> Verdict | None:
    """The verdict: the share of the applicable checks that are met, compared with the threshold.

    Open checks and errors are ignored if the others already decide the verdict. Otherwise an error gives no
    verdict, and an open check gives UNSURE. UNSURE as well if no check applies.
    """
    applying = [item for item in results if item.state != "not_applicable"]
    if not applying:
        return Verdict.UNSURE
    met = sum(item.state == "met" for item in applying)
    missing = sum(item.state in ("unsure", "error") for item in applying)
    needed = _needed(applying, threshold)
    if met >= needed:
        return Verdict.PASS
    if met + missing < needed:
        return Verdict.FAIL
    return None if any(item.state == "error" for item in applying) else Verdict.UNSURE


def deciding_results(results: Sequence[CheckResult], verdict: Verdict | None) -> list[CheckResult]:
    """The checks that a verdict rests on."""
    wanted = {Verdict.PASS: "met", Verdict.FAIL: "not_met", Verdict.UNSURE: "unsure"}
    state = "error" if verdict is None else wanted[verdict]
    deciding = [item for item in results if item.state == state]
    return deciding or [item for item in results if item.state == "not_applicable"]


def open_results(results: Sequence[CheckResult]) -> list[CheckResult]:
    """The open checks that a finer granularity may decide; none if the run addresses its judge."""
    return [item for item in results if item.state == "unsure" and item.unsure_code != "injection"]


def merged(evidence: Sequence[Evidence]) -> Evidence:
    """Merge evidence without duplicates."""
    return Evidence(
        citations=tuple(dict.fromkeys(item for part in evidence for item in part.citations)),
        absences=tuple(dict.fromkeys(item for part in evidence for item in part.absences)),
    )


def confidence_of(results: Sequence[CheckResult], verdict: Verdict | None, threshold: float) -> float | None:
    """The confidence of a PASS or FAIL: the lowest confidence in the smallest set of checks that decides it.

    For a PASS that set is the required number of met checks. For a FAIL when all checks are required, it is
    the unmet check with the highest confidence. ``None`` for every other verdict.
    """
    if verdict not in (Verdict.PASS, Verdict.FAIL):
        return None
    applying = [item for item in results if item.state != "not_applicable"]
    needed = _needed(applying, threshold)
    fewest = needed if verdict is Verdict.PASS else len(applying) - needed + 1
    known = [item.confidence for item in deciding_results(results, verdict) if item.confidence is not None]
    return min(sorted(known, reverse=True)[:fewest], default=None)


def _needed(applying: Sequence[CheckResult], threshold: float) -> int:
    """The number of checks that must be met, robust against rounding of thresholds such as 2/3."""
    return max(1, math.ceil(threshold * len(applying) - 1e-9))


def _with_flags(votes: Votes, parts: Sequence[CheckResult]) -> Votes:
    """Add the warnings of all parts to the votes, because all parts contribute to one verdict."""
    flags = dict.fromkeys(flag for part in parts for flag in part.votes.flags)
    return votes.model_copy(update={"flags": tuple(flags)})


def _weakest(results: Sequence[CheckResult]) -> float | None:
    known = [item.confidence for item in results if item.confidence is not None]
    return min(known) if known else None
