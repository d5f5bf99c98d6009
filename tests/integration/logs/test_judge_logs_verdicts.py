"""Verdicts: what several checks come to, and what a verdict says of itself."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.model import Verdict
from adjudge.testing import verdicts

FOUR = ("c1 is so.", "c2 is so.", "c3 is so.", "c4 is so.")


def judged(judging: Any, states: dict[str, str], threshold: float = 1.0, **options: Any) -> Any:
    """The log with the one criterion whose checks get these answers: ``c1`` to label."""
    judging.verdict = lambda text: states[text.split()[0]]
    checks = [f"{name} is so." for name in states]
    criterion = {"name": "It", "description": "It is so.", "checks": checks, "threshold": threshold}
    log = options.pop("log", None) or judging.log()
    judged = judging(log, criterion, granularity="step_level", use_cache=False, **options)
    [of_log] = judged.logs
    [result] = of_log.results
    return result


@pytest.mark.parametrize(
    ("states", "threshold", "verdict"),
    [
        ("met met met", 1.0, Verdict.PASS),
        ("met met not_met", 1.0, Verdict.FAIL),
        ("met not_met cannot_tell", 1.0, Verdict.FAIL),
        ("met met cannot_tell", 1.0, Verdict.UNSURE),
        ("met not_applicable met", 1.0, Verdict.PASS),
        ("met not_applicable not_met", 0.5, Verdict.PASS),
        ("met met not_met", 2 / 3, Verdict.PASS),
        ("met met not_met", 0.67, Verdict.FAIL),
        ("met met met met not_met", 0.8, Verdict.PASS),
        ("met met met not_met not_met", 0.6, Verdict.PASS),
        ("met not_met not_met not_met not_met not_met not_met not_met not_met not_met", 0.1, Verdict.PASS),
        ("met not_met cannot_tell", 0.5, Verdict.UNSURE),
        ("not_met not_met cannot_tell", 0.5, Verdict.FAIL),
        ("met met cannot_tell", 0.5, Verdict.PASS),
        ("not_met", 1e-9, Verdict.FAIL),
        ("not_applicable not_applicable", 1.0, Verdict.UNSURE),
        ("not_applicable cannot_tell", 1.0, Verdict.UNSURE),
    ],
)
def test_the_share_of_the_checks_that_apply_decides(
    judging: Any, states: str, threshold: float, verdict: Verdict
) -> None:
    listed = {f"c{number}": state for number, state in enumerate(states.split(), 1)}

    assert judged(judging, listed, threshold).verdict == verdict


def test_a_verdict_rests_on_the_checks_that_decide_it_and_on_no_other(judging: Any, of_logs: Any) -> None:
    judging.notes["rationale"] = "Because."
    states = {"c1": "met", "c2": "not_met", "c3": "cannot_tell", "c4": "not_applicable"}

    failed = judged(judging, states)
    assert failed.reasoning == "c2 is so. (not met): Because."
    passed = judged(judging, states, 0.3)
    assert passed.reasoning == "c1 is so. (met): Because."
    undecided = judged(judging, {**states, "c2": "met"})
    assert undecided.reasoning == "c3 is so. (unsure): Because."
    assert undecided.reason_codes == ("abstained",)


def test_a_criterion_that_has_nothing_to_do_with_a_run_says_so(judging: Any) -> None:
    result = judged(judging, {"c1": "not_applicable", "c2": "not_applicable"})

    assert result.verdict == Verdict.UNSURE
    assert result.reason_codes == ("not_applicable",)
    assert result.confidence_score is None


def test_only_what_was_reached_is_believed_where_nothing_came_back(judging: Any, of_logs: Any) -> None:
    log = judging.log([{"step": 1, "thinking": "I search first.", "action": "click(Search)"}])
    judging.cite = lambda request: of_logs.quotes(request, ["action"])[:1]

    assert judging(log, of_logs.PROCESS).logs[0].results[0].reason_codes == ()
    assert judging(log, of_logs.OUTCOME).logs[0].results[0].reason_codes == ("self_reported",)


def unanimous_and_split(judging: Any, states: dict[str, str], *, split: str, other: str) -> None:
    """Let the votes agree on every check but ``split``, of which every fourth vote says ``other``."""
    asked = iter(range(1000))

    def answer(request: Any) -> str:
        odd = next(asked) % 4 == 3
        return verdicts(
            request,
            lambda text: other if odd and text.startswith(split) else states[text.split()[0]],
            notes=judging.notes,
            citations=judging.cite(request),
        )

    judging.answer = answer


@pytest.mark.parametrize(
    ("states", "split", "threshold", "drops"),
    [
        ({"c1": "met", "c2": "met"}, "c2", 1.0, True),
        ({"c1": "not_met", "c2": "not_met"}, "c2", 1.0, False),
        ({"c1": "not_met", "c2": "not_met"}, "c2", 0.5, True),
        ({"c1": "met", "c2": "met"}, "c2", 0.5, False),
    ],
)
def test_a_verdict_is_as_sure_as_the_fewest_checks_that_make_it_so(
    judging: Any, states: dict[str, str], split: str, threshold: float, drops: bool
) -> None:
    other = "met" if states[split] == "not_met" else "not_met"
    unanimous_and_split(judging, states, split=split, other=other)
    checks = [f"{name} is so." for name in states]
    criterion = {"name": "It", "description": "It is so.", "checks": checks, "threshold": threshold}
    judged = judging(judging.log(), criterion, granularity="step_level", num_samples=9)
    [result] = judged.logs[0].results
    sure, split_one = (check.confidence for check in result.checks)

    assert split_one < sure
    assert result.confidence_score == (split_one if drops else sure)


@pytest.mark.parametrize(
    ("check", "labels", "verdict"),
    [
        ("The milk is paid for.", "not_met not_met met", Verdict.PASS),
        ("The milk is paid for.", "met not_met not_met", Verdict.FAIL),
        ("The milk is paid for.", "met not_applicable not_applicable", Verdict.PASS),
        ("The milk is paid for.", "cannot_tell met not_applicable", Verdict.PASS),
        ("The milk is paid for.", "met met cannot_tell", Verdict.UNSURE),
        ("The milk is paid for.", "not_applicable not_applicable not_applicable", Verdict.UNSURE),
        ("Each page is read.", "met not_met met", Verdict.FAIL),
        ("Each page is read.", "met cannot_tell met", Verdict.UNSURE),
        ("Nothing is deleted.", "not_met met met", Verdict.FAIL),
        ("At least once a page is read.", "not_met met not_met", Verdict.PASS),
    ],
)
def test_the_parts_of_a_long_run_come_to_one_verdict(
    judging: Any, of_logs: Any, check: str, labels: str, verdict: Verdict
) -> None:
    page = "Lorem ipsum dolor sit amet. " * 1000
    steps = [{"step": at, "action": f"click({at})", "observation": f"page {at}. {page}"} for at in (1, 2, 3)]
    said = dict(zip((1, 2, 3), labels.split(), strict=True))

    def answer(request: Any) -> str:
        if not of_logs.is_question(request):
            return verdicts(request, "met")
        first = of_logs.quotes(request, ["observation"])[0]
        return verdicts(request, said[first.step], notes=judging.notes, citations=[first])

    judging.answer = answer
    criterion = {"name": "It", "description": "It is so.", "checks": [check]}
    judged = judging(judging.log(steps), criterion, granularity="step_level", token_budget=8_000)
    [result] = judged.logs[0].results

    questions = filter(of_logs.is_question, judging.requests)
    assert len({of_logs.quotes(request)[0].step for request in questions}) == 3, "it is not in parts"
    assert result.verdict == verdict
    if check.startswith("The milk") and verdict != Verdict.UNSURE:
        decisive = [at for at, label in said.items() if label != "not_applicable"][-1]
        assert [citation.step for citation in result.evidence.citations] == [decisive]
