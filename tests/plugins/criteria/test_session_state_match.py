"""``session_state_match``: the state at the end of a session against the expected one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from adjudge.model import EvalCase
from adjudge.plugin import CaseUnderTest, InputError, Measurement, Outcome, Trajectory
from adjudge.testing import criterion_conformance
from adjudge_plugins.criteria.trajectory import session_state_match

TestConformanceOfExact = criterion_conformance(
    "session_state_match", plugin=session_state_match, config={"mode": "exact"}
)

State = dict[str, Any]
Compare = Callable[..., Outcome]


@pytest.fixture
def compare(measure: Callable[..., Measurement]) -> Compare:
    """The expected and the actual final state of a case; keywords are options."""

    def compare(expected: State | None, actual: State | None, **options: Any) -> Outcome:
        case = CaseUnderTest(
            case=EvalCase(eval_id="case", conversation=(), final_session_state=expected),
            actual=Trajectory(final_session_state=actual),
        )
        overall = measure(session_state_match, case, **options).overall
        assert overall is not None
        return overall

    return compare


def test_every_expected_key_must_be_there_and_further_ones_may(compare: Compare) -> None:
    expected = {"cart": {"items": ["book"]}}

    assert compare(expected, {"cart": {"items": ["book"], "total": 12}, "seen": 3}).score == 1.0
    assert compare(expected, {"cart": {"total": 12}}).score == 0.0
    assert compare(expected, {}).score == 0.0


@pytest.mark.parametrize("ignored", [["**"], ["*"], ["cart.**", "cart"], ["cart.*", "**.cart"]])
def test_where_everything_is_ignored_nothing_is_compared(compare: Compare, ignored: list[str]) -> None:
    found = compare({"cart": {"total": 12}}, {"cart": {"total": 13}}, ignore=ignored)

    assert found.state == "not_applicable"
    assert "ignored" in str(found.reasoning)


def test_what_is_left_is_compared(compare: Compare) -> None:
    expected = {"cart": {"total": 12}, "user": None}

    assert compare(expected, {"user": None}, ignore=["cart"]).score == 1.0
    assert compare(expected, {}, ignore=["cart"]).score == 0.0
    # Under "exact" a key more counts, whatever is ignored of the expected ones.
    assert compare({"cart": 1}, {"cart": 2, "more": 1}, ignore=["cart"], mode="exact").score == 0.0
    assert compare({"cart": 1}, {"cart": 2}, ignore=["cart"], mode="exact").score == 1.0
    assert compare({"cart": 1}, {"cart": 2}, ignore=["**"], mode="exact").state == "not_applicable"


def test_exact_means_no_further_key(compare: Compare) -> None:
    assert compare({"a": 1}, {"a": 1}, mode="exact").score == 1.0
    assert compare({"a": 1}, {"a": 1, "b": 2}, mode="exact").score == 0.0
    assert compare({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, mode="exact").score == 0.0


def test_the_difference_is_shown_place_by_place(compare: Compare) -> None:
    outcome = compare(
        {"cart": {"total": 12}, "user": "ann", "open": True}, {"cart": {"total": 13}, "user": "ann"}
    )

    assert outcome.details["differences"] == [
        {"path": "$.cart.total", "expected": 12, "actual": 13},
        {"path": "$.open", "expected": True},
    ]
    assert outcome.reasoning == "the final session state differs at $.cart.total, $.open"


def test_ignored_keys_do_not_count(compare: Compare) -> None:
    expected = {"id": "x", "created_at": 1, "user": {"updated_at": 1, "name": "ann"}}
    actual = {"id": "x", "created_at": 2, "user": {"updated_at": 2, "name": "ann"}}

    assert compare(expected, actual).score == 0.0
    assert compare(expected, actual, ignore=["created_at", "user.*_at"]).score == 1.0


def test_numbers_may_deviate_by_a_tolerance(compare: Compare) -> None:
    assert compare({"total": 12.0}, {"total": 12.4}, tolerance={"total": {"absolute": 0.5}}).score == 1.0
    assert compare({"total": 12.0}, {"total": 12.6}, tolerance={"total": {"absolute": 0.5}}).score == 0.0


@pytest.mark.parametrize("expected", [None, {}])
def test_a_case_that_expects_no_state_is_not_applicable(compare: Compare, expected: State | None) -> None:
    assert compare(expected, {"a": 1}).state == "not_applicable"


def test_an_agent_that_shows_no_state_cannot_be_measured(compare: Compare) -> None:
    outcome = compare({"a": 1}, None)

    assert outcome.error is not None
    assert outcome.error.code == "state_not_shown"


def test_a_misspelt_option_is_named(compare: Compare) -> None:
    with pytest.raises(InputError, match="tolerance"):
        compare({"a": 1}, {"a": 1}, tolerence={})
