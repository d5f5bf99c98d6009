"""``response_match_score`` as a plan makes it and a run asks it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from adjudge.model import Claim, Content, ConversationScenario, EvalCase, Invocation, Step, Text
from adjudge.plugin import (
    CaseUnderTest,
    InputError,
    Measurement,
    Outcome,
    Trajectory,
)
from adjudge_plugins.criteria.text import response_match

Score = Callable[..., tuple[Outcome, ...]]


@pytest.fixture
def score(measure: Callable[..., Measurement]) -> Score:
    return lambda case, **options: measure(response_match, case, **options).per_invocation


def turn(answer: Content | str | None, *said_before: str) -> Invocation:
    content = Content.of_text(answer) if isinstance(answer, str) else answer
    steps = tuple(
        Step(number=number, author="helper", items=(Text(text=text),))
        for number, text in enumerate(said_before, start=1)
    )
    return Invocation(user_content=Content.of_text("?"), steps=steps, final_response=content)


def one_turn(actual: Invocation, expected: Invocation) -> CaseUnderTest:
    return CaseUnderTest(
        case=EvalCase(eval_id="case", conversation=(expected,)), actual=Trajectory(invocations=(actual,))
    )


def test_the_japanese_answer_of_the_adk_documentation_equals_itself(score: Score) -> None:
    answer = "device_2のステータスをオフに設定しました。"

    [outcome] = score(one_turn(turn(answer), turn(answer)))

    assert (outcome.state, outcome.score) == ("scored", 1.0)


def test_the_score_comes_with_its_precision_and_recall(score: Score) -> None:
    [outcome] = score(one_turn(turn("I turned off the light"), turn("the light is off")))

    assert outcome.score == pytest.approx(2 * 3 / (5 + 4))
    assert outcome.details == {"precision": 3 / 5, "recall": 3 / 4}
    assert outcome.reasoning is not None
    assert "60.0%" in outcome.reasoning
    assert "75.0%" in outcome.reasoning


def test_thoughts_are_no_part_of_an_answer(score: Score) -> None:
    answer = Content(items=(Claim(text="the user wants it dark"), Text(text="light"), Text(text="off")))

    [outcome] = score(one_turn(turn(answer), turn("light off")))

    assert outcome.score == 1.0


@pytest.mark.parametrize("reference", [None, "", " \n", Content()])
def test_a_turn_without_reference_is_not_applicable(reference: Content | str | None, score: Score) -> None:
    [outcome] = score(one_turn(turn("hello"), turn(reference)))

    assert outcome.state == "not_applicable"


@pytest.mark.parametrize("answer", [None, "", " "])
def test_no_answer_to_a_reference_scores_nothing(answer: str | None, score: Score) -> None:
    [outcome] = score(one_turn(turn(answer), turn("hello")))

    assert (outcome.score, outcome.reasoning) == (0.0, "the agent gave no answer")
    assert outcome.details == {}


def test_a_simulated_conversation_has_no_reference(score: Score) -> None:
    scenario = ConversationScenario(starting_prompt="hi", conversation_plan="ask")
    case = CaseUnderTest(
        case=EvalCase(eval_id="case", conversation_scenario=scenario),
        actual=Trajectory(invocations=(turn("hello"),)),
    )

    assert [outcome.state for outcome in score(case)] == ["not_applicable"]


def test_texts_before_the_final_response_count_on_request(score: Score) -> None:
    option = {"include_intermediate_responses_in_final": True}
    case = one_turn(turn("done", "looking it up"), turn("done", "looking it up"))
    longer = one_turn(turn("done", "looking it up"), turn("done"))

    assert [outcome.score for outcome in score(case, **option)] == [1.0]
    assert [outcome.score for outcome in score(longer)] == [1.0]
    assert [outcome.score for outcome in score(longer, **option)] == [2 / 5]


def test_a_misspelt_option_is_refused(score: Score) -> None:
    case = one_turn(turn("hi"), turn("hi"))

    with pytest.raises(InputError, match="include_intermediate_responses_in_final"):
        score(case, include_intermediate_response_in_final=True)
