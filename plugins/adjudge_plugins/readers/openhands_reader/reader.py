"""Finds the events in a file: a list, one per line, or the ``history`` of a row of an evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from adjudge.kit import logs
from adjudge.model import JsonObject
from adjudge.plugin import ReadOptions, Source, Trajectory
from adjudge_plugins.readers.openhands_reader import sdk_events
from adjudge_plugins.readers.openhands_reader.run import Found, trajectory_of
from adjudge_plugins.readers.records import first_records, values_of

_EVENT: Final = frozenset({"id", "timestamp", "source"})
_KINDS: Final = frozenset({"action", "observation"})
_HOLDERS: Final = ("history", "events", "trajectory", "items")


class OpenHandsReader:
    """Reads one run at a time. Events one per line, or in one list, form one run."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether the first value is an event or contains events."""
        for first in first_records(head):
            found = (logs.list_of(first) or [first])[0]
            return _is_event(found) or bool(_holder(logs.object_of(found)))
        beginning = logs.outline(head)  # the value is longer than the head
        return _has_keys_of_event({**dict.fromkeys(beginning.keys), **beginning.texts}) or any(
            _has_keys_of_event(dict.fromkeys(beginning.lists.get(key, ()))) for key in _HOLDERS
        )

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield the runs in the order of the file.

        Raises:
            InputError: the file is malformed or has another format; the problem names the place.
        """
        name = source.path.name
        loose: list[Found] = []
        count = 0
        with logs.opened(source) as stream:
            for value, place in values_of(stream, name):
                row = place.as_object(value, "an event, or an object with events")
                key = _holder(row)
                if key:
                    yield trajectory_of(row, key, _events(row, key, place), place, options, str(count))
                    count += 1
                elif _is_event(row):
                    loose.append((row, place))
                else:
                    place.fail("found no event", "An event has an id, a timestamp and a source.")
            if count and stream.cut is not None:  # that line was a run
                raise stream.cut
            if not loose and not count:
                stream.fail("no event of OpenHands is here.")
        if loose:
            yield trajectory_of({}, "", loose, loose[0][1], options, name.split(".")[0])


def _is_event(value: object) -> bool:
    return _has_keys_of_event(logs.object_of(value))


def _has_keys_of_event(found: JsonObject) -> bool:
    if not found.keys() >= _EVENT:
        return False
    return bool(_KINDS & found.keys()) or logs.text_of(found.get("kind")) in sdk_events.KINDS


def _holder(row: JsonObject) -> str | None:
    """The key of the events in an object. In evaluations of 2024 they are pairs of an action and its observation."""
    for key in _HOLDERS:
        first = next(iter(logs.list_of(row.get(key))), None)
        pair: Sequence[Any] = logs.list_of(first)
        if _is_event(pair[0] if pair else first):
            return key
    return None


def _events(row: JsonObject, key: str, place: logs.Place) -> list[Found]:
    here = place.key(key)
    found: list[Found] = []
    for index, event in enumerate(logs.list_of(row[key])):
        pair: Sequence[Any] = logs.list_of(event)
        if pair:
            found += here.at(index).as_objects(pair)
        else:
            found.append((here.at(index).as_object(event, "an event"), here.at(index)))
    return found
