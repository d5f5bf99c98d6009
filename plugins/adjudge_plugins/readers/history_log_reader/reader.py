"""Finds the runs in a file: a list of steps, an object with such a list, or one step or object per line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, cast

from adjudge.kit import logs
from adjudge.kit.strict_json import JsonStream
from adjudge.model import Content, Invocation, JsonObject, Step
from adjudge.plugin import (
    ReadOptions,
    Source,
    Trajectory,
)
from adjudge_plugins.readers.history_log_reader.steps import NUMBER, STEP_KEYS, is_step, step_of

_LISTS: Final = ("steps", "history", "history_log", "log", "trajectory")
_TASKS: Final = ("task", "goal")
_NAMES: Final = ("eval_id", "task_id", "id")
_ANSWERS: Final = ("final_answer", "final_response", "answer")


class HistoryLogReader:
    """Reads one run at a time; memory use is that of the longest run in the file."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether the first object is a step, or contains a list whose first element is one."""
        found = logs.outline(head)
        candidates = [found.keys, *(found.lists.get(key, []) for key in _LISTS)]
        return any(len(STEP_KEYS.intersection(keys)) > 1 for keys in candidates)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield the runs in the order of the file.

        Raises:
            InputError: the file is malformed or has another format; the problem names the place.
        """
        with logs.opened(source) as stream:
            count = 0
            for run, is_alone in _runs(stream, source.path.name):
                name = source.path.name.split(".")[0] if is_alone and not count else str(count)
                yield run.trajectory(name, options)
                count += 1
            if not count:
                stream.fail("no step; a history log is expected.")


class _Run:
    """A run that is being read: its steps and its other data."""

    def __init__(self, place: logs.Place) -> None:
        self.place = place
        self.about: JsonObject = {}
        self.steps: list[Step] = []
        self._numbers: list[Any] = []
        self._losses = logs.Losses()

    def take(self, value: object, place: logs.Place) -> None:
        """Add the next step."""
        data = place.as_object(value, "a step")
        self._numbers.append(data.get(NUMBER))
        self.steps.append(step_of(data, place, self._losses, len(self.steps) + 1))

    def trajectory(self, name: str, options: ReadOptions) -> Trajectory:
        """Build the trajectory, under its own name if it has one."""
        task = self._said(_TASKS) or options.task
        answer = self._said(_ANSWERS)
        named = next((self.about[key] for key in _NAMES if isinstance(self.about.get(key), str | int)), name)
        turn = Invocation(
            user_content=Content.of_text(task, "user") if task else Content(role="user", has_parts=False),
            steps=logs.with_numbers(self.steps, self._numbers, key=NUMBER),
            final_response=Content.of_text(answer, "model") if answer else None,
        )
        return Trajectory(
            invocations=(turn,),
            eval_id=str(named),
            task=task,
            agent=self._said(("agent",)),
            source=str(self.place),
            extra=logs.without_blobs(self.about, self._losses) or None,
            lost=self._losses.texts(),
        )

    def _said(self, keys: Sequence[str]) -> str | None:
        return next((self.about[key] for key in keys if isinstance(self.about.get(key), str)), None)


def _runs(stream: logs.MendingJsonStream, name: str) -> Iterator[tuple[_Run, bool]]:
    """Yield every run, and whether it is the last."""
    loose = _Run(logs.Place(name))
    while stream.has_record():
        place = logs.Place(name, line=stream.line)
        if stream.peek() == "[":
            yield from _listed(stream, place)
            continue
        run, has_list = _walked(stream, place)
        if has_list:
            yield run, not stream.peek()
        else:  # one step per line
            loose.take(run.about, place)
    if stream.cut is not None and not loose.steps:  # that line was a run
        raise stream.cut
    if loose.steps:
        yield loose, True


def _listed(stream: JsonStream, place: logs.Place) -> Iterator[tuple[_Run, bool]]:
    """Yield the runs of a list of runs, or the single run of a list of steps."""
    steps = _Run(place)
    for index in stream.elements():
        value: Any = stream.value()
        here = place.at(index)
        key = None if is_step(value) else _key_of_list(value)
        if key is None:
            steps.take(value, here)
            continue
        run = _Run(here)
        run.about = {other: value[other] for other in value if other != key}
        for position, step in enumerate(value[key]):
            run.take(step, here.key(key).at(position))
        yield run, False
    if steps.steps:
        yield steps, not stream.peek()


def _walked(stream: JsonStream, place: logs.Place) -> tuple[_Run, bool]:
    """Read the object at the stream's position, one step at a time."""
    run = _Run(place)
    if stream.first_key() in STEP_KEYS:  # parsed in one call, which is faster than key by key
        run.about = place.as_object(stream.value())
        if is_step(run.about) or (held := _key_of_list(run.about)) is None:
            return run, False
        for position, step in enumerate(run.about.pop(held)):
            run.take(step, place.key(held).at(position))
        return run, True
    has_list = False
    for key in stream.members():
        if has_list or key not in _LISTS or is_step(run.about) or stream.peek() != "[":
            run.about[key] = stream.value()
            continue
        has_list = True
        for index in stream.elements():
            run.take(stream.value(), place.key(key).at(index))
    return run, has_list


def _key_of_list(value: object) -> str | None:
    if not isinstance(value, dict):
        return None
    return next((key for key in _LISTS if isinstance(cast("JsonObject", value).get(key), list)), None)
