"""A verdict of a criterion in words needs more than half of the votes that were not lost."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.model import Verdict
from adjudge.plugin import JudgeRequest
from adjudge.testing import verdicts


def judged(judging: Any, of_logs: Any, said: list[str | None], **options: Any) -> Any:
    """The one result; the votes say this in their order, and ``None`` is an answer that nobody can read."""

    def answer(request: JudgeRequest) -> str:
        label = said[request.sample]
        cited = of_logs.quotes(request)[:1]
        return "nothing" if label is None else verdicts(request, label, notes=judging.notes, citations=cited)

    judging.answer = answer
    options = {"granularity": "step_level", "num_samples": len(said), "use_cache": False, **options}
    [log] = judging(judging.log(), of_logs.OUTCOME, **options).logs
    [result] = log.results
    return result


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        (["not_met", "not_met", "met", "not_applicable", "cannot_tell"], Verdict.UNSURE),
        (["met", "met", "not_met", "cannot_tell", "cannot_tell"], Verdict.UNSURE),
        (["met", "met", "cannot_tell", "not_met"], Verdict.UNSURE),
        (["cannot_tell", "cannot_tell", "met", "not_applicable"], Verdict.UNSURE),
        (["met", "met", "met", "not_met", "cannot_tell"], Verdict.PASS),
        (["not_met", "cannot_tell", "not_met", "met", "not_met"], Verdict.FAIL),
        (["met", "met", "not_met", None, None], Verdict.PASS),  # lost votes count for nothing
        (["met", "not_met", "cannot_tell", None, None], Verdict.UNSURE),
    ],
)
def test_nothing_is_decided_without_more_than_half_of_the_votes(
    judging: Any, of_logs: Any, said: list[str | None], verdict: Verdict
) -> None:
    result = judged(judging, of_logs, said)

    assert result.verdict == verdict
    if verdict is Verdict.UNSURE:
        assert result.reason_codes == ("split_votes",)
        assert result.confidence_score is None


def test_most_votes_that_cannot_tell_say_just_that(judging: Any, of_logs: Any) -> None:
    result = judged(judging, of_logs, ["cannot_tell", "cannot_tell", "met"])

    assert (result.verdict, result.reason_codes) == (Verdict.UNSURE, ("abstained",))


def test_a_panel_decides_nothing_without_more_than_half_of_its_models(judging: Any, of_logs: Any) -> None:
    says = {"a": "not_met", "b": "not_met", "c": "met", "d": "not_applicable", "e": "cannot_tell"}

    def answer(request: JudgeRequest) -> str:
        cited = of_logs.quotes(request)[:1]
        return verdicts(request, says[request.model], notes=judging.notes, citations=cited)

    judging.answer = answer
    models = [f"fake/{name}" for name in says]
    [log] = judging(judging.log(), of_logs.OUTCOME, granularity="step_level", judge=models).logs
    [result] = log.results
    assert (result.verdict, result.reason_codes) == (Verdict.UNSURE, ("split_votes",))
