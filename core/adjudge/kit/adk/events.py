"""The events of one ADK invocation as a turn, as ADK's own evaluation reads them (``EvaluationGenerator``).

Events come from a server's ``/run`` and from the file of a session, in snake_case or camelCase.
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
    """Where it was read from; its step says so."""

    def get(self, name: str) -> Any:
        """A field by its snake_case name, whichever of ADK's two spellings the event has."""
        return _get(self.data, name)

    def move(self) -> JsonObject:
        """What ADK's ``InvocationEvent`` has of it."""
        return {"author": ""} | {name: value for name in _MOVE if (value := self.get(name)) is not None}

    @property
    def parts(self) -> Sequence[JsonObject]:
        """The parts of its content."""
        content = self.get("content")
        parts = content.get("parts") if is_object(content) else None
        return [part for part in parts if is_object(part)] if is_list(parts) else []

    @property
    def is_final(self) -> bool:
        """What ADK's ``Event.is_final_response`` says, of an event with content."""
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
        """Whether it says something to the user: thoughts and white space are no words."""
        return any(
            isinstance(text := _get(part, "text"), str) and text.strip() and not _get(part, "thought")
            for part in self.parts
        )

    def has(self, name: str) -> bool:
        """Whether any of its parts has this field."""
        return any(_get(part, name) is not None for part in self.parts)


def turn_from_adk_events(events: Sequence[AdkEvent], user_content: Content) -> Invocation:
    """The turn: its final response, and every event of an agent that is not partial as a step.

    The final response is the content of the last event that is one, one with words before one without.
    Its step stays, without the words, which would count twice; thoughts are no part of the response.
    Further keys of parts stay in ``extra`` of their items; those of an event or its content are left out.

    Args:
        events: Those of one invocation, in order.
        user_content: What the user said.

    Raises:
        InputError: an event has a field of a wrong type.
    """
    moves = [event for event in events if event.get("author") != "user" and not event.get("partial")]
    finals = [event for event in moves if event.parts and event.is_final]
    final = next((event for event in reversed(finals) if event.has_words), finals[-1] if finals else None)
    findings = Findings(of_a_log=True)
    read = [(event, findings.read(schema.InvocationEvent, event.move(), event.path)) for event in moves]
    findings.raise_problems()
    steps = [
        _step(found, event, findings, number)
        for number, (event, found) in enumerate(read, start=1)
        if found is not None
    ]
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
"""The other spelling of a name. There are as many names as the code has."""


def _get(data: JsonObject, name: str) -> Any:
    return data[name] if name in data else data.get(_camel(name))
