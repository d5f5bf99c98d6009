"""Listens to LangGraph while a graph runs, by callbacks of LangChain, which change nothing."""

# ruff: noqa: ARG002 - LangChain calls with these names

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import LLMResult
from langgraph.errors import GraphBubbleUp
from langgraph.types import Command

from adjudge.kit.plain_json import plain_json
from adjudge.kit.strict_json import is_object
from adjudge.kit.turn_steps import TurnSteps
from adjudge.model import AgentDetails, Claim, Item, JsonObject, Opaque, Text, ToolCall, ToolResult, Usage

_OF_PREBUILT: Final = frozenset({"agent", "model"})
"""What the node is called that asks the model in an agent of LangGraph's or LangChain's own."""


_UNNAMED: Final = "LangGraph"
"""What a graph is called to which nobody gave a name."""


class Call(NamedTuple):
    """A call of a tool."""

    name: str
    author: str | None
    """The agent or node that called."""
    place: str | None
    """The id of the call in which it was called, by an agent or another tool."""


class Recorder(BaseCallbackHandler):
    """Tells a turn what models and tools do, wherever in the graph, in its subgraphs and in its tools."""

    run_inline = True
    raise_error = True

    def __init__(self, turn: TurnSteps, graph: str, waiting: Mapping[str, Call]) -> None:
        """Listen.

        Args:
            turn: What is told.
            graph: The name of the graph.
            waiting: The ``waiting`` of the turn before, if the graph goes on where it stopped.
        """
        self.waiting = dict(waiting)
        """The calls without a result, by id."""
        self._turn = turn
        self._graph = graph
        self._lock = threading.RLock()  # nodes that are not asynchronous run in threads
        self._parents: dict[UUID, UUID | None] = {}
        self._names: dict[UUID, str] = {}
        self._began: dict[UUID, float] = {}
        self._authors: dict[UUID, str] = {}
        self._told = set(waiting)
        """The ids of all calls that are in a step."""
        self._tools: dict[UUID, tuple[str, Call]] = {}
        self._came: list[tuple[ToolResult, Call]] = []
        self._moved = time.monotonic()

    def on_chain_start(
        self, serialized: Any, inputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        """A part of the graph begins: it may be that of a tool."""
        self._parents[run_id] = parent_run_id
        self._names[run_id] = str(kwargs.get("name"))

    def on_chat_model_start(
        self,
        serialized: Any,
        messages: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """A model is asked."""
        with self._lock:
            self.hear(messages[0])
            self.take_results()
            self._parents[run_id] = parent_run_id
            author = self._authors[run_id] = self._author(parent_run_id, metadata or {})
            told = [_text(message) for message in messages[0] if message.type == "system"]
            asked: JsonObject = kwargs.get("invocation_params") or {}
            declared: list[Any] = list(asked.get("tools") or ())
            self._turn.agents[author] = AgentDetails(
                name=author,
                instructions="\n\n".join(told),
                tool_declarations=tuple(plain_json(declared)),
            )
            self._began[run_id] = time.monotonic()

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """A model has answered."""
        with self._lock:
            message = getattr(response.generations[0][0], "message", None)
            if run_id not in self._began or not isinstance(message, AIMessage):
                return
            seconds = (self._began.pop(run_id), time.monotonic())
            self._moved = seconds[1]
            self._turn.model_seconds.append(seconds)
            told = message.response_metadata
            outer = self._around(run_id)
            place = None if outer is None else outer[0]
            author = self._authors.get(run_id)
            for call in message.tool_calls:
                self.waiting[call["id"] or ""] = Call(call["name"], author, place)
            self._told.update(self.waiting)
            self._turn.add(
                *_items(message),
                author=author,
                model=told.get("model_name") or told.get("model"),
                usage=_usage(message.usage_metadata),
                seconds=seconds,
                parent_call_id=place,
            )

    def on_tool_start(
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        inputs: Any = None,
        **kwargs: Any,
    ) -> None:
        """A tool begins: because a model called it, or a node or another tool."""
        with self._lock:
            self._parents[run_id] = parent_run_id
            began = self._began[run_id] = time.monotonic()
            name = serialized.get("name") or ""
            call_id = kwargs.get("tool_call_id") or f"{name}-{len(self._told) + 1}"
            outer = self._around(run_id)
            author = self._author(parent_run_id, metadata or {}) if outer is None else outer[1].author
            call = self.waiting.setdefault(call_id, Call(name, author, None if outer is None else outer[0]))
            self._tools[run_id] = (call_id, call)
            if call_id not in self._told:
                self._told.add(call_id)
                self.take_results()
                args: JsonObject = plain_json(inputs) if is_object(inputs) else {"input": input_str}
                self._turn.add(
                    ToolCall(name=call.name, args=args, id=call_id),
                    author=call.author,
                    seconds=(self._moved, began),
                    parent_call_id=call.place,
                )
                self._moved = began

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """A tool has ended."""
        with self._lock:
            call_id, call = self._ended(run_id)
            message = _message(output, call_id)
            if message is None:
                result = ToolResult(name=call.name, value=plain_json([output])[0], call_id=call_id)
            else:
                result = _result(message, call.name, call_id)
            self._came_in(result, call)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """A tool has raised; or it asks the user something, and begins again with the answer."""
        with self._lock:
            call_id, call = self._ended(run_id)
            if not isinstance(error, GraphBubbleUp):
                value = f"{type(error).__name__}: {error}"
                result = ToolResult(name=call.name, value=value, call_id=call_id, extra={"is_error": True})
                self._came_in(result, call)

    def hear(self, messages: Iterable[Any]) -> None:
        """The messages of the graph: they answer calls too that no tool was asked for, as of a tool that is not there."""
        answers: dict[str, ToolMessage] = {}
        for message in messages:
            if isinstance(message, ToolMessage):
                answers[message.tool_call_id] = message
            elif isinstance(message, AIMessage):
                for asked in message.tool_calls:  # not answered by what a call of the same id had before
                    answers.pop(asked["id"] or "", None)
        with self._lock:
            for call_id, message in answers.items():
                if call_id in self.waiting:
                    call = self.waiting[call_id]
                    self._came_in(_result(message, call.name, call_id), call)

    def take_results(self) -> None:
        """A step of the results since the step before, one for each caller."""
        with self._lock:
            seconds = (self._moved, time.monotonic())
            for author, place in dict.fromkeys((call.author, call.place) for _, call in self._came):
                results = [
                    result for result, call in self._came if (call.author, call.place) == (author, place)
                ]
                self._turn.add(*results, author=author, seconds=seconds, parent_call_id=place)
            self._came.clear()

    def _came_in(self, result: ToolResult, call: Call) -> None:
        self.waiting.pop(result.call_id or "", None)
        self._came.append((result, call))

    def _ended(self, run_id: UUID) -> tuple[str, Call]:
        self._turn.tool_seconds.append((self._began.pop(run_id), time.monotonic()))
        return self._tools[run_id]

    def _around(self, run_id: UUID) -> tuple[str, Call] | None:
        """The call of the tool in which something runs, with its id."""
        above = self._parents.get(run_id)
        while above is not None:
            if above in self._tools:
                return self._tools[above]
            above = self._parents.get(above)
        return None

    def _author(self, above: UUID | None, metadata: Mapping[str, Any]) -> str:
        """The agent that a model answers for: where its node has the name that such nodes have, the graph around it."""
        if (named := metadata.get("lc_agent_name")) is not None:
            return str(named)
        path = str(metadata.get("langgraph_checkpoint_ns", "")).split("|")
        *outer, node = [part.partition(":")[0] for part in path]
        if node and node not in _OF_PREBUILT:
            return node
        while above is not None and self._names.get(above) != node:
            above = self._parents.get(above)
        graph = None if above is None else self._names.get(self._parents.get(above) or above)
        if graph in (None, node, _UNNAMED):
            return outer[-1] if outer else self._graph
        return graph


def _message(output: Any, call_id: str | None) -> ToolMessage | None:
    """The message that a tool answers with, in a command too, which says where the graph goes on."""
    if isinstance(output, Command):
        update: Any = output.update
        told: list[Any] = (update.get("messages") or []) if is_object(update) else []
        found = [each for each in told if isinstance(each, ToolMessage) and each.tool_call_id == call_id]
        return found[-1] if found else None
    return output if isinstance(output, ToolMessage) else None


def _result(message: ToolMessage, name: str, call_id: str) -> ToolResult:
    failed = message.status == "error"
    return ToolResult(
        name=name,
        value=plain_json([message.content])[0],
        call_id=call_id,
        extra={"is_error": True} if failed else None,
    )


def _items(message: AIMessage) -> Iterator[Item]:
    if isinstance(thought := message.additional_kwargs.get("reasoning_content"), str):
        yield Claim(field="thinking", text=thought)
    blocks: Any = message.content
    for block in [{"type": "text", "text": blocks}] if isinstance(blocks, str) else blocks:
        yield from _block({"type": "text", "text": block} if isinstance(block, str) else plain_json(block))
    for call in message.tool_calls:
        yield ToolCall(name=call["name"], args=plain_json(call["args"]), id=call["id"])
    for broken in message.invalid_tool_calls:
        yield ToolCall(name=broken["name"] or "", raw_args=broken["args"], id=broken["id"])


def _block(block: JsonObject) -> Iterator[Item]:
    match block.get("type"):
        case "text":
            if block.get("text"):
                yield Text(text=block["text"])
        case "thinking" | "reasoning":
            text = block.get("thinking") or block.get("reasoning") or block.get("text")
            parts = block.get("summary") or ()
            yield Claim(field="thinking", text=text or "\n".join(part.get("text", "") for part in parts))
        case "tool_use" | "tool_call" | "function_call" | "input_json_delta":
            pass  # stands among the calls of the message
        case kind:
            yield Opaque(name=str(kind), value=block)


def _text(message: Any) -> str:
    content = message.content
    if isinstance(content, str):
        return content
    return "\n".join(block if isinstance(block, str) else block.get("text", "") for block in content)


def _usage(found: Any) -> Usage | None:
    if not found:
        return None
    return Usage(
        input_tokens=found.get("input_tokens"),
        output_tokens=found.get("output_tokens"),
        total_tokens=found.get("total_tokens"),
        cached_tokens=plain_json(found.get("input_token_details") or {}).get("cache_read"),
        reasoning_tokens=plain_json(found.get("output_token_details") or {}).get("reasoning"),
    )
