"""Judging checks: one question about one part of a run, and what its decisions are worth as evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from adjudge.extension.judge_protocols import Judge
from adjudge.granularity.absences import ABSENT_WORDS, ABSENT_WORDS_MEANING, absences_of
from adjudge.granularity.evidence import CITABLE, Places
from adjudge.judged.outcomes import votes_of
from adjudge.judged.prompts import read_prompt
from adjudge.model.evaluation import Check, CheckKind, CheckResult
from adjudge.model.judging import Choice, Decision, Exhibit, JudgedItem, Question
from adjudge.model.measurement import Citation, Evidence

_CHOICES: Final = (
    Choice(label="met", meaning="the run meets the statement", value=1.0),
    Choice(label="not_met", meaning="the run does not meet it", value=0.0),
    Choice(label="not_applicable", meaning="the statement is about something that has no place in this run"),
    Choice(label="cannot_tell", meaning="what is shown is not enough to decide", abstains=True),
)
_NOTES: Final = {
    "rationale": "why, in one or two sentences",
    ABSENT_WORDS: ABSENT_WORDS_MEANING,
}


async def judge_checks(
    judge: Judge,
    checks: Sequence[Check],
    places: Places,
    steps: Sequence[int],
    *,
    shown: str,
    task: str,
    overview: str,
    granularity: str,
    strict: bool,
) -> list[CheckResult]:
    """What the judge says of the checks over some steps of a run, in their order.

    Args:
        judge: Who decides.
        checks: What is asked. Those about an outcome and those about the process are asked apart: they
            may cite different fields.
        places: The run.
        steps: The steps that are asked about.
        shown: Those steps as they were recorded, as far as they fit.
        task: The goal.
        overview: The run at the chosen granularity. Nothing of it can be cited.
        granularity: The strategy's name.
        strict: Whether a run that shows nothing of what came back supports no outcome at all.
    """
    results: dict[str, CheckResult] = {}
    for about in CITABLE:
        asked = [check for check in checks if check.about == about]
        if not asked:
            continue
        question = Question(
            prompt=read_prompt("adjudge.granularity", "judge_checks"),
            exhibits=(
                *([Exhibit(name="task", text=task)] if task else []),
                *([Exhibit(name="overview", text=overview)] if overview else []),
                Exhibit(name="steps", text=shown),
            ),
            items=tuple(JudgedItem(item_id=check.check_id, text=check.text) for check in asked),
            choices=_CHOICES,
            rule="majority_or_unsure",
            notes=_NOTES,
            cites=CITABLE[about],
        )

        def problem(citation: Citation, about: CheckKind = about) -> str | None:
            return places.problem(citation, about)

        decisions = await judge.decide(question, check=problem)
        for check, decision in zip(asked, decisions, strict=True):
            results[check.check_id] = _result(check, decision, places, steps, granularity, strict=strict)
    return [results[check.check_id] for check in checks]


def _result(
    check: Check, decision: Decision, places: Places, steps: Sequence[int], granularity: str, *, strict: bool
) -> CheckResult:
    common = {
        "check_id": check.check_id,
        "text": check.text,
        "reasoning": decision.reasoning,
        "confidence": decision.confidence,
        "granularity": granularity,
        "votes": votes_of(decision),
    }
    if decision.state == "error":
        return CheckResult(state="error", error=decision.error, **common)  # type: ignore[arg-type]
    if decision.state == "unsure":
        return CheckResult(state="unsure", unsure_code=decision.unsure_code, **common)  # type: ignore[arg-type]
    if decision.state == "not_applicable":
        return CheckResult(state="not_applicable", **common)  # type: ignore[arg-type]
    evidence = Evidence(citations=decision.citations, absences=absences_of(check, decision, places, steps))
    believed = check.about == "outcome" and not places.shows_outcomes
    if (not evidence.citations and not evidence.absences) or (believed and strict):
        return CheckResult(state="unsure", unsure_code="no_evidence", evidence=evidence, **common)  # type: ignore[arg-type]
    state = "met" if decision.value == 1.0 else "not_met"
    return CheckResult(state=state, evidence=evidence, **common)  # type: ignore[arg-type]
