"""Converts the records of one session to turns.

Names: the records that Claude Code 1.0 to 2.1 writes; there is no public specification.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from adjudge.kit import logs
from adjudge.kit.openai import step_from_openai
from adjudge.model import ErrorItem, JsonObject, Observation, Step
from adjudge.plugin import InputError, Problem, ReadOptions, Trajectory
from adjudge_plugins.readers.dialogue import Dialogue

Record: TypeAlias = tuple[JsonObject, logs.Place]

_AGENT: Final = "claude-code"
_CALLS_AN_AGENT: Final = ("Task", "Agent")
_STRUCTURED: Final = "'toolUseResult': results once more, for the screen"
_REWOUND: Final = "which messages the agent still knew: a prompt was written again, and both branches stand in the order of the file"
_SUB_AGENT: Final = "which call the steps of a sub-agent belong to"
_ABOUT: Final = ("version", "cwd", "gitBranch")


@dataclass(slots=True)
class _Move:
    """One message of a speaker, whose blocks may be in several records."""

    role: str
    content: list[Any]
    place: logs.Place
    at: float | None
    about: JsonObject = field(default_factory=dict[str, Any])
    """The model and token usage of an agent's message."""
    author: str | None = None
    parent_call_id: str | None = None


class Session:
    """A session that is being read."""

    def __init__(
        self, records: Sequence[Record], sub_agents: Mapping[str, Sequence[Record]], losses: logs.Losses
    ) -> None:
        """Start with no turns.

        Args:
            records: The records of the session's file, in order.
            sub_agents: The records of the sub-agents' files, by the id of the sub-agent.
            losses: Collects what cannot be kept.
        """
        self._records = records
        self._sub_agents = sub_agents
        self._losses = losses
        self._is_of_a_sub_agent = all(
            record.get("isSidechain") is True for record, _ in records if "message" in record
        )
        self._callers = _Callers(records)

    def trajectory(self, file: str, options: ReadOptions) -> Trajectory:
        """Build the trajectory.

        Raises:
            InputError: a message is malformed.
        """
        about: JsonObject = {}
        agent = _AGENT
        for record, _ in self._records:
            about |= {
                key: record[key]
                for key in ("sessionId", "agentId", *_ABOUT)
                if key in record and key not in about
            }
        if self._is_of_a_sub_agent and isinstance(about.get("agentId"), str):
            agent = f"agent-{about['agentId']}"
        dialogue = Dialogue(self._losses, agent=agent)
        for move in self._moves():
            self._tell(move, dialogue)
        self._note_rewinding()
        summaries = [record.get("summary") for record, _ in self._records if record["type"] == "summary"]
        extra: JsonObject = {key: about[key] for key in _ABOUT if key in about}
        if summaries:
            extra["summaries"] = summaries
        session = about.get("sessionId")
        invocations = dialogue.invocations()
        if logs.has_actions_in_prose(invocations):
            self._losses.add(logs.ACTIONS_IN_PROSE)
        return Trajectory(
            invocations=invocations,
            eval_id=file.split(".")[0],
            task=options.task,
            agent=agent,
            session_id=session if isinstance(session, str) else None,
            source=str(self._records[0][1]),
            extra=extra or None,
            lost=self._losses.texts(),
        )

    def _moves(self) -> Iterator[_Move]:
        """The messages of the session: blocks of one message are joined, and steps of sub-agents follow their call."""
        messages: dict[str, _Move] = {}
        moves: list[_Move] = []
        for record, place in self._records:
            author, parent = self._owner(record)
            self._add(moves, messages, record, place, author, parent)
            for agent in self._callers.ended_by(record):
                own: list[_Move] = []
                called = self._callers.of_agent.get(agent)
                known: dict[str, _Move] = {}
                for inner, at in self._sub_agents.get(agent, ()):
                    self._add(own, known, inner, at, f"agent-{agent}", called)
                if not own and not self._callers.has_steps(agent):
                    self._losses.add("the steps of a sub-agent, whose file is not beside this one")
                # A sub-agent's steps happened before its result.
                moves[-1:-1] = own
        yield from moves

    def _owner(self, record: JsonObject) -> tuple[str | None, str | None]:
        """The author of a sub-agent's record, and the call that started the sub-agent."""
        if record.get("isSidechain") is not True or self._is_of_a_sub_agent:
            return None, None
        agent = record.get("agentId")
        parent = self._callers.call_of(record)
        if parent is None and record["type"] == "assistant":
            self._losses.add(_SUB_AGENT)
        return (f"agent-{agent}" if isinstance(agent, str) else "sub-agent"), parent

    def _add(
        self,
        moves: list[_Move],
        messages: dict[str, _Move],
        record: JsonObject,
        place: logs.Place,
        author: str | None,
        parent: str | None,
    ) -> None:
        message = logs.object_of(record.get("message"))
        at = logs.moment_of(record.get("timestamp"))
        match record["type"]:
            case "assistant":
                self._add_of_agent(
                    moves, messages, record, message, _Move("assistant", [], place, at, {}, author, parent)
                )
            case "user":
                self._add_of_user(moves, record, message, _Move("user", [], place, at, {}, author, parent))
            case "system":
                self._add_of_system(moves, record, _Move("", [], place, at, {}, author, parent))
            case "summary":
                pass
            case "attachment":
                attached = logs.object_of(record.get("attachment"))
                if attached.get("type") == "queued_command" and isinstance(attached.get("prompt"), str):
                    said = {"type": "text", "text": attached["prompt"]}
                    moves.append(_Move("user", [said], place.key("attachment"), at))
                else:
                    self._losses.add(f"records 'attachment' of type {logs.text_of(attached.get('type'))!r}")
            case kind:
                self._losses.add(f"records {kind!r}")

    def _add_of_agent(
        self,
        moves: list[_Move],
        messages: dict[str, _Move],
        record: JsonObject,
        message: JsonObject,
        move: _Move,
    ) -> None:
        content = message.get("content")
        blocks = logs.list_of(content) or (
            [{"type": "text", "text": content}] if isinstance(content, str) else []
        )
        if record.get("isApiErrorMessage") is True:
            error = ErrorItem(message=_words(blocks), code="api_error")
            move.role, move.content = "", [error]
            moves.append(move)
            return
        if not blocks:
            self._losses.add("a message without content")
            return
        key = f"{message.get('id')} {move.parent_call_id}"
        if isinstance(message.get("id"), str) and key in messages:
            move = messages[key]
        else:
            messages[key] = move
            moves.append(move)
        move.content += blocks
        # Every record of a message has its usage so far; the last record has the total.
        move.about |= {name: message[name] for name in ("model", "usage") if message.get(name) is not None}

    def _add_of_user(self, moves: list[_Move], record: JsonObject, message: JsonObject, move: _Move) -> None:
        content, shown = message.get("content"), record.get("toolUseResult")
        blocks = logs.list_of(content) or (
            [{"type": "text", "text": content}] if content and isinstance(content, str) else []
        )
        if not blocks:
            if isinstance(shown, str) and shown:
                move.role, move.content = "", [Observation(text=shown, source="toolUseResult")]
                moves.append(move)
            else:
                self._losses.add("a message without content")
            return
        if shown is not None:
            self._losses.add(_STRUCTURED)
        results = [block for block in blocks if logs.object_of(block).get("type") == "tool_result"]
        others = [block for block in blocks if logs.object_of(block).get("type") != "tool_result"]
        for source, told in (
            ("compaction", record.get("isCompactSummary")),
            ("claude_code", record.get("isMeta")),
            ("prompt", move.author is not None),
        ):
            if told is True and others:
                # Written by Claude Code or another agent, not by the user: an observation.
                seen = Observation(text=_words(others), source=source)
                move = _Move("", [seen], move.place, move.at, {}, move.author, move.parent_call_id)
                moves.append(move)
                others = []
        if results or others:
            moves.append(
                _Move("user", [*results, *others], move.place, move.at, {}, move.author, move.parent_call_id)
            )

    def _add_of_system(self, moves: list[_Move], record: JsonObject, move: _Move) -> None:
        subtype, content = logs.text_of(record.get("subtype")), record.get("content")
        if subtype == "api_error":
            error = record.get("error")
            said = logs.text_of(logs.object_of(error).get("message")) or logs.text_of(error or content)
            move.content = [ErrorItem(message=said, code=subtype)]
        elif isinstance(content, str) and content:
            about = logs.object_of(record.get("compactMetadata")) or None
            move.content = [Observation(text=content, source=subtype or "system", extra=about)]
        else:
            self._losses.add(f"records 'system' of type {subtype!r}")
            return
        moves.append(move)

    def _tell(self, move: _Move, dialogue: Dialogue) -> None:
        if not move.role:
            seen = [item for item in move.content if isinstance(item, Observation | ErrorItem)]
            dialogue.observe(seen, move.place, at=move.at, parent_call_id=move.parent_call_id)
            return
        dialogue.take(logs.step_without_blobs(_step(move), self._losses))

    def _note_rewinding(self) -> None:
        """Note as a loss that the user edited a prompt: two prompts then follow the same message."""
        seen: set[str] = set()
        for record, _ in self._records:
            before = record.get("parentUuid")
            if record["type"] != "user" or record.get("isMeta") or not isinstance(before, str):
                continue
            if not _is_prompt(record):
                continue
            if before in seen:
                self._losses.add(_REWOUND)
            seen.add(before)


class _Callers:
    """Maps sub-agents to the calls of the main agent that started them."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.of_agent: dict[str, str] = {}
        self._prompts: dict[str, list[str]] = {}
        self._before: dict[str, str] = {}
        self._roots: dict[str, JsonObject] = {}
        self._agents: set[str] = set()
        for record, _ in records:
            agent = record.get("agentId")
            if isinstance(agent, str):
                self._agents.add(agent)
            for called in self.ended_by(record):
                for block in _blocks(record):
                    if isinstance(call := block.get("tool_use_id"), str):
                        self.of_agent[called] = call
            for block in _blocks(record):
                prompt = logs.object_of(block.get("input")).get("prompt")
                if block.get("name") in _CALLS_AN_AGENT and isinstance(prompt, str):
                    self._prompts.setdefault(prompt, []).append(logs.text_of(block.get("id")))
            uuid, before = record.get("uuid"), record.get("parentUuid")
            if record.get("isSidechain") is True and isinstance(uuid, str):
                self._roots[uuid] = record
                if isinstance(before, str):
                    self._before[uuid] = before

    def ended_by(self, record: JsonObject) -> Iterator[str]:
        """The id of the sub-agent whose result a record contains."""
        agent = logs.object_of(record.get("toolUseResult")).get("agentId")
        if isinstance(agent, str):
            yield agent

    def has_steps(self, agent: str) -> bool:
        """Whether the steps of a sub-agent are in the session's own file."""
        return agent in self._agents

    def call_of(self, record: JsonObject) -> str | None:
        """The call that started the sub-agent of a record: by the sub-agent's id, else by its complete prompt."""
        agent = record.get("agentId")
        if isinstance(agent, str) and agent in self.of_agent:
            return self.of_agent[agent]
        at = logs.text_of(record.get("uuid"))
        walked: set[str] = set()
        while self._before.get(at) in self._roots and at not in walked:
            walked.add(at)
            at = self._before[at]
        calls = self._prompts.get(_words(_blocks(self._roots.get(at, {}))), [])
        return calls[0] if len(calls) == 1 else None


def _step(move: _Move) -> Step:
    message = {"role": move.role, "content": move.content, **move.about}
    try:
        step = step_from_openai(message, path=f"{move.place.path}.message", source_ref=str(move.place))
    except InputError as error:
        raise InputError(
            [
                Problem(what=problem.what, file=move.place.file, line=move.place.line, path=problem.path)
                for problem in error.problems
            ]
        ) from None
    return step.model_copy(
        update={"author": move.author, "parent_call_id": move.parent_call_id, "started_at": move.at}
    )


def _blocks(record: JsonObject) -> list[JsonObject]:
    content = logs.object_of(record.get("message")).get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [logs.object_of(block) for block in logs.list_of(content)]


def _is_prompt(record: JsonObject) -> bool:
    return any(block.get("type") == "text" for block in _blocks(record))


def _words(blocks: Sequence[Any]) -> str:
    return "\n".join(text for block in blocks if isinstance(text := logs.object_of(block).get("text"), str))
