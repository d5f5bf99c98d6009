"""What becomes of a turn of an agent that is a command, seen through runs."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge import InputError
from adjudge.kit.judged_criteria import agent_instructions, tool_declarations
from adjudge.model import Invocation
from adjudge.testing import AgentAdapterConformance

SHOP = Path(__file__).parent / "agents" / "shop.py"
COMMAND = f"{shlex.quote(sys.executable)} {shlex.quote(str(SHOP))}"
AGENT = f"command:{COMMAND}"


class TestCommandAgent(AgentAdapterConformance):
    component = "command/command"
    config = {"target": COMMAND}
    messages = ("Parallel orders.", "Remember me.")


def ran(*said: str, state: dict[str, Any] | None = None, **options: Any) -> Any:
    """The last repeat of the one case of a run in which the user says this."""
    case = {
        "eval_id": "case",
        "conversation": [
            {"user_content": {"parts": [{"text": text}]}, "final_response": {"parts": [{"text": "done"}]}}
            for text in said
        ],
        "session_input": {"app_name": "shop", "user_id": "ann", "state": state or {}},
    }
    Path("cases.evalset.json").write_text(json.dumps({"eval_set_id": "cases", "eval_cases": [case]}))
    result = adjudge.evaluate_sync(
        AGENT, "cases.evalset.json", config={"criteria": {"response_match_score": 0.5}}, **options
    )
    return list(result.details())[-1]


def turns(*said: str, **options: Any) -> tuple[Invocation, ...]:
    found = ran(*said, **options)
    assert found.result.error is None, found.result.error
    return found.actual.invocations


def test_parallel_calls_a_failed_tool_thoughts_and_tokens(workspace: Path) -> None:
    [turn] = turns("Parallel orders.")

    asked, came, _ = turn.steps
    assert asked.thinking == "Both."
    assert [(call.id, call.args) for call in asked.calls] == [("7", {"order": 7}), ("8", {"order": 8})]
    assert [(result.call_id, result.is_error) for result in came.results] == [("7", False), ("8", True)]
    assert (asked.author, asked.model) == ("shop", "m-1")
    assert [step.usage and step.usage.input_tokens for step in turn.steps] == [9, None, 20]
    assert asked.usage is not None and asked.usage.output_tokens is None
    assert turn.final_response is not None and turn.final_response.text == "7 is at sea."
    assert asked.started_at is not None and asked.duration is not None and turn.duration is not None
    assert asked.started_at >= turn.creation_timestamp and turn.duration >= asked.duration


def test_instructions_and_tools_are_seen_by_judged_criteria(workspace: Path) -> None:
    first, second = turns("Parallel orders.", "Remember me.")

    for turn in (first, second):
        assert "You sell." in agent_instructions(turn).text
        assert "Looks an order up." in tool_declarations(turn).text


def test_another_agent_takes_over(workspace: Path) -> None:
    [turn] = turns("Transfer me.")

    assert [step.author for step in turn.steps] == ["shop", "refunds", "refunds"]
    assert turn.intermediate_texts == (("refunds", "I refund it."),)


def test_turns_have_a_state_and_cases_share_nothing(workspace: Path) -> None:
    found = ran("Remember me.", "Remember me.", state={"seen": 4}, num_runs=2)

    assert [turn.final_response.text for turn in found.actual.invocations] == ["1 heard", "2 heard"]
    assert found.actual.final_session_state == {"seen": 6}


def test_an_answer_is_streamed_or_structured_or_a_question(workspace: Path) -> None:
    streamed, structured, asking, replied = turns("Stream it.", "Structure it.", "May I?", "Yes.")

    assert streamed.final_response is not None and streamed.final_response.text == "Here it is."
    assert structured.final_response is not None
    assert json.loads(structured.final_response.text) == {"order": 7, "late": False}
    assert asking.extra == {"interrupts": [{"question": "Shall I cancel order 7?"}]}
    assert replied.final_response is not None and replied.final_response.text == "You said: Yes."


@pytest.mark.parametrize(
    ("said", "code", "message"),
    [
        ("Limit it.", "turn_limit", "no answer after 10 moves"),
        ("Raise it.", "process_ended", "exit status 1"),
        ("Raise it.", "process_ended", "KeyError: 'order'"),
        ("Signal it.", "process_ended", f"signal {signal.SIGRTMIN + 3}"),
        ("Print it.", "bad_answer", "no JSON: 'hello'"),
        ("Misspell it.", "bad_answer", "txt"),
        ("Number it.", "bad_answer", "NaN. JSON has finite numbers only"),
        ("Halve it.", "bad_answer", "half of a surrogate pair"),
        ("Bytes now.", "bad_answer", "UTF-8 is expected"),
    ],
)
def test_a_turn_that_fails_is_an_error(workspace: Path, said: str, code: str, message: str) -> None:
    found = ran(said)

    assert found.result.status == "error"
    assert found.result.error.code == code
    assert message in found.result.error.message


@pytest.mark.parametrize("more", [[], ["Remember me."], ["Remember me.", "Transfer me."]])
def test_two_answers_for_a_message_are_an_error(workspace: Path, more: list[str]) -> None:
    found = ran("Twice now.", *more)

    assert (found.result.status, found.result.error.code) == ("error", "bad_answer")
    assert "more than one answer for a message; left over is" in found.result.error.message


def test_what_happened_before_an_error_is_kept(workspace: Path) -> None:
    [turn] = ran("Limit it.").actual.invocations

    assert [call.name for call in turn.tool_calls] == ["look_up"]


def test_a_time_limit_ends_the_process_and_what_it_started(workspace: Path) -> None:
    found = ran("Hang now.", timeout=1.0)

    assert found.result.error.code == "timeout"
    assert [step.text for turn in found.actual.invocations for step in turn.steps] == ["I wait."]
    deadline = time.monotonic() + 5
    pids = json.loads(Path("pids.json").read_text())
    while any(is_running(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(is_running(pid) for pid in pids)


def test_a_process_that_left_and_holds_the_pipes_does_not_hold_the_case(workspace: Path) -> None:
    [turn] = turns("Detach it.")

    assert turn.final_response is not None and turn.final_response.text == "Detached."


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    # A child whose parent was killed waits for init, which containers may lack, as a zombie.
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


@pytest.mark.parametrize(
    ("command", "message"),
    [("no-such-program x", "there is no program 'no-such-program'"), ("sh 'x", "No closing quotation")],
)
def test_a_command_that_cannot_be_run_is_told_before_the_run(
    workspace: Path, command: str, message: str
) -> None:
    Path("cases.test.json").write_text('{"eval_set_id": "cases", "eval_cases": []}')

    with pytest.raises(InputError, match=message):
        adjudge.evaluate_sync(f"command:{command}", "cases.test.json")
