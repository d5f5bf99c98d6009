"""Events of OpenHands' SDK (``openhands.sdk.event``, 1.x): one for each action of the agent, one for its result."""

from __future__ import annotations

import re
from typing import Any, Final

from adjudge.kit import logs
from adjudge.kit.openai import arguments_of
from adjudge.kit.strict_json import is_object
from adjudge.model import Claim, ErrorItem, Item, JsonObject, Observation, Step, Text, ToolCall, ToolResult
from adjudge_plugins.readers.dialogue import AGENT, Dialogue

KINDS: Final = frozenset(
    {
        *("SystemPromptEvent", "MessageEvent", "ActionEvent", "ObservationEvent", "AgentErrorEvent"),
        *("UserRejectObservation", "PauseEvent", "Condensation", "CondensationRequest", "TokenEvent"),
        *("CondensationSummaryEvent", "ConversationStateUpdateEvent", "ConversationErrorEvent"),
        *("LLMCompletionLogEvent", "StreamingDeltaEvent"),
    }
)
"""The known kinds of events."""
_FINISH: Final = "finish"
_THINKING: Final = re.compile(r"<think>.*?</think>", re.DOTALL)
"""Reasoning that is repeated in the text."""


class Events:
    """Passes the events of a run to its dialogue."""

    def __init__(self, dialogue: Dialogue, losses: logs.Losses) -> None:
        """Start with no events."""
        self._dialogue = dialogue
        self._losses = losses
        self.tools: list[Any] = []
        """The declared tools."""
        self.about: JsonObject = {}
        """The last known state and cost of the conversation."""

    def take(self, event: JsonObject, place: logs.Place) -> None:
        """Add the next event."""
        at = logs.moment_of(event.get("timestamp"))
        match event["kind"]:
            case "SystemPromptEvent":
                self.tools += logs.list_of(event.get("tools"))
                self._say("system", [Text(text=_words(event.get("system_prompt")))], place, at)
            case "MessageEvent":
                message = logs.object_of(event.get("llm_message"))
                items: list[Item] = [
                    *_thoughts(message),
                    Text(
                        text="\n".join(
                            filter(
                                None, (_words(message.get("content")), _words(event.get("extended_content")))
                            )
                        )
                    ),
                ]
                self._say("user" if event.get("source") == "user" else AGENT, items, place, at)
            case "ActionEvent":
                self._say(AGENT, self._acted(event), place, at)
            case "ObservationEvent":
                observation = logs.object_of(event.get("observation"))
                extra = {
                    key: value for key, value in observation.items() if key != "content" and value is not None
                }
                value = _words(observation.get("content")) if "content" in observation else observation
                self._result(event, value, extra, place, at)
            case "AgentErrorEvent":
                self._result(event, logs.text_of(event.get("error")), {"is_error": True}, place, at)
            case "UserRejectObservation":
                said = logs.text_of(event.get("rejection_reason"))
                self._result(event, f"The user rejected the action: {said}", {"is_error": True}, place, at)
            case "Condensation" | "CondensationSummaryEvent":
                said = logs.text_of(event.get("summary")) or "events were left out of what the agent is shown"
                self._dialogue.observe([Observation(text=said, source="condensation")], place, at=at)
            case "ConversationErrorEvent":
                error = ErrorItem(
                    message=logs.text_of(event.get("detail")), code=logs.text_of(event.get("code")) or None
                )
                self._dialogue.observe([error], place, at=at)
            case "ConversationStateUpdateEvent":
                self._noted(event)
            case kind:
                self._losses.add(f"events {kind!r}")

    def _noted(self, event: JsonObject) -> None:
        key, value = logs.text_of(event.get("key")), event.get("value")
        if key == "stats":
            metrics = logs.object_of(logs.object_of(value).get("usage_to_metrics"))
            costs = [logs.object_of(metric).get("accumulated_cost") for metric in metrics.values()]
            self.about["cost"] = sum(cost for cost in costs if isinstance(cost, int | float))
            self.about["tokens"] = {
                name: logs.object_of(metric).get("accumulated_token_usage")
                for name, metric in metrics.items()
            }
        elif key == "execution_status":
            self.about[key] = value
        else:
            self._losses.add(f"what the conversation says of its {key!r}")

    def _acted(self, event: JsonObject) -> list[Item]:
        told = logs.object_of(event.get("tool_call"))
        function = logs.object_of(told.get("function")) or told
        action = logs.object_of(event.get("action"))
        args, raw = (
            arguments_of(function.get("arguments"))
            if function
            else (
                {key: value for key, value in action.items() if key != "kind"},
                None,
            )
        )
        name = logs.text_of(event.get("tool_name")) or logs.text_of(function.get("name")) or "action"
        call_id = logs.text_of(event.get("tool_call_id")) or logs.text_of(told.get("id")) or None
        thoughts = _thoughts(event)
        said = _words(event.get("thought"))
        if said := (_THINKING.sub("", said) if thoughts else said).strip():
            thoughts.append(Claim(text=said))
        items: list[Item] = [*thoughts, ToolCall(name=name, args=args, raw_args=raw, id=call_id)]
        if name == _FINISH and isinstance(words := action.get("message"), str):
            items.append(Text(text=words))
        return items

    def _result(
        self, event: JsonObject, value: Any, extra: JsonObject, place: logs.Place, at: float | None
    ) -> None:
        result = ToolResult(
            name=logs.text_of(event.get("tool_name")) or None,
            value=value,
            call_id=logs.text_of(event.get("tool_call_id")) or None,
            extra=extra or None,
        )
        self._say("tool", [result], place, at)

    def _say(self, role: str, items: list[Item], place: logs.Place, at: float | None) -> None:
        step = Step(number=1, items=tuple(items), role=role, source_ref=str(place), started_at=at)
        self._dialogue.take(logs.step_without_blobs(step, self._losses))


def _thoughts(event: JsonObject) -> list[Item]:
    """The model's thoughts."""
    said = event.get("reasoning_content")
    if isinstance(said, str) and said.strip():
        return [Claim(text=said)]
    blocks = (logs.object_of(block).get("thinking") for block in logs.list_of(event.get("thinking_blocks")))
    return [Claim(text=text) for text in blocks if isinstance(text, str) and text]


def _words(content: Any) -> str:
    """The texts in a content, which is a text, a part, or a list of parts."""
    if isinstance(content, str):
        return content
    if is_object(content):
        return logs.text_of(logs.object_of(content).get("text"))
    return "\n".join(filter(None, map(_words, logs.list_of(content))))
