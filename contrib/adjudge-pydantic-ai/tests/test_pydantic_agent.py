"""What becomes of a turn of an agent of Pydantic AI, seen through runs."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import shop

from adjudge import InputError, open_agent
from adjudge.kit.judged_criteria import agent_instructions, tool_declarations
from adjudge.plugin import SupportsDescription
from adjudge.testing import AgentAdapterConformance

Ran = Callable[..., Any]


class TestPydanticAgent(AgentAdapterConformance):
    component = "pydantic-ai/pydantic_ai"
    config = {"target": "shop:agent"}
    messages = ("Both, please.", "Missing one.")


def turns(found: Any) -> Any:
    assert found.result.error is None, found.result.error
    return found.actual.invocations


def test_parallel_calls_thoughts_tokens_and_times(ran: Ran) -> None:
    [turn] = turns(ran("shop:agent", "Both, please."))

    asked, came, last = turn.steps
    assert asked.thinking == "I look both up."
    assert [(call.id, call.name, call.args) for call in asked.calls] == [
        ("1", "look_up", {"order": 7}),
        ("2", "look_up", {"order": 8}),
    ]
    assert [(result.call_id, result.value, result.is_error) for result in came.results] == [
        ("1", {"at": "port 7"}, False),
        ("2", {"at": "port 8"}, False),
    ]
    assert [(step.author, step.model) for step in (asked, last)] == [("shop", "program-1")] * 2
    assert [step.usage is None for step in turn.steps] == [False, True, False]
    assert (last.text, turn.final_response.text) == ("", "Found.")
    assert turn.duration >= turn.tool_duration >= 0.02
    assert turn.model_duration is not None


def test_instructions_and_tools_are_seen_by_judged_criteria(ran: Ran) -> None:
    [turn] = turns(ran("shop:agent", "Both, please."))

    assert "You sell." in agent_instructions(turn).text
    assert "Looks an order up." in tool_declarations(turn).text


def test_what_the_agent_is_told_is_known_before_any_session() -> None:
    async def described() -> Any:
        async with open_agent("shop:agent") as opened:
            assert isinstance(opened.agent.adapter, SupportsDescription)
            return await opened.agent.adapter.describe()

    [details] = asyncio.run(described()).agent_details.values()
    assert details.instructions == "You sell."
    assert "look_up" in {tool["name"] for tool in details.tool_declarations}


def test_a_failed_tool_is_marked(ran: Ran) -> None:
    [turn] = turns(ran("shop:agent", "Missing one."))

    [result] = turn.tool_results
    assert result.is_error and "no order 99" in json.dumps(result.value)
    assert turn.final_response.text == "Found."


def test_what_an_agent_that_a_tool_asks_did_is_lost_and_its_answer_is_not(ran: Ran) -> None:
    [turn] = turns(ran("shop:agent", "Refund it."))

    assert [(result.name, result.value) for result in turn.tool_results] == [("refund", "7 is refunded")]
    assert {step.author for step in turn.steps} == {"shop"}
    assert turn.final_response.text == "Refunded."


@pytest.mark.parametrize("deps", [{}, {"deps": "shop:till"}])
def test_turns_have_a_state_and_cases_share_nothing(ran: Ran, deps: dict[str, str]) -> None:
    said = ("Remember.", "Sell one.", "Sell one.", "Remember.")
    found = ran("shop:agent", *said, state={"sales": 4}, num_runs=2, agent_options=deps)

    assert [turn.final_response.text for turn in turns(found)] == ["1 heard", "Sold.", "Sold.", "4 heard"]
    assert found.actual.final_session_state == {"sales": 6}


def test_a_function_makes_an_agent_for_every_case(ran: Ran) -> None:
    [turn] = turns(ran("pydantic_ai:shop:made", "Hello."))

    assert turn.steps[0].author == "made"


def test_a_streamed_run_has_the_same_calls_and_results(ran: Ran) -> None:
    [whole] = turns(ran("shop:agent", "Both, please."))
    shop.STREAMED.clear()
    [streamed] = turns(ran(shop.agent, "Both, please.", agent_options={"stream": True}))

    assert shop.STREAMED == ["Both", "after_look_up"]
    assert [step.calls for step in streamed.steps] == [step.calls for step in whole.steps]
    assert [step.results for step in streamed.steps] == [step.results for step in whole.steps]
    assert streamed.final_response == whole.final_response


def test_a_structured_answer_is_json_and_no_call(ran: Ran) -> None:
    [turn] = turns(ran("shop:structured", "Report, please."))

    assert json.loads(turn.final_response.text) == {"order": 7, "late": False}
    assert turn.tool_calls == ()
    assert [item.value for item in turn.steps[0].items] == [{"order": 7, "late": False}]


@pytest.mark.parametrize(("reply", "value"), [("Yes, do.", "cancelled 7"), ("No, keep it.", "No, keep it.")])
def test_a_tool_that_needs_approval_asks_the_user(ran: Ran, reply: str, value: str) -> None:
    asking, decided = turns(ran("shop:agent", "Cancel it.", reply))

    assert asking.final_response.text == 'May I call cancel({"order": 7})?'
    assert asking.extra == {"interrupts": [{"name": "cancel", "arguments": {"order": 7}}]}
    assert [call.name for call in asking.tool_calls] == ["cancel"]
    assert [(result.name, result.value) for result in decided.tool_results] == [("cancel", value)]
    assert decided.final_response.text == "So be it."


@pytest.mark.parametrize("options", [{}, {"stream": True}])
def test_a_turn_after_an_approval_does_not_repeat_the_calls_before_it(
    ran: Ran, options: dict[str, bool]
) -> None:
    asking, decided = turns(ran("shop:agent", "Tidy up.", "Yes, do.", agent_options=options))

    assert [call.name for call in asking.tool_calls] == ["look_up", "cancel"]
    assert [(result.name, result.value) for result in asking.tool_results] == [("look_up", {"at": "port 7"})]
    assert [call.name for call in decided.tool_calls] == []
    assert [(result.name, result.value) for result in decided.tool_results] == [("cancel", "cancelled 8")]
    assert [len(step.calls) for step in asking.steps] == [2, 0]
    assert [step.usage is None for step in decided.steps] == [True, False]


def test_what_tools_gave_beside_the_final_output_is_kept(ran: Ran) -> None:
    [turn] = turns(ran("shop:busy", "Report, please."))

    assert [call.name for call in turn.tool_calls] == ["ring"]
    assert [(result.name, result.value) for result in turn.tool_results] == [("ring", "rung")]


@pytest.mark.parametrize(
    ("agent", "answer"), [("wordy", "It is here."), ("prompted", '{"order": 7, "late": false}')]
)
def test_an_answer_is_not_repeated_by_a_step(ran: Ran, agent: str, answer: str) -> None:
    [turn] = turns(ran(f"shop:{agent}", "Hello."))

    assert turn.final_response.text == answer
    assert [step.text for step in turn.steps] == [""]


@pytest.mark.parametrize(
    ("agent", "said", "options", "code", "message"),
    [
        ("shop:agent", "Loop.", {"request_limit": 3}, "turn_limit", "request_limit of 3"),
        ("shop:agent", "Crash it.", {}, "agent_raised", "the till is broken"),
        ("shop:broken", "Hello.", {}, "agent_raised", "ConnectionError: no model today"),
    ],
)
def test_a_turn_that_fails_is_an_error(
    ran: Ran, agent: str, said: str, options: dict[str, Any], code: str, message: str
) -> None:
    found = ran(agent, said, agent_options=options)

    assert found.result.status == "error"
    assert found.result.error.code == code
    assert message in found.result.error.message


def test_what_happened_before_a_limit_is_kept(ran: Ran) -> None:
    [turn] = ran("shop:agent", "Loop.", agent_options={"request_limit": 3}).actual.invocations

    assert [call.name for call in turn.tool_calls] == ["loop"] * 3
    assert [result.value for result in turn.tool_results] == ["again"] * 3


def test_a_time_limit_reaches_the_tool(ran: Ran) -> None:
    shop.ENDED.clear()
    found = ran(shop.agent, "Wait.", timeout=0.5)

    assert found.result.error.code == "timeout"
    assert shop.ENDED == ["wait"]
    assert [call.name for turn in found.actual.invocations for call in turn.tool_calls] == ["wait"]


def test_an_object_that_is_no_agent_is_refused(ran: Ran) -> None:
    with pytest.raises(InputError, match="ANSWERS' cannot be used: it is an object of type dict"):
        ran("pydantic_ai:shop:ANSWERS", "Hello.")


def test_what_makes_the_context_is_looked_up_before_the_run(ran: Ran) -> None:
    with pytest.raises(InputError, match="the context 'shop:tiller' cannot be used: 'shop' has no 'tiller'"):
        ran("shop:agent", "Hello.", agent_options={"deps": "shop:tiller"})


def test_telling_its_agents_imports_no_framework() -> None:
    program = (
        "import sys; from adjudge_pydantic_ai import agent_adapters, is_pydantic_agent; "
        "list(agent_adapters()); is_pydantic_agent(object()); sys.exit('pydantic_ai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
