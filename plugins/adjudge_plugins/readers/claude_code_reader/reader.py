"""Finds the session in a file, and the files of its sub-agents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from adjudge.kit import logs
from adjudge.kit.strict_json import is_object
from adjudge.plugin import ReadOptions, Source, Trajectory
from adjudge_plugins.readers.claude_code_reader.session import Record, Session
from adjudge_plugins.readers.records import first_records, records_of

_TYPES: Final = ("user", "assistant", "system")
_AGENT_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,100}")
"""The allowed form of an id in a file name: ids come from the log, which is untrusted."""


class ClaudeCodeReader:
    """Reads a file as one session, and all of it into memory, because records are out of order."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether a line belongs to a session. Records about the session may precede its messages."""
        if any(_is_of_a_session(record) for record in first_records(head)):
            return True
        beginning = logs.outline(head)  # the first line is longer than the head
        return beginning.begins_with == "{" and _is_of_a_session(
            {**dict.fromkeys(beginning.keys), **beginning.texts}
        )

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield the session.

        Raises:
            InputError: the file, or that of a sub-agent, is malformed or has another format.
        """
        losses = logs.Losses()
        records = _records(source, losses)
        sub_agents = {
            agent: _records(Source(path, source.mended), losses)
            for agent in _agents(records)
            if (path := _file_of(agent, source.path)) is not None
        }
        if not any(_is_of_a_session(record) for record, _ in records):
            logs.Place(source.path.name).fail(
                "no message of a session",
                "A line has a sessionId, a uuid and a type: user, assistant or system.",
            )
        yield Session(records, sub_agents, losses).trajectory(source.path.name, options)


def _is_of_a_session(record: object) -> bool:
    found = logs.object_of(record)
    return (
        found.get("type") in _TYPES and "sessionId" in found and bool({"uuid", "parentUuid"} & found.keys())
    )


def _records(source: Source, losses: logs.Losses) -> list[Record]:
    name = source.path.name
    records: list[Record] = []
    with logs.opened(source) as stream:
        for value, place in records_of(stream, name):
            if is_object(value) and isinstance(value.get("type"), str):
                records.append((logs.object_of(value), place))
            else:
                losses.add("a line that is no record")
        if not records:
            stream.fail("no record; lines with a type are expected.")
    return records


def _agents(records: list[Record]) -> Iterator[str]:
    """The sub-agents named in results, without duplicates and without those whose steps are in the same file."""
    known = {record.get("agentId") for record, _ in records if _is_text(record.get("agentId"))}
    for record, _ in records:
        agent = _named(record)
        if agent is not None and agent not in known:
            known.add(agent)
            yield agent


def _named(record: Mapping[str, Any]) -> str | None:
    agent = logs.object_of(record.get("toolUseResult")).get("agentId")
    return agent if isinstance(agent, str) and _AGENT_ID.fullmatch(agent) else None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _file_of(agent: str, session: Path) -> Path | None:
    """The file of a sub-agent's steps: next to the session or, since 2.1, in a folder of the session."""
    file = f"agent-{agent}.jsonl"
    places = (session.parent / session.name.split(".")[0] / "subagents" / file, session.parent / file)
    return next((path for path in places if path.is_file()), None)
