"""What becomes of a turn with an A2A server, seen through runs."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import server
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from adjudge import InputError
from adjudge.kit.judged_criteria import agent_instructions
from adjudge.testing import AgentAdapterConformance

Ran = Callable[..., Any]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with server.serving(server.Shop()) as found:
        yield found


class TestA2AAgent(AgentAdapterConformance):
    component = "a2a/a2a"
    messages = ("Both, please.", "Refund it.")

    @pytest.fixture(autouse=True)
    def _serve(self, address: str) -> None:
        type(self).address = address

    def options(self, folder: Path) -> dict[str, Any]:
        return {"target": self.address}


def turns(found: Any) -> Any:
    assert found.result.error is None, found.result.error
    return found.actual.invocations


def test_parallel_calls_thoughts_and_times(ran: Ran, address: str) -> None:
    [turn] = turns(ran(f"a2a:{address}", "Both, please."))

    asked, came = turn.steps
    assert asked.thinking == "I look both up."
    assert [(call.id, call.name, call.args) for call in asked.calls] == [
        ("7", "look_up", {"order": 7}),
        ("8", "look_up", {"order": 8}),
    ]
    assert [(result.call_id, result.value) for result in came.results] == [
        ("7", {"at": "port 7"}),
        ("8", {"at": "port 8"}),
    ]
    assert asked.author == "shop"
    assert asked.started_at is not None and turn.duration > 0
    assert {step.usage for step in turn.steps} == {None}
    assert turn.final_response.text == "Found."


def test_the_card_is_seen_by_judged_criteria(ran: Ran, address: str) -> None:
    [turn] = turns(ran(f"a2a:{address}", "Both, please."))

    told = agent_instructions(turn).text
    assert "A shop." in told and "orders: Looks orders up." in told


def test_another_agent_takes_over(ran: Ran, address: str) -> None:
    [turn] = turns(ran(f"a2a:{address}", "Refund it."))

    assert turn.intermediate_texts == (("shop", "I hand over."), ("refunds", "I refund it."))
    assert turn.final_response.text == "Refunded."


def test_turns_belong_to_a_conversation_and_cases_share_nothing(ran: Ran, address: str) -> None:
    found = ran(f"a2a:{address}", "Direct.", "Refund it.", "Direct.", num_runs=2)

    assert [turn.final_response.text for turn in turns(found)] == ["1 heard", "Refunded.", "3 heard"]


def test_an_answer_is_streamed_or_structured(ran: Ran, address: str) -> None:
    streamed, structured = turns(ran(f"a2a:{address}", "Stream it.", "Structure it."))

    assert streamed.final_response.text == "Here it is."
    assert json.loads(structured.final_response.text) == {"order": 7, "late": False}


def test_a_task_that_needs_input_asks_the_user_and_goes_on(ran: Ran, address: str) -> None:
    asking, decided = turns(ran(f"a2a:{address}", "Cancel it.", "Yes, do."))

    assert asking.final_response.text == "Cancel order 7?"
    assert asking.extra == {
        "interrupts": [{"state": "TASK_STATE_INPUT_REQUIRED", "question": "Cancel order 7?"}]
    }
    assert decided.final_response.text == "cancelled 7"


@pytest.mark.parametrize("streaming", [True, False])
def test_a_task_that_goes_on_does_not_repeat_the_turn_before(ran: Ran, streaming: bool) -> None:
    with server.serving(server.Shop(), streaming=streaming) as address:
        planned, asking, gone_on = turns(ran(f"a2a:{address}", "Plan it.", "Plan more.", "Oslo."))

    assert [step.text for turn in (planned, asking) for step in turn.steps] == ["I plan.", "I plan."]
    assert asking.final_response.text == "Which city?"
    assert [step.text for step in gone_on.steps] == ["I go on."]
    assert gone_on.final_response.text == "To Oslo."


@pytest.mark.parametrize(
    ("binding", "version", "streaming"),
    [
        ("HTTP+JSON", "1.0", True),
        ("HTTP+JSON", "1.0", False),
        # Not without streaming: servers of a2a-sdk 1.0.1 then leave the history out.
        ("HTTP+JSON", "0.3", True),
        ("JSONRPC", "0.3", True),
        ("JSONRPC", "0.3", False),
    ],
)
def test_the_card_says_which_protocol_is_spoken(
    ran: Ran, binding: str, version: str, streaming: bool
) -> None:
    with server.serving(server.Shop(), streaming, binding, version) as address:
        both, asking, decided = turns(ran(f"a2a:{address}", "Both, please.", "Cancel it.", "Yes, do."))

    assert [call.args for call in both.tool_calls] == [{"order": 7}, {"order": 8}]
    assert both.final_response.text == "Found."
    assert asking.final_response.text == "Cancel order 7?"
    assert decided.final_response.text == "cancelled 7"


def test_a_protocol_that_is_not_known_is_named(ran: Ran) -> None:
    with server.serving(server.Shop(), binding="GRPC") as address:
        found = ran(f"a2a:{address}", "Hello.")

    assert (found.result.error.code, found.result.error.retryable) == ("bad_answer", False)
    assert "no interface of JSONRPC or HTTP+JSON; it names GRPC" in found.result.error.message


def test_files_belong_to_the_answer(ran: Ran, address: str) -> None:
    [turn] = turns(ran(f"a2a:{address}", "Send it."))

    text, file, link = turn.final_response.items
    assert text.text == "Here: "
    assert (file.mime_type, file.data) == ("application/pdf", "UERG")
    assert (link.mime_type, link.uri) == ("image/png", "http://shop/7.png")


@pytest.mark.parametrize(("status", "retryable"), [(503, True), (429, True), (401, False)])
def test_a_server_that_is_busy_may_answer_later(ran: Ran, status: int, retryable: bool) -> None:
    port = server.free_port()
    busy = Route("/{path:path}", lambda _: PlainTextResponse("not now", status), methods=["GET", "POST"])
    with server.answering([busy], port):
        found = ran(f"a2a:http://127.0.0.1:{port}", "Hello.")

    assert (found.result.error.code, found.result.error.retryable) == ("agent_http_error", retryable)
    assert str(status) in found.result.error.message


def test_a_server_that_does_not_stream_has_the_same_answer(ran: Ran) -> None:
    with server.serving(server.Shop(), streaming=False) as address:
        [turn] = turns(ran(f"a2a:{address}", "Both, please."))

    assert [call.name for call in turn.tool_calls] == ["look_up", "look_up"]
    assert turn.final_response.text == "Found."


@pytest.mark.parametrize(
    ("said", "message"), [("Fail.", "TASK_STATE_FAILED: no stock"), ("Crash.", "the till is broken")]
)
def test_a_task_that_fails_is_an_error_and_its_steps_are_kept(
    ran: Ran, address: str, said: str, message: str
) -> None:
    found = ran(f"a2a:{address}", said)

    assert found.result.status == "error"
    assert found.result.error.code == "agent_failed"
    assert message in found.result.error.message
    assert [step.text for turn in found.actual.invocations for step in turn.steps] == (
        ["I try."] if said == "Fail." else []
    )


def test_a_time_limit_cancels_the_task_on_the_server(ran: Ran, address: str) -> None:
    server.CANCELLED.clear()
    found = ran(f"a2a:{address}", "Wait.", timeout=1.0)

    assert found.result.error.code == "timeout"
    assert [step.text for turn in found.actual.invocations for step in turn.steps] == ["I wait."]
    deadline = time.monotonic() + 5
    while not server.CANCELLED and time.monotonic() < deadline:
        time.sleep(0.02)
    assert len(server.CANCELLED) == 1


def test_a_server_that_is_not_there_may_be_there_later(ran: Ran) -> None:
    found = ran("a2a:http://127.0.0.1:9", "Hello.")

    assert (found.result.error.code, found.result.error.retryable) == ("agent_unreachable", True)


@pytest.mark.parametrize(
    ("agent", "state", "options", "message"),
    [
        ("a2a:shop", {}, {}, "'shop' is no address of an A2A server"),
        ("a2a:http://x", {}, {"api_key_env": "NO_SUCH_KEY"}, "is not set"),
        ("a2a:http://x", {"sales": 1}, {}, "starts with a session state"),
    ],
)
def test_what_cannot_work_is_told_before_the_run(
    ran: Ran, agent: str, state: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        ran(agent, "Hello.", state=state, agent_options=options)


def test_telling_its_agents_imports_no_sdk() -> None:
    program = (
        "import sys; from adjudge_a2a import agent_adapters; "
        "list(agent_adapters()); sys.exit('a2a' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
