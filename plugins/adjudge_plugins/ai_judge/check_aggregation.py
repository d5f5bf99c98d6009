"""Reducing: from parts of a run to the run, and from checks to a verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence

from adjudge.kit.evaluation import Check
from adjudge.model import CheckResult, Evidence, Verdict, Votes


def is_decided_by_part(check: Check, result: CheckResult) -> bool:
    """Whether the check stays so whatever the rest of the run holds."""
    return (check.reducer, result.state) in (("all", "not_met"), ("any", "met"))


def over_parts(check: Check, parts: Sequence[CheckResult]) -> CheckResult:
    """One check over the parts of a run.

    ``all``: one part that does not meet it decides, whatever the others say; ``any``: one part that does.
    Otherwise a part that could not be judged, or not decided, leaves the check open. ``last``: the last part to
    which it applies decides, whatever the ones before it say.
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
            # Where a run speaks to its judge, that is what is to be known of it.
            first = next((part for part in found if part.unsure_code == "injection"), found[0])
            return _of_all(first, parts).model_copy(
                update={
                    "evidence": merged([part.evidence for part in found]),
                    # A chain is as sure as its weakest part where all had to agree.
                    "confidence": _weakest(found) if state == other else first.confidence,
                }
            )
    raise ValueError("a check is judged over at least one part")


def _of_all(deciding: CheckResult, parts: Sequence[CheckResult]) -> CheckResult:
    """The result of one part with what was shown and seen in all of them."""
    return deciding.model_copy(
        update={
            "votes": _with_flags(deciding.votes, parts),
            "steps_not_shown": sum(part.steps_not_shown for part in parts),
            "steps_fetched": tuple(step for part in parts for step in part.steps_fetched),
        }
    )


def verdict_of(results: Sequence[CheckResult], threshold: float) -> Verdict | None:
    """The share of the checks that apply and are met, against the threshold.

    Checks that are open or in error decide nothing where the others decide it whatever they are;
    otherwise an error leaves no verdict, and an open one UNSURE. Where no check applies, UNSURE.
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
    """The undecided checks that a finer granularity may decide. Where a run speaks to its judge, it would show the same words."""
    return [item for item in results if item.state == "unsure" and item.unsure_code != "injection"]


def merged(evidence: Sequence[Evidence]) -> Evidence:
    """All places and scans, each once."""
    return Evidence(
        citations=tuple(dict.fromkeys(item for part in evidence for item in part.citations)),
        absences=tuple(dict.fromkeys(item for part in evidence for item in part.absences)),
    )


def confidence_of(results: Sequence[CheckResult], verdict: Verdict | None, threshold: float) -> float | None:
    """How sure a PASS or FAIL is: as sure as the least sure of the fewest checks that make it so.

    All that must be met for a PASS; one that is not met for a FAIL of all, the surest of them. ``None`` for
    every other verdict.
    """
    if verdict not in (Verdict.PASS, Verdict.FAIL):
        return None
    applying = [item for item in results if item.state != "not_applicable"]
    needed = _needed(applying, threshold)
    fewest = needed if verdict is Verdict.PASS else len(applying) - needed + 1
    known = [item.confidence for item in deciding_results(results, verdict) if item.confidence is not None]
    return min(sorted(known, reverse=True)[:fewest], default=None)


def _needed(applying: Sequence[CheckResult], threshold: float) -> int:
    """How many checks must be met: thresholds such as 2/3 are not to fail by the last bit."""
    return max(1, math.ceil(threshold * len(applying) - 1e-9))


def _with_flags(votes: Votes, parts: Sequence[CheckResult]) -> Votes:
    """The votes with what is odd about any part: it was all material of one verdict."""
    flags = dict.fromkeys(flag for part in parts for flag in part.votes.flags)
    return votes.model_copy(update={"flags": tuple(flags)})


def _weakest(results: Sequence[CheckResult]) -> float | None:
    known = [item.confidence for item in results if item.confidence is not None]
    return min(known) if known else None
