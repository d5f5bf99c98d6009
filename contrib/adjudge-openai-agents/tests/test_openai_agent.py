"""What becomes of a turn of an agent of the OpenAI Agents SDK, seen through runs."""

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


class TestOpenAIAgent(AgentAdapterConformance):
    component = "openai-agents/openai_agents"
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
    assert {(result.call_id, result.name, result.value["at"]) for result in came.results} == {
        ("1", "look_up", "port 7"),
        ("2", "look_up", "port 8"),
    }
    assert [asked.author, last.author] == ["shop", "shop"]
    assert [step.usage and step.usage.total_tokens for step in turn.steps] == [15, None, 15]
    assert (last.text, turn.final_response.text) == ("", "Found.")
    assert turn.duration >= turn.tool_duration >= 0.02
    assert turn.model_duration is not None


def test_instructions_tools_and_handovers_are_seen_by_judged_criteria(ran: Ran) -> None:
    [turn] = turns(ran("shop:agent", "Both, please."))

    assert "You sell." in agent_instructions(turn).text
    declared = tool_declarations(turn).text
    assert "Looks an order up." in declared and "transfer_to_refunds" in declared


def test_what_the_agents_are_told_is_known_before_any_session() -> None:
    async def described() -> Any:
        async with open_agent("shop:agent") as opened:
            assert isinstance(opened.agent.adapter, SupportsDescription)
            return await opened.agent.adapter.describe()

    agents = asyncio.run(described()).agent_details
    assert {name: agent.instructions for name, agent in agents.items()} == {
        "shop": "You sell.",
        "refunds": "You refund.",
    }
    assert {"look_up", "transfer_to_refunds"} <= {tool["name"] for tool in agents["shop"].tool_declarations}


def test_a_failed_tool_is_answered_to_the_model(ran: Ran) -> None:
    [turn] = turns(ran("shop:agent", "Missing one."))

    [result] = turn.tool_results
    assert result.value.startswith("An error occurred while running the tool.")
    assert turn.final_response.text == "Found."


def test_another_agent_takes_over_and_keeps_the_conversation(ran: Ran) -> None:
    first, second = turns(ran("shop:agent", "Refund it.", "Again."))

    assert [step.author for step in first.steps] == ["shop", "shop", "refunds"]
    [call], [result] = first.tool_calls, first.tool_results
    assert (call.name, result.call_id) == ("transfer_to_refunds", call.id)
    assert "refunds" in json.dumps(result.value)
    assert first.final_response.text == "Refunded."
    assert [step.author for step in second.steps] == ["refunds"]
    assert set(first.app_details.agent_details) == {"shop", "refunds"}


@pytest.mark.parametrize("context", [{}, {"context": "shop:till"}])
def test_turns_have_a_state_and_cases_share_nothing(ran: Ran, context: dict[str, str]) -> None:
    said = ("Remember.", "Sell one.", "Sell one.", "Remember.")
    found = ran("shop:agent", *said, state={"sales": 4}, num_runs=2, agent_options=context)

    assert [turn.final_response.text for turn in turns(found)] == ["1 heard", "Sold.", "Sold.", "4 heard"]
    assert found.actual.final_session_state == {"sales": 6}


def test_a_function_makes_an_agent_for_every_case(ran: Ran) -> None:
    [turn] = turns(ran("openai_agents:shop:made", "Both, please."))

    assert turn.steps[0].author == "made"


def test_a_streamed_run_has_the_same_steps(ran: Ran) -> None:
    [whole] = turns(ran("shop:agent", "Both, please."))
    before = shop.MODEL.streamed
    [streamed] = turns(ran(shop.agent, "Both, please.", agent_options={"stream": True}))

    assert shop.MODEL.streamed == before + 2
    assert [step.items for step in streamed.steps] == [step.items for step in whole.steps]
    assert streamed.final_response == whole.final_response


def test_a_structured_answer_is_json(ran: Ran) -> None:
    [turn] = turns(ran("shop:structured", "Report, please."))

    assert json.loads(turn.final_response.text) == {"order": 7, "late": False}


def test_a_tool_of_the_provider_is_a_call_and_the_answer_is_not_repeated(ran: Ran) -> None:
    [turn] = turns(ran("shop:searching", "Search, please."))

    [call] = turn.tool_calls
    assert (call.name, call.args["action"]["query"]) == ("web_search", "order 7")
    assert (turn.steps[0].text, turn.final_response.text) == ("I searched.", "It is at sea.")


@pytest.mark.parametrize(("reply", "value"), [("Yes, do.", "cancelled 7"), ("No, keep it.", "not approved")])
def test_a_tool_that_needs_approval_asks_the_user(ran: Ran, reply: str, value: str) -> None:
    asking, decided = turns(ran("shop:agent", "Cancel it.", reply))

    assert asking.final_response.text == 'May I call cancel({"order": 7})?'
    assert asking.extra == {"interrupts": [{"name": "cancel", "arguments": '{"order": 7}'}]}
    assert [call.name for call in asking.tool_calls] == ["cancel"]
    [result] = decided.tool_results
    assert (result.name, value in result.value) == ("cancel", True)
    assert decided.final_response.text == "So be it."


def test_what_an_agent_that_is_a_tool_did_is_lost_and_its_answer_is_not(ran: Ran) -> None:
    [turn] = turns(ran("shop:agent", "Expert, please."))

    assert [result.value for result in turn.tool_results] == ["I agree."]
    assert {step.author for step in turn.steps} == {"shop"}


@pytest.mark.parametrize(
    ("agent", "said", "options", "code", "message"),
    [
        ("shop:agent", "Loop.", {"max_turns": 3}, "turn_limit", "Max turns (3) exceeded"),
        ("shop:agent", "Crash it.", {}, "agent_raised", "the till is broken"),
        ("shop:broken", "Hello.", {}, "agent_raised", "ZeroDivisionError"),
        ("shop:strict", "Hello.", {}, "agent_raised", 'guardrail \'polite\': {"word": "rude"}'),
        ("shop:strict", "Hello.", {"stream": True}, "agent_raised", "guardrail 'polite'"),
        ("shop:careful", "Hello.", {}, "agent_raised", "guardrail 'discreet': a secret"),
    ],
)
def test_a_turn_that_fails_is_an_error(
    ran: Ran, agent: str, said: str, options: dict[str, Any], code: str, message: str
) -> None:
    found = ran(agent, said, agent_options=options)

    assert found.result.status == "error"
    assert found.result.error.code == code
    assert message in found.result.error.message


@pytest.mark.parametrize(("agent", "retryable"), [("offline", True), ("overworked", True), ("broken", False)])
def test_what_may_work_later_is_retried_by_resume(ran: Ran, agent: str, retryable: bool) -> None:
    found = ran(f"shop:{agent}", "Hello.")

    assert (found.result.error.code, found.result.error.retryable) == ("agent_raised", retryable)


def test_what_happened_before_a_limit_is_kept(ran: Ran) -> None:
    [turn] = ran("shop:agent", "Loop.", agent_options={"max_turns": 3}).actual.invocations

    assert [call.name for call in turn.tool_calls] == ["loop"] * 3
    assert [result.value for result in turn.tool_results] == ["again"] * 3


@pytest.mark.parametrize("options", [{}, {"stream": True}])
def test_a_handover_before_a_limit_is_kept(ran: Ran, options: dict[str, bool]) -> None:
    found = ran("shop:agent", "Refund it.", agent_options={"max_turns": 1, **options})

    assert found.result.error.code == "turn_limit"
    [turn] = found.actual.invocations
    assert [(result.name, "refunds" in str(result.value)) for result in turn.tool_results] == [
        ("transfer_to_refunds", True)
    ]


def test_a_time_limit_reaches_the_tool(ran: Ran) -> None:
    shop.ENDED.clear()
    found = ran(shop.agent, "Wait.", timeout=0.5)

    assert found.result.error.code == "timeout"
    assert shop.ENDED == ["wait"]
    assert [call.name for turn in found.actual.invocations for call in turn.tool_calls] == ["wait"]


def test_an_object_that_is_no_agent_is_refused(ran: Ran) -> None:
    with pytest.raises(InputError, match="ANSWERS' cannot be used: it is an object of type dict"):
        ran("openai_agents:shop:ANSWERS", "Hello.")


def test_an_agent_of_a_program_whose_package_is_called_agents_is_none_of_the_sdk() -> None:
    program = (
        "import sys, types; from adjudge_openai_agents import is_openai_agent; "
        "sys.modules['agents'] = types.ModuleType('agents'); "
        "own = type('Agent', (), {'__module__': 'agents.agent'})(); sys.exit(is_openai_agent(own))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_what_makes_the_context_is_looked_up_before_the_run(ran: Ran) -> None:
    with pytest.raises(InputError, match="the context 'shop:tiller' cannot be used: 'shop' has no 'tiller'"):
        ran("shop:agent", "Hello.", agent_options={"context": "shop:tiller"})


def test_telling_its_agents_imports_no_framework() -> None:
    program = (
        "import sys; from adjudge_openai_agents import agent_adapters, is_openai_agent; "
        "list(agent_adapters()); is_openai_agent(object()); sys.exit('agents' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
