"""Finds the runs in a file: a list of messages, an object with ``messages`` or ``traj``, or many of those."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, cast

from adjudge.kit import logs
from adjudge.kit.openai import is_message
from adjudge.kit.strict_json import JsonStream
from adjudge.model import JsonObject
from adjudge.plugin import (
    InputError,
    Problem,
    ReadOptions,
    Source,
    Trajectory,
)
from adjudge_plugins.readers.openai_messages_reader.run import MESSAGES, Place, trajectory_of

_ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function")


class OpenAIMessagesReader:
    """Reads one run at a time; memory use is that of the longest run in the file."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether the first value is a run, or a list of runs or messages."""
        stream = logs.MendingJsonStream(io.BytesIO(head), "head", Counter())
        try:
            if stream.peek() == "[":
                next(stream.elements(), None)
            return _begins_run(stream)
        except InputError:  # malformed, or longer than the head
            return False

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield the runs in the order of the file.

        Raises:
            InputError: the file is malformed or has another format; the problem names the line.
        """
        with logs.opened(source) as stream:
            yield from self._runs(stream, source.path.name, options)

    def _runs(self, stream: JsonStream, name: str, options: ReadOptions) -> Iterator[Trajectory]:
        found = 0
        for place, run, alone in _rows(stream, name):
            found += 1
            yield trajectory_of(run, place, options, name.split(".")[0] if alone else str(place.index))
        if not found:
            stream.fail("no run; chat messages are expected.")


def _rows(stream: JsonStream, name: str) -> Iterator[tuple[Place, JsonObject, bool]]:
    """Yield every run with its place, and whether it is the only run in the file."""
    index = 0
    while stream.peek():
        line = stream.line
        if stream.peek() != "[":
            run = _value(stream)
            alone = index == 0 and not stream.peek()
            yield Place(name, line, "$", index), _run(run, name, line), alone
            index += 1
            continue
        messages: list[JsonObject] = []
        for position in stream.elements():
            stream.peek()
            line_here = stream.line
            value: Any = stream.value()
            if is_message(value):
                messages.append(cast("JsonObject", value))
                continue
            if messages:
                raise InputError(
                    Problem(
                        what="found no message among messages",
                        file=name,
                        line=line_here,
                        path=f"$[{position}]",
                    )
                )
            yield (
                Place(name, line_here, f"$[{position}]", index),
                _run(cast("object", value), name, line_here),
                False,
            )
            index += 1
        if messages:
            alone = index == 0 and not stream.peek()
            yield Place(name, line, "$", index), {"messages": messages}, alone
            index += 1


def _value(stream: JsonStream) -> Any:
    """Read a value. The messages of a run are read one at a time: a value that is longer than the buffer is decoded twice."""
    if stream.peek() != "{":
        return stream.value()
    run: JsonObject = {}
    for key in stream.members():
        is_list = key in MESSAGES and stream.peek() == "["
        run[key] = [stream.value() for _ in stream.elements()] if is_list else stream.value()
    return run


def _run(value: object, name: str, line: int) -> JsonObject:
    if isinstance(value, dict) and any(isinstance(value.get(key), list) for key in MESSAGES):  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        return cast("JsonObject", value)
    raise InputError(
        Problem(
            what="found no run",
            file=name,
            line=line,
            hint="A run is an object with a list of chat messages under 'messages' or 'traj'.",
        )
    )


def _begins_run(stream: JsonStream) -> bool:
    if stream.peek() != "{":
        return False
    for key in stream.members():
        if key == "role":
            return stream.value() in _ROLES
        if key in MESSAGES and stream.peek() == "[":
            next(stream.elements(), None)
            return _begins_message(stream)
        stream.value()
    return False


def _begins_message(stream: JsonStream) -> bool:
    if stream.peek() != "{":
        return False
    for key in stream.members():
        value = stream.value()
        if key == "role":
            return value in _ROLES
    return False
