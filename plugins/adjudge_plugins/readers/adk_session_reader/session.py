"""Converts the events of one session to turns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

from adjudge.kit import logs
from adjudge.kit.adk import AdkEvent, content_from_adk, turn_from_adk_events
from adjudge.model import Content, Invocation, Item, JsonObject, Step, ToolResult
from adjudge.plugin import (
    InputError,
    Problem,
    ReadOptions,
    Trajectory,
)

_USER: Final = "user"
_TEMPORARY: Final = "temp:"
"""The prefix of state keys that ADK keeps for one invocation only."""
_HEARD: Final = ("input_transcription", "output_transcription")
_KEPT: Final = ("id", "branch", "actions", "finish_reason", "interrupted", "custom_metadata", "output")
"""Fields of an event that are kept in ``extra`` of its step, unless they are empty."""
_READ: Final = frozenset({"id", "app_name", "appName", "state"})
_OF_EVENT: Final = frozenset(
    [
        "author",
        "content",
        "invocation_id",
        "timestamp",
        "partial",
        "turn_complete",
        "long_running_tool_ids",
        "usage_metadata",
        "model_version",
        "grounding_metadata",
        "error_code",
        "error_message",
    ]
).union(_HEARD, _KEPT)
"""The fields of an event that are read, or that repeat other fields."""
_OF_CONTENT: Final = frozenset({"role", "parts"})
_LONGEST_KEY: Final = 80
"""The length limit, in characters, of an unknown key in ``lost``."""


@dataclass(slots=True)
class _Turn:
    user: list[AdkEvent] = field(default_factory=list[AdkEvent])
    moves: list[AdkEvent] = field(default_factory=list[AdkEvent])
    places: dict[str, logs.Place] = field(default_factory=dict[str, logs.Place])
    """The place of every event, by its JSON path."""

    said_in: str = ""
    """The invocation id of the user's message."""
    moved_in: str = ""
    """The invocation id of the agent's events."""

    @property
    def id(self) -> str:
        """The invocation id that ADK assigned."""
        return self.said_in or self.moved_in

    def add(self, event: AdkEvent, place: logs.Place) -> None:
        """Add the next event."""
        self.places[event.path] = place
        if event.get("author") == _USER:
            self.user.append(event)
            self.said_in = self.said_in or _invocation(event)
        else:
            self.moves.append(event)
            self.moved_in = self.moved_in or _invocation(event)

    def may_be_said(self, invocation: str) -> bool:
        """Whether a user's message with this invocation id still belongs to this turn."""
        if self.user:
            return not self.moves and self.id == invocation
        return not any(map(_says_something, self.moves))


class Session:
    """Collects the events of a session in order.

    A user's message starts a turn. So does an event of the agent with another invocation id.
    """

    def __init__(self, place: logs.Place) -> None:
        """Start an empty session at a place in the file."""
        self.has_events = False
        """Whether a list of events was found; it may be empty."""
        self.place = place
        self._turn: _Turn | None = None
        self._turns: list[Invocation] = []
        self._steps = 0
        self._changes: JsonObject = {}
        self._losses = logs.Losses()

    def take(self, value: object, place: logs.Place) -> None:
        """Add one event.

        Raises:
            InputError: the value is not an event, or an earlier event has a field of a wrong type.
        """
        event = AdkEvent(place.as_object(value, "an event"), place.path)
        if not isinstance(event.get("author"), str):
            place.fail("found no 'author' of an event")
        self._note_changes(event)
        if event.get("partial"):
            return  # a partial event: its text is repeated in the complete event
        self._lose_further_keys(event)
        event = _with_spoken_words(event)
        turn = self._turn
        if event.get("author") == _USER:
            if not event.parts:
                self._lose_actions(event)
                return
            if turn is None or not turn.may_be_said(_invocation(event)):
                turn = self._open()
        else:
            is_other = turn is not None and turn.id and _invocation(event) not in ("", turn.id)
            if turn is None or (is_other and _says_something(event)):
                turn = self._open()
        turn.add(event, place)

    def trajectory(self, session: JsonObject, options: ReadOptions) -> Trajectory:
        """Build the trajectory from all events.

        Args:
            session: The other keys of the session; empty for events outside of a session.
            options: Supplies the task.

        Raises:
            InputError: an event has a field of a wrong type.
        """
        self._close()
        head = AdkEvent(session)
        session_id, app, state = (head.get(name) for name in ("id", "app_name", "state"))
        name = session_id if isinstance(session_id, str) else None
        return Trajectory(
            invocations=tuple(self._turns),
            eval_id=name or self.place.file.split(".")[0],
            task=options.task,
            agent=app if isinstance(app, str) else None,
            session_id=name,
            final_session_state=logs.object_of(state) if state is not None else self._changes or None,
            source=str(self.place),
            lost=self._losses.texts(),
            extra={key: value for key, value in session.items() if key not in _READ} or None,
        )

    def _note_changes(self, event: AdkEvent) -> None:
        delta = AdkEvent(logs.object_of(event.get("actions"))).get("state_delta")
        self._changes |= {
            key: value for key, value in logs.object_of(delta).items() if not key.startswith(_TEMPORARY)
        }

    def _lose_actions(self, event: AdkEvent) -> None:
        for key, value in _told(logs.object_of(event.get("actions"))).items():
            if key not in {"state_delta", "stateDelta"}:
                self._losses.add(f"{key} of an event of the user: {logs.text_of(value)[:80]}")

    def _lose_further_keys(self, event: AdkEvent) -> None:
        for known, members, whose in (
            (_OF_EVENT, event.data, "an event"),
            (_OF_CONTENT, logs.object_of(event.get("content")), "the content of an event"),
        ):
            for key, value in members.items():
                if key not in known and _snake(key) not in known and not _is_empty(value):
                    self._losses.add(f"{key[:_LONGEST_KEY]} of {whose}")

    def _open(self) -> _Turn:
        self._close()
        self._turn = _Turn()
        return self._turn

    def _close(self) -> None:
        turn, self._turn = self._turn, None
        if turn is None:
            return
        try:
            said = [
                content_from_adk(event.get("content"), path=f"{event.path}.content", of_a_log=True)
                for event in turn.user
            ]
            read = turn_from_adk_events(turn.moves, _joined(said))
        except InputError as error:
            raise InputError(
                [_located(problem, turn.places, self.place.file) for problem in error.problems]
            ) from None
        self._turns.append(self._finished(turn, read))

    def _finished(self, turn: _Turn, read: Invocation) -> Invocation:
        placed = (self._placed(step, event, turn) for step, event in zip(read.steps, turn.moves, strict=True))
        steps = _with_results(placed, self._steps + 1)
        self._steps += len(steps)
        began = _moment(turn.user[0]) if turn.user else None
        ended = _moment(turn.moves[-1]) if turn.moves else None
        return read.model_copy(
            update={
                "invocation_id": turn.id,
                "form": None,
                "user_content": self._light(read.user_content),
                "final_response": read.final_response and self._light(read.final_response),
                "steps": tuple(steps),
                "creation_timestamp": began or 0.0,
                "duration": max(ended - began, 0.0) if began is not None and ended is not None else None,
            }
        )

    def _placed(self, step: Step, event: AdkEvent, turn: _Turn) -> Step:
        kept = {name: _told(value) for name in _KEPT if (value := event.get(name)) is not None}
        return step.model_copy(
            update={
                "form": None,
                "items": logs.items_without_blobs(step.items, self._losses),
                "source_ref": str(turn.places[event.path]),
                "started_at": _moment(event),
                "extra": _told({**(step.extra or {}), **kept}) or None,
            }
        )

    def _light(self, content: Content) -> Content:
        items = logs.items_without_blobs(content.items, self._losses)
        return content.model_copy(update={"items": items})


def _says_something(event: AdkEvent) -> bool:
    """Whether an event has content; live sessions also write events for token counts, ends of turns and resumptions."""
    return bool(event.parts or event.get("error_code"))


def _with_spoken_words(event: AdkEvent) -> AdkEvent:
    """For an event of a live session without content, use its transcription as the content."""
    if event.parts:
        return event
    for name in _HEARD:
        words = logs.object_of(event.get(name)).get("text")
        if isinstance(words, str) and words:
            return replace(event, data={**event.data, "content": {"parts": [{"text": words}]}})
    return event


def _with_results(steps: Iterable[Step], first: int) -> list[Step]:
    """Number the steps from ``first``, and move every result into the step of the call whose id it has.

    Names and positions are not used to match results.
    """
    kept: list[Step] = []
    callers: dict[str, int] = {}
    for step in steps:
        alone: list[Item] = []
        for item in step.items:
            at = callers.pop(item.call_id, None) if isinstance(item, ToolResult) and item.call_id else None
            if at is None:
                alone.append(item)
            else:
                told = {**(item.extra or {}), "source_ref": step.source_ref, **(step.extra or {})}
                joined = item.model_copy(update={"extra": told})
                kept[at] = kept[at].model_copy(update={"items": (*kept[at].items, joined)})
        if alone or not step.items:
            callers |= {call.id: len(kept) for call in step.calls if call.id}
            kept.append(step.model_copy(update={"items": tuple(alone), "number": first + len(kept)}))
    return kept


def _located(problem: Problem, places: dict[str, logs.Place], file: str) -> Problem:
    """Add the place of the event to a problem; a summary of further problems has no place."""
    path = problem.path or ""
    found = (place for known, place in places.items() if path == known or path.startswith(f"{known}."))
    line = next((place.line for place in found), None)
    return Problem(what=problem.what, file=file, line=line, path=problem.path, hint=problem.hint)


def _joined(contents: Sequence[Content]) -> Content:
    if len(contents) == 1:
        return contents[0]
    items = tuple(item for content in contents for item in content.items)
    return Content(role=_USER, items=items, has_parts=bool(contents))


@lru_cache(maxsize=1024)
def _snake(key: str) -> str:
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", key)


def _invocation(event: AdkEvent) -> str:
    known = event.get("invocation_id")
    return known if isinstance(known, str) else ""


def _moment(event: AdkEvent) -> float | None:
    return logs.seconds_of(event.get("timestamp"))


def _told(value: Any) -> Any:
    """Remove the empty members of an object; other values are unchanged."""
    members = logs.object_of(value)
    if not members:
        return value
    return {key: inner for key, inner in members.items() if not _is_empty(inner)}


def _is_empty(value: Any) -> bool:
    return value is None or value in ({}, [], "")
