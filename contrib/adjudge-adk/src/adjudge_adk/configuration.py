"""Reads ``test_config.json`` for tests that were written for ADK."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, cast

from adjudge.kit.strict_json import read_json
from adjudge.model import JsonObject
from adjudge.plugin import InputError, Problem

_FILE: Final = "test_config.json"
_DEFAULT: Final = {"tool_trajectory_avg_score": 1.0, "response_match_score": 0.8}
"""What ADK measures where nothing is said."""


@dataclass(kw_only=True)
class EvalConfig:
    """What ADK's class of that name has."""

    criteria: dict[str, Any]
    """Names to thresholds, or to objects with a threshold and options."""
    custom_metrics: dict[str, Any] | None = None
    user_simulator_config: dict[str, Any] | None = None
    live_model_config: dict[str, Any] | None = None


def config_beside(test_file: Path) -> EvalConfig:
    """The configuration in the folder of a test file, else ADK's default.

    Raises:
        InputError: it is broken.
    """
    path = test_file.parent / _FILE
    if not path.exists():
        return EvalConfig(criteria=dict(_DEFAULT))
    found: JsonObject = read_json(path)
    known: dict[str, Any] = {name: found[name] for name in found if name in EvalConfig.__dataclass_fields__}
    known.setdefault("criteria", {})
    return EvalConfig(**known)


def configuration_of(given: Any) -> Mapping[str, Any]:
    """A configuration in the shape of a file.

    Raises:
        InputError: it is none.
    """
    if isinstance(given, EvalConfig):
        return {name: value for name, value in asdict(given).items() if value is not None}
    if isinstance(given, Mapping):
        return cast("Mapping[str, Any]", given)
    if hasattr(given, "model_dump"):
        return cast(
            "Mapping[str, Any]", given.model_dump(mode="json", exclude_none=True, serialize_as_any=True)
        )
    raise InputError(
        Problem(what=f"eval_config is an object of type {type(given).__name__}, not a configuration")
    )
