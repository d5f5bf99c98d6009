"""Judging checks over some steps of a run, and what the decisions are worth as evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adjudge.kit.evaluation import Check
from adjudge.model import CheckResult, Citation, Decision, Evidence
from adjudge.plugin import Judge
from adjudge_plugins.ai_judge.absences import absences_of
from adjudge_plugins.ai_judge.check_aggregation import is_decided_by_part
from adjudge_plugins.ai_judge.question import Surroundings, question_about, steps_wanted
from adjudge_plugins.ai_judge.run_text import RunMaterial
from adjudge_plugins.ai_judge.truncation import Shown, shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Looking:
    """How the checks of a run are judged at one granularity."""

    judge: Judge
    material: RunMaterial
    around: Surroundings
    room: int
    """Tokens that a question has for steps."""
    granularity: str
    """The strategy's name."""
    strict: bool
    """Whether a run that shows nothing of what came back supports no outcome at all."""

    async def judged(self, checks: Sequence[Check], steps: Sequence[int]) -> list[CheckResult]:
        """What the judge says of checks that are about the same, over some steps, in their order.

        Where steps had to be shortened or left out, votes may name those that they need. The checks that
        what was shown leaves open are asked once more then, with those steps as they were recorded.
        """
        seen = shown(steps, self.material, self.room)
        decisions = await self._decided(checks, steps, seen)
        results = [
            self._result(check, decision, steps, seen)
            for check, decision in zip(checks, decisions, strict=True)
        ]
        wanted = {
            check.check_id: steps_wanted(decision, seen.hidden)
            for check, decision, result in zip(checks, decisions, results, strict=True)
            if result.state != "error" and not is_decided_by_part(check, result)
        }
        again = [check for check in checks if wanted.get(check.check_id)]
        if not again:
            return results
        first = dict.fromkeys(step for check in again for step in wanted[check.check_id])
        closer = shown(steps, self.material, self.room, tuple(first))
        if closer == seen:  # a step that is longer than a request
            return results
        fetched = tuple(step for step in seen.hidden if step in first and step not in closer.hidden)
        never = [step for step in closer.hidden if step in set(seen.hidden)]
        decisions = await self._decided(again, steps, closer)
        second = {
            check.check_id: self._result(check, decision, steps, closer).model_copy(
                update={"steps_not_shown": len(never), "steps_fetched": fetched}
            )
            for check, decision in zip(again, decisions, strict=True)
        }
        return [second.get(result.check_id, result) for result in results]

    async def _decided(
        self, checks: Sequence[Check], steps: Sequence[int], seen: Shown
    ) -> tuple[Decision, ...]:
        about = checks[0].about
        is_part = len(steps) < len(self.material.steps)
        question = question_about(checks, self.around, seen, is_part=is_part)

        def problem(_item_id: str, _label: str, citation: Citation) -> str | None:
            return self.material.places.problem(citation, about)

        return await self.judge.decide(question, check=problem)

    def _result(self, check: Check, decision: Decision, steps: Sequence[int], seen: Shown) -> CheckResult:
        places = self.material.places
        common = {
            "check_id": check.check_id,
            "text": check.text,
            "reasoning": decision.reasoning,
            "confidence": decision.confidence,
            "granularity": self.granularity,
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
        if (not evidence.citations and not evidence.absences) or (believed and self.strict):
            return CheckResult(state="unsure", unsure_code="no_evidence", evidence=evidence, **common)  # type: ignore[arg-type]
        state = "met" if decision.value == 1.0 else "not_met"
        return CheckResult(state=state, evidence=evidence, **common)  # type: ignore[arg-type]
