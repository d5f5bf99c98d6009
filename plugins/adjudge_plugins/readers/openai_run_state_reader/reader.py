"""Finds the states in a file: one, a list of them, or one per line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from adjudge.kit import logs
from adjudge.model import JsonObject
from adjudge.plugin import ReadOptions, Source, Trajectory
from adjudge_plugins.readers.openai_run_state_reader.state import trajectory_of
from adjudge_plugins.readers.records import values_of

_VERSION: Final = "$schemaVersion"
_PARTS: Final = frozenset({"original_input", "originalInput", "generated_items", "generatedItems"})


class OpenAIRunStateReader:
    """Reads one state at a time."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether the first object has a schema version and a key that only states have."""
        keys = set(logs.outline(head).keys)
        return _VERSION in keys and bool(keys & {*_PARTS, "current_agent", "currentAgent", "context"})

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield each state as the run up to that point.

        Raises:
            InputError: the file is malformed or has another format; the problem names the place.
        """
        name = source.path.name
        with logs.opened(source) as stream:
            states: list[tuple[JsonObject, logs.Place]] = []
            for value, place in values_of(stream, name):
                state = place.as_object(value, "a state")
                if _VERSION not in state or not _PARTS & state.keys():
                    place.fail("found no state of a run", "It has $schemaVersion and generated_items.")
                states.append((state, place))
            if states and stream.cut is not None:  # that line was a run
                raise stream.cut
            if not states:
                stream.fail("no state of a run; an object with $schemaVersion is expected.")
        for index, (state, place) in enumerate(states):
            yield trajectory_of(state, place, options, name.split(".")[0] if len(states) == 1 else str(index))
