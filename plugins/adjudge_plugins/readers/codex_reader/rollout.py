"""Converts the items of one rollout to turns.

Names: ``codex-rs/protocol/src/protocol.rs`` (``RolloutItem``, ``EventMsg``) and ``models.rs`` (``ResponseItem``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from adjudge.kit import logs
from adjudge.kit.openai import is_message, step_from_item, usage_from_openai
from adjudge.model import Claim, ErrorItem, Item, JsonObject, Observation, Step, Text, ToolCall
from adjudge.plugin import InputError, Problem, ReadOptions, Trajectory
from adjudge_plugins.readers.dialogue import AGENT, Dialogue

_NAME: Final = "codex"
_ABOUT: Final = ("cwd", "originator", "cli_version", "source", "git", "model_provider", "forked_from_id")
_TOLD: Final = (
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<INSTRUCTIONS>",
    "<permissions instructions>",
    "<skill>",
    "<turn_aborted>",
    "<user_shell_command>",
    "<subagent_notification>",
)
"""Prefixes of messages with the role ``user`` that Codex wrote, not the user."""
_SAID_IN_EVENTS: Final = {"user_message": "message", "agent_message": "message", "agent_reasoning": "text"}
"""Events that repeat the text of items, and the key of that text."""
_SPAWN: Final = "spawn_agent"
"""The tool that starts a sub-agent."""
_ERRORS: Final = ("error", "stream_error", "turn_aborted")


@dataclass(frozen=True, slots=True)
class Record:
    """One line of a rollout."""

    kind: str
    payload: JsonObject
    place: logs.Place
    at: float | None


class Rollout:
    """A rollout that is being read."""

    def __init__(self, records: Sequence[Record], losses: logs.Losses) -> None:
        """Start with no turns."""
        self._records = records
        self._losses = losses
        self._about: JsonObject = {}
        self._tools: list[Any] = []
        self._move: Step | None = None
        self._model: str | None = None
        self._parent: str | None = None
        self._dialogue = Dialogue(losses, agent=_NAME)
        self._words = Counter(
            text for record in records if record.kind == "response_item" for text in _texts(record.payload)
        )

    def trajectory(self, file: str, options: ReadOptions) -> Trajectory:
        """Build the trajectory.

        Raises:
            InputError: an item is malformed.
        """
        for record in self._records:
            self._take(record)
        self._close()
        invocations = self._dialogue.invocations(self._tools)
        if logs.has_actions_in_prose(invocations):
            self._losses.add(logs.ACTIONS_IN_PROSE)
        session = self._about.get("id")
        extra = {key: self._about[key] for key in _ABOUT if self._about.get(key)}
        if self._parent is not None:
            extra["parent_thread_id"] = self._parent
        return Trajectory(
            invocations=invocations,
            eval_id=file.split(".")[0],
            task=options.task,
            agent=_NAME,
            session_id=session if isinstance(session, str) else None,
            source=str(self._records[0].place),
            extra=extra or None,
            lost=self._losses.texts(),
        )

    def _take(self, record: Record) -> None:
        match record.kind:
            case "session_meta":
                self._begin(record)
            case "turn_context":
                model = record.payload.get("model")
                self._model = model if isinstance(model, str) else self._model
            case "response_item":
                self._item(record)
            case "event_msg":
                self._event(record)
            case "compacted":
                if said := logs.text_of(record.payload.get("message")):
                    self._observe(record, Observation(text=said, source="compaction"))
                else:
                    self._close()
                    self._losses.add("the summary of a compaction, which is not in the rollout")
            case kind:
                self._losses.add(f"lines of type {kind!r}")

    def _begin(self, record: Record) -> None:
        if self._about:  # a rollout that continues another one repeats the first line of that one
            return
        self._about = record.payload
        told = record.payload.get("base_instructions") or record.payload.get("instructions")
        text = logs.text_of(logs.object_of(told).get("text")) or (told if isinstance(told, str) else "")
        if text:
            self._dialogue.take(_said("system", text, record))
        self._tools += logs.list_of(record.payload.get("dynamic_tools"))
        self._parent = _parent_of(record.payload)
        if self._parent is not None:
            self._losses.add(
                f"what came before, in the rollout of the agent that began this one: {self._parent}"
            )

    def _item(self, record: Record) -> None:
        payload = record.payload
        if not is_message(payload):
            self._losses.add(f"items of type {logs.text_of(payload.get('type'))!r}")
            return
        step = logs.step_without_blobs(self._step(payload, record), self._losses)
        if any(call.name == _SPAWN for call in step.calls):
            self._losses.add("what a sub-agent did: it is in a rollout of its own")
        if step.role == "user" and step.text.lstrip().startswith(_TOLD):
            self._observe(record, Observation(text=step.text, source=_NAME))
        elif step.role == AGENT:
            self._extend(step)
        else:
            self._close()
            self._dialogue.take(step)

    def _step(self, payload: JsonObject, record: Record) -> Step:
        kind = payload.get("type")
        data = {
            key: value
            for key, value in payload.items()
            if key not in {"encrypted_content", "phase", "end_turn"}
        }
        if kind == "message" or (kind is None and "role" in payload):
            data = {key: data[key] for key in ("role", "content") if key in data}
        if kind == "reasoning" and not any(logs.list_of(data.get(key)) for key in ("summary", "content")):
            self._losses.add("reasoning, which is encrypted")
            return Step(number=1, role=AGENT, source_ref=str(record.place), started_at=record.at)
        place = record.place
        try:
            step = step_from_item(data, path=place.path, source_ref=str(place))
        except InputError as error:
            raise InputError(
                [
                    Problem(what=problem.what, file=place.file, line=place.line, path=problem.path)
                    for problem in error.problems
                ]
            ) from None
        return step.model_copy(update={"started_at": record.at})

    def _event(self, record: Record) -> None:
        payload = record.payload
        kind = logs.text_of(payload.get("type"))
        if kind == "token_count":
            used = logs.object_of(logs.object_of(payload.get("info")).get("last_token_usage"))
            if used and self._move is not None:
                self._move = self._move.model_copy(update={"usage": _usage(used)})
            self._close()
        elif kind in _SAID_IN_EVENTS:
            text = logs.text_of(payload.get(_SAID_IN_EVENTS[kind]))
            if not text or self._words[text]:
                return
            if kind == "user_message":
                self._close()
                self._dialogue.take(_said("user", text, record))
            else:
                item = Claim(text=text) if kind == "agent_reasoning" else Text(text=text)
                self._extend(_step_of(AGENT, item, record))
        elif kind in _ERRORS:
            message = logs.text_of(payload.get("message")) or logs.text_of(payload.get("reason")) or kind
            self._observe(record, ErrorItem(message=message, code=kind))
        elif kind not in {"task_started", "task_complete", "turn_started", "turn_complete"}:
            self._losses.add(f"events {kind!r}")

    def _observe(self, record: Record, item: Item) -> None:
        self._close()
        self._dialogue.observe([item], record.place, at=record.at)

    def _extend(self, step: Step) -> None:
        """Add an item to the current step: an answer of a model consists of several items (reasoning, texts, calls)."""
        if self._move is None:
            self._move = step.model_copy(update={"model": self._model})
        else:
            self._move = self._move.model_copy(update={"items": (*self._move.items, *step.items)})
        if any(isinstance(item, ToolCall) for item in step.items) and step.results:
            self._close()  # a call that the provider has already executed

    def _close(self) -> None:
        if self._move is not None and self._move.items:
            self._dialogue.take(self._move)
        self._move = None


def _parent_of(about: JsonObject) -> str | None:
    """The session id of the agent that started this one as its sub-agent."""
    begun_as = logs.object_of(logs.object_of(about.get("source")).get("subagent"))
    spawned = logs.object_of(begun_as.get("thread_spawn"))
    parent = about.get("parent_thread_id") or spawned.get("parent_thread_id")
    return parent if isinstance(parent, str) else None


def _texts(payload: JsonObject) -> list[str]:
    """The texts of an item, split as events repeat them."""
    found: list[str] = []
    for key in ("content", "summary"):
        content = payload.get(key)
        pieces = (
            [content]
            if isinstance(content, str)
            else [logs.object_of(part).get("text") for part in logs.list_of(content)]
        )
        found += [piece for piece in pieces if isinstance(piece, str)]
    return found


def _usage(used: JsonObject) -> Any:
    """Token counts, renamed from Codex's names."""
    return usage_from_openai(
        {
            "input_tokens": used.get("input_tokens"),
            "output_tokens": used.get("output_tokens"),
            "total_tokens": used.get("total_tokens"),
            "input_tokens_details": {"cached_tokens": used.get("cached_input_tokens")},
            "output_tokens_details": {"reasoning_tokens": used.get("reasoning_output_tokens")},
        }
    )


def _said(role: str, text: str, record: Record) -> Step:
    return _step_of(role, Text(text=text), record)


def _step_of(role: str, item: Item, record: Record) -> Step:
    return Step(number=1, items=(item,), role=role, source_ref=str(record.place), started_at=record.at)
