"""``response_match_score`` as a plan makes it and a run asks it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from adjudge.extension.configuration import validated_config
from adjudge.plugin import (
    CaseUnderTest,
    Claim,
    Content,
    ConversationScenario,
    EvalCase,
    InputError,
    Invocation,
    Outcome,
    Step,
    Text,
    Trajectory,
)
from adjudge.testing import FakeHost, criterion_conformance, manager
from adjudge_plugins.criteria import response_match

TestConformance = criterion_conformance("response_match_score", plugin=response_match)


def score(case: CaseUnderTest, folder: Path, **options: Any) -> tuple[Outcome, ...]:
    spec = manager(response_match).criteria.resolve("response_match_score").spec
    config, _ = validated_config(spec.config, options)
    return asyncio.run(spec.factory(config, FakeHost(folder)).score(case)).per_invocation


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


def test_the_japanese_answer_of_the_adk_documentation_equals_itself(tmp_path: Path) -> None:
    answer = "device_2のステータスをオフに設定しました。"

    [outcome] = score(one_turn(turn(answer), turn(answer)), tmp_path)

    assert (outcome.state, outcome.score) == ("scored", 1.0)


def test_the_score_comes_with_its_precision_and_recall(tmp_path: Path) -> None:
    [outcome] = score(one_turn(turn("I turned off the light"), turn("the light is off")), tmp_path)

    assert outcome.score == pytest.approx(2 * 3 / (5 + 4))
    assert outcome.details == {"precision": 3 / 5, "recall": 3 / 4}
    assert outcome.reasoning is not None
    assert "60.0%" in outcome.reasoning
    assert "75.0%" in outcome.reasoning


def test_thoughts_are_no_part_of_an_answer(tmp_path: Path) -> None:
    answer = Content(items=(Claim(text="the user wants it dark"), Text(text="light"), Text(text="off")))

    [outcome] = score(one_turn(turn(answer), turn("light off")), tmp_path)

    assert outcome.score == 1.0


@pytest.mark.parametrize("reference", [None, "", " \n", Content()])
def test_a_turn_without_reference_is_not_applicable(reference: Content | str | None, tmp_path: Path) -> None:
    [outcome] = score(one_turn(turn("hello"), turn(reference)), tmp_path)

    assert outcome.state == "not_applicable"


@pytest.mark.parametrize("answer", [None, "", " "])
def test_no_answer_to_a_reference_scores_nothing(answer: str | None, tmp_path: Path) -> None:
    [outcome] = score(one_turn(turn(answer), turn("hello")), tmp_path)

    assert outcome.score == 0.0


def test_a_simulated_conversation_has_no_reference(tmp_path: Path) -> None:
    scenario = ConversationScenario(starting_prompt="hi", conversation_plan="ask")
    case = CaseUnderTest(
        case=EvalCase(eval_id="case", conversation_scenario=scenario),
        actual=Trajectory(invocations=(turn("hello"),)),
    )

    assert [outcome.state for outcome in score(case, tmp_path)] == ["not_applicable"]


@pytest.mark.parametrize(
    "option", ["include_intermediate_responses_in_final", "includeIntermediateResponsesInFinal"]
)
def test_texts_before_the_final_response_count_on_request(option: str, tmp_path: Path) -> None:
    case = one_turn(turn("done", "looking it up"), turn("done", "looking it up"))
    longer = one_turn(turn("done", "looking it up"), turn("done"))

    assert [outcome.score for outcome in score(case, tmp_path, **{option: True})] == [1.0]
    assert [outcome.score for outcome in score(longer, tmp_path)] == [1.0]
    assert [outcome.score for outcome in score(longer, tmp_path, **{option: True})] == [2 / 5]


def test_further_keys_of_an_adk_criterion_are_kept_and_a_misspelling_is_refused(tmp_path: Path) -> None:
    case = one_turn(turn("hi"), turn("hi"))

    assert [outcome.score for outcome in score(case, tmp_path, judge_model_options={})] == [1.0]
    with pytest.raises(InputError, match="include_intermediate_responses_in_final"):
        score(case, tmp_path, include_intermediate_response_in_final=True)
