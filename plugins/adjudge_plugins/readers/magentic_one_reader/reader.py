"""Finds the runs in a file: objects with a ``history``, or the events of Magentic-One's log, one per line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from adjudge.kit import logs
from adjudge.model import JsonObject
from adjudge.plugin import ReadOptions, Source, Trajectory
from adjudge_plugins.readers.magentic_one_reader.run import Found, is_of_the_orchestrator, trajectory_of
from adjudge_plugins.readers.records import first_records, values_of

_MESSAGE: Final = frozenset({"role", "content"})
_EVENT: Final = frozenset({"source", "message", "type"})
_NAMED: Final = (b'"Orchestrator (', b'"MagenticOneOrchestrator')


class MagenticOneReader:
    """Reads one run at a time; memory use is that of the longest run in the file."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether the first value is a run of Magentic-One or an event of one."""
        for first in first_records(head):
            found = logs.object_of((logs.list_of(first) or [first])[0])
            return _is_run(found.get("history")) or _is_event(found)
        beginning = logs.outline(head)  # the value is longer than the head
        keys = beginning.lists.get("history", ())
        return _MESSAGE.issubset(keys) and "name" not in keys and any(name in head for name in _NAMED)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield the runs in the order of the file. Events one per line form one run.

        Raises:
            InputError: the file is malformed or has another format; the problem names the place.
        """
        name = source.path.name
        runs: list[tuple[JsonObject, list[Found], logs.Place]] = []
        events: list[Found] = []
        with logs.opened(source) as stream:
            for each, at in values_of(stream, name):
                run = at.as_object(each, "a run or an event")
                if isinstance(run.get("history"), list):
                    runs.append((run, at.key("history").as_objects(run["history"]), at))
                elif "source" in run and "message" in run:
                    told = {"role": run["source"], "content": run["message"], "at": run.get("timestamp")}
                    events.append((told, at))
                elif "type" in run:  # an event that is not a message, such as a model call
                    events.append(({"role": None, "type": run["type"]}, at))
                else:
                    at.fail("found no run: it has no list history, and is no event")
            if runs and stream.cut is not None:  # that line was a run
                raise stream.cut
            if events:
                runs.append(({}, events, events[0][1]))
            if not runs:
                stream.fail("no run; an object with a history is expected.")
        for index, (run, messages, place) in enumerate(runs):
            own = name.split(".")[0] if len(runs) == 1 else str(index)
            yield trajectory_of(run, messages, place, options, own)


def _is_run(history: Any) -> bool:
    messages: Sequence[Any] = logs.list_of(history)
    return (
        bool(messages)
        and logs.object_of(messages[0]).keys() >= _MESSAGE
        and "name" not in logs.object_of(messages[0])
        and any(is_of_the_orchestrator(logs.object_of(message).get("role")) for message in messages)
    )


def _is_event(found: JsonObject) -> bool:
    return found.keys() >= _EVENT and (
        is_of_the_orchestrator(found["source"]) or found["type"] == "OrchestrationEvent"
    )
