"""``intermediate_response_match_score``: expected texts of sub-agents against what they said."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from adjudge.model import Claim, Content, EvalCase, Invocation, Step, Text
from adjudge.plugin import (
    CaseUnderTest,
    Measurement,
    Outcome,
    Trajectory,
)
from adjudge_plugins.criteria.text import intermediate_response_match

Said = tuple[str | None, str]
Compare = Callable[[list[Said], list[Said]], Outcome]


@pytest.fixture
def compare(measure: Callable[..., Measurement]) -> Compare:
    """Expected and actual texts of one turn."""

    def compare(expected: list[Said], actual: list[Said]) -> Outcome:
        case = CaseUnderTest(
            case=EvalCase(eval_id="case", conversation=(turn(expected),)),
            actual=Trajectory(invocations=(turn(actual),)),
        )
        [outcome] = measure(intermediate_response_match, case).per_invocation
        return outcome

    return compare


def turn(texts: list[Said]) -> Invocation:
    return Invocation(
        user_content=Content.of_text("?"),
        steps=tuple(
            Step(number=number, author=author, items=(Claim(text="hm"), Text(text=text)))
            for number, (author, text) in enumerate(texts, start=1)
        ),
        final_response=Content.of_text("done"),
    )


def test_the_japanese_text_of_the_adk_documentation_is_found_among_others(compare: Compare) -> None:
    said = ("data_processing_agent", "10面のサイコロを2回振りました。最初の目は5で、2回目の目は3です。\n")

    outcome = compare([said], [("root_agent", "少々お待ちください。"), said])

    assert outcome.score == 1.0
    assert outcome.details["pairs"] == [
        {"author": said[0], "expected": said[1], "actual": said[1], "score": 1.0}
    ]
    assert outcome.details["extra"] == [{"author": "root_agent", "text": "少々お待ちください。"}]


def test_a_missing_text_scores_nothing_and_a_further_one_costs_nothing(compare: Compare) -> None:
    first, second, third = ("a", "rolled a die"), ("b", "checked the prime"), ("a", "all finished")

    assert compare([first, second], [first]).score == 0.5
    assert compare([first], [first, second, third]).score == 1.0
    assert compare([first, second], []).score == 0.0


def test_the_order_of_texts_does_not_count(compare: Compare) -> None:
    assert compare([("a", "one two"), ("b", "three")], [("b", "three"), ("a", "one two")]).score == 1.0


def test_another_author_is_no_partner_and_an_unknown_author_is(compare: Compare) -> None:
    assert compare([("a", "rolled a die")], [("b", "rolled a die")]).score == 0.0
    assert compare([("a", "rolled a die")], [(None, "rolled a die")]).score == 1.0
    assert compare([("", "rolled a die")], [("b", "rolled a die")]).score == 1.0


def test_pairs_have_the_largest_sum_not_the_first_fit(compare: Compare) -> None:
    # First fit would give "red green" to the first, and nothing of worth to the second.
    outcome = compare([(None, "red green"), (None, "red")], [(None, "red"), (None, "red green blue")])

    assert [pair["actual"] for pair in outcome.details["pairs"]] == ["red green blue", "red"]
    assert outcome.score == pytest.approx((2 * 2 / (2 + 3) + 1.0) / 2)


@pytest.mark.parametrize("expected", [[], [("a", " \n")]])
def test_a_turn_that_expects_no_text_is_not_applicable(compare: Compare, expected: list[Said]) -> None:
    assert compare(expected, [("a", "rolled a die")]).state == "not_applicable"
