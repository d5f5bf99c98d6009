"""An invocation: one turn. Expected and actual turns have the same class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from adjudge.model.base import Frozen, JsonObject, JsonValue
from adjudge.model.items import Content, ToolCall, ToolResult
from adjudge.model.step import Step

if TYPE_CHECKING:
    from adjudge.model.adk_view import IntermediateDataView, InvocationEventsView

InvocationForm: TypeAlias = Literal["intermediate_data", "invocation_events"]
"""The ADK form in which the steps of a turn were written."""


class Rubric(Frozen):
    """A property that a judge decides with yes or no (ADK ``Rubric``)."""

    rubric_id: str
    text: str | None = None
    """The property (``rubric_content.text_property`` in an ADK file)."""
    description: str | None = None
    type: str | None = None
    """``FINAL_RESPONSE_QUALITY``, ``TOOL_USE_QUALITY`` or ``TRAJECTORY_QUALITY``; ``None``: it applies to all."""


class AgentDetails(Frozen):
    """Instructions and tools of one agent of the application."""

    name: str
    instructions: str = ""
    tool_declarations: tuple[JsonValue, ...] = ()


class AppDetails(Frozen):
    """The agents of an application, by name (ADK ``AppDetails``)."""

    agent_details: dict[str, AgentDetails] = {}


class Invocation(Frozen):
    """One turn: the user's message, the agent's steps, and its final response."""

    invocation_id: str = ""
    user_content: Content
    steps: tuple[Step, ...] = ()
    final_response: Content | None = None
    form: InvocationForm | None = None
    """The form of ``intermediate_data`` in an ADK file; ``None`` if the file has none."""
    empty_lists: tuple[str, ...] = ()
    """The keys of ``intermediate_data`` that have an empty list in the file, so that saving writes them again."""
    creation_timestamp: float = 0.0
    duration: float | None = None
    """Seconds from the user's message to the final response."""
    model_duration: float | None = None
    tool_duration: float | None = None
    rubrics: tuple[Rubric, ...] | None = None
    app_details: AppDetails | None = None
    extra: JsonObject | None = None

    @property
    def own_steps(self) -> tuple[Step, ...]:
        """The steps without those of agents that were called as tools, as in ADK's trajectory."""
        return tuple(step for step in self.steps if step.parent_call_id is None)

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """All tool calls in the turn's own steps, in order."""
        return tuple(call for step in self.own_steps for call in step.calls)

    @property
    def tool_results(self) -> tuple[ToolResult, ...]:
        """All tool results in the turn's own steps, in order."""
        return tuple(result for step in self.own_steps for result in step.results)

    @property
    def intermediate_texts(self) -> tuple[tuple[str | None, str], ...]:
        """``(author, text)`` of all own steps with a text, in order; without the final response."""
        return tuple((step.author, step.text) for step in self.own_steps if step.text)

    @property
    def intermediate_data(self) -> IntermediateDataView | InvocationEventsView | None:
        """The steps in the form of ADK's ``Invocation``, for metric functions written for ADK."""
        from adjudge.model.adk_view import intermediate_view

        return intermediate_view(self)
