"""Criteria files: YAML or JSON, a list of criteria in words and of installed ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from adjudge.kit.strict_json import Findings, Schema, is_list, is_object, kind, read_json
from adjudge.model import JsonObject
from adjudge.plugin import InputError, Problem
from adjudge_plugins.ai_judge.yaml_input import read_yaml

JudgesWords: TypeAlias = Callable[[str], bool]
"""Whether an installed criterion of that name judges by a criterion in words."""

_CRITERION: Final = Schema("criterion", "name description granularity checks threshold criterion")
_YAML: Final = (".yaml", ".yml")
_EXAMPLE: Final = (
    "For instance: [{name: Cost Efficiency, description: The agent compares prices before it buys.}]"
)


def read_criteria(source: Path | Sequence[object], judges_words: JudgesWords) -> list[JsonObject]:
    """The criteria in a file, whose ending says whether it is YAML or JSON, or in a list made in Python.

    Those in words have the options of ``ai_judge``; the others are as they stand there, each with a name.

    Raises:
        InputError: there is no such file, or it is no list of criteria; every problem at once.
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
    if not is_list(data):
        findings.problem(f"criteria must be a list, found {kind(data)}.", "$", hint=_EXAMPLE)
    elif not data:
        findings.problem("there are no criteria: nothing would be judged.", "$", hint=_EXAMPLE)
    items: list[object] = data if is_list(data) else []
    entries = [_entry(item, f"$[{at}]", findings, judges_words) for at, item in enumerate(items)]
    _check_names([entry["name"] for entry in entries], findings)
    findings.raise_problems()
    return entries


def _entry(data: object, path: str, findings: Findings, judges_words: JudgesWords) -> JsonObject:
    """One criterion with its name and, where it is in words, the options of ``ai_judge``."""
    if is_object(data):  # YAML has keys that are no texts
        data = {str(key): value for key, value in data.items()}
        if "criterion" in data and not judges_words(str(data["criterion"])):
            name = _text(data, "name", path, findings) or str(data["criterion"])
            return {**data, "name": " ".join(name.split())}
    found = findings.fields(data, _CRITERION, path)
    findings.required(found, _CRITERION, path, "name", "description")
    name = " ".join(_text(found, "name", path, findings).split())
    options: JsonObject = {
        "description": _text(found, "description", path, findings),
        "granularity": _text(found, "granularity", path, findings),
        "checks": _checks(found, path, findings),
        "checks_threshold": _threshold(found, path, findings),
        "criterion": found.get("criterion"),
    }
    if options["checks_threshold"] == 1:  # the default
        del options["checks_threshold"]
    return {"name": name} | {key: value for key, value in options.items() if value}


def _text(found: dict[str, Any], name: str, path: str, findings: Findings) -> str:
    """A text that says something; empty where there is none."""
    if name not in found:
        return ""
    text: str = findings.string(found, name, path).strip()
    if not text and isinstance(found[name], str):
        findings.problem(f"{name!r} is blank.", path)
    return text


def _checks(found: dict[str, Any], path: str, findings: Findings) -> list[str]:
    checks = findings.items(found, "checks", path)
    if is_list(found.get("checks")) and not checks:
        findings.problem(
            "'checks' is empty.", path, hint="Leave it out, and they are made from the description."
        )
    texts: dict[str, None] = {}
    for at, check in enumerate(checks):
        place = f"{path}.checks[{at}]"
        if not isinstance(check, str):
            findings.problem(f"a check must be a string, found {kind(check)}.", place)
        elif not check.strip():
            findings.problem("this check is blank.", place)
        elif check.strip() in texts:
            findings.problem("this check stands here twice.", place)
        else:
            texts[check.strip()] = None
    return list(texts)


def _threshold(found: dict[str, Any], path: str, findings: Findings) -> float | None:
    threshold: float | None = findings.number(found, "threshold", path, None)
    if threshold is not None and not 0 < threshold <= 1:
        findings.problem(
            f"'threshold' must be more than 0 and at most 1, found {threshold:g}: "
            "it is the share of the checks that must be met.",
            path,
        )
    return threshold


def _check_names(names: Sequence[str], findings: Findings) -> None:
    first: dict[str, int] = {}
    for at, name in enumerate(names):
        if name and name in first:
            findings.problem(f"the name {name!r} is that of $[{first[name]}] too.", f"$[{at}].name")
        first.setdefault(name, at)
