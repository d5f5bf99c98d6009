"""Criteria files: YAML or JSON, a list of criteria in words and of installed ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from adjudge.adk.config import read_entry
from adjudge.adk.json_input import read_json
from adjudge.adk.schema import Schema
from adjudge.adk.validation import Findings, is_list, is_object, kind
from adjudge.adk.yaml_input import read_yaml
from adjudge.errors import InputError, Problem
from adjudge.model.config import CriterionEntry
from adjudge.model.evaluation import WordedCriterion

JudgesWords: TypeAlias = Callable[[str], bool]
"""Whether an installed criterion of that name judges by a criterion in words."""

_CRITERION: Final = Schema("criterion", "name description granularity checks threshold criterion")
_YAML: Final = (".yaml", ".yml")
_EXAMPLE: Final = (
    "For instance: [{name: Cost Efficiency, description: The agent compares prices before it buys.}]"
)


def load_criteria(path: Path, judges_words: JudgesWords) -> tuple[CriterionEntry, ...]:
    """The criteria in a file; its ending says whether it is YAML or JSON.

    Raises:
        InputError: there is no such file, or it is no list of criteria; every problem at once.
    """
    ending = path.suffix.lower()
    if ending == ".json":
        return parse_criteria(read_json(path), judges_words, source=str(path))
    if ending in _YAML:
        return parse_criteria(read_yaml(path), judges_words, source=str(path))
    what = "a criteria file ends with .yaml, .yml or .json"
    raise InputError(Problem(what=what, file=str(path)))


def parse_criteria(
    data: object, judges_words: JudgesWords, *, source: str | None = None
) -> tuple[CriterionEntry, ...]:
    """The criteria in a list of objects.

    Args:
        data: A list of objects with ``name``, ``description``, and where wanted ``granularity``,
            ``checks`` and ``threshold``; or with ``criterion``, the name of an installed one, its
            ``threshold`` and its options, and where wanted a ``name``.
        judges_words: Tells which installed criteria are in words too.
        source: The file's name, for messages; ``None`` for criteria made in Python.

    Raises:
        InputError: it is no list of criteria; every problem at once.
    """
    findings = Findings(source)
    if not is_list(data):
        findings.problem(f"criteria must be a list, found {kind(data)}.", "$", hint=_EXAMPLE)
    elif not data:
        findings.problem("there are no criteria: nothing would be judged.", "$", hint=_EXAMPLE)
    else:
        criteria = [_criterion(item, f"$[{at}]", findings, judges_words) for at, item in enumerate(data)]
        _check_names([item.name for item in criteria], findings)
        findings.raise_problems()
        return tuple(criteria)
    findings.raise_problems()
    return ()


def _criterion(data: object, path: str, findings: Findings, judges_words: JudgesWords) -> CriterionEntry:
    if is_object(data):  # YAML has keys that are no texts
        data = {str(key): value for key, value in data.items()}
        if "criterion" in data and not judges_words(str(data["criterion"])):
            return _installed(data, path, findings)
    found = findings.fields(data, _CRITERION, path)
    findings.required(found, _CRITERION, path, "name", "description")
    worded = WordedCriterion(
        name=" ".join(_text(found, "name", path, findings).split()),
        description=_text(found, "description", path, findings),
        granularity=_text(found, "granularity", path, findings) or None,
        checks=_checks(found, path, findings),
        threshold=_threshold(found, path, findings),
    )
    options = worded.model_dump(mode="json", exclude={"threshold"}, exclude_defaults=True)
    if worded.threshold < 1:
        options["checks_threshold"] = worded.threshold
    return CriterionEntry(
        name=worded.name, criterion=str(found.get("criterion", "")), options=options, is_in_words=True
    )


def _installed(data: dict[str, Any], path: str, findings: Findings) -> CriterionEntry:
    rest = {key: value for key, value in data.items() if key != "name"}
    name = _text(data, "name", path, findings) or str(data["criterion"])
    return read_entry(" ".join(name.split()), rest, path, findings)


def _text(found: dict[str, Any], name: str, path: str, findings: Findings) -> str:
    """A text that says something; empty where there is none."""
    if name not in found:
        return ""
    text: str = findings.string(found, name, path).strip()
    if not text and isinstance(found[name], str):
        findings.problem(f"{name!r} is blank.", path)
    return text


def _checks(found: dict[str, Any], path: str, findings: Findings) -> tuple[str, ...]:
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
    return tuple(texts)


def _threshold(found: dict[str, Any], path: str, findings: Findings) -> float:
    threshold: float | None = findings.number(found, "threshold", path, None)
    if threshold is None:
        return 1.0
    if not 0 < threshold <= 1:
        findings.problem(
            f"'threshold' must be more than 0 and at most 1, found {threshold:g}: "
            "it is the share of the checks that must be met.",
            path,
        )
        return 1.0
    return threshold


def _check_names(names: Sequence[str], findings: Findings) -> None:
    first: dict[str, int] = {}
    for at, name in enumerate(names):
        if name and name in first:
            findings.problem(f"the name {name!r} is that of $[{first[name]}] too.", f"$[{at}].name")
        first.setdefault(name, at)
