"""The criterion ``first_error``: finds the step that made a run fail, and the agent that took it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from adjudge.kit.judged_criteria import reference_response, votes_of
from adjudge.model import Citation, Evidence, JsonObject, Trajectory, UnsureCode
from adjudge.plugin import CaseUnderTest, Judge, Measurement, Outcome
from adjudge_plugins.ai_judge.first_error.question import blamed
from adjudge_plugins.ai_judge.first_error.search import FirstErrorSearch, Found
from adjudge_plugins.ai_judge.named_steps import place_of_step, runners_up

_PLACES: Final = 5
"""The number of places with text to the judge that a result cites."""


class FirstError:
    """Scores 1 if a step made the run fail, 0 if none did.

    The ``details`` of a result have the ``step``, the ``agent`` that took it, its place in the log
    (``source_ref``), and the ``runners_up`` in the same form, the likeliest first. The evidence is verified
    quotes from the run.
    """

    def __init__(self, judge: Judge, description: str = "", *, token_budget: int) -> None:
        """Search with ``judge``.

        Args:
            judge: The judge.
            description: What a run has to meet; empty: its task.
            token_budget: The tokens of one request.
        """
        self._judge = judge
        self._description = description
        self._budget = token_budget

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one outcome for the case."""
        run = case.actual
        search = FirstErrorSearch(run, self._judge, self._description, _expected(case), self._budget)
        if not run.steps:
            return Measurement(overall=Outcome.not_applicable("the run has no steps"))
        found = await search.found()
        if not search.speech or found.decision.state not in ("decided", "not_applicable"):
            return Measurement(overall=_outcome(run, found))
        # Text in the run may ask for a verdict or blame another step, so the answer must hold without that
        # text.
        again = await search.found_without_speech()
        if again.decision.state == "error" or _stand(again) == _stand(found):
            return Measurement(overall=_outcome(run, again))
        return Measurement(overall=_addressed(run, found, again, search.speech))


def _expected(case: CaseUnderTest) -> str:
    """The answers that the author of the case expects, turn by turn."""
    answers = [reference_response(turn).text for turn in case.case.conversation or ()]
    if len(answers) > 1:
        answers = [f"turn {number}: {text}" for number, text in enumerate(answers, 1) if text.strip()]
    return "\n".join(answers)


def _stand(found: Found) -> tuple[str, float | None]:
    return found.decision.state, found.decision.value


def _outcome(run: Trajectory, found: Found) -> Outcome:
    decision = found.decision
    if decision.state == "error":
        return Outcome(state="error", reasoning=decision.reasoning, error=decision.error)
    reason = decision.reasoning or ""
    evidence = Evidence(citations=decision.citations)
    if decision.state == "unsure":
        return _unsure(run, found, decision.unsure_code or "abstained", reason, evidence)
    if not decision.citations:
        return _unsure(run, found, "no_evidence", reason, evidence)
    if decision.value is None:
        if 2 * decision.tally.get(decision.label or "", 0) <= sum(decision.tally.values()):
            return _unsure(run, found, "split_votes", reason, evidence)
        nowhere: JsonObject = {"step": None, "agent": None, "source_ref": None, "runners_up": []}
        return Outcome.scored(0.0, reason, details={**nowhere, **_grounds(found)}, evidence=evidence)
    step = int(decision.value)
    place = place_of_step(run, step)
    speakers = [each.author for each in run.steps if each.author]
    agent = blamed(decision, speakers) or place["agent"]
    others = runners_up(run, found.steps, step)
    details: JsonObject = {**place, "agent": agent, "runners_up": [*others], **_grounds(found)}
    by = f", by {agent}" if agent else ""
    return Outcome.scored(1.0, f"Step {step}{by}: {reason}", details=details, evidence=evidence)


def _unsure(run: Trajectory, found: Found, code: UnsureCode, reason: str, evidence: Evidence) -> Outcome:
    """An UNSURE outcome, with the candidate steps."""
    likely = runners_up(run, found.steps, None)
    outcome = Outcome.unsure(code, reason, details={"runners_up": [*likely], **_grounds(found)})
    return outcome.model_copy(update={"evidence": evidence})


def _addressed(run: Trajectory, first: Found, second: Found, speech: Sequence[Citation]) -> Outcome:
    told = f"{_told(first)}; without that text {_told(second)}"
    reason = f"A text in the run addresses the judge (step {speech[0].step}, {speech[0].field}). The answer is {told}."
    return _unsure(run, second, "injection", reason, Evidence(citations=tuple(speech[:_PLACES])))


def _told(found: Found) -> str:
    value = found.decision.value
    return f"step {value:.0f}" if value is not None else "no step"


def _grounds(found: Found) -> JsonObject:
    return {"questions": found.questions, "votes": votes_of(found.decision)}
