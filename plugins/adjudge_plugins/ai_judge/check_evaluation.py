"""Evaluates checks on some steps of a run, and verifies the evidence of the decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adjudge.kit.evaluation import CheckKind
from adjudge.model import CheckResult, Citation, Decision, Evidence
from adjudge.plugin import Judge
from adjudge_plugins.ai_judge.absences import absences_of
from adjudge_plugins.ai_judge.check_aggregation import is_decided_by_part
from adjudge_plugins.ai_judge.question import MET, AskedCheck, Surroundings, question_about, steps_wanted
from adjudge_plugins.ai_judge.run_text import RunMaterial
from adjudge_plugins.ai_judge.truncation import Shown, shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Looking:
    """The settings and texts with which the checks of a run are evaluated at one granularity."""

    judge: Judge
    material: RunMaterial
    around: Surroundings
    room: int
    """The tokens for steps in a question."""
    strict: bool
    """Whether an outcome is never met in a run that records no results (``--strict-evidence``)."""

    async def judged(self, asked: Sequence[AskedCheck], steps: Sequence[int]) -> list[CheckResult]:
        """Ask the judge about checks on some steps; the results are in the order of ``asked``.

        If steps are shortened or left out, votes may name the steps that they need. Undecided checks are
        then asked once more, with those steps as recorded.
        """
        seen = shown(steps, self.material, self.room)
        decisions = await self._decided(asked, steps, seen)
        results = [
            self._result(each, decision, steps, seen) for each, decision in zip(asked, decisions, strict=True)
        ]
        wanted = {
            each.item_id: steps_wanted(decision, seen.hidden)
            for each, decision, result in zip(asked, decisions, results, strict=True)
            if result.state != "error" and not is_decided_by_part(each.check, result)
        }
        again = [each for each in asked if wanted.get(each.item_id)]
        if not again:
            return results
        first = dict.fromkeys(step for each in again for step in wanted[each.item_id])
        closer = shown(steps, self.material, self.room, tuple(first))
        if closer == seen:  # the steps are longer than a request, so asking again would show the same
            return results
        fetched = tuple(step for step in seen.hidden if step in first and step not in closer.hidden)
        never = [step for step in closer.hidden if step in set(seen.hidden)]
        decisions = await self._decided(again, steps, closer)
        second = {
            each.item_id: self._result(each, decision, steps, closer).model_copy(
                update={"steps_not_shown": len(never), "steps_fetched": fetched}
            )
            for each, decision in zip(again, decisions, strict=True)
        }
        return [second.get(each.item_id, result) for each, result in zip(asked, results, strict=True)]

    async def _decided(
        self, asked: Sequence[AskedCheck], steps: Sequence[int], seen: Shown
    ) -> tuple[Decision, ...]:
        about: dict[str, CheckKind] = {each.item_id: each.check.about for each in asked}
        places = self.material.places
        is_part = len(steps) < len(self.material.steps)
        question = question_about(asked, self.around, seen, places, is_part=is_part)

        def problem(item_id: str, label: str, citation: Citation) -> str | None:
            return places.problem(citation, about[item_id], shows_met=label == MET)

        return await self.judge.decide(question, check=problem)

    def _result(
        self, asked: AskedCheck, decision: Decision, steps: Sequence[int], seen: Shown
    ) -> CheckResult:
        check, places = asked.check, self.material.places
        common = {
            "check_id": check.check_id,
            "text": check.text,
            "reasoning": decision.reasoning,
            "confidence": decision.confidence,
            "granularity": asked.level,
            "votes": decision.cast,
            "steps_not_shown": len(seen.hidden),
        }
        if decision.state == "error":
            return CheckResult(state="error", error=decision.error, **common)  # type: ignore[arg-type]
        if decision.state == "unsure":
            return CheckResult(state="unsure", unsure_code=decision.unsure_code, **common)  # type: ignore[arg-type]
        if decision.state == "not_applicable":
            return CheckResult(state="not_applicable", **common)  # type: ignore[arg-type]
        evidence = Evidence(
            citations=decision.citations, absences=absences_of(check, decision, places, steps)
        )
        believed = check.about == "outcome" and not places.shows_outcomes
        state = "met" if decision.value == 1.0 else "not_met"
        is_word_alone = (
            check.about == "outcome"
            and state == "met"
            and places.shows_outcomes
            and not places.shows_more_than_words(evidence.citations)
        )
        is_shown = bool(evidence.absences) or (bool(evidence.citations) and not is_word_alone)
        if not is_shown or (believed and self.strict):
            return CheckResult(state="unsure", unsure_code="no_evidence", evidence=evidence, **common)  # type: ignore[arg-type]
        return CheckResult(state=state, evidence=evidence, **common)  # type: ignore[arg-type]
