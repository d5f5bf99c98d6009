"""Reads ATIF documents as trajectories: one for the agent, and one for each of its sub-agents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from adjudge.kit import logs
from adjudge.kit.strict_json import JsonStream
from adjudge.model import JsonObject
from adjudge.plugin import ReadOptions, Source, Trajectory
from adjudge_plugins.readers.atif_reader.document import Document

_VERSION: Final = "ATIF-v1."


class AtifReader:
    """Reads one document at a time, from a file with one document or with one per line."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether the first object declares ATIF v1."""
        found = logs.outline(head)
        return found.begins_with == "{" and found.texts.get("schema_version", "").startswith(_VERSION)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield the runs: an agent's first, then those of its sub-agents, each with its own steps.

        Raises:
            InputError: the file is malformed or has another format; the problem names the place.
        """
        name = source.path.name
        with logs.opened(source) as stream:
            count = 0
            while stream.peek() or not count:
                place = logs.Place(name, line=stream.line)
                document = _document(stream, place)
                position = name.split(".")[0] if not count and not stream.peek() else str(count)
                yield from _trajectories(document, document.name or position, options)
                count += 1


def _document(stream: JsonStream, place: logs.Place) -> Document:
    """Read the document at the stream's position, one step at a time."""
    document = Document(place)
    has_steps = False
    for key in stream.members():
        if key == "steps":
            has_steps = True
            for index in stream.elements():
                document.take_step(stream.value(), place.key(key).at(index))
        else:
            document.about[key] = stream.value()
    version = document.about.get("schema_version")
    if not isinstance(version, str) or not version.startswith(_VERSION):
        place.key("schema_version").fail(f"found {version!r}, expected {_VERSION}0 or a later 1.x")
    if not has_steps:
        place.fail("found no steps")
    return document


def _embedded(data: JsonObject, place: logs.Place) -> Document:
    document = Document(place)
    for step, where in place.key("steps").as_objects(data.get("steps"), "a list of steps"):
        document.take_step(step, where)
    document.about = {key: value for key, value in data.items() if key != "steps"}
    return document


def _trajectories(document: Document, name: str, options: ReadOptions) -> Iterator[Trajectory]:
    inside: Any = document.about.pop("subagent_trajectories", None)
    below = document.place.key("subagent_trajectories").as_objects(inside, "a list of trajectories")
    yield document.trajectory(name, options)
    for index, (data, where) in enumerate(below):
        child = data.get("trajectory_id")
        child_name = f"{name}/{child if isinstance(child, str) else index}"
        yield from _trajectories(_embedded(data, where), child_name, ReadOptions())
