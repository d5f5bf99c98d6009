"""What a stranger's criterion returns is read again at the border: nothing that was made without validation decides."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from adjudge import RunResult, evaluate_sync
from adjudge.extension.loader import Extensions
from adjudge.model import CriterionResult, Evidence, RubricScore
from adjudge.plugin import (
    CaseUnderTest,
    CriterionSpec,
    Measurement,
    Outcome,
    hookimpl,
)
from adjudge.testing.log_runs import judged_sync

GOOD = Outcome.scored(1.0)
Make = Callable[[CaseUnderTest], Any]


class Acme:
    """A stranger's plugin: its criterion returns what ``make`` makes of a case."""

    def __init__(self, make: Make) -> None:
        self._make = make

    @hookimpl.criteria
    def criteria(self) -> Iterable[CriterionSpec]:
        for name, value_range in (("given", (0.0, 1.0)), ("endless", (-math.inf, math.inf))):
            yield CriterionSpec(
                name=name,
                summary="What it is told to return",
                factory=lambda _config, _host: self,
                value_range=value_range,
                simulated_conversations=True,
            )

    async def score(self, case: CaseUnderTest) -> Measurement:
        return self._make(case)  # type: ignore[no-any-return]


Run = Callable[..., RunResult]


@pytest.fixture
def run(tmp_path: Path, beside_built_ins: Callable[[object], Extensions]) -> Run:
    """Two cases with two turns each, which pass by the answer; a report of every kind is written."""
    turn = {"user_content": {"parts": [{"text": "hi"}]}, "final_response": {"parts": [{"text": "hello"}]}}
    cases = [{"eval_id": name, "conversation": [turn, turn]} for name in "ab"]
    path = tmp_path / "set.test.json"
    path.write_text(json.dumps({"eval_set_id": "set", "eval_cases": cases}), encoding="utf-8")

    def evaluate(make: Make, name: str = "given", **options: Any) -> RunResult:
        outputs = [tmp_path / "result.json", tmp_path / "result.xml"]
        for output in outputs:
            output.unlink(missing_ok=True)
        result = evaluate_sync(
            lambda _: "hello",
            path,
            config={"criteria": {name: 0.5, "response_match_score": 0.5}},
            extensions=beside_built_ins(Acme(make)),
            outputs=outputs,
            **options,
        )
        json.loads(outputs[0].read_text(encoding="utf-8"))
        return result

    return evaluate


def given(result: RunResult) -> CriterionResult:
    return next(iter(result.cases())).criteria[0]


class Hidden(Measurement):
    """Says one thing to who asks, and holds another."""

    @property
    def overall(self) -> Outcome:  # type: ignore[override]
        return GOOD


class Pretender:
    """Says that it is a measurement."""

    __class__ = Measurement  # type: ignore[assignment]


class Unclassed:
    """Ends the process of whoever asks for its class."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        raise SystemExit(0)


class Winning(float):
    def __ge__(self, other: object) -> bool:
        return True


def overall(**changes: Any) -> Make:
    return lambda _: Measurement(overall=GOOD.model_copy(update=changes))


def turns(**changes: Any) -> Make:
    return lambda _: Measurement(per_invocation=(GOOD, GOOD.model_copy(update=changes)))


def deep(levels: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for _ in range(levels):
        made = {"a": made}
    return made


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (overall(state="failed"), "overall.state"),
        (turns(state="failed"), "per_invocation.1.state"),
        (overall(state=None), "overall.state"),
        (overall(score="high"), "overall.score"),
        (overall(reasoning=5), "overall.reasoning"),
        (overall(reasoning="\ud800"), "surrogate"),
        (overall(rubric_scores=(RubricScore.model_construct(rubric_id=5, score="abc"),)), "rubric_scores"),
        (
            overall(rubric_scores=(RubricScore.model_construct(rubric_id="r", score=math.nan),)),
            "rubric_scores",
        ),
        (overall(evidence=Evidence.model_construct(citations=("x",))), "evidence.citations"),
        (overall(state="unsure", score=None, best_possible=math.nan), "overall.best_possible"),
        (overall(details={"n": 10**5000}), "cannot be used"),
        (overall(details={"at": object()}), "cannot be used"),
        (overall(details=deep(300)), "cannot be used"),
        (lambda _: Hidden(), "cannot be used"),
        (lambda _: Measurement.model_construct(overall=5), "overall"),
        (lambda _: 5, "gave int, expected Measurement"),
        (lambda _: Pretender(), "gave Pretender, expected Measurement"),
        (lambda _: Unclassed(), "gave Unclassed, expected Measurement"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_was_made_without_validation_is_an_error_of_the_criterion(
    run: Run, make: Make, words: str
) -> None:
    result = run(make)

    assert (result.summary.status, result.summary.exit_status) == ("error", 3)
    found = given(result)
    assert found.status == "error"
    assert found.error is not None
    assert found.error.code == "criterion_raised"
    assert words in found.error.message
    assert "plugin acme (acme-metrics 0)" in found.error.message


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (Outcome(state="unsure", unsure_code="abstained", best_possible=-3.0), "score_out_of_range"),
        (Outcome(state="error", best_possible=2.0), "score_out_of_range"),
        (Outcome(state="error"), "unexplained"),
    ],
)
def test_an_outcome_that_says_too_little_or_too_much_is_an_error(
    run: Run, outcome: Outcome, code: str
) -> None:
    result = run(lambda _: Measurement(overall=outcome), num_runs=2)

    assert result.summary.status == "error"
    found = given(result)
    assert found.error is not None
    assert found.error.code == code


def test_a_number_that_compares_as_it_likes_is_a_number(run: Run) -> None:
    assert given(run(overall(score=Winning(0.0)))).status == "FAIL"


def test_what_a_criterion_keeps_of_its_measurement_changes_nothing(run: Run) -> None:
    kept: dict[str, Any] = {"share": 1}
    seen: list[Measurement] = []

    def make(_: CaseUnderTest) -> Measurement:
        kept["share"] += 1
        seen.append(Measurement(overall=Outcome.scored(1.0, details=kept)))
        return seen[-1]

    # One case after the other: what a criterion changes before its measurement was taken is its own affair.
    result = run(make, concurrency=1)
    kept.clear()
    assert [case.criteria[0].details for case in result.cases()] == [{"share": 2}, {"share": 3}]


@pytest.mark.parametrize(
    "score", [lambda repeat: 1.7e308, lambda repeat: 1e200 if repeat == 1 else 0.0], ids=["same", "spread"]
)
def test_scores_that_are_too_large_to_add_up_stop_no_run(run: Run, score: Callable[[int], float]) -> None:
    def make(case: CaseUnderTest) -> Measurement:
        return Measurement(per_invocation=(Outcome.scored(score(case.repeat)),) * 2)

    result = run(make, "endless", num_runs=3)

    assert result.summary.exit_status == 0
    [first, _] = result.summary.repeated
    mean = sum(score(repeat) / 3 for repeat in (1, 2, 3))
    assert first.criteria[0].mean == pytest.approx(mean)
    assert first.criteria[0].standard_deviation == pytest.approx(0.0 if score(2) else math.sqrt(3) * mean)


def test_a_deviation_that_no_number_holds_is_not_told(run: Run) -> None:
    def make(case: CaseUnderTest) -> Measurement:
        return Measurement(overall=Outcome.scored(1.7e308 if case.repeat == 1 else -1.7e308))

    [first, _] = run(make, "endless", num_runs=2).summary.repeated
    assert first.criteria[0].mean == 0.0
    assert first.criteria[0].standard_deviation is None


def test_the_same_holds_where_logs_are_judged(
    tmp_path: Path, beside_built_ins: Callable[[object], Extensions]
) -> None:
    log = tmp_path / "log.chat.json"
    log.write_text(json.dumps([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]))
    judged = judged_sync(
        log,
        [{"criterion": "given", "threshold": 0.5}],
        extensions=beside_built_ins(Acme(overall(state="failed"))),
    )

    assert not judged.logs[0].results
    [error] = judged.errors
    assert error.error.code == "criterion_raised"
