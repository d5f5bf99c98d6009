"""Reads every case of an ADK ``EvalSetResult`` as a trajectory."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from adjudge.kit import logs
from adjudge.kit.adk import AdkEvent, invocation_from_adk
from adjudge.kit.strict_json import JsonStream
from adjudge.model import Content, Invocation, JsonObject, numbered
from adjudge.plugin import (
    InputError,
    Problem,
    ReadOptions,
    Source,
    Trajectory,
)

_CASES: Final = frozenset({"eval_case_results", "evalCaseResults"})
_RESULT_ID: Final = b"eval_set_result_id"
_NOT_READ: Final = ("overall_eval_metric_results", "session_details")
"""Keys of a case that are not read; reported as lost if they have content."""


class AdkResultReader:
    """Reads one case at a time, also from a JSON text inside JSON, as ADK before 1.22 wrote it."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether the first object contains results of cases."""
        if head.lstrip().startswith(b'"'):
            return _RESULT_ID in head[:200]
        return bool(_CASES & set(logs.outline(head).keys))

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield the cases in the order of the file; repeats of a case are consecutive.

        Raises:
            InputError: the file is malformed or has another format; the problem names the place.
        """
        file = source.path.name
        with logs.opened(source) as stream:
            if stream.peek() == '"':
                text = stream.value()
                stream.finish()
                inner = JsonStream(io.BytesIO(text.encode("utf-8", "surrogatepass")), file)
                yield from _cases(inner, file, options)
            else:
                yield from _cases(stream, file, options)


def _cases(stream: JsonStream, file: str, options: ReadOptions) -> Iterator[Trajectory]:
    found = False
    for key in stream.members():
        if key not in _CASES:
            stream.value()
            continue
        found = True
        for index in stream.elements():
            stream.peek()
            place = logs.Place(file, f"$.eval_case_results[{index}]", stream.line)
            yield _trajectory(place.as_object(stream.value(), "the result of a case"), place, options)
    stream.finish()
    if not found:
        stream.fail("no 'eval_case_results'; a result of ADK's evaluation is expected.")


def _trajectory(data: JsonObject, place: logs.Place, options: ReadOptions) -> Trajectory:
    case = AdkEvent(data)  # accepts both spellings of the keys
    eval_id = case.get("eval_id")
    if not isinstance(eval_id, str):
        place.fail("found no 'eval_id' of a case")
    losses = logs.Losses()
    turns = [
        _invocation(turn, turn_place, losses)
        for turn, turn_place in place.key("eval_metric_result_per_invocation").as_objects(
            case.get("eval_metric_result_per_invocation")
        )
    ]
    session = AdkEvent(logs.object_of(case.get("session_details")))
    for name in _NOT_READ:
        if case.get(name):
            losses.add(f"{name} of the case")
    state = session.get("state")
    return Trajectory(
        invocations=numbered(turns),
        eval_id=eval_id,
        eval_set_id=_eval_set_id(case.get("eval_set_id")),
        task=options.task,
        agent=_text(session.get("app_name")),
        session_id=_text(case.get("session_id")),
        final_session_state=logs.object_of(state) if state is not None else None,
        source=str(place),
        lost=losses.texts(),
    )


def _eval_set_id(value: object) -> str | None:
    """The id of the eval set; ``None`` for the file path that older versions of ADK wrote instead."""
    return value if isinstance(value, str) and value and not value.endswith(".json") else None


def _invocation(data: JsonObject, place: logs.Place, losses: logs.Losses) -> Invocation:
    turn = AdkEvent(data)
    actual = place.key("actual_invocation")
    try:
        read = invocation_from_adk(
            actual.as_object(turn.get("actual_invocation")), path=actual.path, of_a_log=True
        )
    except InputError as error:
        raise InputError([_located(problem, place) for problem in error.problems]) from None
    if turn.get("eval_metric_results"):
        losses.add("eval_metric_results of a turn")
    return read.model_copy(
        update={
            "user_content": _light(read.user_content, losses),
            "final_response": read.final_response and _light(read.final_response, losses),
            "steps": tuple(
                step.model_copy(
                    update={
                        "items": logs.items_without_blobs(step.items, losses),
                        "source_ref": f"{place.file}:{place.line} {step.source_ref}",
                    }
                )
                for step in read.steps
            ),
        }
    )


def _located(problem: Problem, place: logs.Place) -> Problem:
    return Problem(what=problem.what, file=place.file, line=place.line, path=problem.path, hint=problem.hint)


def _light(content: Content, losses: logs.Losses) -> Content:
    return content.model_copy(update={"items": logs.items_without_blobs(content.items, losses)})


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
