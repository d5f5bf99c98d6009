"""Translates ``judge_model_config`` (ADK ``GenerateContentConfig``) to fields of ``JudgeRequest``."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from adjudge.errors import InputError, Problem, suggestion
from adjudge.model.base import JsonObject

_NAMES: Final = {
    **{name: name for name in ("temperature", "top_p", "top_k", "max_tokens", "seed", "stop")},
    **{name: name for name in ("presence_penalty", "frequency_penalty")},
    "max_output_tokens": "max_tokens",
    "stop_sequences": "stop",
}
_LARGEST: Final = 2**63 - 1
"""The largest integer that providers accept."""
_FRAME: Final = frozenset(
    {"system_instruction", "response_schema", "response_json_schema", "response_mime_type", "candidate_count"}
)
"""Keys that adjudge sets itself; a user's value would break the question."""


@dataclass(frozen=True, slots=True)
class GenerationParameters:
    """The generation parameters of a model."""

    known: JsonObject
    """Keys that every provider supports; see ``JudgeRequest.parameters``."""
    others: JsonObject
    """Keys that are passed to the provider unchanged."""


def generation_parameters(config: Mapping[str, Any] | None) -> GenerationParameters:
    """Parse a ``judge_model_config``.

    Raises:
        InputError: a key is misspelt, has a value of the wrong type, or is set by adjudge itself.
    """
    found = GenerationParameters({}, {})
    problems: list[Problem] = []
    for key, value in (config or {}).items():
        name = re.sub(r"(?<=[a-z0-9])[A-Z]", lambda match: f"_{match[0]}", key).lower()
        if value is None:  # ADK writes every unset key as null
            continue
        if name in _NAMES:
            if wrong := _wrong(_NAMES[name], value):
                problems.append(Problem(what=f"judge_model_config.{key} must be {wrong}, found {value!r}"))
            found.known[_NAMES[name]] = value
        elif name in _FRAME:
            problems.append(
                Problem(
                    what=f"judge_model_config.{key} cannot be set: the criterion decides it",
                    hint="Remove it, or write a criterion of your own.",
                )
            )
        elif near := suggestion(name, _NAMES):
            problems.append(Problem(what=f"unknown judge_model_config.{key}. Did you mean {near!r}?"))
        else:
            found.others[key] = value
    if problems:
        raise InputError(problems)
    return found


def _wrong(name: str, value: object) -> str | None:
    if name == "stop":
        listed = isinstance(value, list) and all(isinstance(item, str) for item in value)  # pyright: ignore[reportUnknownVariableType]
        return None if listed else "a list of strings"
    if isinstance(value, bool) or not isinstance(value, int | float):
        value = math.nan
    if name in ("max_tokens", "seed"):
        low = 1 if name == "max_tokens" else 0
        fits = isinstance(value, int) and low <= value <= _LARGEST
        return None if fits else f"a whole number from {low} to {_LARGEST}"
    return None if abs(value) <= _LARGEST else "a finite number"
