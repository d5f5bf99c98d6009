"""User simulators of strangers: whatever they do, the case has an error that is the user's, and the run goes on."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.extension.loader import Extensions, discover
from adjudge.model import Content, SimulatedConversation, UserTurn
from adjudge.plugin import UserSimulatorSpec, hookimpl
from adjudge.testing import as_candidate

Says = Callable[[SimulatedConversation], Any]


class Stranger:
    """A plugin whose simulator does what a test wants."""

    def __init__(self, says: Says) -> None:
        self.says = says

    @hookimpl.user_simulators
    def user_simulators(self) -> Iterable[UserSimulatorSpec]:
        yield UserSimulatorSpec(name="odd", summary="Does anything", factory=lambda config, host: self)

    async def next_message(self, conversation: SimulatedConversation) -> Any:
        return self.says(conversation)


def evaluated(folder: Path, says: Says, *, criteria: Any = None, eval_ids: Iterable[str] = ("one",)) -> Any:
    scenario = {"starting_prompt": "Hi", "conversation_plan": "Ask.", "user_persona": "EXPERT"}
    cases = [{"eval_id": name, "conversation_scenario": scenario} for name in eval_ids]
    file = folder / "odd.evalset.json"
    file.write_text(json.dumps({"eval_set_id": "odd", "eval_cases": cases}))
    return adjudge.evaluate_sync(
        lambda text: f"You said {text}",
        file,
        config={
            "criteria": criteria or {"invocation_duration_v1": {"maximum": 600}},
            "user_simulator_config": {"type": "odd"},
        },
        extensions=Extensions([*discover(), as_candidate("odd", Stranger(says))]),
    )


def message(text: str) -> UserTurn:
    return UserTurn(content=Content.of_text(text, role="user"))


def leave(conversation: SimulatedConversation) -> UserTurn:
    sys.exit("no more")


def cancel(conversation: SimulatedConversation) -> UserTurn:
    raise asyncio.CancelledError


def nothing(conversation: SimulatedConversation) -> None:
    return None


def broken(conversation: SimulatedConversation) -> UserTurn:
    return UserTurn.model_construct(content=3)  # type: ignore[arg-type]


def picture_of_nothing(conversation: SimulatedConversation) -> UserTurn:
    return UserTurn(content=Content(role="user"))


@pytest.mark.parametrize(
    ("says", "code", "words"),
    [
        (lambda _: 1 / 0, "user_raised", "ZeroDivisionError"),
        (leave, "user_raised", "SystemExit"),
        (cancel, "user_raised", "CancelledError"),
        (nothing, "user_raised", "gave NoneType, expected UserTurn"),
        (broken, "user_raised", "cannot be used"),
        (picture_of_nothing, "user_no_message", "the message of turn 1 is empty"),
        (lambda _: UserTurn(stop="bored"), "user_no_message", "ends the conversation before it begins"),
        (lambda _: UserTurn.failed("tired", "It slept."), "user_tired", "It slept."),
        (lambda _: UserTurn.failed("user_tired", "It slept."), "user_tired", "It slept."),
    ],
)
def test_what_a_simulator_does_wrong_is_an_error_of_the_user(
    tmp_path: Path, says: Says, code: str, words: str
) -> None:
    def in_one_case(conversation: SimulatedConversation) -> Any:
        if conversation.case.eval_id == "one":
            return says(conversation)
        return message("Hello") if not conversation.invocations else UserTurn(stop="done")

    result = evaluated(tmp_path, in_one_case, eval_ids=("one", "two"))
    one, two = result.cases()
    assert (one.status, one.error.code) == ("error", code)
    assert words in one.error.message
    assert one.error.origin == "odd/odd"
    assert two.simulation.stop_reason == "done"
    assert two.status != "error" or two.error.code == "nothing_measured"


def test_a_user_who_never_ends_is_stopped(tmp_path: Path) -> None:
    [found] = evaluated(tmp_path, lambda _: message("And?")).cases()
    assert (found.status, found.error.code) == ("error", "user_endless")
    assert "after 300 turns" in found.error.message


def test_a_simulator_cannot_change_what_was_said(tmp_path: Path) -> None:
    def meddling(conversation: SimulatedConversation) -> UserTurn:
        scenario = conversation.case.conversation_scenario
        assert scenario is not None
        for turn in conversation.invocations:
            object.__setattr__(turn, "final_response", Content.of_text("I said something else"))
        object.__setattr__(scenario, "conversation_plan", "Another plan")
        return message("Hello") if len(conversation.invocations) < 2 else UserTurn(stop="done")

    result = evaluated(tmp_path, meddling)
    [found] = result.details()
    assert [turn.final_response.text for turn in found.actual.invocations] == ["You said Hello"] * 2
    assert found.case.conversation_scenario.conversation_plan == "Ask."


def test_who_took_part_is_listed(tmp_path: Path) -> None:
    result = evaluated(tmp_path, lambda turns: UserTurn(stop="done") if turns.invocations else message("Hi"))
    with result.report() as report:
        listed = {(item.kind, item.component) for item in report.run.plugins}
    assert ("user simulator", "odd/odd") in listed


def test_its_options_are_checked_before_anything_runs(tmp_path: Path) -> None:
    said: list[Any] = []
    with pytest.raises(adjudge.AdjudgeError) as raised:
        adjudge.evaluate_sync(
            said.append,
            tmp_path / "odd.evalset.json",
            config={"criteria": {"safety_v1": 1}, "user_simulator_config": {"type": "odd", "loud": True}},
            extensions=Extensions([*discover(), as_candidate("odd", Stranger(nothing))]),
        )
    assert "unknown option 'loud'" in str(raised.value)
    assert not said
