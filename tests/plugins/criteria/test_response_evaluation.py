"""``response_evaluation_score`` with a judge that is a program."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from adjudge.model import Content, ConversationScenario, EvalCase, Invocation
from adjudge.plugin import (
    CaseUnderTest,
    Measurement,
    Trajectory,
)
from adjudge.testing import FakeJudge, manager, verdicts
from adjudge_plugins.criteria.judged import response_evaluation

Measure = Callable[..., Measurement]


def case(*answers: str | None) -> CaseUnderTest:
    turns = tuple(
        Invocation(
            user_content=Content.of_text("Why is the sky blue?"),
            final_response=None if answer is None else Content.of_text(answer),
        )
        for answer in answers
    )
    return CaseUnderTest(
        case=EvalCase(eval_id="sky", conversation=turns), actual=Trajectory(invocations=turns)
    )


def voting(grades: str) -> FakeJudge:
    """A judge whose votes are these digits, in order."""
    return FakeJudge(lambda request: verdicts(request, grades[request.sample]))


@pytest.mark.parametrize(
    ("grades", "median"),
    [
        ("55555", 5.0),
        ("11111", 1.0),
        ("15245", 4.0),
        ("12345", 3.0),
        ("51515", 5.0),
        ("5x4x4", 4.0),
        ("2x5xx", 2.0),
    ],
)
def test_the_median_of_the_votes_is_the_grade(measure: Measure, grades: str, median: float) -> None:
    [outcome] = measure(response_evaluation, case("Light scatters."), judge=voting(grades)).per_invocation

    assert (outcome.state, outcome.score) == ("scored", median)


def test_a_turn_without_an_answer_is_not_applicable(measure: Measure) -> None:
    measured = measure(response_evaluation, case(None, "", "Light scatters."), judge="4")

    assert [outcome.score for outcome in measured.per_invocation] == [None, None, 4.0]
    assert measured.per_invocation[0].state == "not_applicable"


def test_grades_outside_the_menu_are_no_grades(measure: Measure) -> None:
    [outcome] = measure(response_evaluation, case("Light scatters."), judge="6").per_invocation

    assert (outcome.state, outcome.score) == ("error", None)


def test_no_reference_is_needed(measure: Measure) -> None:
    scenario = ConversationScenario(starting_prompt="Hi.", conversation_plan="Ask about the sky.")
    simulated = case("Light scatters.").model_copy(
        update={"case": EvalCase(eval_id="scenario", conversation_scenario=scenario)}
    )

    [outcome] = measure(response_evaluation, simulated, judge="3").per_invocation

    assert outcome.score == 3.0


def test_the_scale_is_that_of_the_service_that_adk_asks() -> None:
    [registered] = manager(response_evaluation).criteria

    assert registered.spec.value_range == (1.0, 5.0)
