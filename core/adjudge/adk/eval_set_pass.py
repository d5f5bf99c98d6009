"""The validating pass over an eval-set file: collects all problems and the position of every case."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import islice
from pathlib import Path
from typing import Final, NoReturn

from adjudge.adk import schema
from adjudge.adk.case import KEPT
from adjudge.adk.eval_set_file import CaseEntry, EvalSetFile, Shape, identity_of, read_one
from adjudge.adk.json_input import JsonStream, open_file
from adjudge.adk.legacy import id_from_name
from adjudge.adk.validation import Findings, is_object, kind, listed
from adjudge.errors import InputError, Problem
from adjudge.model.base import JsonObject
from adjudge.model.eval_set import EvalCase
from adjudge.model.validation import known_keys

_CASES: Final = ("eval_cases", "evalCases")
_TOO_MANY: Final = 1000  # number of problems after which reading stops: the file is probably no eval set
_IN_MEMORY: Final = 4 * 1024 * 1024  # cases in this many first bytes of a file stay in memory
_LARGEST_EXTRA: Final = 16 * 1024 * 1024  # maximum length of the values besides the cases, in characters


class ValidatingPass:
    """One pass over one file. It holds one case in memory at a time."""

    def __init__(self, path: Path, stream: JsonStream, *, may_be_empty: bool = False) -> None:
        """Read ``stream`` from its beginning; if ``may_be_empty``, an eval set without cases is not a problem."""
        self._path = path
        self._identity = identity_of(path)
        self._stream = stream
        self._findings = Findings(str(path))
        self.entries: list[CaseEntry] = []
        """Of the cases so far, those with problems too."""
        self._first: dict[str, int] = {}
        self._extra_bytes = 0
        self._may_be_empty = may_be_empty

    def cases(self) -> Generator[EvalCase, None, EvalSetFile]:
        """Yield the cases as they are read, except those with problems.

        Returns:
            The validated file.


        Raises:
            InputError: all problems of the file, at its end; if it is not an eval set at all, immediately.
        """
        stream, findings = self._stream, self._findings
        head: schema.EvalSet | None = None
        match stream.peek():
            case "{":
                shape, head = yield from self._eval_set()
            case "[":
                shape = yield from self._old_shape()
            case "":
                stream.fail("the file is empty; an eval set is expected.")
            case _:
                stream.fail(f"expected an eval set, found {kind(stream.value(limit=_LARGEST_EXTRA))}.")
        stream.finish()
        extra = None if head is None else findings.further(head, "$")
        findings.raise_problems()
        return EvalSetFile(
            path=self._path,
            identity=self._identity,
            shape=shape,
            eval_set_id=id_from_name(self._path) if head is None else head.eval_set_id,
            name=None if head is None else head.name,
            description=None if head is None else head.description,
            creation_timestamp=None if head is None else head.creation_timestamp,
            extra=extra,
            warnings=findings.warnings,
            entries=tuple(self.entries),
            sha256=stream.sha256,
        )

    def _eval_set(self) -> Generator[EvalCase, None, tuple[Shape, schema.EvalSet | None]]:
        stream, findings = self._stream, self._findings
        shape: Shape = "eval_set"
        head: JsonObject = {}
        has_cases = False
        for key in stream.members():
            if key == KEPT:
                shape = "kept"
                self._beside_the_cases()
                continue
            is_cases = key in _CASES
            if is_cases and has_cases:
                stream.fail("'eval_cases' is given twice, in two spellings.")
            if is_cases and stream.peek() == "[":
                yield from self._cases(shape)
                head["eval_cases"] = []
            else:
                head[key] = self._beside_the_cases()
            has_cases = has_cases or (is_cases and head.get(key, "") is not None)
        if not has_cases and not head.keys() & {"eval_set_id", "evalSetId"}:
            self._foreign(head)
        found = findings.read(schema.EvalSet, head, "$")
        if found is not None and not self.entries and not self._may_be_empty:
            findings.problem("the eval set has no cases.", "$.eval_cases")
        return shape, found

    def _beside_the_cases(self) -> object:
        value = self._stream.value(limit=_LARGEST_EXTRA)
        self._extra_bytes += self._stream.length
        if self._extra_bytes > _LARGEST_EXTRA:
            self._stream.fail("too much beside 'eval_cases'; this is hardly an eval set.")
        return value

    def _foreign(self, head: JsonObject) -> NoReturn:
        hint = "An eval set is an object with 'eval_set_id' and 'eval_cases'."
        if head.keys() & set(known_keys(schema.EvalCase)):
            hint += " This looks like a single case of one."
        elif "criteria" in head:
            hint += " This looks like a configuration."
        raise InputError(
            Problem(
                what=f"not an eval set: it has {listed(list(head)) or 'no key'}.",
                file=str(self._path),
                path="$",
                hint=hint,
            )
        )

    def _old_shape(self) -> Generator[EvalCase, None, Shape]:
        """Read a file in one of the two older formats, both lists; the first element shows which one it is."""
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
                yield from self._case(data, shape, index, stream.offset, stream.length, stream.digest)
        if turns:
            yield from self._case(turns, shape, 0, start, stream.position() - start, None)
        elif not self.entries:
            self._findings.problem("the list is empty; it has no case.", "$")
        return shape

    def _shape_of(self, first: object) -> Shape:
        if is_object(first):
            if first.keys() & schema.OldTurn.model_fields.keys():
                return "old_turns"
            if first.keys() & schema.OldCase.model_fields.keys():
                return "old_cases"
        what = f"an object with {listed(list(first))}" if is_object(first) else kind(first)
        raise InputError(
            Problem(
                what=f"not an eval set: a list of {what}.",
                file=str(self._path),
                path="$[0]",
                hint="A list is an old shape: of turns with 'query', or of cases with 'name' and 'data'.",
            )
        )

    def _cases(self, shape: Shape) -> Iterator[EvalCase]:
        for index in self._stream.elements():
            data, stream = self._stream.value(), self._stream
            yield from self._case(data, shape, index, stream.offset, stream.length, stream.digest)

    def _case(
        self, data: object, shape: Shape, index: int, offset: int, length: int, digest: bytes | None
    ) -> Iterator[EvalCase]:
        before = self._findings.count
        case = read_one(data, shape, index, self._path, self._findings)
        place = f"$[{index}]" if shape == "old_cases" else f"$.eval_cases[{index}]"
        first = self._first.setdefault(case.eval_id, index)
        if first != index and case.eval_id:
            self._findings.case = case.eval_id
            self._findings.problem(
                f"a second case with this id; the first is number {first + 1} of the file.", place
            )
            self._findings.case = None
        self.entries.append(_entry(case, index, offset, length, digest))
        if self._findings.count >= _TOO_MANY:
            self._findings.raise_problems("The rest of the file was not read.")
        if self._findings.count == before:
            yield case


def _entry(case: EvalCase, index: int, offset: int, length: int, digest: bytes | None) -> CaseEntry:
    turns = case.conversation or ()
    return CaseEntry(
        eval_id=case.eval_id,
        turns=len(turns),
        is_scenario=case.conversation_scenario is not None,
        has_persona=case.conversation_scenario is not None
        and case.conversation_scenario.user_persona is not None,
        has_reference_response=any(
            turn.final_response is not None and turn.final_response.text.strip() for turn in turns
        ),
        has_reference_intermediate=any(turn.intermediate_texts for turn in turns),
        has_final_session_state=bool(case.final_session_state),
        has_rubrics=bool(case.rubrics) or any(turn.rubrics for turn in turns),
        has_state=case.session_input is not None and bool(case.session_input.state),
        app_name="" if case.session_input is None else case.session_input.app_name,
        index=index,
        offset=offset,
        length=length,
        digest=digest,
        case=case if offset + length <= _IN_MEMORY else None,
    )


def open_eval_set(path: Path, *, may_be_empty: bool = False) -> EvalSetFile:
    """Open and validate an eval-set file in any format, in one pass with one case in memory at a time.

    Args:
        path: The file.
        may_be_empty: Whether an eval set in ADK's schema may have no cases: such a file can be edited but not run.

    Raises:
        InputError: the file has problems; it describes the first twenty and counts the others.
    """
    with open_file(path) as file:
        cases = ValidatingPass(path, JsonStream(file, str(path)), may_be_empty=may_be_empty).cases()
        while True:
            try:
                next(cases)
            except StopIteration as end:
                found: EvalSetFile = end.value
                return found


def first_entries(path: Path, most: int) -> list[CaseEntry]:
    """The first valid cases of a file of any of the three shapes, before ``open_eval_set`` has validated all of it.

    Args:
        path: The file.
        most: How many cases are read.

    Raises:
        InputError: the file is no eval set, or ended before so many cases were read and has problems.
    """
    with open_file(path) as file:
        reading = ValidatingPass(path, JsonStream(file, str(path)), may_be_empty=True)
        return [reading.entries[-1] for _ in islice(reading.cases(), most)]
