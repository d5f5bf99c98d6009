"""Configuration files: ADK's ``test_config.json`` with adjudge's additions."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from adjudge.adk import schema
from adjudge.adk.json_input import read_json
from adjudge.adk.validation import Findings, is_list, is_object, kind
from adjudge.model.base import JsonObject
from adjudge.model.config import CriterionEntry, EvalConfig, UserSimulatorEntry

_SPEAKING: Final = "llm_audio"
"""ADK's user simulator that speaks, for live agents. adjudge does not support it."""

_CAMEL: Final = re.compile(r"[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+\Z")


def load_config(path: Path) -> EvalConfig:
    """Read a configuration from a JSON file.

    Raises:
        InputError: there is no such file, or it is not a valid configuration; it names every problem.
    """
    return _parse(read_json(path), str(path))


def parse_config(data: Mapping[str, Any], *, source: str | None) -> EvalConfig:
    """Read an ADK ``EvalConfig`` with keys in snake_case or camelCase.

    Args:
        data: The JSON object.
        source: The name of the file, for messages; ``None`` for a configuration made in Python.

    Raises:
        InputError: it is not a valid configuration; it names every problem.
    """
    return _parse(dict(data), source)


def _parse(data: object, source: str | None) -> EvalConfig:
    findings = Findings(source)
    found = findings.read(schema.EvalConfig, data, "$") or schema.EvalConfig()
    extra = findings.further(found, "$")
    custom = _custom_metrics(found.custom_metrics or {}, findings)
    # Check the criteria even if another key is wrong, to report all problems together.
    given: JsonObject = data if is_object(data) else {}
    criteria: JsonObject = named if is_object(named := given.get("criteria")) else {}
    if not criteria:
        findings.problem(
            "there are no criteria: nothing would be measured.",
            "$.criteria",
            hint='For instance {"criteria": {"tool_trajectory_avg_score": 1.0}}.',
        )
    entries = [
        read_entry(name, value, f"$.criteria.{name}", findings, custom=custom.get(name))
        for name, value in criteria.items()
    ]
    for name in custom:
        if name not in criteria:
            findings.warn(f"no criterion is named {name!r}, so that it is not measured", "$.custom_metrics")
    config = EvalConfig(
        criteria=tuple(entries),
        user_simulator=_user_simulator(found.user_simulator_config, findings),
        live_model_config=_snake_object(found.live_model_config, "$.live_model_config", findings),
        source=source,
        extra=extra,
        warnings=findings.warnings,
    )
    findings.raise_problems()
    return config


def read_entry(
    name: str, value: object, path: str, findings: Findings, *, custom: JsonObject | None = None
) -> CriterionEntry:
    """Read a criterion: a threshold, or an object with options.

    Args:
        name: The name of the instance, and of the component unless ``value`` names it.
        value: The value in the file.
        path: The JSON path of the value.
        findings: Collects the problems.
        custom: The entry of ``custom_metrics`` with this name.
    """
    options: JsonObject = {}
    component = name
    if is_object(value):
        # The other keys of a custom metric are arguments of its function, so their spelling is not changed.
        options = _options(value, path, findings) if custom is None else dict(value)
        threshold = options.pop("threshold", None)
        named = options.pop("criterion", component)
        if not isinstance(named, str) or not named:
            findings.problem(f"'criterion' must be the name of a component, found {kind(named)}.", path)
        elif custom is not None and named != component:
            findings.problem("a custom metric cannot name a 'criterion'.", path)
        else:
            component = named
        path = f"{path}.threshold"
    else:
        threshold = value
        if threshold is None:
            findings.problem("expected a threshold or an object with options, found null.", path)
    number = _threshold(threshold, path, findings)
    if custom is not None:
        # ADK passes the name and the threshold to the function.
        options = {**options, **custom, "metric_name": name, "threshold": number}
    return CriterionEntry(
        name=name,
        criterion=component,
        threshold=number,
        options=options,
        is_custom_metric=custom is not None,
    )


def _threshold(value: object, path: str, findings: Findings) -> float | None:
    if value is None:
        return None
    number = math.nan
    if isinstance(value, (int, float, str)) and not isinstance(value, bool):
        try:
            number = float(value)
        except (ValueError, OverflowError):
            number = math.nan
    if not math.isfinite(number):
        findings.problem(f"a threshold must be a finite number, found {kind(value)}.", path)
        return None
    return number


def _options(value: JsonObject, path: str, findings: Findings) -> JsonObject:
    """Convert the options of a criterion to snake_case, in the nested objects in which ADK accepts camelCase."""
    options = _snake_keys(value, path, findings)
    if is_object(judge := options.get("judge_model_options")):
        options["judge_model_options"] = _snake_keys(judge, f"{path}.judge_model_options", findings)
    if is_list(rubrics := options.get("rubrics")):
        options["rubrics"] = _snake_tree(rubrics, f"{path}.rubrics", findings)
    return options


def _custom_metrics(
    metrics: Mapping[str, schema.CustomMetricConfig], findings: Findings
) -> dict[str, JsonObject]:
    """The options that each entry of ``custom_metrics`` adds to the criterion of the same name."""
    result: dict[str, JsonObject] = {}
    for name, metric in metrics.items():
        path = f"$.custom_metrics.{name}"
        findings.further(metric, path)
        options: JsonObject = {"function": metric.code_config.name}
        if metric.metric_info:
            options["metric_info"] = _snake_tree(metric.metric_info, f"{path}.metric_info", findings)
        if metric.description:
            options["description"] = metric.description
        result[name] = options
    return result


def _user_simulator(value: JsonObject | None, findings: Findings) -> UserSimulatorEntry | None:
    path = "$.user_simulator_config"
    options = _snake_object(value, path, findings)
    if options is None:
        return None
    simulator = options.pop("type", None) or UserSimulatorEntry().simulator
    if not isinstance(simulator, str):
        findings.problem(f"'type' must be a string, found {kind(simulator)}.", path)
        return None
    if simulator == _SPEAKING:
        findings.problem(
            f"{_SPEAKING!r} simulates a user who speaks, with an agent who listens; adjudge's agents read and write.",
            f"{path}.type",
            hint="Choose 'llm_backed', whose user writes.",
        )
    return UserSimulatorEntry(simulator=simulator, options=options)


def _snake_object(value: JsonObject | None, path: str, findings: Findings) -> JsonObject | None:
    return None if value is None else _snake_keys(value, path, findings)


def _snake_keys(value: JsonObject, path: str, findings: Findings) -> JsonObject:
    result: JsonObject = {}
    for key, child in value.items():
        name = _snake(key)
        if name in result:
            findings.problem(f"{name!r} is given twice, in two spellings.", path)
        result[name] = child
    return result


def _snake_tree(value: Any, path: str, findings: Findings) -> Any:
    if is_list(value):
        return [_snake_tree(child, f"{path}[{i}]", findings) for i, child in enumerate(value)]
    if is_object(value):
        children = {key: _snake_tree(child, f"{path}.{key}", findings) for key, child in value.items()}
        return _snake_keys(children, path, findings)
    return value


def _snake(key: str) -> str:
    if not _CAMEL.match(key):
        return key
    return re.sub(r"[A-Z]", lambda match: f"_{match.group().lower()}", key)
