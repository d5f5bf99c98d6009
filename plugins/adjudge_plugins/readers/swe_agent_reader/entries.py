"""Reads ``trajectory``: one entry per action (``sweagent.types.TrajectoryStep``)."""

from __future__ import annotations

from typing import Any, Final

from adjudge.kit import logs
from adjudge.model import Claim, Item, JsonObject, Observation, Step, ToolCall, ToolResult
from adjudge_plugins.readers.swe_agent_reader.commands import call_of_command
from adjudge_plugins.readers.swe_agent_reader.messages import Messages, calls_of

_READ: Final = frozenset({"action", "observation", "response", "thought", "state", "execution_time"})


def steps_of(entries: Messages, history: Messages) -> list[Step]:
    """Convert the entries to steps. The calls come from the history if it has the same actions in the same order."""
    answers = [(answer, place) for answer, place in history if answer.get("role") == "assistant"]
    is_same = [_action(answer) for answer, _ in answers] == [_action(entry) for entry, _ in entries]
    return [
        _step(
            entry,
            place,
            calls_of(*answers[index]) if is_same else call_of_command(entry.get("action")),
        )
        for index, (entry, place) in enumerate(entries)
    ]


def _action(data: JsonObject) -> str:
    return logs.text_of(data.get("action")).strip()


def _step(entry: JsonObject, place: logs.Place, calls: list[ToolCall]) -> Step:
    thought, response = logs.text_of(entry.get("thought")), entry.get("response")
    items: list[Item] = [Claim(text=thought)] if thought else []
    items += calls
    items += _outcome(entry.get("observation"), calls)
    extra = {key: value for key, value in entry.items() if key not in _READ and value not in (None, {}, [])}
    state, raw_state = logs.arguments_of(entry.get("state"))
    if state or raw_state:
        extra["state"] = state or raw_state
    return Step(
        number=1,
        items=tuple(items),
        source_ref=str(place),
        duration=logs.seconds_of(entry.get("execution_time")),
        model_response=response if response != thought else None,
        extra=extra or None,
    )


def _outcome(observation: Any, calls: list[ToolCall]) -> list[Item]:
    """The observation of an entry: the result of its single call, else an observation."""
    if observation is None:
        return []
    if len(calls) == 1:
        return [ToolResult(name=calls[0].name, call_id=calls[0].id, value=observation)]
    text = logs.text_of(observation)
    return [Observation(text=text, source="environment")] if text else []
