"""Listens to the SDK while an agent runs, by hooks of the run, which change nothing."""

# ruff: noqa: ARG002 - the SDK calls with these names

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from agents import Agent, Handoff, ModelResponse, RunContextWrapper, RunHooks, Tool

from adjudge.kit.plain_json import plain_json
from adjudge.kit.strict_json import is_object
from adjudge.kit.turn_steps import TurnSteps
from adjudge.model import (
    AgentDetails,
    Claim,
    Item,
    JsonObject,
    JsonValue,
    Opaque,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)


class Recorder(RunHooks[Any]):
    """Tells a turn what the agents do. Runs of agents that are tools have no hooks: nothing of them is seen."""

    def __init__(self, turn: TurnSteps, waiting: Mapping[str, tuple[str, str]]) -> None:
        """Listen.

        Args:
            turn: What is told.
            waiting: The ``waiting`` of the turn before.
        """
        self.waiting = dict(waiting)
        """The calls that are not answered yet, by id: the tool, and the agent that called it."""
        self._turn = turn
        self._asked = self._moved = time.monotonic()
        self._began: dict[str, float] = {}
        self._came: dict[str, JsonValue] = {}

    async def on_llm_start(
        self,
        context: RunContextWrapper[Any],
        agent: Agent[Any],
        system_prompt: str | None,
        input_items: list[Any],
    ) -> None:
        """A model is asked: what it is told has the results of the calls before."""
        self.take_results(input_items)
        if agent.name not in self._turn.agents:
            self._turn.agents[agent.name] = await details_of(agent, context, system_prompt)
        self._asked = time.monotonic()

    async def on_llm_end(
        self, context: RunContextWrapper[Any], agent: Agent[Any], response: ModelResponse
    ) -> None:
        """A model has answered."""
        now = self._moved = time.monotonic()
        self._turn.model_seconds.append((self._asked, now))
        items = [item for output in response.output for item in _items(plain_json(output))]
        answered = {item.call_id for item in items if isinstance(item, ToolResult)}
        for item in items:
            if isinstance(item, ToolCall) and item.id is not None and item.id not in answered:
                self.waiting[item.id] = (item.name, agent.name)
        self._turn.add(*items, author=agent.name, usage=_usage(response), seconds=(self._asked, now))

    async def on_tool_start(self, context: RunContextWrapper[Any], agent: Any, tool: Tool) -> None:
        """A tool begins."""
        self._began[_call_id(context)] = time.monotonic()

    async def on_tool_end(
        self, context: RunContextWrapper[Any], agent: Any, tool: Tool, result: object
    ) -> None:
        """A tool has ended."""
        call_id = _call_id(context)
        if (began := self._began.pop(call_id, None)) is not None:
            self._turn.tool_seconds.append((began, time.monotonic()))
        self._came[call_id] = plain_json([result])[0]

    def take_results(self, items: Iterable[Any] = ()) -> None:
        """A step of the results of calls that are waiting.

        Args:
            items: What a model is told, or what a run has made: the answers of calls that no hook is told of, such as
                those of a handover and of a call that the user refused.
        """
        told = {item.get("call_id"): item.get("output") for item in items if is_object(item)}
        found = {
            call_id: self._came.get(call_id, told.get(call_id))
            for call_id in self.waiting
            if call_id in self._came or told.get(call_id) is not None
        }
        if found:
            now = time.monotonic()
            called = {call_id: self.waiting.pop(call_id) for call_id in found}
            for agent in dict.fromkeys(agent for _, agent in called.values()):
                results = [
                    ToolResult(name=name, value=plain_json([found[call_id]])[0], call_id=call_id)
                    for call_id, (name, caller) in called.items()
                    if caller == agent
                ]
                self._turn.add(*results, author=agent, seconds=(self._moved, now))
            self._came.clear()


async def details_of(
    agent: Agent[Any], context: RunContextWrapper[Any], instructions: str | None
) -> AgentDetails:
    """An agent as criteria see it: its instructions, its tools, and the agents that it can hand over to."""
    tools = await agent.get_all_tools(context)
    handoffs = (_handoff(each) for each in agent.handoffs)
    return AgentDetails(
        name=agent.name,
        instructions=instructions or "",
        tool_declarations=(*map(_declaration, tools), *handoffs),
    )


def _declaration(tool: Tool) -> JsonObject:
    found: JsonObject = {"name": tool.name, "description": getattr(tool, "description", "")}
    schema = getattr(tool, "params_json_schema", None)
    return found if schema is None else {**found, "parameters": plain_json(schema)}


def _handoff(to: Agent[Any] | Handoff[Any, Any]) -> JsonObject:
    if isinstance(to, Handoff):
        schema: JsonObject = {"parameters": plain_json(to.input_json_schema)} if to.input_json_schema else {}
        return {"name": to.tool_name, "description": to.tool_description, **schema}
    return {"name": Handoff.default_tool_name(to), "description": Handoff.default_tool_description(to)}


def _items(output: JsonObject) -> Iterator[Item]:
    """What one output of a model is, in the shapes of OpenAI's Responses API."""
    kind = str(output.get("type"))
    if kind == "message":
        for part in output.get("content") or ():
            yield Text(text=part.get("text") or part.get("refusal") or "")
    elif kind == "reasoning":
        texts = [
            part.get("text", "") for part in (*(output.get("summary") or ()), *(output.get("content") or ()))
        ]
        if texts:
            yield Claim(field="thinking", text="\n".join(texts))
    elif kind.endswith("_call"):
        yield from _call(output, kind)
    else:
        yield Opaque(name=kind, value=output)


def _call(output: JsonObject, kind: str) -> Iterator[Item]:
    """A call of a function, or of a tool of the provider's own, which has its result beside it."""
    name = output.get("name") or kind.removesuffix("_call")
    call_id = output.get("call_id") or output.get("id")
    written = output.get("arguments")
    if written is None:
        known = ("type", "id", "call_id", "name", "status", "output", "results")
        args = {key: value for key, value in output.items() if key not in known}
        yield ToolCall(name=name, args=args, id=call_id)
    else:
        yield _function(name, call_id, written)
    if output.get("output", output.get("results")) is not None:
        yield ToolResult(name=name, value=output.get("output", output.get("results")), call_id=call_id)


def _function(name: str, call_id: str | None, written: str) -> ToolCall:
    try:
        args: Any = json.loads(written or "{}")
    except (ValueError, RecursionError):
        args = None
    if isinstance(args, dict):
        return ToolCall(name=name, args=cast("JsonObject", args), id=call_id)
    return ToolCall(name=name, raw_args=written, id=call_id)


def _usage(response: ModelResponse) -> Usage | None:
    """The tokens of one question; none where the model reports none, for which the SDK has zero."""
    usage = response.usage
    if not (usage.input_tokens or usage.output_tokens or usage.total_tokens):
        return None
    return Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.total_tokens,
        cached_tokens=usage.input_tokens_details.cached_tokens,
        reasoning_tokens=usage.output_tokens_details.reasoning_tokens,
    )


def _call_id(context: RunContextWrapper[Any]) -> str:
    return getattr(context, "tool_call_id", "")
