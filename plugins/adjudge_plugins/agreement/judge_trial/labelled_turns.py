"""Labelled sets: JSON Lines with turns that people labelled."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

from adjudge.kit.adk import invocation_from_adk
from adjudge.kit.strict_json import Findings, Schema, is_object, kind, open_file, parse_json
from adjudge.model.base import Frozen, JsonObject
from adjudge.model.invocation import Invocation
from adjudge.model.items import Content
from adjudge.plugin import InputError, Problem
from adjudge_plugins.agreement.labels_file import raise_problems

_ROW: Final = Schema("a row", "id criterion options expected actual label language difficulty")


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


def _row(line: bytes, file: str, number: int) -> LabelledTurn:
    findings = Findings()
    found = findings.fields(parse_json(line, source=file), _ROW, "$")
    findings.required(found, _ROW, "$", "id", "criterion", "actual", "label")
    given: dict[str, str] = {}
    for name in ("id", "criterion", "language", "difficulty"):
        if name in found:
            given[name] = findings.string(found, name, "$")
            if not given[name].strip():
                findings.problem(f"{name!r} is blank.", "$")
    label: Literal["PASS", "FAIL"] = "PASS" if found.get("label") == "PASS" else "FAIL"
    if "label" in found and found["label"] != label:
        findings.problem(f'\'label\' must be "PASS" or "FAIL", found {kind(found["label"])}.', "$")
    options = found.get("options", {})
    if not is_object(options):
        findings.problem(f"'options' must be an object, found {kind(options)}.", "$")
    actual = _invocation(found, "actual", findings)
    expected = _invocation(found, "expected", findings)
    findings.raise_problems()
    return LabelledTurn(
        row_id=given.pop("id"),
        criterion=given.pop("criterion"),
        options=options,
        expected=expected or Invocation(user_content=actual.user_content if actual else Content()),
        actual=actual or Invocation(user_content=Content()),
        label=label,
        file=file,
        line=number,
        **given,
    )


def _invocation(found: JsonObject, name: str, findings: Findings) -> Invocation | None:
    value = found.get(name)
    if not is_object(value):
        if name in found:
            findings.problem(f"{name!r} must be an object, found {kind(value)}.", "$")
        return None
    try:
        return invocation_from_adk(value, path=f"$.{name}")
    except InputError as error:
        for problem in error.problems:
            findings.problem(problem.what, problem.path, hint=problem.hint)
        return None
