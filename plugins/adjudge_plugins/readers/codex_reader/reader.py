"""Finds the rollout in a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from adjudge.kit import logs
from adjudge.kit.openai import is_message
from adjudge.plugin import ReadOptions, Source, Trajectory
from adjudge_plugins.readers.codex_reader.rollout import Record, Rollout
from adjudge_plugins.readers.records import first_records, records_of

_TYPES: Final = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_FIRST_LINE: Final = frozenset({"id", "timestamp", "instructions"})
"""The keys of the first record in rollouts before September 2025, whose further items have no envelope."""


class CodexReader:
    """Reads a file as one rollout, and all of it into memory, because events repeat items."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether the first line is a record of a rollout."""
        first = logs.object_of(next(first_records(head), None))
        if not first:  # the first line is longer than the head, for instance because of instructions
            found = logs.outline(head)
            first = {**dict.fromkeys(found.keys), **found.texts} if found.begins_with == "{" else {}
        return (first.get("type") in _TYPES and "payload" in first) or (
            first.keys() >= _FIRST_LINE and "type" not in first
        )

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield the rollout.

        Raises:
            InputError: the file is malformed or has another format; the problem names the line.
        """
        losses = logs.Losses()
        name = source.path.name
        records: list[Record] = []
        with logs.opened(source) as stream:
            for value, place in records_of(stream, name):
                record = _record(value, place, losses)
                if record is not None:
                    records.append(record)
            if not records:
                stream.fail("no line of a rollout; objects with a type and a payload are expected.")
        yield Rollout(records, losses).trajectory(name, options)


def _record(value: object, place: logs.Place, losses: logs.Losses) -> Record | None:
    """Convert a line of any version to a record; ``None`` if it is not one."""
    found = logs.object_of(value)
    kind, at = found.get("type"), logs.moment_of(found.get("timestamp"))
    if isinstance(found.get("payload"), dict):
        return Record(logs.text_of(kind), found["payload"], place.key("payload"), at)
    if is_message(found):
        return Record("response_item", found, place, at)
    if found.keys() >= _FIRST_LINE:
        return Record("session_meta", found, place, at)
    losses.add("a line that is no record")
    return None
