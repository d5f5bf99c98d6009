"""Labels files: human verdicts on judged runs, as CSV, JSON or JSON Lines."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final, TypeAlias

from pydantic import AfterValidator, BeforeValidator, ConfigDict, ValidationInfo

from adjudge.kit.calibration import Decided
from adjudge.kit.strict_json import (
    FileObject,
    Findings,
    JsonStream,
    field_mistake,
    is_object,
    kind,
    open_file,
    parse_json,
)
from adjudge.model.base import JsonObject, JsonValue
from adjudge.plugin import InputError, Problem
from adjudge_plugins.agreement.report import VerdictLabel

_NUMBERS: Final = ("run", "step", "length")
_SHOWN: Final = 20

_Numbered = Iterator[tuple[int, object]]


def read_verdict_labels(path: Path) -> tuple[tuple[VerdictLabel, ...], str]:
    """The labels in a file, and its SHA-256. Its ending says what it is.

    Raises:
        InputError: it cannot be read, or labels are wrong; every problem with its line.
    """
    reading = _READING.get(path.suffix.lower())
    if reading is None:
        raise InputError(Problem(what=f"a file of labels ends with {', '.join(_READING)}", file=str(path)))
    with open_file(path) as file:
        data = file.read()
    problems: list[Problem] = []
    labels: list[VerdictLabel] = []
    lines: dict[tuple[str, int | None, str], int] = {}
    for line, found in reading(data, str(path)):
        try:
            label = _label(found, line)
        except InputError as error:
            problems += [replace(problem, file=str(path), line=line) for problem in error.problems]
            continue
        labelled = (label.source, label.run, label.criterion)
        if labelled in lines:
            what = f"this run has a label for {label.criterion!r} in line {lines[labelled]} already"
            hint = "Where several people labelled it, decide on one label."
            problems.append(Problem(what=what, file=str(path), line=line, hint=hint))
        lines.setdefault(labelled, line)
        labels.append(label)
    if not labels and not problems:
        problems.append(Problem(what="there is no label in it", file=str(path)))
    raise_problems(problems, path)
    return tuple(labels), hashlib.sha256(data).hexdigest()


def raise_problems(problems: Sequence[Problem], path: Path) -> None:
    """Raise what was found wrong in a file, where anything was; of very much the beginning, and how much more there is."""
    shown = list(problems[:_SHOWN])
    if more := len(problems) - len(shown):
        shown.append(Problem(what=f"and {more} more problems", file=str(path)))
    if shown:
        raise InputError(shown)


def said(text: str, info: ValidationInfo) -> str:
    """For fields: a text that says something."""
    if not text.strip():
        raise field_mistake(f"{info.field_name!r} is blank.")
    return text


def _whole(number: object, info: ValidationInfo) -> object:
    if isinstance(number, int) and not isinstance(number, bool) and number >= 1:
        return number
    raise field_mistake(f"{info.field_name!r} must be a whole number from 1 on, found {kind(number)}.")


def _decided(label: object) -> object:
    if label not in ("PASS", "FAIL"):
        raise field_mistake(f"'label' must be PASS or FAIL, found {kind(label)}.")
    return label


Said: TypeAlias = Annotated[str, AfterValidator(said)]
_Whole: TypeAlias = Annotated[int, BeforeValidator(_whole)]


class _Row(FileObject):
    model_config = ConfigDict(title="a label")

    source: Said | None = None
    case: Said | None = None
    run: _Whole | None = None
    criterion: Said
    label: Annotated[Decided, BeforeValidator(_decided)]
    step: _Whole | None = None
    source_ref: Said | None = None
    agent: Said | None = None
    length: _Whole | None = None
    split: Said | None = None
    note: JsonValue = None


def _label(row: object, line: int) -> VerdictLabel:
    findings = Findings()
    found = findings.read(_Row, row, "$")
    given: JsonObject = row if is_object(row) else {}
    if (given.get("source") is None) == (given.get("case") is None):
        findings.problem("a label names either the log ('source') or the 'case'.", "$")
    for place in ("step", "source_ref"):
        if given.get("label") == "PASS" and given.get(place) is not None:
            findings.problem(f"{place!r} says where a run fails; this one is labelled PASS.", "$")
    if given.get("step") is not None and given.get("source_ref") is not None:
        findings.problem("a label says where a run fails by 'step' or by 'source_ref', and not by both.", "$")
    known = findings.sound(found)
    return VerdictLabel(
        source=known.source or known.case or "",
        run=known.run,
        criterion=" ".join(known.criterion.split()),
        label=known.label,
        step=known.step,
        source_ref=known.source_ref,
        agent=known.agent,
        length=known.length,
        split=known.split,
        line=line,
    )


# --- forms of a file ----------------------------------------------------------------------


def _json(data: bytes, file: str) -> _Numbered:
    stream = JsonStream(io.BytesIO(data), file)
    for _ in stream.elements():
        stream.peek()
        line = stream.line
        yield line, stream.value()
    stream.finish()


def _json_lines(data: bytes, file: str) -> _Numbered:
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").splitlines(), 1):
        if line.strip():
            try:
                yield number, parse_json(line, source=file)
            except InputError as error:
                raise InputError([replace(problem, line=number) for problem in error.problems]) from None


def _csv(data: bytes, file: str) -> _Numbered:
    """Rows as objects; an empty cell is an absent value, and whole numbers are numbers."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(Problem(what=f"not UTF-8: {error.reason}", file=file)) from None
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] | None = None
    line = 1
    try:
        for cells in rows:
            if header is None:
                header = [cell.strip() for cell in cells]
                _check_header(header, file)
            elif any(cell.strip() for cell in cells):
                if len(cells) != len(header):
                    what = f"{len(cells)} cells, where the header has {len(header)}"
                    raise InputError(Problem(what=what, file=file, line=line))
                yield line, {name: _cell(name, cell) for name, cell in zip(header, cells, strict=True)}
            line = rows.line_num + 1
    except csv.Error as error:
        raise InputError(Problem(what=f"not CSV: {error}", file=file, line=line)) from None


def _check_header(header: list[str], file: str) -> None:
    twice = {name for name in header if header.count(name) > 1}
    if twice:
        what = f"the column {min(twice)!r} is there twice"
        raise InputError(Problem(what=what, file=file, line=1))
    findings = Findings(file)
    findings.check_keys(_Row, header, "the header")
    findings.raise_problems()


def _cell(name: str, cell: str) -> str | int | None:
    cell = cell.strip()
    if not cell:
        return None
    return int(cell) if name in _NUMBERS and cell.isascii() and cell.isdigit() and len(cell) < 10 else cell


_READING: Final[dict[str, Callable[[bytes, str], _Numbered]]] = {
    ".csv": _csv,
    ".json": _json,
    ".jsonl": _json_lines,
}
