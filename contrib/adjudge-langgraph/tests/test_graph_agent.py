"""What becomes of a turn of a graph of LangGraph, seen through runs."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import scripted
import shop

from adjudge import InputError, open_agent
from adjudge.kit.judged_criteria import agent_instructions, tool_declarations
from adjudge.plugin import SupportsDescription
from adjudge.testing import AgentAdapterConformance

Ran = Callable[..., Any]


class TestGraph(AgentAdapterConformance):
    component = "langgraph/langgraph"
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
    assert {(result.call_id, result.value, result.is_error) for result in came.results} == {
        ("1", '{"at": "port 7"}', False),
        ("2", '{"at": "port 8"}', False),
    }
    assert [(step.author, step.model) for step in (asked, last)] == [("shop", "program-1")] * 2
    assert [step.usage and step.usage.total_tokens for step in turn.steps] == [15, None, 15]
    assert (last.text, turn.final_response.text) == ("", "Found them all.")
    assert turn.duration >= turn.tool_duration >= 0.02
    assert turn.model_duration is not None


def test_instructions_and_tools_are_seen_by_judged_criteria(ran: Ran) -> None:
    [turn] = turns(ran("shop:agent", "Both, please."))

    assert "You sell." in agent_instructions(turn).text
    assert "Looks an order up." in tool_declarations(turn).text


def test_the_tools_are_known_before_any_session() -> None:
    async def described() -> Any:
        async with open_agent("shop:agent") as opened:
            assert isinstance(opened.agent.adapter, SupportsDescription)
            return await opened.agent.adapter.describe()

    [details] = asyncio.run(described()).agent_details.values()
    assert "look_up" in {tool["function"]["name"] for tool in details.tool_declarations}


def test_a_failed_tool_is_marked(ran: Ran) -> None:
    [turn] = turns(ran("shop:agent", "Missing one."))

    [result] = turn.tool_results
    assert result.is_error and "no order 99" in result.value
    assert turn.final_response.text == "Found them all."


def test_the_answer_for_a_tool_that_is_not_there_is_kept(ran: Ran) -> None:
    [turn] = turns(ran("shop:agent", "Unknown one."))

    asked, came, _ = turn.steps
    [result] = came.results
    assert (result.name, result.call_id, result.is_error) == ("no_such", asked.calls[0].id, True)
    assert "no_such is not a valid tool" in result.value
    assert turn.final_response.text == "There is no such tool."


def test_another_agent_takes_over(ran: Ran) -> None:
    [turn] = turns(ran("shop:shop", "Refund it."))

    assert [step.author for step in turn.steps] == ["shop", "shop", "refunds"]
    [call], [result] = turn.tool_calls, turn.tool_results
    assert (call.name, result.call_id, result.value) == ("transfer_to_refunds", call.id, "over to refunds")
    assert turn.final_response.text == "Refunded."
    assert {name: agent.instructions for name, agent in turn.app_details.agent_details.items()} == {
        "shop": "You sell.",
        "refunds": "You refund.",
    }


def test_what_an_agent_inside_a_tool_did_stands_under_its_call(ran: Ran) -> None:
    [turn] = turns(ran("shop:agent", "Expert, please."))

    assert [(step.author, step.parent_call_id) for step in turn.steps] == [
        ("shop", None),
        ("expert", "1"),
        ("shop", None),
        ("shop", None),
    ]
    assert [result.value for result in turn.tool_results] == ["I agree."]


def test_what_nodes_and_tools_call_themselves_are_calls(ran: Ran) -> None:
    [turn] = turns(ran("shop:tracker", "Track order 7."))

    outer, inner, came_in, came_out, second, last = turn.steps
    assert [(step.author, step.parent_call_id) for step in (outer, second)] == [("desk", None)] * 2
    assert [(call.name, call.args) for call in (*outer.calls, *inner.calls, *second.calls)] == [
        ("track", {"order": 7}),
        ("find", {"order": 7}),
        ("find", {"order": 8}),
    ]
    assert inner.parent_call_id == came_in.parent_call_id == outer.calls[0].id
    assert [(result.call_id, result.value) for result in turn.tool_results] == [
        (outer.calls[0].id, "port 7"),
        (second.calls[0].id, "port 8"),
    ]
    assert (came_in.results[0].call_id, came_out.results[0].name, last.results[0].name) == (
        inner.calls[0].id,
        "track",
        "find",
    )
    assert turn.final_response.text == "port 7 and port 8"
    [again] = turns(ran("shop:tracker", "Track order 7."))
    assert [step.items for step in again.steps] == [step.items for step in turn.steps]


def test_a_tool_that_fails_in_a_node_is_marked(ran: Ran) -> None:
    found = ran("shop:tracker", "Track order 98.")

    assert found.result.error.message == "LookupError: no order 99"
    [turn] = found.actual.invocations
    assert [(result.name, result.is_error) for result in turn.tool_results] == [
        ("track", False),
        ("find", True),
    ]


def test_turns_have_a_state_and_cases_share_nothing(ran: Ran) -> None:
    said = ("Remember.", "Sell one.", "Sell one.", "Remember.")
    found = ran("shop:agent", *said, state={"sales": 4}, num_runs=2)

    assert [turn.final_response.text for turn in turns(found)] == ["1 heard", "Sold.", "Sold.", "4 heard"]
    assert found.actual.final_session_state == {"sales": 6}


def test_a_store_in_memory_is_copied_for_every_case(ran: Ran) -> None:
    options = {"context": "shop:desk"}
    found = ran("shop:greeter", "Hello.", "Again.", state={"clerk": "ann"}, num_runs=2, agent_options=options)

    said = [turn.final_response.text for turn in turns(found)]
    assert said == ["Visit 11, ann says.", "Visit 12, ann says."]
    kept = shop.STORE.get(("visits",), "count")
    assert kept is not None and kept.value == {"n": 10}


def test_a_function_makes_a_graph_for_every_case(ran: Ran) -> None:
    [turn] = turns(ran("langgraph:shop:made", "Hello."))

    assert turn.steps[0].author == "made"


@pytest.mark.parametrize(("key", "error"), [("messages", None), ("question", "agent_raised")])
def test_what_was_opened_for_a_case_is_closed(ran: Ran, key: str, error: str | None) -> None:
    shop.ENDED.clear()
    found = ran("langgraph:shop:opened", "Hello.", agent_options={"input": key})

    assert (found.result.error and found.result.error.code) == error
    assert set(shop.ENDED) == {"opened"}


def test_a_streamed_run_has_the_same_steps(ran: Ran) -> None:
    [whole] = turns(ran("shop:agent", "Sell one."))
    scripted.STREAMED.clear()
    [streamed] = turns(ran(shop.agent, "Sell one.", agent_options={"stream": True}))

    assert scripted.STREAMED == ["Sell", "after_sell"]
    assert [step.items for step in streamed.steps] == [step.items for step in whole.steps]
    assert [step.usage for step in streamed.steps] == [step.usage for step in whole.steps]
    assert streamed.final_response == whole.final_response


def test_a_graph_without_messages_has_keys_and_a_structured_answer(ran: Ran) -> None:
    keys = {"input": "question", "output": "report"}
    found = ran("shop:reporter", "Report, please.", state={"visits": 3}, agent_options=keys)

    [turn] = turns(found)
    assert json.loads(turn.final_response.text) == {"order": 7, "late": False}
    assert found.actual.final_session_state["visits"] == 3


def test_a_key_that_the_graph_does_not_have_is_told_before_the_run(ran: Ran) -> None:
    with pytest.raises(InputError, match=r"no key 'messages'(.|\n)*It has question, report, visits"):
        ran("shop:reporter", "Report, please.")


@pytest.mark.parametrize(("reply", "value"), [("Yes.", "cancelled 7"), ("No.", "kept, as the user said No.")])
def test_an_interrupt_asks_the_user(ran: Ran, reply: str, value: str) -> None:
    asking, decided = turns(ran("shop:agent", "Cancel it.", reply))

    assert asking.final_response.text == "Cancel order 7?"
    assert asking.extra == {"interrupts": [{"value": "Cancel order 7?"}]}
    assert [call.name for call in asking.tool_calls] == ["cancel"]
    assert asking.tool_results == ()
    assert [(result.name, result.value) for result in decided.tool_results] == [("cancel", value)]
    assert decided.final_response.text == "So be it."


@pytest.mark.parametrize(
    ("reply", "result"),
    [
        ("Yes, do.", ("cancelled 7", False)),
        ("Not now.", ("Not now.", True)),
        (
            '{"decisions": [{"type": "edit", "edited_action": {"name": "cancel_order", "args": {"order": 8}}}]}',
            ("cancelled 8", False),
        ),
    ],
)
def test_a_call_that_a_person_approves_asks_the_user(ran: Ran, reply: str, result: tuple[str, bool]) -> None:
    found = turns(ran("shop:supervised", "Cancel it.", reply, "Cancel it.", reply))

    for asking, decided in (found[:2], found[2:]):
        assert asking.final_response.text == 'May I call cancel_order({"order": 7})?'
        assert [call.name for call in asking.tool_calls] == ["cancel_order", "look_up"]
        assert asking.tool_results == ()
        came = {each.name: (each.value, each.is_error) for each in decided.tool_results}
        assert came.keys() == {"cancel_order", "look_up"}
        value, failed = came["cancel_order"]
        # New releases say before the words that the user rejected the call.
        assert (value.endswith(result[0]), failed) == (True, result[1])
        assert came["look_up"] == ('{"at": "port 7"}', False)
        assert decided.tool_calls == ()


def test_an_agent_of_langchain_is_a_graph(ran: Ran) -> None:
    [turn] = turns(ran("shop:supervised", "Cancel it."))

    assert [step.author for step in turn.steps] == ["supervised"]
    assert "You cancel." in agent_instructions(turn).text
    assert "which a person has to approve" in tool_declarations(turn).text


def test_a_workflow_of_the_functional_api_is_refused(ran: Ran) -> None:
    with pytest.raises(InputError, match="the graph is a workflow of the functional API"):
        ran("shop:workflow", "Hello.")


def test_a_stop_before_a_node_asks_the_user(ran: Ran) -> None:
    asking, gone_on = turns(ran("shop:careful", "Sell one.", "Go on."))

    assert asking.final_response.text == "May I go on with shop?"
    assert asking.extra == {"interrupts": [{"before": ["shop"]}]}
    assert gone_on.final_response.text == "Sold."


@pytest.mark.parametrize(
    ("agent", "said", "options", "code", "message"),
    [
        ("shop:shop", "Loop.", {"recursion_limit": 5}, "turn_limit", "Recursion limit of 5"),
        ("shop:agent", "Crash it.", {}, "agent_raised", "the till is broken"),
        (
            "shop:reporter",
            "Raise.",
            {"input": "question", "output": "report"},
            "agent_raised",
            "ValueError: no report today",
        ),
    ],
)
def test_a_turn_that_fails_is_an_error(
    ran: Ran, agent: str, said: str, options: dict[str, Any], code: str, message: str
) -> None:
    found = ran(agent, said, agent_options=options)

    assert found.result.status == "error"
    assert found.result.error.code == code
    assert message in found.result.error.message


def test_what_happened_before_an_error_is_kept(ran: Ran) -> None:
    [turn] = ran("shop:agent", "Crash it.").actual.invocations

    assert [call.name for call in turn.tool_calls] == ["crash"]
    assert [result.is_error for result in turn.tool_results] == [True]


def test_a_time_limit_reaches_the_tool(ran: Ran) -> None:
    shop.ENDED.clear()
    found = ran(shop.agent, "Wait.", timeout=0.5)

    assert found.result.error.code == "timeout"
    assert shop.ENDED == ["wait"]
    assert [call.name for turn in found.actual.invocations for call in turn.tool_calls] == ["wait"]


def test_an_object_that_is_no_graph_is_refused(ran: Ran) -> None:
    with pytest.raises(InputError, match="ANSWERS' cannot be used: it is an object of type dict"):
        ran("langgraph:shop:ANSWERS", "Hello.")


def test_what_makes_the_context_is_looked_up_before_the_run(ran: Ran) -> None:
    with pytest.raises(InputError, match="the context 'shop:tiller' cannot be used: 'shop' has no 'tiller'"):
        ran("shop:agent", "Hello.", agent_options={"context": "shop:tiller"})


def test_telling_its_graphs_imports_no_framework() -> None:
    program = (
        "import sys; from adjudge_langgraph import agent_adapters, is_graph; "
        "list(agent_adapters()); is_graph(object()); sys.exit('langgraph' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
