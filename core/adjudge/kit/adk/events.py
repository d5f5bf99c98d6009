"""Converts the events of one ADK invocation to a turn, like ADK's own evaluation (``EvaluationGenerator``).

Events are from the ``/run`` endpoint of a server or from a session file, in snake_case or camelCase.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from pydantic.alias_generators import to_camel

from adjudge.adk import schema
from adjudge.adk.invocation import step_of
from adjudge.adk.validation import Findings, is_list, is_object
from adjudge.model.base import JsonObject
from adjudge.model.invocation import Invocation
from adjudge.model.items import Claim, Content, ErrorItem, ToolCall, ToolResult
from adjudge.model.step import Step

_MOVE: Final = ("author", "content", "usage_metadata", "model_version", "grounding_metadata")
_NOT_WORDS: Final = (Claim, ToolCall, ToolResult, ErrorItem)


@dataclass(frozen=True, slots=True)
class AdkEvent:
    """One event (google-adk ``Event``)."""

    data: JsonObject
    path: str = "$"
    """Its JSON path, which becomes the ``source_ref`` of its step."""

    def get(self, name: str) -> Any:
        """A field by its snake_case name, in either spelling of ADK."""
        data = self.data
        return data[name] if name in data else data.get(_camel(name))

    def move(self) -> JsonObject:
        """The fields of ADK's ``InvocationEvent``."""
        found: JsonObject = {"author": ""}
        for name in _MOVE:
            if (value := self.get(name)) is not None:
                found[name] = value
        return found

    @property
    def parts(self) -> Sequence[JsonObject]:
        """The parts of its content."""
        content = self.get("content")
        parts = content.get("parts") if is_object(content) else None
        return [part for part in parts if is_object(part)] if is_list(parts) else []

    @property
    def is_final(self) -> bool:
        """The value of ADK's ``Event.is_final_response`` for an event with content."""
        actions = self.get("actions")
        skips = is_object(actions) and _get(actions, "skip_summarization")
        if skips or self.get("long_running_tool_ids"):
            return True
        if self.get("error_code") and not self.has("function_call"):
            return True
        return not (
            self.has("function_call")
            or self.has("function_response")
            or _get(self.parts[-1], "code_execution_result")
        )

    @property
    def has_words(self) -> bool:
        """Whether the event has a non-blank text that is not a thought."""
        return any(
            isinstance(text := _get(part, "text"), str) and text.strip() and not _get(part, "thought")
            for part in self.parts
        )

    def has(self, name: str) -> bool:
        """Whether a part of the event has this field."""
        return any(_get(part, name) is not None for part in self.parts)


def turn_from_adk_events(events: Sequence[AdkEvent], user_content: Content) -> Invocation:
    """Convert the events of an invocation: non-partial events of agents become steps.

    The final response is the content of the last final event with text, or else of the last final event. Its step stays
    without the text, which would otherwise count twice. Thoughts are not part of the response. Unknown keys of parts
    are stored in ``extra`` of their items; those of an event or its content are left out.

    Args:
        events: The events of one invocation, in order.
        user_content: The user's message.

    Raises:
        InputError: an event has a field of a wrong type.
    """
    moves = [event for event in events if event.get("author") != "user" and not event.get("partial")]
    finals = [event for event in moves if event.parts and event.is_final]
    final = next((event for event in reversed(finals) if event.has_words), finals[-1] if finals else None)
    findings = Findings(of_a_log=True)
    steps: list[Step] = []
    for event in moves:  # a turn may be a whole log: free the memory of each event before the next
        found = findings.read(schema.InvocationEvent, event.move(), event.path)
        if found is not None:
            steps.append(_step(found, event, findings, len(steps) + 1))
    findings.raise_problems()
    answer: Content | None = None
    if final is not None:
        place = moves.index(final)
        said = steps[place]
        words = tuple(item for item in said.items if not isinstance(item, (Claim, ErrorItem)))
        answer = Content(role=said.role, items=words)
        if not final.has("function_call"):
            rest = tuple(item for item in said.items if isinstance(item, _NOT_WORDS))
            steps[place] = said.model_copy(update={"items": rest})
    return Invocation(
        invocation_id=next((str(event.get("invocation_id") or "") for event in moves), ""),
        user_content=user_content,
        steps=tuple(steps),
        final_response=answer,
        form="invocation_events",
    )


def _step(found: schema.InvocationEvent, event: AdkEvent, findings: Findings, number: int) -> Step:
    step = step_of(found, event.path, findings, number)
    code = event.get("error_code")
    if not code:
        return step
    message = event.get("error_message")
    error = ErrorItem(message=str(message or code), code=str(code))
    return step.model_copy(update={"items": (*step.items, error)})


_camel = cache(to_camel)
"""The camelCase spelling of a name. The cache is bounded by the number of names in the code."""


def _get(data: JsonObject, name: str) -> Any:
    return data[name] if name in data else data.get(_camel(name))
