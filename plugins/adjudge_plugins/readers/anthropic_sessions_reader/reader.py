"""Finds the events in a file: one per line, in a page of the API, or with the SDK call that returned them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from adjudge.kit import logs
from adjudge.plugin import ReadOptions, Source, Trajectory
from adjudge_plugins.readers.anthropic_sessions_reader.session import Found, trajectory_of
from adjudge_plugins.readers.records import first_records, records_of

_PREFIXES: Final = ("user.", "agent.", "session.", "span.")
_SENT: Final = "client.beta.sessions."


class AnthropicSessionsReader:
    """Reads a file as one session."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether the first value is an event of a session, a list of events, or an SDK call about a session."""
        first = next(first_records(head), None)
        values = logs.list_of(first)
        called = values[0] if values else None
        if isinstance(called, str):
            return called.startswith(_SENT)
        data = logs.list_of(logs.object_of(first).get("data"))
        return _is_event(next(iter(values or data), first))

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield the session.

        Raises:
            InputError: the file is malformed or has another format; the problem names the line.
        """
        name = source.path.name
        found: list[Found] = []
        losses = logs.Losses()
        with logs.opened(source) as stream:
            for value, place in records_of(stream, name):
                found += _events(value, place, losses)
            if not any(_is_event(event) for event, _ in found):
                stream.fail("no event of a session; objects with a type such as user.message are expected.")
        yield trajectory_of(found, losses, options, name.split(".")[0])


def _is_event(value: object) -> bool:
    kind = logs.object_of(value).get("type")
    return isinstance(kind, str) and kind.startswith(_PREFIXES)


def _events(value: Any, place: logs.Place, losses: logs.Losses) -> Iterator[Found]:
    """The events in a value. Events that were sent are skipped, because the event stream repeats them."""
    values = logs.list_of(value)
    if values and isinstance(values[0], str):
        called, given = values[0], values[1] if len(values) > 1 else None
        if called.endswith(".send"):
            losses.add("events that were sent, which come again where they were taken")
            return
        value, place = given, place.at(1)
        values = []
    if values:
        for index, inner in enumerate(values):
            yield from _events(inner, place.at(index), losses)
        return
    held = place.as_object(value, "an event")
    if isinstance(held.get("data"), list):
        for index, inner in enumerate(logs.list_of(held["data"])):
            yield from _events(inner, place.key("data").at(index), losses)
    else:
        yield held, place
