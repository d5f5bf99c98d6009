"""One case with an agent of Pydantic AI, and the adapter that starts it."""

from __future__ import annotations

import base64
import time
from contextlib import AsyncExitStack, suppress
from importlib import metadata
from typing import Any

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolDenied, UsageLimitExceeded
from pydantic_ai.messages import (
    BinaryContent,
    DocumentUrl,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import UsageLimits

from adjudge.kit.framework_agent import (
    FrameworkAgent,
    FrameworkConversation,
    agent_source,
    answer_text,
    approved,
    case_context,
    shown_state,
)
from adjudge.kit.turn_steps import TurnSteps
from adjudge.model import AgentDetails, AppDetails, Blob, Content, Item, JsonObject, Text
from adjudge.plugin import AgentAdapter, AgentError, Host, SessionRequest
from adjudge_pydantic_ai import PydanticAIConfig, is_pydantic_agent
from adjudge_pydantic_ai.recorder import Watched, add_response, add_results, details_of


def pydantic_agent(config: PydanticAIConfig, host: Host) -> AgentAdapter:
    """The adapter for an agent.

    Raises:
        InputError: there is no such agent.
    """
    source = agent_source(config.target, host, "an agent of Pydantic AI", is_pydantic_agent)
    contexts = case_context(config.deps, host)

    async def converse(request: SessionRequest, stack: AsyncExitStack) -> FrameworkConversation:
        agent = await source.agent(stack)
        return _Conversation(agent, contexts(request), config)

    async def describe(stack: AsyncExitStack) -> AppDetails:
        found = await _described(await source.agent(stack))
        return AppDetails(agent_details={found.name: found})

    version = {"pydantic_ai": metadata.version("pydantic-ai-slim")}
    return FrameworkAgent("pydantic ai agent", source.loop, converse, describe, version)


class _Conversation:
    def __init__(self, agent: Agent[Any, Any], deps: object, config: PydanticAIConfig) -> None:
        self._agent = agent
        self._deps = deps
        self._limits = (
            None if config.request_limit is None else UsageLimits(request_limit=config.request_limit)
        )
        self._streams = config.stream
        self._history: list[ModelMessage] = []
        self._asks: DeferredToolRequests | None = None

    async def say(self, said: Content, turn: TurnSteps) -> None:
        try:
            output = await self._ran(self._input(said), turn)
        except UsageLimitExceeded as error:
            raise AgentError(str(error), code="turn_limit") from error
        if isinstance(output, DeferredToolRequests):
            self._asks = output
            calls = [
                {"name": call.tool_name, "arguments": call.args_as_dict()}
                for call in (*output.approvals, *output.calls)
            ]
            asked = " and ".join(f"{call['name']}({answer_text(call['arguments'])})" for call in calls)
            turn.answer(f"May I call {asked}?", asks=calls)
        else:
            turn.answer(answer_text(output))

    async def _ran(self, given: JsonObject, turn: TurnSteps) -> Any:
        # An agent without a model says so itself.
        model, name = self._agent.model, _name(self._agent)
        watched = Watched(model, name) if model is not None else None
        run = self._agent.iter(
            message_history=self._history,
            deps=self._deps,
            usage_limits=self._limits,
            model=watched,
            **given,
        )
        began = time.monotonic()
        # After a deferred call the first answer is the one of the turn before.
        is_asked = False
        answers = frozenset[str]()
        async with run as steps:
            async for node in steps:
                answers = answers if watched is None else watched.answers
                if Agent.is_model_request_node(node):
                    is_asked = True
                    add_results(turn, node.request.parts, name, answers, (began, time.monotonic()))
                    if self._streams:
                        async with node.stream(steps.ctx) as pieces:
                            async for _ in pieces:
                                pass
                elif Agent.is_call_tools_node(node) and watched is not None:
                    if is_asked:
                        add_response(turn, node.model_response, watched)
                    began = time.monotonic()
            if steps.result is None:
                return ""
            self._history = steps.result.all_messages()
            if isinstance(last := self._history[-1], ModelRequest):
                # No model is told these results: the run ended with the output, or with a deferred call beside them.
                add_results(turn, last.parts, name, answers, (began, time.monotonic()))
            return steps.result.output

    def _input(self, said: Content) -> JsonObject:
        asks, self._asks = self._asks, None
        if asks is None:
            parts = [_part(item) for item in said.items]
            return {"user_prompt": parts if len(parts) > 1 or not said.text else said.text}
        decision = True if approved(said) else ToolDenied(said.text)
        answers = DeferredToolResults(
            approvals={call.tool_call_id: decision for call in asks.approvals},
            calls={call.tool_call_id: said.text for call in asks.calls},
        )
        return {"deferred_tool_results": answers}

    @property
    def state(self) -> JsonObject | None:
        return shown_state(self._deps)


class _SeenError(Exception):
    """Enough was seen: no model is asked."""


async def _described(agent: Agent[Any, Any]) -> AgentDetails:
    """What a model would be told first. Instructions that need the dependencies of a case are left out."""
    found = AgentDetails(name=_name(agent))

    def ask(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        nonlocal found
        found = details_of(found.name, messages, info.function_tools)
        raise _SeenError

    with suppress(Exception):
        await agent.run("", model=FunctionModel(ask), deps={})
    return found


def _name(agent: Agent[Any, Any]) -> str:
    return agent.name or "agent"


def _part(item: Item) -> Any:
    match item:
        case Text():
            return item.text
        case Blob(uri=str(uri)):
            return ImageUrl(uri) if (item.mime_type or "").startswith("image/") else DocumentUrl(uri)
        case Blob(data=str(data)):
            return BinaryContent(
                data=base64.b64decode(data), media_type=item.mime_type or "application/octet-stream"
            )
        case _:
            what = f"the user's message has a part ({type(item).__name__}) that Pydantic AI does not take"
            raise AgentError(what, code="unsupported_content")
