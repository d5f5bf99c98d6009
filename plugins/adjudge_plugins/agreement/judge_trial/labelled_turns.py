"""Labelled sets: JSON Lines with human labels of turns."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict

from adjudge.kit.adk import invocation_from_adk
from adjudge.kit.strict_json import (
    FileObject,
    Findings,
    field_mistake,
    is_object,
    kind,
    open_file,
    parse_json,
)
from adjudge.model.base import Frozen, JsonObject
from adjudge.model.invocation import Invocation
from adjudge.model.items import Content
from adjudge.plugin import InputError, Problem
from adjudge_plugins.agreement.labels_file import Said, raise_problems


class LabelledTurn(Frozen):
    """One turn, and what a person says that a criterion should find."""

    row_id: str
    criterion: str
    """The component that measures it."""
    options: JsonObject = {}
    """The criterion's options, and ``threshold``, as a configuration has them."""
    expected: Invocation
    actual: Invocation
    label: Literal["PASS", "FAIL"]
    language: str = "-"
    difficulty: str = "-"
    file: str
    line: int
    """From 1."""


def read_labelled(path: Path) -> tuple[tuple[LabelledTurn, ...], str]:
    """The rows of a file, and its SHA-256.

    Raises:
        InputError: it cannot be read, or rows are wrong; every problem with its line.
    """
    with open_file(path) as file:
        data = file.read()
    problems: list[Problem] = []
    rows: list[LabelledTurn] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = _row(line, str(path), number)
        except InputError as error:
            problems += [replace(problem, file=str(path), line=number) for problem in error.problems]
            continue
        if row.row_id in lines:
            what = f"the id {row.row_id!r} is that of line {lines[row.row_id]} too"
            problems.append(Problem(what=what, file=str(path), line=number))
        lines[row.row_id] = number
        rows.append(row)
    if not rows and not problems:
        problems.append(Problem(what="there is no labelled turn in it", file=str(path)))
    raise_problems(problems, path)
    return tuple(rows), hashlib.sha256(data).hexdigest()


def _decided(label: object) -> object:
    if label not in ("PASS", "FAIL"):
        raise field_mistake(f'\'label\' must be "PASS" or "FAIL", found {kind(label)}.')
    return label


class _Row(FileObject):
    model_config = ConfigDict(title="a row")

    id: Said
    criterion: Said
    options: JsonObject | None = None
    expected: JsonObject | None = None
    actual: JsonObject
    label: Annotated[Literal["PASS", "FAIL"], BeforeValidator(_decided)]
    language: Said = "-"
    difficulty: Said = "-"


def _row(line: bytes, file: str, number: int) -> LabelledTurn:
    findings = Findings()
    row = parse_json(line, source=file)
    found = findings.read(_Row, row, "$")
    given: JsonObject = row if is_object(row) else {}
    actual = _invocation(given.get("actual"), "$.actual", findings)
    expected = _invocation(given.get("expected"), "$.expected", findings)
    known = findings.sound(found)
    return LabelledTurn(
        row_id=known.id,
        criterion=known.criterion,
        options=known.options or {},
        expected=expected or Invocation(user_content=actual.user_content if actual else Content()),
        actual=actual or Invocation(user_content=Content()),
        label=known.label,
        language=known.language,
        difficulty=known.difficulty,
        file=file,
        line=number,
    )


def _invocation(value: object, path: str, findings: Findings) -> Invocation | None:
    if not is_object(value):
        return None
    try:
        return invocation_from_adk(value, path=path)
    except InputError as error:
        for problem in error.problems:
            findings.problem(problem.what, problem.path, hint=problem.hint)
        return None
