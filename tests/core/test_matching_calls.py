"""Comparing lists of calls: what matches, how much is right, and what the diff says."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.errors import InputError
from adjudge.kit.matching import (
    MatchType,
    edit_similarity,
    f1,
    match,
    precision,
    recall,
    single_tool_use,
)
from adjudge.model import ToolCall

MODES = ("EXACT", "IN_ORDER", "ANY_ORDER")


def call(name: str, **args: Any) -> ToolCall:
    return ToolCall(name=name, args=args)


def scores(expected: Any, actual: Any, **options: Any) -> tuple[float, ...]:
    return tuple(match(expected, actual, mode, **options).score for mode in MODES)


# --- seed 001 -----------------------------------------------------------------------------

SEED = ["determine_intent", "use_tool", "review_results", "report_generation"]


def test_the_trajectory_of_the_seed_equals_itself_by_every_measure() -> None:
    actual = list(SEED)
    assert scores(SEED, actual) == (1.0, 1.0, 1.0)
    assert (precision(SEED, actual), recall(SEED, actual), f1(SEED, actual)) == (1.0, 1.0, 1.0)
    assert edit_similarity(SEED, actual) == 1.0
    assert single_tool_use(actual, "use_tool") == 1.0
    assert single_tool_use(actual, "use_tools") == 0.0


@pytest.mark.parametrize(
    ("actual", "expected_scores"),
    [
        (["determine_intent", "search", *SEED[1:]], (0.0, 1.0, 1.0)),
        ([*SEED, "search"], (0.0, 1.0, 1.0)),
        ([SEED[1], SEED[0], *SEED[2:]], (0.0, 0.0, 1.0)),
        (SEED[:3], (0.0, 0.0, 0.0)),
        (["search"], (0.0, 0.0, 0.0)),
    ],
)
def test_exact_forbids_other_calls_in_order_forbids_disorder_any_order_neither(
    actual: list[str], expected_scores: tuple[float, ...]
) -> None:
    assert scores(SEED, actual) == expected_scores


# --- what google-adk 2.13.0 does ------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ({"x": 1}, {"x": 1.0}, True),
        ({"x": 1}, {"x": True}, True),
        ({"x": "1"}, {"x": 1}, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"x": [1, 2]}, {"x": [2, 1]}, False),
        ({"x": {"y": [1, {"z": None}]}}, {"x": {"y": [1, {"z": None}]}}, True),
        ({"x": {"y": 1}}, {"x": {"y": 2}}, False),
        ({"x": "On"}, {"x": "on"}, False),
        ({"x": "on"}, {"x": "on "}, False),
        ({"x": 1}, {"x": 1, "verbose": False}, False),
        ({"x": 1, "y": 2}, {"x": 1}, False),
        ({}, {}, True),
        (None, None, True),
        (None, {}, True),  # the one difference from google-adk
        ({}, None, True),
        (None, {"x": 1}, False),
    ],
)
def test_arguments_are_equal_as_python_says(expected: Any, actual: Any, same: bool) -> None:
    one, other = ToolCall(name="t", args=expected), ToolCall(name="t", args=actual)
    assert scores([one], [other]) == (float(same),) * 3
    assert scores([one], [other], ignore_args=True) == (1.0, 1.0, 1.0)
    assert scores([one], [ToolCall(name="T", args=expected)], ignore_args=True) == (0.0, 0.0, 0.0)


def test_ids_of_calls_do_not_count() -> None:
    assert match([ToolCall(name="t", id="1")], [ToolCall(name="t", id="2")]).matched


@pytest.mark.parametrize(
    ("expected", "actual", "expected_scores"),
    [
        ([], [], (1.0, 1.0, 1.0)),
        ([], [call("t")], (0.0, 1.0, 1.0)),
        ([call("t")], [], (0.0, 0.0, 0.0)),
        ([call("t"), call("t")], [call("t")], (0.0, 0.0, 0.0)),
        ([call("t")], [call("t"), call("t")], (0.0, 1.0, 1.0)),
    ],
)
def test_empty_lists_and_repeated_calls(
    expected: list[ToolCall], actual: list[ToolCall], expected_scores: tuple[float, ...]
) -> None:
    assert scores(expected, actual) == expected_scores


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("exact", MatchType.EXACT),
        (" in order ", MatchType.IN_ORDER),
        ("In-Order", MatchType.IN_ORDER),
        ("any_order", MatchType.ANY_ORDER),
        (0, MatchType.EXACT),
        (1, MatchType.IN_ORDER),
        (2, MatchType.ANY_ORDER),
    ],
)
def test_match_types_are_read_as_adk_reads_them(written: object, meant: MatchType) -> None:
    assert MatchType.of(written) is meant


@pytest.mark.parametrize("written", ["inorder", "exat", "1", 3, -1, None, [], {}])
def test_other_match_types_are_refused(written: Any) -> None:
    with pytest.raises(InputError, match="EXACT, IN_ORDER or ANY_ORDER"):
        match([], [], written)


# --- matching is optimal --------------------------------------------------------------------


def test_a_call_that_suits_two_expected_ones_is_left_to_the_one_that_needs_it() -> None:
    expected = [call("s", a=1), call("s", a=1, b=2)]
    actual = [call("s", a=1, b=2), call("s", a=1)]
    found = match(expected, actual, "ANY_ORDER", {"mode": "subset"})
    assert found.matched
    assert found.pairs == [(0, 1), (1, 0)]


def test_repeated_equal_calls_all_count() -> None:
    twice = [call("search", q="a")] * 2
    assert (precision(twice, twice), recall(twice, twice)) == (1.0, 1.0)


def test_calls_that_nobody_expected_lower_precision_and_nothing_else() -> None:
    actual = [call("search"), *[call("delete", id=number) for number in range(20)]]
    assert recall([call("search")], actual) == 1.0
    assert precision([call("search")], actual) == pytest.approx(1 / 21)


# --- counting -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "actual", "figures"),
    [
        ([], [], (1.0, 1.0, 1.0, 1.0)),
        ([], ["a"], (0.0, 1.0, 0.0, 0.0)),
        (["a"], [], (0.0, 0.0, 0.0, 0.0)),
        (["a", "b"], ["b", "a"], (1.0, 1.0, 1.0, 0.0)),
        (["a", "b", "c"], ["a", "c"], (1.0, 2 / 3, 0.8, 2 / 3)),
        (["a", "a"], ["a", "b", "c", "d"], (0.25, 0.5, 1 / 3, 0.25)),
        (["a"], ["b"], (0.0, 0.0, 0.0, 0.0)),
    ],
)
def test_precision_recall_f1_and_edit_similarity(
    expected: list[str], actual: list[str], figures: tuple[float, ...]
) -> None:
    measured = tuple(measure(expected, actual) for measure in (precision, recall, f1, edit_similarity))
    assert measured == pytest.approx(figures)


def test_partial_credit_is_the_share_of_arguments_that_are_right() -> None:
    expected = [call("set", room="hall", lamp="l1", status="OFF")]
    wrong_status = [call("set", room="hall", lamp="l1", status="ON")]
    extra = [call("set", room="hall", lamp="l1", status="OFF", dim=3)]
    assert f1(expected, wrong_status) == 0.0
    assert f1(expected, wrong_status, partial_credit=True) == pytest.approx(2 / 3)
    assert f1(expected, extra, partial_credit=True) == pytest.approx(3 / 4)
    assert f1(expected, extra, {"mode": "subset"}, partial_credit=True) == 1.0
    assert edit_similarity(expected, wrong_status, partial_credit=True) == pytest.approx(2 / 3)
    assert f1(expected, [call("get", room="hall")], partial_credit=True) == 0.0


def test_arguments_that_are_ignored_give_no_credit() -> None:
    expected, actual = [call("t", a=1, b=2, id=1)], [call("t", a=1, b=3, id=2)]
    assert f1(expected, actual, {"ignore": ["id"]}, partial_credit=True) == 0.5


def test_partial_credit_goes_to_the_pairs_that_are_worth_most_together() -> None:
    expected = [call("t", a=1, b=1), call("t", a=1, b=2)]
    actual = [call("t", a=1, b=2), call("t", a=9, b=9)]
    assert f1(expected, actual, partial_credit=True) == 0.5  # 1 + 0, not 1/2 + 0


def test_single_tool_use_needs_no_reference_and_no_arguments() -> None:
    actual = [call("search", q="a"), call("book")]
    assert single_tool_use(actual, "book") == 1.0
    assert single_tool_use(actual, "pay") == 0.0
    assert single_tool_use([], "pay") == 0.0
    assert single_tool_use(["pay", ("book", {})], "book") == 1.0


# --- what may stand for a call --------------------------------------------------------------


def test_a_bare_name_matches_whatever_the_arguments() -> None:
    actual = [call("search", q="a"), call("book", id=3)]
    assert match(["search", "book"], actual).matched
    assert match(actual, ["search", "book"]).matched
    assert match(["search", ("book", {"id": 3})], actual).matched
    assert not match(["search", ("book", {"id": 4})], actual).matched
    assert not match(["book", "search"], actual, "IN_ORDER").matched


def test_a_bare_name_never_takes_the_call_that_another_needs() -> None:
    assert match(["t", ("t", {"x": 1})], [call("t", x=1), call("t", x=2)], "ANY_ORDER").matched


def test_pairs_are_calls() -> None:
    assert match([("t", {"x": 1}), ("u", None)], [call("t", x=1), ToolCall(name="u")]).matched


def test_arguments_that_are_no_object_are_never_no_arguments() -> None:
    broken = ToolCall(name="t", raw_args='{"x": ')
    assert scores([ToolCall(name="t")], [broken]) == (0.0, 0.0, 0.0)
    assert scores([broken], [broken.model_copy()]) == (1.0, 1.0, 1.0)
    assert match([call("t", x=1)], [broken]).diff()[0]["differences"] == [
        {"path": "$", "expected": {"x": 1}, "actual": '{"x": '}
    ]
    assert match([call("t", x=1)], [broken], arguments=lambda *_: True).score == 0.0


@pytest.mark.parametrize("calls", ["search", [3], [("t", 1)], [("t", {}, {})], [None], [{"name": "t"}]])
def test_what_is_not_a_list_of_calls_is_refused(calls: Any) -> None:
    with pytest.raises(InputError, match="call"):
        match(calls, ["t", "u"], "IN_ORDER")
    with pytest.raises(InputError, match="call"):
        f1(["t"], calls)


# --- the diff -------------------------------------------------------------------------------


def test_every_call_has_its_place_in_the_diff() -> None:
    expected = [call("look"), call("set", status="OFF", room="hall"), call("say"), call("log")]
    actual = [call("look"), call("say"), call("wait"), call("set", status="ON", room="hall")]
    found = match(expected, actual)
    assert (found.score, found.pairs) == (0.0, [(0, 0), (2, 1)])
    assert (found.missing, found.unexpected) == ([1, 3], [2, 3])
    assert [(row["status"], (row["expected"] or row["actual"])["name"]) for row in found.diff()] == [
        ("match", "look"),
        ("unexpected", "wait"),
        ("different_args", "set"),
        ("match", "say"),
        ("missing", "log"),
    ]
    assert found.diff()[2] == {
        "expected": {"name": "set", "args": {"status": "OFF", "room": "hall"}},
        "actual": {"name": "set", "args": {"status": "ON", "room": "hall"}},
        "status": "different_args",
        "differences": [{"path": "$.status", "expected": "OFF", "actual": "ON"}],
    }


def test_a_call_at_the_wrong_place_is_out_of_order() -> None:
    found = match(["a", "b", "c"], ["b", "c", "a"], "IN_ORDER")
    assert [(row["expected"]["name"], row["status"]) for row in found.diff()] == [
        ("a", "out_of_order"),
        ("b", "match"),
        ("c", "match"),
    ]
    assert found.reason() == "2 of 3 expected calls matched IN_ORDER; out of order: a."


def test_a_match_is_told_in_two_words() -> None:
    found = match(["a"], ["b", "a"], "IN_ORDER")
    assert found.details() == {"match_type": "IN_ORDER", "matched": 1}
    assert found.pairs == [(0, 1)]
    assert found.reason() == "1 expected call matched IN_ORDER; 1 other call made."
    assert match([], []).reason() == "No call was expected and none was made."


def test_differences_are_told_where_they_are() -> None:
    expected = call("t", gone=1, deep={"list": [1, {"a b": 2}], "same": 0}, short=[1])
    actual = call("t", deep={"list": [1, {"a b": 3}], "same": 0}, short=[1, 2], new=None)
    assert match([expected], [actual]).diff()[0]["differences"] == [
        {"path": "$.gone", "expected": 1},
        {"path": '$.deep.list[1]["a b"]', "expected": 2, "actual": 3},
        {"path": "$.short[1]", "actual": 2},
        {"path": "$.new", "actual": None},
    ]


def test_many_wrong_calls_make_a_short_sentence() -> None:
    reason = match([], [f"t{number}" for number in range(50)]).reason()
    assert reason == "0 of 0 expected calls matched EXACT; unexpected: t0, t1, t2, t3, t4 and 45 more."
