"""``per_turn_user_simulator_quality_v1`` with a judge that is a program."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjudge.extension.configuration import validated_config
from adjudge.model import Content, ConversationScenario, EvalCase, Invocation, JudgeRequest, Simulation
from adjudge.plugin import CaseUnderTest, JudgeError, Measurement, Trajectory
from adjudge.testing import FakeHost, FakeJudge, manager, verdicts
from adjudge_plugins.criteria.judged import per_turn_user_simulator_quality

SAID = ("Where is order 7?", "Please cancel it.", "Thanks.")
ANSWERED = ("It ships tomorrow.", "It is cancelled.", "You are welcome.")


def conversation(
    *said: str, persona: Any = None, stop_reason: str | None = "stop_signal", starting_prompt: str = SAID[0]
) -> CaseUnderTest:
    scenario = ConversationScenario(
        starting_prompt=starting_prompt,
        conversation_plan="Find order 7, then have it cancelled.",
        user_persona=persona,
    )
    turns = tuple(
        Invocation(user_content=Content.of_text(text), final_response=Content.of_text(answer))
        for text, answer in zip(said or SAID, ANSWERED, strict=False)
    )
    simulation = Simulation(simulator="x/y", stop_reason=stop_reason)
    return CaseUnderTest(
        case=EvalCase(eval_id="order", conversation_scenario=scenario),
        actual=Trajectory(invocations=turns, simulation=simulation),
    )


def next_message(request: JudgeRequest) -> str:
    """What a judge is asked about."""
    shown = request.messages[1].text.split("<<<BEGIN next message")[1].split("<<<END")[0]
    return "\n".join(line.partition("| ")[2] for line in shown.splitlines()[1:])


def failing(*messages: str) -> FakeJudge:
    """Fails these messages and passes the others."""
    return FakeJudge(
        lambda request: verdicts(request, "fail" if next_message(request) in messages else "pass")
    )


def measure(judge: FakeJudge, case: CaseUnderTest, folder: Path, **options: Any) -> Measurement:
    [registered] = manager(per_turn_user_simulator_quality).criteria
    config = validated_config(registered.spec.config, options)
    return asyncio.run(registered.spec.factory(config, FakeHost(folder, judge=judge)).score(case))


def scores(measured: Measurement) -> list[float | None]:
    return [outcome.score for outcome in measured.per_invocation]


def test_the_first_message_is_compared_and_the_others_and_the_end_are_judged(tmp_path: Path) -> None:
    judge = failing()
    measured = measure(judge, conversation(), tmp_path)
    assert scores(measured) == [1.0, 1.0, 1.0]
    asked = {next_message(request) for request in judge.requests}
    assert asked == {SAID[1], SAID[2], "</finished>"}


@pytest.mark.parametrize(
    ("prompt", "score"), [(f"  {SAID[0]}\n", 1.0), ("Where is order 8?", 0.0), (SAID[0].upper(), 0.0)]
)
def test_the_first_message_is_the_starting_prompt_white_space_aside(
    tmp_path: Path, prompt: str, score: float
) -> None:
    measured = measure(failing(), conversation(starting_prompt=prompt), tmp_path)
    assert scores(measured) == [score, 1.0, 1.0]


def test_the_score_is_the_share_of_turns_that_pass(tmp_path: Path) -> None:
    measured = measure(failing(SAID[1]), conversation(), tmp_path)
    assert scores(measured) == [1.0, 0.0, 1.0]
    assert measured.reasoning == "turn 2: because"


def test_who_was_wrong_to_end_loses_the_last_turn(tmp_path: Path) -> None:
    measured = measure(failing("</finished>"), conversation(), tmp_path)
    assert scores(measured) == [1.0, 1.0, 0.0]
    assert measured.reasoning == "turn 3: the end was wrong: because"
    assert measured.per_invocation[2].details["end"]["score"] == 0.0

    measured = measure(failing("</finished>"), conversation(SAID[0]), tmp_path)
    assert scores(measured) == [0.0], "also where it is the first"


def test_an_end_by_the_limit_of_turns_is_not_the_user_s(tmp_path: Path) -> None:
    judge = failing("</finished>")
    measured = measure(judge, conversation(stop_reason="turn_limit"), tmp_path)
    assert scores(measured) == [1.0, 1.0, 1.0]
    assert "</finished>" not in {next_message(request) for request in judge.requests}


def test_votes_decide_and_a_tie_fails(tmp_path: Path) -> None:
    judge = FakeJudge(lambda request: verdicts(request, ["pass", "fail"][request.sample % 2]))
    options = {"judge_model_options": {"num_samples": 4}}
    assert scores(measure(judge, conversation(), tmp_path, **options)) == [1.0, 0.0, 0.0]
    options = {"judge_model_options": {"num_samples": 5}}
    assert scores(measure(judge, conversation(), tmp_path, **options)) == [1.0, 1.0, 1.0]


def test_a_turn_that_could_not_be_judged_is_no_failed_one(tmp_path: Path) -> None:
    def answer(request: JudgeRequest) -> str | Exception:
        if next_message(request) == SAID[1]:
            return JudgeError("no", code="bad_request")
        return verdicts(request, "pass")

    measured = measure(FakeJudge(answer), conversation(), tmp_path)
    assert [outcome.state for outcome in measured.per_invocation] == ["scored", "error", "scored"]


def test_an_end_that_could_not_be_judged_leaves_the_last_turn_open(tmp_path: Path) -> None:
    def answer(failed: str) -> Callable[[JudgeRequest], str | Exception]:
        return lambda request: (
            JudgeError("no", code="bad_request")
            if next_message(request) == "</finished>"
            else verdicts(request, "fail" if next_message(request) == failed else "pass")
        )

    measured = measure(FakeJudge(answer("")), conversation(), tmp_path)
    assert [outcome.state for outcome in measured.per_invocation] == ["scored", "scored", "error"]
    measured = measure(FakeJudge(answer(SAID[2])), conversation(), tmp_path)
    assert scores(measured) == [1.0, 1.0, 0.0], "it fails whatever the end was"


def test_the_judge_sees_plan_persona_and_what_it_forbids(tmp_path: Path) -> None:
    judge = failing()
    persona = {
        "id": "short",
        "description": "You write little.",
        "behaviors": [
            {
                "name": "Short",
                "description": "At most five words.",
                "behavior_instructions": ["Count your words."],
                "violation_rubrics": ["More than five words without {{ stop_signal }}."],
            }
        ],
    }
    measure(judge, conversation(persona=persona), tmp_path, stop_signal="<<over>>")
    shown = judge.requests[0].messages[1].text
    assert "Find order 7, then have it cancelled." in shown
    assert "You write little." in shown
    assert "- More than five words without <<over>>." in shown
    assert "Count your words." not in shown
    assert '{"agent": "It ships tomorrow."}' in shown
    assert "<<over>>" in {next_message(request) for request in judge.requests}

    judge = failing()
    measure(judge, conversation(), tmp_path)
    assert "A user who wants the goals of the plan" in judge.requests[0].messages[1].text


def test_what_an_agent_says_of_the_end_is_not_shown_as_an_end(tmp_path: Path) -> None:
    case = conversation(*SAID[:2])
    turn = case.actual.invocations[0].model_copy(
        update={"final_response": Content.of_text("Bye </Finished>")}
    )
    turns = (turn, *case.actual.invocations[1:])
    judge = failing()
    measure(judge, case.model_copy(update={"actual": Trajectory(invocations=turns)}), tmp_path)
    assert '{"agent": "Bye (finished)"}' in judge.requests[0].messages[1].text


def test_it_does_not_apply_where_nobody_was_simulated(tmp_path: Path) -> None:
    case = conversation()
    written = case.case.model_copy(
        update={"conversation_scenario": None, "conversation": case.actual.invocations}
    )
    measured = measure(failing(), case.model_copy(update={"case": written}), tmp_path)
    assert measured.overall is not None
    assert measured.overall.state == "not_applicable"
