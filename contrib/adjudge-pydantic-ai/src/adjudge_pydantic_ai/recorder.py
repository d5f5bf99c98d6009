"""Requests and answers of a Pydantic AI model as steps."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import asynccontextmanager
from typing import Any, cast

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel

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


class Watched(WrapperModel):
    """The model of an agent, and what it was told last."""

    def __init__(self, wrapped: Model | str, agent: str) -> None:
        """Watch.

        Args:
            wrapped: The model.
            agent: The name of the agent.
        """
        super().__init__(cast("Model", wrapped))  # or any name of one
        self.details = AgentDetails(name=agent)
        """What the agent is told and can call, once it was asked."""
        self.answers: frozenset[str] = frozenset()
        """The tools that stand for the final output: calls of the framework's own."""
        self.asked: list[tuple[float, float]] = []
        """When it was asked, and when it had answered."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: Any,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Ask it."""
        self._told(messages, model_request_parameters)
        began = time.monotonic()
        try:
            return await super().request(messages, model_settings, model_request_parameters)
        finally:
            self.asked.append((began, time.monotonic()))

    @asynccontextmanager
    async def request_stream(self, *args: Any, **options: Any) -> AsyncGenerator[Any]:
        """Ask it for an answer in pieces."""
        named = ("messages", "model_settings", "model_request_parameters")
        given = {**dict(zip(named, args, strict=False)), **options}
        self._told(given["messages"], given["model_request_parameters"])
        began = time.monotonic()
        try:
            async with super().request_stream(*args, **options) as stream:
                yield stream
        finally:
            self.asked.append((began, time.monotonic()))

    def _told(self, messages: list[ModelMessage], parameters: ModelRequestParameters) -> None:
        self.details = details_of(self.details.name, messages, parameters.function_tools)
        self.answers = frozenset(tool.name for tool in parameters.output_tools)


def details_of(name: str, messages: Iterable[ModelMessage], tools: Iterable[Any]) -> AgentDetails:
    """An agent as criteria see it: its prompts and instructions, and the tools that it is offered."""
    told: dict[str, None] = {}
    for message in messages:
        if isinstance(message, ModelRequest):
            told |= {str(part.content): None for part in message.parts if isinstance(part, SystemPromptPart)}
            told |= {} if message.instructions is None else {message.instructions: None}
    declared: list[JsonObject] = [
        {"name": tool.name, "description": tool.description or "", "parameters": tool.parameters_json_schema}
        for tool in tools
    ]
    return AgentDetails(
        name=name, instructions="\n\n".join(told), tool_declarations=tuple(map(plain_json, declared))
    )


def add_response(turn: TurnSteps, response: ModelResponse, watched: Watched) -> None:
    """A step of what a model answered."""
    turn.agents[watched.details.name] = watched.details
    seconds = watched.asked[-1] if watched.asked else None
    turn.model_seconds += watched.asked
    watched.asked.clear()
    turn.add(
        *(item for part in response.parts for item in _items(part, watched.answers)),
        author=watched.details.name,
        model=response.model_name,
        usage=_usage(response.usage),
        seconds=seconds,
    )


def add_results(
    turn: TurnSteps, parts: Iterable[Any], author: str, answers: frozenset[str], seconds: tuple[float, float]
) -> None:
    """A step of the results that the model of an agent is told, where there are any."""
    results = [
        part
        for part in parts
        # Until 2.0 a failed call was answered by a prompt to try again, as an answer of the wrong shape is.
        if part.part_kind in ("tool-return", "retry-prompt") and part.tool_name not in (None, *answers)
    ]
    if results:
        turn.tool_seconds.append(seconds)
        turn.add(*map(_result, results), author=author, seconds=seconds)


def _result(part: Any) -> ToolResult:
    failed = part.part_kind == "retry-prompt" or getattr(part, "outcome", None) in ("retried", "failed")
    return ToolResult(
        name=part.tool_name,
        value=plain_json([part.content])[0],
        call_id=part.tool_call_id,
        extra={"is_error": True} if failed else None,
    )


def _items(part: Any, answers: frozenset[str]) -> Iterator[Item]:
    # By kind where the classes of one release have other names in the next.
    match part.part_kind:
        case "text":
            yield Text(text=cast("TextPart", part).content)
        case "thinking":
            yield Claim(field="thinking", text=cast("ThinkingPart", part).content)
        case "tool-call" | "builtin-tool-call" if part.tool_name in answers:
            yield Opaque(name=part.tool_name, value=_args(part))
        case "tool-call" | "builtin-tool-call":
            args = _args(part)
            if is_object(args):
                yield ToolCall(name=part.tool_name, id=part.tool_call_id, args=args)
            else:
                yield ToolCall(name=part.tool_name, id=part.tool_call_id, raw_args=str(part.args))
        case "builtin-tool-return":
            yield ToolResult(
                name=part.tool_name, value=plain_json([part.content])[0], call_id=part.tool_call_id
            )
        case kind:
            yield Opaque(name=kind, value=plain_json([part])[0])


def _args(part: Any) -> JsonValue:
    if not isinstance(part.args, str):
        return plain_json(part.args or {})
    try:
        return json.loads(part.args or "{}")
    except (ValueError, RecursionError):
        return part.args


def _usage(usage: Any) -> Usage | None:
    """The tokens of one question; none where the model reports none, for which the framework has zero."""
    if not (usage.input_tokens or usage.output_tokens):
        return None
    details: dict[str, int] = usage.details or {}
    return Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.input_tokens + usage.output_tokens,
        cached_tokens=usage.cache_read_tokens,
        reasoning_tokens=getattr(usage, "output_reasoning_tokens", None) or details.get("reasoning_tokens"),
    )
