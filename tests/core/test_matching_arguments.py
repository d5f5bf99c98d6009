"""Options that say how arguments are compared."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.errors import AdjudgeError, InputError
from adjudge.kit.matching import match


def same(expected: Any, actual: Any, **options: Any) -> bool:
    matched = {
        match([("t", expected)], [("t", actual)], mode, options).matched
        for mode in ("EXACT", "IN_ORDER", "ANY_ORDER")
    }
    [only] = matched
    return only


# --- subset ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "actual", "matched"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1, "b": 2}, {"a": 1}, False),
        ({"a": {"x": 1}}, {"a": {"x": 1, "y": 2}}, True),
        ({"a": [{"x": 1}]}, {"a": [{"x": 1, "y": 2}]}, True),
        ({"a": [1]}, {"a": [1, 2]}, False),
        ({}, {"a": 1}, True),
        ({"a": None}, {}, False),
    ],
)
def test_a_subset_allows_further_names_at_every_depth_and_no_further_elements(
    expected: Any, actual: Any, matched: bool
) -> None:
    assert same(expected, actual, mode="subset") is matched


# --- ignore ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "expected", "actual", "matched"),
    [
        ("id", {"id": 1, "a": 1}, {"id": 2, "a": 1}, True),
        ("id", {"id": 1, "a": 1}, {"a": 1}, True),
        ("id", {"a": 1}, {"id": 2, "a": 1}, True),
        ("id", {"a": {"id": 1}}, {"a": {"id": 2}}, False),
        ("a.id", {"a": {"id": 1}}, {"a": {"id": 2}}, True),
        ("*.id", {"a": {"id": 1}}, {"a": {"id": 2}}, True),
        ("*_id", {"user_id": 1}, {"user_id": 2}, True),
        ("*_id", {"user_id": {"deep": 1}}, {"user_id": {"deep": 2}}, True),
        ("*", {"a": 1}, {"b": 2}, True),
        ("*.id", {"id": 1}, {"id": 2}, False),
        ("**.id", {"id": 1, "a": [{"id": 1}]}, {"id": 2, "a": [{"id": 3}]}, True),
        ("items.0.price", {"items": [{"price": 1}]}, {"items": [{"price": 2}]}, True),
        ("items.1.price", {"items": [{"price": 1}]}, {"items": [{"price": 2}]}, False),
        ("items.*.price", {"items": [{"price": 1}]}, {"items": [{"price": 2}]}, True),
        ("a.b", {"a.b": 1}, {"a.b": 2}, True),
        ("ID", {"id": 1}, {"id": 2}, False),
    ],
)
def test_paths_to_ignore(path: str, expected: Any, actual: Any, matched: bool) -> None:
    assert same(expected, actual, ignore=[path]) is matched


# --- regex ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "actual", "matched"),
    [
        (r"\d{4}-\d\d-\d\d", "2026-10-01", True),
        (r"\d{4}", "2026-10-01", False),
        (r"(?i)paris.*", "PARIS, France", True),
        (r"\d+", 42, True),
        (r"true", True, True),
        (r".*", None, False),
        (r".*", ["a"], False),
        (r"a+", "a" * 100_000, True),
    ],
)
def test_a_pattern_must_match_the_whole_actual_value(pattern: str, actual: Any, matched: bool) -> None:
    assert same({"when": "whatever"}, {"when": actual}, regex={"when": pattern}) is matched


def test_a_pattern_whose_time_explodes_is_an_error_and_no_mismatch() -> None:
    with pytest.raises(AdjudgeError, match="takes longer than 1 s"):
        same({"when": "x"}, {"when": "a" * 200}, regex={"when": "(a|aa)+b"})


def test_a_pattern_says_nothing_of_an_argument_that_only_one_side_has() -> None:
    assert not same({"when": "x"}, {}, regex={"when": ".*"})
    assert not same({}, {"when": "x"}, regex={"when": ".*"})


def test_the_diff_names_the_pattern() -> None:
    found = match([("t", {"when": "x"})], [("t", {"when": "y"})], arguments={"regex": {"when": r"\d+"}})
    assert found.diff()[0]["differences"] == [
        {"path": "$.when", "expected": "x", "actual": "y", "pattern": r"\d+"}
    ]


# --- tolerance ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("allowed", "expected", "actual", "matched"),
    [
        ({"absolute": 0.1}, 1.0, 1.1, True),
        ({"absolute": 0.1}, 1.0, 1.1000001, False),
        ({"absolute": 0.1}, 1.1, 1.0, True),
        ({"relative": 0.01}, 200, 202, True),
        ({"relative": 0.01}, 200, 202.001, False),
        ({"relative": 0.01}, -200, -198, True),
        ({"relative": 0.01, "absolute": 5}, 200, 204, True),
        ({}, 1, 1.0, True),
        ({}, 1, 1.1, False),
        ({"absolute": 1}, 1, True, True),  # equal without any tolerance, as in ADK
        ({"absolute": 1}, 2, True, False),
        ({"absolute": 1}, "1", 1, False),
        ({"absolute": 1}, 10**400, 10**400 + 1, True),
        ({"absolute": 1}, 1.0, float("inf"), False),
        ({"absolute": 1}, 1.0, float("nan"), False),
    ],
)
def test_numbers_may_deviate(allowed: Any, expected: Any, actual: Any, matched: bool) -> None:
    assert same({"n": expected}, {"n": actual}, tolerance={"n": allowed}) is matched


def test_a_tolerance_for_all_numbers_or_for_one() -> None:
    assert same({"a": [{"n": 1}], "m": 2}, {"a": [{"n": 1.4}], "m": 2.4}, tolerance={"**": {"absolute": 0.5}})
    assert not same({"n": 1, "m": 2}, {"n": 1.4, "m": 2.4}, tolerance={"n": {"absolute": 0.5}})
    first_wins = {"n": {}, "**": {"absolute": 0.5}}
    assert not same({"n": 1}, {"n": 1.4}, tolerance=first_wins)


# --- per tool -------------------------------------------------------------------------------


def test_a_tool_has_its_own_rules_and_keeps_what_it_does_not_name() -> None:
    options = {
        "ignore": ["trace"],
        "tools": {"search*": {"mode": "subset"}, "search_exact": {}, "pay": {"ignore": []}},
    }

    def matched(tool: str, expected: Any, actual: Any) -> bool:
        return match([(tool, expected)], [(tool, actual)], arguments=options).matched

    assert matched("search_web", {"q": 1, "trace": 1}, {"q": 1, "page": 2, "trace": 2})
    assert not matched("search_exact", {"q": 1}, {"q": 1, "page": 2})
    assert matched("search_exact", {"q": 1, "trace": 1}, {"q": 1, "trace": 2})
    assert not matched("pay", {"trace": 1}, {"trace": 2})
    assert not matched("book", {"q": 1}, {"q": 1, "page": 2})


def test_a_function_decides_for_one_tool_or_for_all() -> None:
    def same_words(expected: Any, actual: Any) -> bool:
        return set(expected["q"].split()) == set(actual["q"].split())

    calls = [("search", {"q": "red shoes"}), ("pay", {"sum": 3})]
    others = [("search", {"q": "shoes red"}), ("pay", {"sum": 3})]
    assert not match(calls, others).matched
    assert match(calls, others, arguments={"tools": {"search": same_words}}).matched
    assert match(calls[:1], others[:1], arguments=same_words).matched
    assert match([("t", None)], [("t", None)], arguments=lambda *args: args == ({}, {})).matched


# --- what is refused ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ignor": ["a"]}, "Did you mean 'ignore'"),
        ({"tools": {"t": {"regx": {}}}}, r"\$.tools.t: .*Did you mean 'regex'"),
        ({"tolerance": {"n": {"abs": 1}}}, "unknown option 'abs'"),
        ({"tolerance": {"n": {"absolute": -1}}}, "greater than or equal to 0"),
        ({"tolerance": {"n": {"absolute": float("nan")}}}, "finite"),
        ({"regex": {"a": "("}}, "pattern of 'a' is not a regular expression"),
        ({"regex": {"a": "a{99999999999999}"}}, "pattern of 'a' is not a regular expression"),
        ({"mode": "superset"}, "'exact' or 'subset'"),
        ({"tools": {"t": {"tools": {}}}}, "unknown option 'tools'"),
        ({"tools": 3}, "dictionary"),
        (3, "dictionary"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        match(["t"], ["t"], arguments=options)


def test_names_only_and_rules_for_arguments_exclude_each_other() -> None:
    with pytest.raises(InputError, match="exclude each other"):
        match(["t"], ["t"], arguments={"mode": "subset"}, ignore_args=True)


def test_a_number_of_thousands_of_digits_is_a_number() -> None:
    huge = 10**5000
    assert same({"n": huge}, {"n": huge + 1}, tolerance={"n": {"absolute": 1}})
    assert not same({"n": huge}, {"n": 1.5}, tolerance={"n": {"relative": 0.5}})
    assert not same({"n": "x"}, {"n": huge}, regex={"n": ".*"})
