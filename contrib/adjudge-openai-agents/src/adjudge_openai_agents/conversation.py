"""One case with an agent of the SDK, and the adapter that starts it."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AsyncExitStack
from importlib import metadata
from typing import Any

from agents import Agent, AgentsException, Handoff, MaxTurnsExceeded, RunContextWrapper, Runner, RunState
from agents.run import DEFAULT_MAX_TURNS

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
from adjudge.model import AppDetails, Blob, Content, Item, JsonObject, Text
from adjudge.plugin import AgentAdapter, AgentError, Host, SessionRequest
from adjudge_openai_agents import OpenAIAgentConfig, is_openai_agent
from adjudge_openai_agents.recorder import Recorder, details_of


def openai_agent(config: OpenAIAgentConfig, host: Host) -> AgentAdapter:
    """The adapter for an agent.

    Raises:
        InputError: there is no such agent.
    """
    source = agent_source(config.target, host, "an agent of the OpenAI Agents SDK", is_openai_agent)
    contexts = case_context(config.context, host)

    async def converse(request: SessionRequest, stack: AsyncExitStack) -> FrameworkConversation:
        agent = await source.agent(stack)
        return _Conversation(agent, contexts(request), config)

    async def describe(stack: AsyncExitStack) -> AppDetails:
        found = [
            await details_of(
                agent,
                RunContextWrapper(context=None),
                agent.instructions if isinstance(agent.instructions, str) else None,
            )
            for agent in _reachable(await source.agent(stack), {})
        ]
        return AppDetails(agent_details={agent.name: agent for agent in found})

    version = {"openai_agents": metadata.version("openai-agents")}
    return FrameworkAgent("openai agent", source.loop, converse, describe, version)


class _Conversation:
    def __init__(self, agent: Agent[Any], context: object, config: OpenAIAgentConfig) -> None:
        self._agent = agent
        self._context = context
        self._turns = DEFAULT_MAX_TURNS if config.max_turns is None else config.max_turns
        self._streams = config.stream
        self._history: list[Any] = []
        self._paused: RunState[Any] | None = None
        self._waiting: dict[str, tuple[str, str]] = {}

    async def say(self, said: Content, turn: TurnSteps) -> None:
        recorder = Recorder(turn, self._waiting)
        try:
            given, context = self._input(said)
            result = await self._ran(given, max_turns=self._turns, hooks=recorder, **context)
        except AgentsException as error:
            made = [] if error.run_data is None else error.run_data.new_items
            recorder.take_results(item.to_input_item() for item in made)
            if isinstance(error, MaxTurnsExceeded):
                raise AgentError(str(error), code="turn_limit") from error
            if (tripped := _tripped(error)) is not None:
                raise AgentError(tripped, code="agent_raised") from error
            raise
        except BaseException:
            recorder.take_results()
            raise
        items = result.to_input_list()
        recorder.take_results(items)
        self._waiting = recorder.waiting
        self._history, self._agent = items, result.last_agent
        if result.interruptions:
            self._paused = result.to_state()
            calls = [{"name": item.name, "arguments": item.arguments} for item in result.interruptions]
            asked = " and ".join(f"{call['name']}({call['arguments']})" for call in calls)
            turn.answer(f"May I call {asked}?", asks=calls)
        else:
            turn.answer(answer_text(result.final_output))

    async def _ran(self, given: Any, **options: Any) -> Any:
        if not self._streams:
            return await Runner.run(self._agent, given, **options)
        result = Runner.run_streamed(self._agent, given, **options)
        try:
            async for _ in result.stream_events():
                pass
        except BaseException:
            result.cancel()
            raise
        return result

    def _input(self, said: Content) -> tuple[Any, JsonObject]:
        paused, self._paused = self._paused, None
        if paused is None:
            told = {"role": "user", "content": [_part(item) for item in said.items]}
            return [*self._history, told], {"context": self._context}
        for item in paused.get_interruptions():
            if approved(said):
                paused.approve(item)
            else:
                paused.reject(item)
        return paused, {}  # it has a context already

    @property
    def state(self) -> JsonObject | None:
        return shown_state(self._context)


def _tripped(error: AgentsException) -> str | None:
    """Which guardrail stopped the run, and why; the SDK's message says neither."""
    found = getattr(error, "guardrail_result", error)  # guardrails of tools are those of the error itself
    guardrail = getattr(found, "guardrail", None)
    if guardrail is None:
        return None
    info = getattr(getattr(found, "output", None), "output_info", None)
    why = "" if info is None else f": {answer_text(info)}"
    return f"{type(error).__name__}: guardrail {guardrail.get_name()!r}{why}"


def _part(item: Item) -> JsonObject:
    match item:
        case Text():
            return {"type": "input_text", "text": item.text}
        case Blob():
            address = item.uri or f"data:{item.mime_type or 'application/octet-stream'};base64,{item.data}"
            if (item.mime_type or "").startswith("image/"):
                return {"type": "input_image", "image_url": address, "detail": "auto"}
            return {"type": "input_file", "file_url" if item.uri else "file_data": address}
        case _:
            what = f"the user's message has a part ({type(item).__name__}) that the SDK does not take"
            raise AgentError(what, code="unsupported_content")


def _reachable(agent: Agent[Any], seen: dict[int, Agent[Any]]) -> Iterable[Agent[Any]]:
    """An agent and all that it can hand over to; a ``Handoff`` does not say to which agent before it is made."""
    if id(agent) not in seen:
        seen[id(agent)] = agent
        for each in agent.handoffs:
            if not isinstance(each, Handoff):
                _reachable(each, seen)
    return seen.values()
