"""The progress of one task of an A2A server: its messages become steps, its artifacts the answer."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterable
from typing import Any, Final, cast

from a2a.types.a2a_pb2 import Artifact, Message, Part, Role, StreamResponse, Task, TaskState, TaskStatus
from google.protobuf.json_format import MessageToDict

from adjudge.kit.strict_json import is_list, is_object
from adjudge.kit.turn_steps import TurnSteps
from adjudge.model import (
    Blob,
    Claim,
    Content,
    Item,
    JsonObject,
    JsonValue,
    Opaque,
    Text,
    ToolCall,
    ToolResult,
)
from adjudge.plugin import AgentError

_ASKING: Final = (TaskState.TASK_STATE_INPUT_REQUIRED, TaskState.TASK_STATE_AUTH_REQUIRED)
_FAILED: Final = (
    TaskState.TASK_STATE_FAILED,
    TaskState.TASK_STATE_REJECTED,
    TaskState.TASK_STATE_CANCELED,
)


class TaskView:
    """What is known of a task, and of the conversation that it belongs to."""

    def __init__(self, turn: TurnSteps, agent: str, before: TaskView | None) -> None:
        """Begin a turn.

        Args:
            turn: What is told.
            agent: The name on the agent's card.
            before: The task of the turn before; it goes on where it asked the user. ``None`` for the first turn.
        """
        self.context_id: str = "" if before is None else before.context_id
        """The conversation; empty before the server has named it."""
        self.task_id = ""
        """The task; empty before the server has named it."""
        self._turn = turn
        self._agent = agent
        self._state: TaskState = TaskState.TASK_STATE_UNSPECIFIED
        self._said: Message | None = None
        self._artifacts: dict[str, list[Part]] = {}
        self._seen: set[str] = set()
        self._before: dict[str, list[Part]] = {}
        """The artifacts that the task had before this turn: a server that does not stream repeats them."""
        if before is not None and before.is_asking:
            self.task_id = before.task_id
            self._seen = before._seen
            self._before = before._whole_artifacts()
        self._moved = time.monotonic()

    @property
    def is_asking(self) -> bool:
        """Whether the task waits for the user."""
        return self._state in _ASKING

    def take(self, event: StreamResponse) -> None:
        """Something that the server says."""
        match event.WhichOneof("payload"):
            case "task":
                self._take_task(event.task)
            case "message":
                self.context_id = event.message.context_id or self.context_id
                self._said, self._state = event.message, TaskState.TASK_STATE_COMPLETED
            case "status_update":
                self.context_id, self.task_id = event.status_update.context_id, event.status_update.task_id
                self._take_status(event.status_update.status)
            case "artifact_update":
                self._take_artifact(event.artifact_update.artifact, event.artifact_update.append)
            case _:
                pass  # a kind that a later protocol has

    def tell_answer(self) -> None:
        """Tell the turn its answer.

        Raises:
            AgentError: the task failed, was rejected or cancelled (``agent_failed``), or did not end (``no_answer``).
        """
        said = _text(self._said.parts) if self._said is not None else ""
        state = TaskState.Name(self._state)
        if self._state in _FAILED:
            raise AgentError(f"the task ended as {state}{f': {said}' if said else ''}", code="agent_failed")
        if self.is_asking:
            self._turn.answer(said, asks=[{"state": state, "question": said}])
        elif self._state == TaskState.TASK_STATE_COMPLETED:
            parts = [part for artifact in self._artifacts.values() for part in artifact]
            self._turn.answer(_answer(parts or ([] if self._said is None else self._said.parts)))
        else:
            raise AgentError(f"the server said no more, and the task is {state}", code="no_answer")

    def _whole_artifacts(self) -> dict[str, list[Part]]:
        """The artifacts as the server has them."""
        ids = dict.fromkeys((*self._before, *self._artifacts))
        return {each: [*self._before.get(each, []), *self._artifacts.get(each, [])] for each in ids}

    def _take_task(self, task: Task) -> None:
        self.context_id, self.task_id = task.context_id, task.id
        for message in task.history:
            if message.role == Role.ROLE_AGENT:
                self._take_move(message)
        for artifact in task.artifacts:
            before = self._before.get(artifact.artifact_id, [])
            parts = list(artifact.parts)
            if parts[: len(before)] == before:
                parts = parts[len(before) :]
            if parts:
                self._artifacts[artifact.artifact_id] = parts
        self._take_status(task.status)

    def _take_status(self, status: TaskStatus) -> None:
        self._state = status.state
        if not status.HasField("message"):
            return
        self._said = status.message
        if status.state in (TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING):
            self._take_move(status.message)
        self._seen.add(status.message.message_id)

    def _take_move(self, message: Message) -> None:
        if message.message_id in self._seen:
            return
        self._seen.add(message.message_id)
        now = time.monotonic()
        author = _plain(message.metadata).get("adk_author") or self._agent
        self._turn.add(*map(_item, message.parts), author=str(author), seconds=(self._moved, now))
        self._moved = now

    def _take_artifact(self, artifact: Artifact, append: bool) -> None:
        if not append:
            self._before.pop(artifact.artifact_id, None)
        before = self._artifacts.get(artifact.artifact_id, []) if append else []
        self._artifacts[artifact.artifact_id] = [*before, *artifact.parts]


def _answer(parts: Iterable[Part]) -> Content:
    """The answer: the texts and data joined, and the files."""
    told = list(parts)
    text = _text(told)
    files = [item for item in map(_item, told) if isinstance(item, Blob)]
    return Content(role="model", items=(*([Text(text=text)] if text or not files else []), *files))


def _item(part: Part) -> Item:
    """A part, in the form that google-adk gives calls, results and thoughts; the protocol itself has none."""
    told = _plain(part.metadata)
    match part.WhichOneof("content"):
        case "text" if told.get("adk_thought"):
            return Claim(field="thinking", text=part.text)
        case "text":
            return Text(text=part.text)
        case "data":
            data: JsonValue = _whole(MessageToDict(part.data))
            if is_object(data) and told.get("adk_type") == "function_call":
                return ToolCall(name=str(data.get("name")), args=data.get("args") or {}, id=data.get("id"))
            if is_object(data) and told.get("adk_type") == "function_response":
                return ToolResult(name=data.get("name"), value=data.get("response"), call_id=data.get("id"))
            return Opaque(name="data", value=data)
        case "url":
            return Blob(mime_type=part.media_type or None, uri=part.url)
        case "raw":
            return Blob(mime_type=part.media_type or None, data=base64.b64encode(part.raw).decode("ascii"))
        case kind:
            return Opaque(name=str(kind), value=_plain(part))


def _text(parts: Iterable[Part]) -> str:
    """What the user reads: texts as they are, pieces of one answer joined; data as JSON."""
    return "".join(
        part.text
        if part.HasField("text")
        else json.dumps(_whole(MessageToDict(part.data)), ensure_ascii=False)
        for part in parts
        if part.HasField("text") or part.HasField("data")
    )


def _plain(found: Any) -> JsonObject:
    return cast("JsonObject", _whole(MessageToDict(found)))


def _whole(value: JsonValue) -> JsonValue:
    """Numbers as they were written: the protocol's data has floating point alone."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if is_object(value):
        return {key: _whole(each) for key, each in value.items()}
    if is_list(value):
        return [_whole(each) for each in value]
    return value
