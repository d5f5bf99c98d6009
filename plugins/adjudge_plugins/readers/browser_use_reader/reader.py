"""Reads a history file as one trajectory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from adjudge.kit import logs
from adjudge.kit.strict_json import JsonStream
from adjudge.model import Content, Invocation, JsonObject, Step
from adjudge.plugin import (
    ReadOptions,
    Source,
    Trajectory,
)
from adjudge_plugins.readers.browser_use_reader.record import results_of, step_of

_LIST = "history"


class BrowserUseReader:
    """Reads one record at a time, so that memory holds a single screenshot."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether the first record in ``history`` has ``model_output``, or ``result`` and ``state``."""
        found = logs.outline(head)
        keys = set(found.lists.get(_LIST, ()))
        return found.begins_with == "{" and ("model_output" in keys or {"result", "state"} <= keys)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield the run of the file. The format has no task: it comes from ``options``.

        Raises:
            InputError: the file is malformed or has another format; the problem names the place.
        """
        name = source.path.name
        with logs.opened(source) as stream:
            run = _Run(logs.Place(name))
            run.read(stream)
            stream.finish()
        yield run.trajectory(name.split(".")[0], options)


class _Run:
    def __init__(self, place: logs.Place) -> None:
        self._place = place
        self._steps: list[Step] = []
        self._numbers: list[object] = []
        self._last: Sequence[JsonObject] = ()
        self._about: JsonObject = {}
        self._losses = logs.Losses()

    def read(self, stream: JsonStream) -> None:
        has_list = False
        for key in stream.members():
            if key != _LIST:
                self._about[key] = logs.without_blobs(stream.value(), self._losses)
                continue
            has_list = True
            for index in stream.elements():
                place = self._place.key(key).at(index)
                self._take(place.as_object(stream.value(), "a record of a history"), place)
        if not has_list:
            self._place.fail("found no 'history', the list of records that browser-use writes")

    def _take(self, record: JsonObject, place: logs.Place) -> None:
        if not {"model_output", "result", "state"} & record.keys():
            place.fail("found no record of a history: it has no model_output, no result and no state")
        self._steps.append(step_of(record, place, self._losses, len(self._steps) + 1))
        metadata: Any = record.get("metadata")
        self._numbers.append(metadata.get("step_number") if isinstance(metadata, dict) else None)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        self._last = results_of(record, place)

    def trajectory(self, name: str, options: ReadOptions) -> Trajectory:
        final = self._last[-1] if self._last else {}
        answer = logs.text_of(final.get("extracted_content")) if final.get("is_done") is True else ""
        task = options.task
        turn = Invocation(
            user_content=Content.of_text(task, "user") if task else Content(role="user", has_parts=False),
            steps=logs.with_numbers(self._steps, self._numbers, key="step_number"),
            final_response=Content.of_text(answer, "model") if answer else None,
        )
        return Trajectory(
            invocations=(turn,),
            eval_id=name,
            task=task,
            source=str(self._place),
            extra={**self._about, **_said_of_itself(final)} or None,
            lost=self._losses.texts(),
        )


def _said_of_itself(final: JsonObject) -> JsonObject:
    """The agent's own assessment of the run, and that of browser-use's judge. Neither is evidence."""
    said = {"self_reported_success": final.get("success"), "judgement": final.get("judgement")}
    return {key: value for key, value in said.items() if value is not None}
