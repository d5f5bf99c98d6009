"""Matching calls: what holds for all lists of calls."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.kit.matching import Match, edit_similarity, f1, match, precision, recall
from adjudge.model import ToolCall

MODES = ("EXACT", "IN_ORDER", "ANY_ORDER")

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**300, max_value=10**320)
    | st.floats()
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)
json_objects = st.none() | st.dictionaries(st.text(max_size=2), json_values, max_size=3)

# Few names and few values, so that calls are often equal and often nearly equal.
small_args = st.dictionaries(st.sampled_from("ab"), st.integers(0, 1), max_size=2)
small_call = st.builds(ToolCall, name=st.sampled_from("tu"), args=st.none() | small_args)
small_calls = st.lists(small_call, max_size=5)
any_calls = st.lists(
    st.sampled_from("tu")
    | st.tuples(st.sampled_from("tu"), json_objects)
    | st.builds(
        ToolCall, name=st.sampled_from("tu"), args=json_objects, raw_args=st.none() | st.text(max_size=2)
    ),
    max_size=4,
)
any_options = st.fixed_dictionaries(
    {},
    optional={
        "mode": st.sampled_from(["exact", "subset"]),
        "ignore": st.lists(st.sampled_from(["a", "*", "**", "a.b", "**.0", "", "."]), max_size=2),
        "regex": st.dictionaries(
            st.sampled_from(["a", "*", "**"]), st.sampled_from([".*", r"\d", "(?i)a"]), max_size=1
        ),
        "tolerance": st.dictionaries(
            st.sampled_from(["a", "**"]),
            st.fixed_dictionaries({}, optional={"absolute": st.floats(0, 2), "relative": st.floats(0, 2)}),
            max_size=1,
        ),
        "tools": st.just({"t*": {"mode": "subset"}}),
    },
)

Compatible = Callable[[ToolCall, ToolCall], bool]


def equal(one: ToolCall, other: ToolCall) -> bool:
    return one.name == other.name and (one.args or {}) == (other.args or {})


def within(one: ToolCall, other: ToolCall) -> bool:
    """What mode ``subset`` means for flat arguments: a relation that is neither symmetric nor an equality."""
    return one.name == other.name and (one.args or {}).items() <= (other.args or {}).items()


RELATIONS: list[tuple[Any, Compatible]] = [(None, equal), ({"mode": "subset"}, within)]
over_relations = pytest.mark.parametrize(("options", "same"), RELATIONS, ids=["equal", "subset"])


def worth(one: ToolCall, other: ToolCall) -> float:
    """Partial credit for flat arguments, as the documentation defines it."""
    if one.name != other.name:
        return 0.0
    left, right = one.args or {}, other.args or {}
    names = {*left, *right}
    return sum(left.get(name) == right.get(name) for name in names) / len(names) if names else 1.0


def best_sum(expected: Sequence[Any], actual: Sequence[Any], gain: Callable[[Any, Any], float]) -> float:
    """The best assignment, found by trying all."""
    if len(expected) > len(actual):
        return best_sum(actual, expected, lambda one, other: gain(other, one))
    return max(sum(map(gain, expected, chosen)) for chosen in itertools.permutations(actual, len(expected)))


def is_subsequence(expected: Sequence[Any], actual: Sequence[Any], same: Compatible) -> bool:
    return any(all(map(same, expected, chosen)) for chosen in itertools.combinations(actual, len(expected)))


def cheapest_edits(
    expected: Sequence[Any], actual: Sequence[Any], gain: Callable[[Any, Any], float]
) -> float:
    """Levenshtein's recurrence as a textbook has it."""
    if not expected or not actual:
        return len(expected) + len(actual)
    return min(
        1 + cheapest_edits(expected[1:], actual, gain),
        1 + cheapest_edits(expected, actual[1:], gain),
        1 - gain(expected[0], actual[0]) + cheapest_edits(expected[1:], actual[1:], gain),
    )


# --- against brute force ----------------------------------------------------------------------


@over_relations
@given(expected=small_calls, actual=small_calls)
def test_the_verdict_is_the_best_that_any_pairing_gives(
    options: Any, same: Compatible, expected: list[ToolCall], actual: list[ToolCall]
) -> None:
    served = best_sum(expected, actual, same)
    assert match(expected, actual, "EXACT", options).matched is (
        len(expected) == len(actual) and all(map(same, expected, actual))
    )
    assert match(expected, actual, "IN_ORDER", options).matched is is_subsequence(expected, actual, same)
    assert match(expected, actual, "ANY_ORDER", options).matched is (served == len(expected))
    if expected and actual:
        assert recall(expected, actual, options) == served / len(expected)
        assert precision(expected, actual, options) == served / len(actual)


@over_relations
@given(expected=small_calls, actual=small_calls)
def test_pairs_are_as_many_as_there_can_be(
    options: Any, same: Compatible, expected: list[ToolCall], actual: list[ToolCall]
) -> None:
    for mode in MODES:
        found = match(expected, actual, mode, options)
        rows, columns = [row for row, _ in found.pairs], [column for _, column in found.pairs]
        assert all(same(expected[row], actual[column]) for row, column in found.pairs)
        assert len(set(columns)) == len(columns)
        assert sorted({*rows, *found.missing}) == list(range(len(expected)))
        assert sorted({*columns, *found.unexpected}) == list(range(len(actual)))
        if mode == "ANY_ORDER":
            assert len(rows) == best_sum(expected, actual, same)
        else:
            longest = max(
                size
                for size in range(len(expected) + 1)
                if any(is_subsequence(part, actual, same) for part in itertools.combinations(expected, size))
            )
            assert columns == sorted(columns)
            assert len(rows) == longest


@given(expected=small_calls, actual=small_calls)
def test_partial_credit_is_the_best_sum_of_shares(expected: list[ToolCall], actual: list[ToolCall]) -> None:
    total = len(expected) + len(actual)
    wanted = 2 * best_sum(expected, actual, worth) / total if total else 1.0
    assert f1(expected, actual, partial_credit=True) == pytest.approx(wanted)


@settings(max_examples=50)
@given(expected=small_calls, actual=small_calls)
def test_edit_similarity_is_levenshteins(expected: list[ToolCall], actual: list[ToolCall]) -> None:
    longer = max(len(expected), len(actual))
    for partial, gain in ((False, equal), (True, worth)):
        wanted = 1 - cheapest_edits(expected, actual, gain) / longer if longer else 1.0
        assert edit_similarity(expected, actual, partial_credit=partial) == pytest.approx(wanted)


# --- laws ---------------------------------------------------------------------------------------


@given(expected=any_calls, actual=any_calls, options=st.none() | any_options)
def test_nothing_raises_and_everything_is_in_bounds(expected: Any, actual: Any, options: Any) -> None:
    verdicts = [match(expected, actual, mode, options) for mode in MODES]
    assert [found.score for found in verdicts] == sorted(found.score for found in verdicts)
    for found in verdicts:
        rows = found.diff()
        assert sum(row["expected"] is not None for row in rows) == len(expected)
        assert sum(row["actual"] is not None for row in rows) == len(actual)
        assert all((row["status"] == "different_args") == ("differences" in row) for row in rows)
        assert found.reason().endswith(".")
    figures = [precision(expected, actual, options), recall(expected, actual, options)]
    for partial in (False, True):
        figures.append(f1(expected, actual, options, partial_credit=partial))
        figures.append(edit_similarity(expected, actual, options, partial_credit=partial))
        assert (figures[-1] == 1.0) >= verdicts[0].matched
    assert all(0.0 <= figure <= 1.0 for figure in figures)


@given(small_calls, small_calls)
def test_precision_is_recall_from_the_other_side_and_the_rest_is_symmetric(
    one: list[ToolCall], other: list[ToolCall]
) -> None:
    if one and other:
        assert precision(one, other) == recall(other, one)
    for partial in (False, True):
        assert f1(one, other, partial_credit=partial) == pytest.approx(f1(other, one, partial_credit=partial))
        assert edit_similarity(one, other, partial_credit=partial) == pytest.approx(
            edit_similarity(other, one, partial_credit=partial)
        )


@given(small_calls, small_calls, small_call)
def test_a_further_call_never_lowers_recall_nor_breaks_a_match_that_allows_it(
    expected: list[ToolCall], actual: list[ToolCall], further: ToolCall
) -> None:
    more = [*actual, further]
    assert recall(expected, more) >= recall(expected, actual)
    for mode in ("IN_ORDER", "ANY_ORDER"):
        assert match(expected, more, mode).score >= match(expected, actual, mode).score


@given(small_calls, small_calls)
def test_partial_credit_never_lowers_a_figure(expected: list[ToolCall], actual: list[ToolCall]) -> None:
    for measure in (f1, edit_similarity):
        assert measure(expected, actual, partial_credit=True) >= measure(expected, actual) - 1e-12


@given(small_calls, small_calls)
def test_options_that_change_nothing_change_nothing(expected: list[ToolCall], actual: list[ToolCall]) -> None:
    # A path that no argument has leads through the rules instead of plain equality.
    for mode in MODES:
        plain, by_rules = match(expected, actual, mode), match(expected, actual, mode, {"ignore": ["none"]})
        assert plain.score == by_rules.score
        assert plain.diff() == by_rules.diff()


@given(st.integers(-10_000, 10_000), st.integers(-300, 300), st.integers(0, 300))
def test_a_tolerance_holds_as_decimals_do(cents: int, deviation: int, allowed: int) -> None:
    expected, actual = {"price": cents / 100}, {"price": (cents + deviation) / 100}
    options = {"tolerance": {"price": {"absolute": allowed / 100}}}
    found = match([("t", expected)], [("t", actual)], arguments=options)
    assert found.matched is (abs(deviation) <= allowed)


# --- extremes -----------------------------------------------------------------------------------


def nested(depth: int, leaf: Any) -> dict[str, Any]:
    value = leaf
    for _ in range(depth):
        value = {"x": [value]}
    return {"x": value}


@pytest.mark.parametrize("options", [None, {"mode": "subset"}])
def test_arguments_may_be_nested_more_deeply_than_python_compares(options: Any) -> None:
    def both(leaf: Any, other: Any) -> tuple[Match, float]:
        expected, actual = [("t", nested(3000, leaf))], [("t", nested(3000, other))]
        return match(expected, actual, arguments=options), f1(expected, actual, options, partial_credit=True)

    found, figure = both(1, 1)
    assert (found.score, figure) == (1.0, 1.0)
    found, figure = both(1, 2)
    assert (found.score, figure) == (0.0, 0.0)
    assert found.diff()[0]["differences"][0]["actual"] == 2


def test_long_turns_are_matched_in_reasonable_time() -> None:
    expected = [ToolCall(name="t", args={"x": number}) for number in range(100)]
    turned = list(reversed(expected))
    assert match(expected, turned, "ANY_ORDER").matched
    assert match(expected, turned, "ANY_ORDER", {"tolerance": {"x": {"absolute": 0.5}}}).matched
    assert edit_similarity(expected, turned) == 0.0
    assert f1(expected[:50], turned, partial_credit=True) == pytest.approx(2 / 3)
