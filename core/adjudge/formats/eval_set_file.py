"""Eval-set files of any size: one validating pass, then any case on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NoReturn, TypeAlias

from adjudge.errors import InputError, Problem, did_you_mean
from adjudge.formats.adk_case import read_case
from adjudge.formats.adk_schema import EVAL_CASE, EVAL_SET, OLD_CASE, OLD_TURN
from adjudge.formats.findings import Findings, is_object, kind
from adjudge.formats.json_input import JsonStream, open_file, parse_json
from adjudge.formats.old_shapes import id_from_name, read_old_case, read_old_turns
from adjudge.model.base import JsonObject
from adjudge.model.eval_set import EvalCase, EvalSet

Shape: TypeAlias = Literal["eval_set", "old_turns", "old_cases"]
"""ADK's schema, a list of turns, or a list of named cases."""

_TOO_MANY: Final = 1000  # problems after which a file is surely something else
_LARGEST_EXTRA: Final = 16 * 1024 * 1024  # characters of one value beside the cases


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseEntry:
    """What is known of one case without holding it."""

    eval_id: str
    turns: int
    """0 for a scenario."""
    is_scenario: bool
    has_reference_response: bool
    """Some turn has a final response that is not blank."""
    has_reference_intermediate: bool
    """Some turn has an expected text of a sub-agent."""
    has_final_session_state: bool
    has_rubrics: bool
    """The case or one of its turns has rubrics."""
    has_state: bool
    """The session starts with a state that is not empty."""
    index: int
    """The position in the file, from 0."""
    offset: int
    """Where the case begins in the file, in bytes."""
    length: int
    """How long it is, in bytes."""


@dataclass(frozen=True, kw_only=True)
class EvalSetFile:
    """An eval-set file that has been validated. Its cases stay on disk until they are read."""

    path: Path
    shape: Shape
    eval_set_id: str
    name: str | None
    description: str | None
    creation_timestamp: float | None
    """``None`` where the file has none."""
    extra: JsonObject | None
    warnings: tuple[str, ...]
    entries: Sequence[CaseEntry]
    sha256: str
    """Of the bytes of the file."""

    def __iter__(self) -> Iterator[EvalCase]:
        """The cases in order, one at a time."""
        for entry in self.entries:
            yield self.read(entry)

    def read(self, entry: CaseEntry) -> EvalCase:
        """One case.

        Raises:
            InputError: the file is gone or was changed since it was opened.
        """
        with open_file(self.path) as file:
            file.seek(entry.offset)
            text = file.read(entry.length)
        findings = Findings(str(self.path))
        try:
            data = parse_json(text, source=str(self.path))
            case = _read(data, self.shape, entry.index, self.path, findings)
            findings.raise_problems()
        except InputError:
            case = None
        if case is None or case.eval_id != entry.eval_id:
            raise InputError(
                Problem(
                    what="the file was changed since it was opened.",
                    file=str(self.path),
                    case=entry.eval_id,
                    hint="Start again.",
                )
            )
        return case

    def select(self, ids: Iterable[str]) -> list[CaseEntry]:
        """The cases with these ids, in the order of the file.

        Raises:
            InputError: the file has no case with one of the ids.
        """
        known = {entry.eval_id: entry for entry in self.entries}
        wanted = dict.fromkeys(ids)
        unknown = [name for name in wanted if name not in known]
        if unknown:
            raise InputError(
                [
                    Problem(
                        what=f"there is no case {name!r}.{did_you_mean(name, known)}",
                        file=str(self.path),
                        hint=f"It has {_listed(list(known))}.",
                    )
                    for name in unknown
                ]
            )
        return [entry for entry in self.entries if entry.eval_id in wanted]


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:10])
    return f"{shown} and {len(names) - 10} more" if len(names) > 10 else shown


def open_eval_set(path: Path) -> EvalSetFile:
    """Validate a file of any of the three shapes in one pass, in the memory of its largest case.

    Raises:
        InputError: every problem of the file, the first twenty in words.
    """
    with open_file(path) as file:
        return _Pass(path, JsonStream(file, str(path))).run()


def read_eval_cases(path: Path) -> Iterator[EvalCase]:
    """The cases of a file, one at a time, once the whole file has been validated.

    Raises:
        InputError: every problem of the file.
    """
    return iter(open_eval_set(path))


def load_eval_set(path: Path) -> EvalSet:
    """A whole file in memory.

    Raises:
        InputError: every problem of the file.
    """
    file = open_eval_set(path)
    given: JsonObject = {}
    if file.creation_timestamp is not None:
        given["creation_timestamp"] = file.creation_timestamp
    return EvalSet(
        eval_set_id=file.eval_set_id,
        name=file.name,
        description=file.description,
        eval_cases=tuple(file),
        extra=file.extra,
        **given,
    )


def _read(data: object, shape: Shape, index: int, path: Path, findings: Findings) -> EvalCase:
    match shape:
        case "eval_set":
            return read_case(data, f"$.eval_cases[{index}]", findings)
        case "old_cases":
            return read_old_case(data, f"$[{index}]", findings)
        case "old_turns":
            turns = findings.items({"turns": data}, "turns", "$")
            return read_old_turns(id_from_name(path), turns, "$", findings)


class _Pass:
    """The validating pass over one file."""

    def __init__(self, path: Path, stream: JsonStream) -> None:
        self._path = path
        self._stream = stream
        self._findings = Findings(str(path))
        self._entries: list[CaseEntry] = []
        self._first: dict[str, int] = {}
        self._extra_bytes = 0

    def run(self) -> EvalSetFile:
        stream, findings = self._stream, self._findings
        head: JsonObject = {}
        extra: JsonObject | None = None
        match stream.peek():
            case "{":
                shape: Shape = "eval_set"
                head, extra = self._eval_set()
            case "[":
                shape = self._old_shape()
            case "":
                stream.fail("the file is empty; an eval set is expected.")
            case _:
                stream.fail(f"expected an eval set, found {kind(stream.value(limit=_LARGEST_EXTRA))}.")
        stream.finish()
        given = {
            "eval_set_id": findings.string(head, "eval_set_id", "$", ""),
            "name": findings.string(head, "name", "$"),
            "description": findings.string(head, "description", "$"),
            "creation_timestamp": findings.number(head, "creation_timestamp", "$"),
        }
        findings.raise_problems()
        if shape != "eval_set":
            given["eval_set_id"] = id_from_name(self._path)
        return EvalSetFile(
            path=self._path,
            shape=shape,
            extra=extra,
            warnings=findings.warnings,
            entries=tuple(self._entries),
            sha256=stream.sha256,
            **given,
        )

    def _eval_set(self) -> tuple[JsonObject, JsonObject | None]:
        stream, findings = self._stream, self._findings
        head: JsonObject = {}
        has_cases = False
        for key in stream.members():
            is_cases = EVAL_SET.keys.get(key) == "eval_cases"
            if is_cases and has_cases:
                stream.fail("'eval_cases' is given twice, in two spellings.")
            if is_cases and stream.peek() == "[":
                self._cases()
            else:
                head[key] = self._beside_the_cases()
            has_cases = has_cases or (is_cases and head.get(key, "") is not None)
        if not has_cases and not head.keys() & {"eval_set_id", "evalSetId"}:
            self._foreign(head)
        found, extra = findings.open_fields(head, EVAL_SET, "$")
        findings.required(
            {**found, "eval_cases": None} if has_cases else found, EVAL_SET, "$", "eval_set_id", "eval_cases"
        )
        if "eval_cases" in found:
            findings.problem(f"'eval_cases' must be a list, found {kind(found['eval_cases'])}.", "$")
        elif has_cases and not self._entries:
            findings.problem("the eval set has no cases.", "$.eval_cases")
        return found, extra

    def _beside_the_cases(self) -> object:
        value = self._stream.value(limit=_LARGEST_EXTRA)
        self._extra_bytes += self._stream.length
        if self._extra_bytes > _LARGEST_EXTRA:
            self._stream.fail("too much beside 'eval_cases'; this is hardly an eval set.")
        return value

    def _foreign(self, head: JsonObject) -> NoReturn:
        hint = "An eval set is an object with 'eval_set_id' and 'eval_cases'."
        if EVAL_CASE.keys.keys() & head:
            hint += " This looks like a single case of one."
        elif "criteria" in head:
            hint += " This looks like a configuration."
        raise InputError(
            Problem(
                what=f"not an eval set: it has {_listed(list(head)) or 'no key'}.",
                file=str(self._path),
                path="$",
                hint=hint,
            )
        )

    def _old_shape(self) -> Shape:
        """Read a list; its first element says which of the two old shapes it is."""
        stream = self._stream
        start = stream.position()
        shape: Shape = "old_turns"
        turns: list[object] = []
        for index in stream.elements():
            data = stream.value()
            if index == 0:
                shape = self._shape_of(data)
            if shape == "old_turns":
                turns.append(data)
            else:
                self._case(data, shape, index, stream.offset, stream.length)
        if turns:
            self._case(turns, shape, 0, start, stream.position() - start)
        elif not self._entries:
            self._findings.problem("the list is empty; it has no case.", "$")
        return shape

    def _shape_of(self, first: object) -> Shape:
        if is_object(first):
            if first.keys() & set(OLD_TURN.fields):
                return "old_turns"
            if first.keys() & set(OLD_CASE.fields):
                return "old_cases"
        what = f"an object with {_listed(list(first))}" if is_object(first) else kind(first)
        raise InputError(
            Problem(
                what=f"not an eval set: a list of {what}.",
                file=str(self._path),
                path="$[0]",
                hint="A list is an old shape: of turns with 'query', or of cases with 'name' and 'data'.",
            )
        )

    def _cases(self) -> None:
        for index in self._stream.elements():
            data = self._stream.value()
            self._case(data, "eval_set", index, self._stream.offset, self._stream.length)

    def _case(self, data: object, shape: Shape, index: int, offset: int, length: int) -> None:
        case = _read(data, shape, index, self._path, self._findings)
        place = f"$.eval_cases[{index}]" if shape == "eval_set" else f"$[{index}]"
        first = self._first.setdefault(case.eval_id, index)
        if first != index and case.eval_id:
            self._findings.case = case.eval_id
            self._findings.problem(
                f"a second case with this id; the first is number {first + 1} of the file.", place
            )
            self._findings.case = None
        self._entries.append(_entry(case, index, offset, length))
        if self._findings.count >= _TOO_MANY:
            self._findings.raise_problems("The rest of the file was not read.")


def _entry(case: EvalCase, index: int, offset: int, length: int) -> CaseEntry:
    turns = case.conversation or ()
    return CaseEntry(
        eval_id=case.eval_id,
        turns=len(turns),
        is_scenario=case.conversation_scenario is not None,
        has_reference_response=any(
            turn.final_response is not None and turn.final_response.text.strip() for turn in turns
        ),
        has_reference_intermediate=any(turn.intermediate_texts for turn in turns),
        has_final_session_state=bool(case.final_session_state),
        has_rubrics=bool(case.rubrics) or any(turn.rubrics for turn in turns),
        has_state=case.session_input is not None and bool(case.session_input.state),
        index=index,
        offset=offset,
        length=length,
    )
