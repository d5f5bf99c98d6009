"""Finds the sessions in a file: one, many, or plain events of one session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from adjudge.kit import logs
from adjudge.kit.strict_json import JsonStream
from adjudge.model import JsonObject
from adjudge.plugin import ReadOptions, Source, Trajectory
from adjudge_plugins.readers.adk_session_reader.session import Session

_OWNERS: Final = ({"app_name", "appName"}, {"user_id", "userId"}, {"events"})
_EVENT: Final = frozenset({"invocation_id", "invocationId", "actions"})
_AUTHOR: Final = "author"
_EXPECTED: Final = "no session; ADK sessions or their events are expected."


class AdkSessionReader:
    """Reads one event at a time; memory use is that of the longest session in the file."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether the first object is a session or an event of one."""
        keys = set(logs.outline(head).keys)
        is_session = all(keys & spellings for spellings in _OWNERS)
        return is_session or (_AUTHOR in keys and bool(keys & _EVENT))

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield the sessions in the order of the file.

        Raises:
            InputError: the file is malformed or has another format; the problem names the line.
        """
        with logs.opened(source) as stream:
            yield from _sessions(stream, source.path.name, options)


def _sessions(stream: logs.MendingJsonStream, file: str, options: ReadOptions) -> Iterator[Trajectory]:
    bare: Session | None = None  # collects the events outside of any session
    found = False
    while stream.has_record():
        for place in _objects(stream, file):
            found = True
            session = Session(place)
            rest = _members(stream, session)
            if session.has_events:
                yield session.trajectory(rest, options)
            elif _AUTHOR in rest:
                bare = bare or Session(logs.Place(file, line=place.line))
                bare.take(rest, place)
            else:
                place.fail(
                    "found no session",
                    "A session is an object with a list of 'events'; an event has an 'author'.",
                )
    if stream.cut is not None and bare is None:  # that line was a session
        raise stream.cut
    if bare is not None:
        yield bare.trajectory({}, options)
    elif not found:
        stream.fail(_EXPECTED)


def _objects(stream: JsonStream, file: str) -> Iterator[logs.Place]:
    """Yield the place of every object in the value at the stream's position."""
    if stream.peek() != "[":
        yield _object(stream, file, "$")
        return
    for index in stream.elements():
        yield _object(stream, file, f"$[{index}]")


def _object(stream: JsonStream, file: str, path: str) -> logs.Place:
    if stream.peek() != "{":
        stream.fail(_EXPECTED)
    return logs.Place(file, path, stream.line)


def _members(stream: JsonStream, session: Session) -> JsonObject:
    """Read the members of an object, and pass the events of a session to ``session`` one at a time."""
    rest: JsonObject = {}
    for key in stream.members():
        if key != "events":
            rest[key] = stream.value()
            continue
        session.has_events = True
        for index in stream.elements():
            stream.peek()
            place = logs.Place(session.place.file, f"{session.place.path}.events[{index}]", stream.line)
            session.take(stream.value(), place)
    return rest
