"""The rules that turn outcomes into verdicts, against an independent statement of them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.model.measurement import Measurement, Outcome
from adjudge.model.result import CaseResult, CriterionResult
from adjudge.verdict.algebra import Rule, case_status, criterion_result, exit_status, repeated
from adjudge.verdict.summary import summarise

SCORED = st.floats(0, 1).map(Outcome.scored)
MISSING = st.sampled_from(
    [
        Outcome.not_applicable("no reference"),
        Outcome.unsure("split_votes", "2 to 2"),
        Outcome.failed("boom", "it broke"),
    ]
)


def rule(threshold: float | None = 0.5, *, lower_is_better: bool = False) -> Rule:
    return Rule(criterion_name="c", criterion="p/c", threshold=threshold, lower_is_better=lower_is_better)


def of(*outcomes: Outcome, threshold: float | None = 0.5, lower_is_better: bool = False) -> CriterionResult:
    return criterion_result(
        Measurement(per_invocation=outcomes), rule(threshold, lower_is_better=lower_is_better)
    )


def can_pass(outcomes: list[Outcome], threshold: float, *, lower_is_better: bool) -> bool:
    """Whether any completion of the missing outcomes passes: the mean is monotone, so the ends decide."""
    counted = [item for item in outcomes if item.state != "not_applicable"]
    best = 0.0 if lower_is_better else 1.0
    mean = math.fsum(best if item.score is None else item.score for item in counted) / len(counted)
    return mean <= threshold if lower_is_better else mean >= threshold


@given(st.lists(st.one_of(SCORED, MISSING), max_size=6), st.floats(0, 1), st.booleans())
def test_every_combination_of_outcomes_has_one_answer(
    outcomes: list[Outcome], threshold: float, lower_is_better: bool
) -> None:
    result = of(*outcomes, threshold=threshold, lower_is_better=lower_is_better)
    states = [item.state for item in outcomes if item.state != "not_applicable"]

    if not states:
        assert result.status == "not_applicable"
        assert result.verdict is None
    elif not can_pass(outcomes, threshold, lower_is_better=lower_is_better):
        assert result.verdict == "FAIL"
    elif "error" in states:
        assert result.status == "error"
        assert result.verdict is None
    elif "unsure" in states:
        assert result.verdict == "UNSURE"
    else:
        assert result.verdict == "PASS"
    assert (result.scored, result.total) == (states.count("scored"), len(states))
    assert (result.score is None) == (states.count("scored") < len(states) or not states)


def test_thresholds_are_compared_unrounded() -> None:
    just_below = math.nextafter(0.8, 0)
    assert of(Outcome.scored(just_below), threshold=0.8).verdict == "FAIL"
    assert of(Outcome.scored(0.8), threshold=0.8).verdict == "PASS"
    assert of(Outcome.scored(math.nextafter(0.8, 1)), threshold=0.8, lower_is_better=True).verdict == "FAIL"


def test_ten_scores_on_the_threshold_are_on_the_threshold() -> None:
    """Added up one after the other, ten times 0.1 is less than 1."""
    scores = [0.1] * 10
    total = 0.0
    for score in scores:
        total += score
    assert total / 10 < 0.1
    assert of(*map(Outcome.scored, scores), threshold=0.1).verdict == "PASS"


def test_a_criterion_without_a_threshold_never_decides() -> None:
    result = of(Outcome.scored(0.0), threshold=None)
    assert (result.status, result.verdict, result.score) == ("informational", None, 0.0)
    status, failure = case_status([result])
    assert status == "error"
    assert failure is not None
    assert failure.code == "nothing_measured"


@pytest.mark.parametrize("score", [math.nan, math.inf, -0.1, 1.5])
def test_a_score_outside_its_range_is_an_error_and_never_a_pass(score: float) -> None:
    result = of(Outcome.scored(score))
    assert result.status == "error"
    assert result.error is not None
    assert result.error.code == "score_out_of_range"
    assert result.error.origin == "p/c"


def test_inapplicable_turns_leave_the_denominator() -> None:
    result = of(Outcome.scored(1.0), Outcome.not_applicable("blank reference"), Outcome.scored(0.5))
    assert (result.score, result.scored, result.total) == (0.75, 2, 2)


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        (["PASS", "FAIL", "error", "UNSURE"], "FAIL"),
        (["PASS", "error", "UNSURE"], "error"),
        (["PASS", "UNSURE", "not_applicable"], "UNSURE"),
        (["PASS", "not_applicable"], "PASS"),
        (["not_applicable"], "error"),
        ([], "error"),
    ],
)
def test_a_case_is_what_its_worst_gating_criterion_says(statuses: list[str], expected: str) -> None:
    criteria = [
        CriterionResult(criterion_name="c", criterion="p/c", status=status, threshold=0.5)  # type: ignore[arg-type]
        for status in statuses
    ]
    informational = CriterionResult(criterion_name="i", criterion="p/i", status="error")
    assert case_status([*criteria, informational])[0] == expected


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.floats(0, 1))
def test_repeats_are_judged_by_the_mean_of_their_scores(scores: list[float], threshold: float) -> None:
    results = [of(Outcome.scored(score), threshold=threshold) for score in scores]
    whole = repeated(results, rule(threshold))
    mean = math.fsum(scores) / len(scores)
    assert whole.verdict == ("PASS" if mean >= threshold else "FAIL")
    assert whole.mean == mean
    if len(scores) == 1:
        assert whole.standard_deviation is None
    else:
        expected = math.sqrt(math.fsum((score - mean) ** 2 for score in scores) / (len(scores) - 1))
        assert whole.standard_deviation == pytest.approx(expected)


def test_a_repeat_that_could_not_run_is_an_error_unless_the_rest_fail_already() -> None:
    passed, failed = of(Outcome.scored(1.0)), of(Outcome.scored(0.0))
    assert repeated([passed, None], rule(0.75)).status == "error"
    assert repeated([failed, failed, None], rule(0.5)).verdict == "FAIL"
    assert repeated([passed, None], rule(0.75)).scored == 1
    assert repeated([passed, None], rule(0.75)).total == 2


@pytest.mark.parametrize(
    ("status", "code"), [("PASS", 0), ("FAIL", 1), ("error", 3), ("UNSURE", 3), ("not_applicable", 3)]
)
def test_exit_status(status: str, code: int) -> None:
    assert exit_status(status) == code  # type: ignore[arg-type]


def case(eval_id: str, repeat: int, *criteria: CriterionResult) -> CaseResult:
    status, failure = case_status(criteria)
    return CaseResult(
        eval_set_id="s",
        eval_set_file="f",
        eval_id=eval_id,
        repeat=repeat,
        status=status,
        error=failure,
        criteria=criteria,
    )


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=5))
def test_with_one_repeat_the_summary_says_what_the_cases_say(scores: list[float]) -> None:
    cases = [case(str(n), 1, of(Outcome.scored(score))) for n, score in enumerate(scores)]
    summary = summarise(cases, {"f": (rule(),)}, 1)
    assert summary.cases == len(scores)
    assert summary.counts.get("PASS", 0) == scores.count(1.0)
    assert summary.counts.get("FAIL", 0) == scores.count(0.0)
    assert summary.exit_status == (1 if 0.0 in scores else 0)
    assert summary.repeated == ()


def test_repeats_are_folded_by_case() -> None:
    results = [
        case("a", 1, of(Outcome.scored(1.0))),
        case("a", 2, of(Outcome.scored(0.0))),
        case("b", 1, of(Outcome.scored(1.0))),
        case("b", 2, of(Outcome.scored(1.0))),
    ]
    summary = summarise(results, {"f": (rule(0.75),)}, 2)
    assert [(item.eval_id, item.verdict) for item in summary.repeated] == [("a", "FAIL"), ("b", "PASS")]
    assert summary.repeated[0].criteria[0].mean == 0.5
    assert summary.repeated[0].criteria[0].standard_deviation == pytest.approx(math.sqrt(0.5))
    assert summary.exit_status == 1
    assert summary.criteria[0].mean == 0.75
