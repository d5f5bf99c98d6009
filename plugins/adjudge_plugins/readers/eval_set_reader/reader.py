"""Reads every case of an eval set as a trajectory."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from adjudge.kit.adk import read_eval_cases
from adjudge.kit.strict_json import JsonStream
from adjudge.model import EvalCase
from adjudge.plugin import (
    InputError,
    Problem,
    ReadOptions,
    Source,
    Trajectory,
)

_CASES: Final = "eval_cases"
_RESULTS: Final = frozenset({"eval_set_result_id", "eval_case_results"})
"""Keys of an eval result, which also has an eval set id."""
_IDS: Final = frozenset({"eval_set_id", "evalSetId"})
_OLD_TURN_KEYS: Final = frozenset(
    {"query", "expected_tool_use", "expected_intermediate_agent_responses", "reference"}
)


class EvalSetReader:
    """Reads all three shapes of ADK's eval sets, one case at a time."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether the first keys are those of an eval set, or of the first turn or case in an old shape."""
        stream = JsonStream(io.BytesIO(head), "head")
        try:
            if stream.peek() == "{":
                return _is_eval_set(stream)
            if stream.peek() == "[":
                next(stream.elements(), None)
                return _begins_old_shape(stream)
        except InputError:  # malformed, or longer than the head
            pass
        return False

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield the conversations in the order of the file. Scenarios are left out: they have no turns.

        Raises:
            InputError: the file is not an eval set; the error has all its problems.
        """
        if source.path.suffix == ".gz":
            raise InputError(
                Problem(
                    what="an eval set cannot be read from a gzip file",
                    file=str(source.path),
                    hint="Unpack it first.",
                )
            )
        eval_set_id = _given_id(source.path)
        for case in read_eval_cases(source.path):
            if case.conversation is not None:
                yield _trajectory(case, eval_set_id, source.path, options)


def _given_id(path: Path) -> str | None:
    """The id of the eval set, which usually precedes its cases.

    ``None`` for the old shapes, and for a malformed file: its problems are reported when the cases are read.
    """
    try:
        with path.open("rb") as file:
            stream = JsonStream(file, str(path))
            if stream.peek() != "{":
                return None
            for key in stream.members():
                if key in _IDS:
                    if isinstance(value := stream.value(), str):
                        return value
                    continue  # null counts as absent
                for _ in stream.elements() if stream.peek() == "[" else ("the value",):
                    stream.value()
    except (InputError, OSError):
        pass
    return None


def _trajectory(case: EvalCase, eval_set_id: str | None, path: Path, options: ReadOptions) -> Trajectory:
    session = case.session_input
    return Trajectory(
        invocations=case.conversation or (),
        eval_id=case.eval_id,
        eval_set_id=eval_set_id,
        task=options.task,
        agent=session.app_name if session is not None else None,
        session_id=session.session_id if session is not None else None,
        final_session_state=case.final_session_state,
        source=f"{path.name}, case {case.eval_id}",
    )


def _begins_old_shape(stream: JsonStream) -> bool:
    if stream.peek() != "{":
        return False
    for key in stream.members():
        if key in _OLD_TURN_KEYS:
            return True
        if key == "data" and stream.peek() == "[":
            next(stream.elements(), None)
            return stream.peek() == "{" and _has_key(stream, _OLD_TURN_KEYS)
        stream.value()
    return False


def _is_eval_set(stream: JsonStream) -> bool:
    named = False
    try:
        for key in stream.members():
            if key == _CASES or key in _RESULTS:
                return key == _CASES
            named = named or key == "eval_set_id"
            stream.value()
    except InputError:  # malformed, or longer than the head
        pass
    return named


def _has_key(stream: JsonStream, wanted: frozenset[str]) -> bool:
    for key in stream.members():
        if key in wanted:
            return True
        stream.value()
    return False
