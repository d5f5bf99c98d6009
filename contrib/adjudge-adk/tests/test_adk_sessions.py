"""What a case has of its own, what cases share, and what is kept of nested agents."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from adjudge_adk import AgentEvaluator
from google.adk.agents import LlmAgent
from google.adk.artifacts.in_memory_artifact_service import InMemoryArtifactService
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.tool_context import ToolContext
from google.adk.workflow import START, Workflow
from google.genai import types
from scripted import Scripted, by, call, expected_call, heard, turn
from zoo_files import written

import adjudge
from adjudge import InputError

CONFIG = {"criteria": {"tool_trajectory_avg_score": 1.0, "response_match_score": 1.0}}


def count(tool_context: ToolContext) -> dict[str, int]:
    """Counts."""
    counted = tool_context.state.get("user:counted", 0) + 1
    tool_context.state["user:counted"] = counted
    return {"counted": counted}


def counting() -> LlmAgent:
    def reply(request: Any) -> Any:
        if heard(request) != "=count":
            return call("count")
        return f"{request.contents[-1].parts[0].function_response.response['counted']} so far"

    return LlmAgent(name="counting", model=Scripted(reply=reply), tools=[count])


def evaluated(agent: object, path: Path, **options: Any) -> adjudge.RunResult:
    return adjudge.evaluate_sync(agent, path, config=CONFIG, **options)


def test_state_of_a_user_does_not_reach_another_case(eval_set: Callable[..., Path]) -> None:
    once = [turn("Count.", "1 so far", expected_call("count"))]
    twice = [*once, turn("Again.", "2 so far", expected_call("count"))]

    assert evaluated(counting(), eval_set(a=once, b=twice, c=once), concurrency=1).passed


def test_two_cases_with_one_session_id_have_a_session_each(eval_set: Callable[..., Path]) -> None:
    session = {"app_name": "counter", "user_id": "ann", "session_id": "pinned", "state": {}}
    cases = {
        name: {
            "eval_id": name,
            "conversation": [turn("Count.", "1 so far", expected_call("count"))],
            "session_input": session,
        }
        for name in ("first", "second")
    }

    result = evaluated(counting(), eval_set(**cases), num_runs=2)

    assert result.passed
    assert {item.actual.session_id for item in result.details()} == {"pinned"}


def test_artifacts_that_a_test_prepares_are_found(eval_set: Callable[..., Path]) -> None:
    async def read(tool_context: ToolContext) -> dict[str, Any]:
        """Reads the note."""
        note = await tool_context.load_artifact("note.txt")
        return {"note": note.text if note else None}

    def reply(request: Any) -> Any:
        if heard(request) != "=read":
            return call("read")
        return str(request.contents[-1].parts[0].function_response.response["note"])

    agent = LlmAgent(name="reader", model=Scripted(reply=reply), tools=[read])
    session = {"app_name": "notes", "user_id": "ann", "session_id": "s1", "state": {}}
    conversation = [turn("Read.", "milk and bread", expected_call("read"))]
    path = eval_set(
        "notes.test.json", note={"eval_id": "note", "conversation": conversation, "session_input": session}
    )

    async def test() -> None:
        service = InMemoryArtifactService()
        part = types.Part(text="milk and bread")
        await service.save_artifact(
            app_name="notes", user_id="ann", session_id="s1", filename="note.txt", artifact=part
        )
        await AgentEvaluator.evaluate(agent, str(path), artifact_service=service)

    asyncio.run(test())


def test_what_a_nested_agent_did_is_kept_and_not_compared(workspace: Path) -> None:
    folder = written("agent_tool", workspace)

    result = evaluated(str(folder), folder / "cases.evalset.json", outputs=["result.json"])

    [row] = [row for row in json.loads(Path("result.json").read_text())["cases"] if row["eval_id"] == "asked"]
    [shown] = row["invocations"]
    assert [made["name"] for made in shown["actual_calls"]] == ["expert"]
    assert [(made["name"], made["parent_call_id"]) for made in shown["nested_calls"]] == [
        ("look_up", shown["actual_calls"][0]["id"])
    ]
    [asked] = [item for item in result.details() if item.result.eval_id == "asked"]
    [done] = asked.actual.invocations
    assert asked.result.status == "PASS"
    assert [made.name for made in done.tool_calls] == ["expert"]
    nested = [step for step in done.steps if step.parent_call_id is not None]
    assert {step.author for step in nested} == {"expert"}
    assert {step.parent_call_id for step in nested} == {done.tool_calls[0].id}
    assert [made.name for step in nested for made in step.calls] == ["look_up"]
    assert [step.text for step in nested] == ["I look it up.", "", "It is the cat."]
    assert set(done.app_details.agent_details) == {"translator", "expert"} if done.app_details else False
    assert [step.number for step in done.steps] == list(range(1, len(done.steps) + 1))


def test_an_agent_needs_no_instruction(eval_set: Callable[..., Path]) -> None:
    poet = LlmAgent(name="poet", model=by({}, "roses are red"), mode="single_turn")

    result = evaluated(
        Workflow(name="press", edges=[(START, poet)]), eval_set(a=[turn("Write.", "roses are red")])
    )

    assert result.passed, [case.error for case in result.cases()]


def test_a_sub_agent_answers_in_place_of_the_root_agent(workspace: Path) -> None:
    folder = written("sub_agents", workspace)
    cases = folder / "one.evalset.json"
    cases.write_text((folder / "cases.evalset.json").read_text().replace('"Good morning."', '"Thanks."'))

    result = evaluated(str(folder), Path(f"{cases}:no_room"), agent_options={"agent": "booking"})

    [done] = result.details()
    assert done.actual.invocations[0].final_response.text == "You are welcome, says booking."


class Tools(BaseToolset):
    """A toolset that knows whether it is open."""

    def __init__(self) -> None:
        super().__init__()
        self.closed = 0

    async def get_tools(self, readonly_context: Any = None) -> list[Any]:
        assert not self.closed, "it was closed while a case needed it"
        return [FunctionTool(count)]

    async def close(self) -> None:
        self.closed += 1


def test_tools_that_cases_share_are_closed_once_and_at_the_end(eval_set: Callable[..., Path]) -> None:
    tools = Tools()
    agent = counting()
    agent.tools = [tools]
    cases = {f"case{n}": [turn("Count.", "1 so far", expected_call("count"))] for n in range(6)}

    result = evaluated(agent, eval_set(**cases), concurrency=3)

    assert result.passed, [case.error for case in result.cases()]
    assert tools.closed == 1


def test_two_agents_of_one_name_are_told(eval_set: Callable[..., Path]) -> None:
    def twin(**options: Any) -> LlmAgent:
        return LlmAgent(name="twin", model=by({}, "hello"), **options)

    root = LlmAgent(
        name="root",
        model=by({}, "hello"),
        sub_agents=[LlmAgent(name="left", model=by({}), sub_agents=[twin()]), twin()],
    )
    path = eval_set(a=[turn("Hi.", "hello")])

    result = evaluated(root, path)

    assert result.passed
    assert any("2 agents are named 'twin'" in warning for warning in result.warnings)
    with pytest.raises(InputError, match="2 agents are named 'twin'"):
        evaluated(root, path, agent_options={"agent": "twin"})
