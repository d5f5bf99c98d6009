"""Events of OpenHands' application (``openhands.events``, 0.x): actions, and observations with the id of their cause."""

from __future__ import annotations

from typing import Any, Final

from adjudge.kit import logs
from adjudge.kit.openai import arguments_of, usage_from_openai
from adjudge.model import (
    Claim,
    ErrorItem,
    Item,
    JsonObject,
    Observation,
    Step,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)
from adjudge_plugins.readers.dialogue import AGENT, Dialogue

_BOOKKEEPING: Final = frozenset(
    {
        "null",
        "change_agent_state",
        "agent_state_changed",
        "start",
        "pause",
        "resume",
        "recall",
        "condensation_request",
    }
)
_WORDS: Final = ("final_thought", "thought")
_ABOUT_THE_CALL: Final = frozenset(
    {
        "thought",
        "final_thought",
        "hidden",
        "confirmation_state",
        "security_risk",
        "translated_ipython_code",
        "blocking",
    }
)
"""Arguments of an action that the model did not write."""


class Events:
    """Passes the events of a run to its dialogue."""

    def __init__(self, dialogue: Dialogue, losses: logs.Losses) -> None:
        """Start with no events."""
        self._dialogue = dialogue
        self._losses = losses
        self._answers: set[str] = set()
        self._calls: dict[str, str] = {}
        self.tools: list[Any] = []
        """The declared tools."""

    def take(self, event: JsonObject, place: logs.Place) -> None:
        """Add the next event."""
        at = logs.moment_of(event.get("timestamp"))
        if "observation" in event:
            self._observation(event, place, at)
        elif "action" in event:
            self._action(event, place, at)
        else:
            self._losses.add("events that are neither an action nor an observation")

    def _action(self, event: JsonObject, place: logs.Place, at: float | None) -> None:
        kind, args = logs.text_of(event["action"]), logs.object_of(event.get("args"))
        metadata = logs.object_of(event.get("tool_call_metadata"))
        words = logs.text_of(args.get("content")) or logs.text_of(event.get("message"))
        if kind == "system":
            self.tools += logs.list_of(args.get("tools"))
            self._say("system", [Text(text=words)], place, at)
        elif kind == "message" and event.get("source") == "user":
            self._say("user", [Text(text=words)], place, at)
        elif kind == "condensation":
            self._condensed(args, place, at)
        elif kind in _BOOKKEEPING:
            if not (kind == "recall" and event.get("source") == "user"):
                self._losses.add(f"actions {kind!r}")
        else:
            self._acted(kind, event, args, metadata, place, at)

    def _acted(
        self,
        kind: str,
        event: JsonObject,
        args: JsonObject,
        metadata: JsonObject,
        place: logs.Place,
        at: float | None,
    ) -> None:
        items: list[Item] = []
        thought = logs.text_of(args.get("thought"))
        if kind == "message":
            items.append(Text(text=logs.text_of(args.get("content")) or logs.text_of(event.get("message"))))
        else:
            if thought and kind != "finish":
                items.append(Claim(text=thought))
            items.append(self._call(kind, event, args, metadata))
        if kind == "finish":
            said = next((text for key in _WORDS if (text := logs.text_of(args.get(key)))), "")
            items.append(Text(text=said or logs.text_of(event.get("message"))))
        response = logs.object_of(metadata.get("model_response"))
        model = response.get("model")
        step = Step(
            number=1,
            items=tuple(items),
            role=AGENT,
            source_ref=str(place),
            started_at=at,
            model=model if isinstance(model, str) else None,
            usage=self._usage(response),
        )
        self._dialogue.take(logs.step_without_blobs(step, self._losses))

    def _call(self, kind: str, event: JsonObject, args: JsonObject, metadata: JsonObject) -> ToolCall:
        """The call as the model wrote it, if the event has that; else a call made from the action."""
        call_id = logs.text_of(metadata.get("tool_call_id"))
        identity = call_id or f"event-{event.get('id')}"
        self._calls[logs.text_of(event.get("id"))] = identity
        for choice in logs.list_of(logs.object_of(metadata.get("model_response")).get("choices")):
            message = logs.object_of(logs.object_of(choice).get("message"))
            for call in map(logs.object_of, logs.list_of(message.get("tool_calls"))):
                function = logs.object_of(call.get("function"))
                if call_id and call.get("id") == call_id and isinstance(function.get("name"), str):
                    given, raw = arguments_of(function.get("arguments"))
                    return ToolCall(
                        name=function["name"], args=given, raw_args=raw, id=identity, extra={"action": kind}
                    )
        own = {key: value for key, value in args.items() if key not in _ABOUT_THE_CALL}
        name = logs.text_of(metadata.get("function_name")) or kind
        return ToolCall(name=name, args=own, id=identity, extra={"action": kind} if name != kind else None)

    def _usage(self, response: JsonObject) -> Usage | None:
        """The token usage of the model's answer. One answer may contain several steps, so it is counted once."""
        identity, used = logs.text_of(response.get("id")), logs.object_of(response.get("usage"))
        if not used or identity in self._answers:
            return None
        if identity:
            self._answers.add(identity)
        return usage_from_openai(used)

    def _condensed(self, args: JsonObject, place: logs.Place, at: float | None) -> None:
        said = logs.text_of(args.get("summary")) or "events were left out of what the agent is shown"
        self._dialogue.observe([Observation(text=said, source="condensation")], place, at=at)

    def _observation(self, event: JsonObject, place: logs.Place, at: float | None) -> None:
        kind, content = logs.text_of(event["observation"]), event.get("content")
        cause, extras = logs.text_of(event.get("cause")), logs.object_of(event.get("extras"))
        metadata = logs.object_of(event.get("tool_call_metadata"))
        call_id = logs.text_of(metadata.get("tool_call_id")) or self._calls.get(cause)
        if kind == "recall":
            seen = {key: value for key, value in extras.items() if value}
            text = logs.text_of(content) or logs.text_of(event.get("message"))
            self._dialogue.observe([Observation(text=text, source=kind, extra=seen or None)], place, at=at)
        elif call_id is not None and (kind not in _BOOKKEEPING or cause in self._calls):
            failed = kind == "error" or event.get("success") is False
            extra = {**extras, **({"is_error": True} if failed else {})}
            result = ToolResult(value=content, call_id=call_id, extra=extra or None)
            step = Step(number=1, items=(result,), role="tool", source_ref=str(place), started_at=at)
            self._dialogue.take(logs.step_without_blobs(step, self._losses))
        elif kind == "error":
            code = logs.text_of(extras.get("error_id")) or None
            self._dialogue.observe([ErrorItem(message=logs.text_of(content), code=code)], place, at=at)
        elif kind in _BOOKKEEPING:
            self._losses.add(f"observations {kind!r}")
        else:
            item = Observation(text=logs.text_of(content), source=kind, extra=extras or None)
            self._dialogue.observe([item], place, at=at)

    def _say(self, role: str, items: list[Item], place: logs.Place, at: float | None) -> None:
        self._dialogue.take(
            Step(number=1, items=tuple(items), role=role, source_ref=str(place), started_at=at)
        )
