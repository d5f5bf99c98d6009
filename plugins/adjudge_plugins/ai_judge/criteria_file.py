"""Criteria files: YAML or JSON lists of criteria in words and of installed criteria."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Final, TypeAlias, get_args

from pydantic import AfterValidator, BeforeValidator, ConfigDict, ValidationInfo

from adjudge.kit.evaluation import CheckKind
from adjudge.kit.strict_json import (
    FileObject,
    Findings,
    field_mistake,
    is_list,
    is_object,
    kind,
    read_json,
    value_mistake,
)
from adjudge.model import JsonObject, JsonValue
from adjudge.plugin import InputError, Problem
from adjudge_plugins.ai_judge.yaml_input import read_yaml

JudgesWords: TypeAlias = Callable[[str], bool]
"""Tells by name whether an installed criterion judges by a criterion in words."""

_YAML: Final = (".yaml", ".yml")
_EXAMPLE: Final = (
    "For instance: [{name: Cost Efficiency, description: The agent compares prices before it buys.}]"
)


def _said(text: str, info: ValidationInfo) -> str:
    if not text.strip():
        raise field_mistake(f"{info.field_name!r} is blank.")
    return text.strip()


def _check(check: object) -> str | dict[str, str]:
    if is_object(check) and len(check) == 1 and str(next(iter(check))) in get_args(CheckKind):
        [(about, statement)] = check.items()
        return {str(about): _statement(statement)}
    return _statement(check)


def _statement(check: object) -> str:
    if not isinstance(check, str):
        raise value_mistake(
            f"a check must be a string, or process, outcome or answer with a string, found {kind(check)}."
        )
    if not check.strip():
        raise value_mistake("this check is blank.")
    return check.strip()


def _checks(checks: list[str | dict[str, str]]) -> list[str | dict[str, str]]:
    if not checks:
        hint = "Leave it out, and they are made from the description."
        raise field_mistake("'checks' is empty.", hint=hint)
    return checks


def _share(threshold: float) -> float:
    if not 0 < threshold <= 1:
        raise field_mistake(
            f"'threshold' must be more than 0 and at most 1, found {threshold:g}: "
            "it is the share of the checks that must be met."
        )
    return threshold


def _kind(about: str) -> str:
    if about not in get_args(CheckKind):
        raise field_mistake(
            f"'about' must be process (how the agent goes about it), outcome (what is true at the end) or answer "
            f"(what it says to its user), found {about!r}."
        )
    return about


_Text: TypeAlias = Annotated[str, AfterValidator(_said)]


class _CriterionInWords(FileObject):
    model_config = ConfigDict(title="criterion")

    name: _Text
    description: _Text
    granularity: _Text | None = None
    about: Annotated[str, AfterValidator(_kind)] | None = None
    checks: (
        Annotated[list[Annotated[str | dict[str, str], BeforeValidator(_check)]], AfterValidator(_checks)]
        | None
    ) = None
    threshold: Annotated[float, AfterValidator(_share)] | None = None
    criterion: JsonValue = None


class _InstalledCriterion(FileObject):
    model_config = ConfigDict(title="criterion", extra="allow")

    name: _Text | None = None
    criterion: JsonValue


def read_criteria(source: Path | Sequence[object], judges_words: JudgesWords) -> list[JsonObject]:
    """Read the criteria in a YAML or JSON file (by its suffix), or in a list made in Python.

    Criteria in words become options of ``ai_judge``; other entries stay unchanged, each with a name.

    Raises:
        InputError: the file does not exist or is not a list of criteria; all problems are reported at once.
    """
    if not isinstance(source, Path):
        return _criteria(list(source), judges_words, None)
    ending = source.suffix.lower()
    if ending == ".json":
        return _criteria(read_json(source), judges_words, str(source))
    if ending in _YAML:
        return _criteria(read_yaml(source), judges_words, str(source))
    what = "a criteria file ends with .yaml, .yml or .json"
    raise InputError(Problem(what=what, file=str(source)))


def _criteria(data: object, judges_words: JudgesWords, file: str | None) -> list[JsonObject]:
    findings = Findings(file)
    items = data if is_list(data) else []
    if not is_list(data):
        findings.problem(f"criteria must be a list, found {kind(data)}.", "$", hint=_EXAMPLE)
    elif not data:
        findings.problem("there are no criteria: nothing would be judged.", "$", hint=_EXAMPLE)
    entries = [_entry(item, f"$[{at}]", findings, judges_words) for at, item in enumerate(items)]
    first: dict[str, int] = {}
    for at, entry in enumerate(entries):
        if (name := entry.get("name", "")) in first:
            findings.problem(f"the name {name!r} is that of $[{first[name]}] too.", f"$[{at}].name")
        elif name:
            first[name] = at
    findings.raise_problems()
    return entries


def _entry(data: object, path: str, findings: Findings, judges_words: JudgesWords) -> JsonObject:
    """Parse one criterion: its name and, if it is in words, the options of ``ai_judge``; empty if it is invalid."""
    if is_object(data):  # YAML allows keys that are not strings
        data = {str(key): value for key, value in data.items()}
    if is_object(data) and "criterion" in data and not judges_words(str(data["criterion"])):
        installed = findings.read(_InstalledCriterion, data, path)
        name = str(data["criterion"]) if installed is None or installed.name is None else installed.name
        return {**data, "name": " ".join(name.split())}
    if is_object(data) and data.keys() and not data.keys() - {"name", "threshold", "maximum"}:
        hint = "An installed criterion, which needs none, is named by 'criterion'."
        findings.problem("criterion has no 'description'.", path, hint=hint)
        return _named(data)
    found = findings.read(_CriterionInWords, data, path)
    given: JsonObject = data if is_object(data) else {}
    _note_repeated(given.get("checks"), f"{path}.checks", findings)
    if found is None:
        return _named(given)
    options = found.given() | {"name": " ".join(found.name.split())}
    if (share := options.pop("threshold", 1)) != 1:
        options["checks_threshold"] = share
    return options


def _named(data: JsonObject) -> JsonObject:
    """Only the name of an invalid entry, so that duplicate names are still found."""
    name = data.get("name")
    return {"name": " ".join(name.split())} if isinstance(name, str) else {}


def _note_repeated(checks: object, path: str, findings: Findings) -> None:
    said = [
        next(iter(check.values())) if is_object(check) and len(check) == 1 else check
        for check in (checks if is_list(checks) else ())
    ]
    texts = [text.strip() if isinstance(text, str) else "" for text in said]
    for at, text in enumerate(texts):
        if text and text in texts[:at]:
            findings.problem("this check is listed twice.", f"{path}[{at}]")
