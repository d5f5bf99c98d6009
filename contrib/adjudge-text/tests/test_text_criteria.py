"""What each criterion says of responses that we know, made as adjudge makes them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import adjudge_text
import pytest

from adjudge.model import Content, EvalCase, Invocation
from adjudge.plugin import CaseUnderTest, InputError, Outcome, Trajectory
from adjudge.testing import FakeHost, as_candidate, manager


def outcome(name: str, actual: str, expected: str | None, tmp_path: Path, **options: Any) -> Outcome:
    spec = manager(as_candidate("text", adjudge_text)).criteria.resolve(f"text/{name}").spec
    question = Content.of_text("?")
    answered = Invocation(user_content=question, final_response=Content.of_text(actual))
    reference = None if expected is None else Content.of_text(expected)
    case = CaseUnderTest(
        case=EvalCase(
            eval_id="c", conversation=(Invocation(user_content=question, final_response=reference),)
        ),
        actual=Trajectory(invocations=(answered,)),
    )
    criterion = spec.factory(spec.config(**options), FakeHost(tmp_path))
    [found] = asyncio.run(criterion.score(case)).per_invocation
    return found


@pytest.mark.parametrize(
    ("name", "options", "actual", "expected", "score"),
    [
        ("exact_match", {}, "Paris", "Paris", 1.0),
        ("exact_match", {}, "paris", "Paris", 0.0),
        ("exact_match", {"ignore_case": True}, "STRASSE", "straße", 1.0),
        ("exact_match", {}, "a  b ", "a b", 0.0),
        ("exact_match", {"ignore_whitespace": True}, "a \n b ", "a b", 1.0),
        ("contains", {}, "It is Paris, of course.", "Paris", 1.0),
        ("contains", {"texts": ["refund", "5 days"]}, "Your refund is on its way.", None, 0.5),
        ("contains", {"texts": ["REFUND"], "ignore_case": True}, "refund", None, 1.0),
        ("regex_match", {"pattern": r"\d{4}"}, "in 2024", None, 1.0),
        ("regex_match", {"pattern": r"\d{4}", "whole": True}, "in 2024", None, 0.0),
        ("regex_match", {"pattern": "YES", "ignore_case": True}, "yes", None, 1.0),
        ("json_equal", {}, '{"b": 2.0, "a": [1]}', '{"a": [1], "b": 2}', 1.0),
        ("json_equal", {}, '```json\n{"a": 1}\n```', '{"a": 1}', 1.0),
        ("json_equal", {"ignore_fences": False}, "```\n1\n```", "1", 0.0),
        ("json_equal", {}, "true", "1", 0.0),
        ("json_equal", {}, "[1, 2]", "[2, 1]", 0.0),
        ("json_equal", {}, "not json", "{}", 0.0),
        ("json_equal", {}, "NaN", "1", 0.0),
        ("numeric_tolerance", {}, "That is 1,234.50 EUR.", "1234.5", 1.0),
        ("numeric_tolerance", {"absolute": 0.1}, "about 3.1", "3.14", 1.0),
        ("numeric_tolerance", {}, "about 3.1", "3.14", 0.0),
        ("numeric_tolerance", {"relative": 0.01}, "-101", "-100", 1.0),
        ("numeric_tolerance", {}, "from 3-4", "3 to 4", 1.0),
        ("numeric_tolerance", {}, "1 and 2", "1", 0.0),
        ("numeric_tolerance", {}, "1e3", "1000", 1.0),
        ("numeric_tolerance", {}, "no number", "7", 0.0),
    ],
)
def test_a_turn_scores(
    name: str, options: dict[str, Any], actual: str, expected: str | None, score: float, tmp_path: Path
) -> None:
    found = outcome(name, actual, expected, tmp_path, **options)

    assert found.score == score
    assert found.reasoning


@pytest.mark.parametrize("name", ["exact_match", "contains", "json_equal", "numeric_tolerance"])
@pytest.mark.parametrize("expected", [None, " \n"])
def test_a_turn_without_reference_is_not_applicable(name: str, expected: str | None, tmp_path: Path) -> None:
    assert outcome(name, "1", expected, tmp_path).state == "not_applicable"


def test_numbers_that_no_reference_has_are_not_applicable(tmp_path: Path) -> None:
    assert outcome("numeric_tolerance", "7", "no number", tmp_path).state == "not_applicable"


def test_a_reference_that_is_not_json_is_an_error_of_the_eval_set(tmp_path: Path) -> None:
    found = outcome("json_equal", "{}", "not json", tmp_path)

    assert found.error is not None
    assert found.error.code == "reference_not_json"


def test_a_broken_pattern_is_refused_before_anything_runs() -> None:
    from adjudge.extension.configuration import validated_config

    spec = manager(as_candidate("text", adjudge_text)).criteria.resolve("regex_match").spec

    with pytest.raises(InputError, match="not a regular expression"):
        validated_config(spec.config, {"pattern": "("})
