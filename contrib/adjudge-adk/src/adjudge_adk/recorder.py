"""Listens to google-adk while an agent runs: requests and answers of its models, and actions of nested agents.

It changes nothing but the number of retries, which ADK's own evaluation sets too.
"""

# ruff: noqa: ARG002 - google-adk calls with these names

from __future__ import annotations

import time
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.events.event import Event
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from adjudge.kit.plain_json import plain_json
from adjudge.kit.turn_steps import union_seconds
from adjudge.model import JsonObject

_RETRIES: Final = types.HttpRetryOptions(
    attempts=7,
    initial_delay=5.0,
    max_delay=120,
    exp_base=2.0,
    http_status_codes=[408, 429, 500, 502, 503, 504],
)
"""Those of google-adk 2.13.0, ``evaluation/_retry_options_utils.py``."""

_TOOL_CALL: Final[ContextVar[str | None]] = ContextVar("adjudge_adk_tool_call", default=None)
"""The id of the call that runs in this context: an agent that is called as a tool runs inside it."""


@dataclass(slots=True)
class ModelCall:
    """One question to a model."""

    request: LlmRequest
    began: float
    ended: float | None = None
    response: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """One event, and the question to a model that it answers."""

    event: JsonObject
    request: LlmRequest | None = None
    response: JsonObject | None = None
    seconds: float | None = None
    """How long the model took."""
    parent_call: str | None = None
    """The call that a nested agent answers with this event on the way."""


@dataclass(slots=True)
class Turn:
    """What happened in one turn so far."""

    moves: list[Move] = field(default_factory=list[Move])
    model: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    tools: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])

    @property
    def model_seconds(self) -> float:
        """Seconds in which at least one model was asked."""
        return union_seconds(self.model)

    @property
    def tool_seconds(self) -> float:
        """Seconds inside tools in which no model was asked: an agent that is a tool asks models of its own."""
        return union_seconds([*self.model, *self.tools]) - union_seconds(self.model)


class Recorder(BasePlugin):
    """A plugin of google-adk, one for each session."""

    def __init__(self) -> None:
        super().__init__(name="adjudge_recorder")
        self.turn = Turn()
        self._asked: dict[tuple[str, str], ModelCall] = {}
        self._answered: dict[tuple[str, str], ModelCall] = {}
        self._running: dict[str, float] = {}
        self._invocation = ""

    def begin(self) -> None:
        """Begin a turn."""
        self.turn = Turn()
        self._invocation = ""
        self._asked.clear()
        self._answered.clear()
        self._running.clear()

    def take(self, event: Event) -> None:
        """An event of the agent itself."""
        self._keep(event, None)

    def _keep(self, event: Event, parent_call: str | None) -> None:
        if event.partial:
            return  # its words come again in the complete event
        call = self._answered.pop((event.invocation_id, event.author), None)
        self.turn.moves.append(
            Move(
                plain_json(event),
                request=None if call is None else call.request,
                response=None if call is None else call.response,
                seconds=None if call is None or call.ended is None else call.ended - call.began,
                parent_call=parent_call,
            )
        )

    # --- what google-adk calls ----------------------------------------------------------

    async def before_run_callback(self, *, invocation_context: InvocationContext) -> types.Content | None:
        """The first run of a turn is that of the agent itself; further ones are of agents that are tools."""
        self._invocation = self._invocation or invocation_context.invocation_id
        return None

    async def on_event_callback(self, *, invocation_context: InvocationContext, event: Event) -> Event | None:
        """Keep the events of nested agents, which nobody else is given."""
        if invocation_context.invocation_id != self._invocation and event.author != "user":
            self._keep(event, _TOOL_CALL.get() or "")
        return None

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Note what a model is about to be asked."""
        config = llm_request.config or types.GenerateContentConfig()
        config.http_options = config.http_options or types.HttpOptions()
        config.http_options.retry_options = config.http_options.retry_options or _RETRIES
        llm_request.config = config
        asked = ModelCall(llm_request, time.monotonic())
        self._asked[callback_context.invocation_id, callback_context.agent_name] = asked
        return None

    async def after_model_callback(
        self, *, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> LlmResponse | None:
        """Note what it answered, before callbacks of the agent change that."""
        key = (callback_context.invocation_id, callback_context.agent_name)
        call = self._asked.get(key)
        if call is not None:
            ended = time.monotonic()
            self.turn.model.append((call.began if call.ended is None else call.ended, ended))
            call.ended = ended
            if not llm_response.partial:
                call.response = plain_json(llm_response)
            self._answered[key] = call
        return None

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Note that a tool begins."""
        _TOOL_CALL.set(tool_context.function_call_id)
        self._running[tool_context.function_call_id or ""] = time.monotonic()
        return None

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Note that it has ended."""
        self._ended(tool_context)
        return None

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: Exception
    ) -> dict[str, Any] | None:
        """Note that it has raised."""
        self._ended(tool_context)
        return None

    def _ended(self, tool_context: ToolContext) -> None:
        began = self._running.pop(tool_context.function_call_id or "", None)
        if began is not None:
            self.turn.tools.append((began, time.monotonic()))
