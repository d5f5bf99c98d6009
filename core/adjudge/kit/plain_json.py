"""Converts objects of third-party code to plain JSON."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_json

from adjudge.model import JsonValue

__all__ = ["plain_json"]


def plain_json(value: Any) -> JsonValue:
    """Convert a value to JSON: fields with their own names, without nulls and defaults; bytes as base64.

    Values that JSON cannot represent become a text that describes them, because an agent's tools may return anything.
    """
    if isinstance(value, BaseModel):
        try:
            return json.loads(
                value.model_dump_json(exclude_none=True, exclude_defaults=True), parse_constant=str
            )
        except (PydanticSerializationError, ValueError):
            value = value.model_dump(exclude_none=True, exclude_defaults=True)
    return json.loads(to_json(value, inf_nan_mode="strings", bytes_mode="base64", fallback=repr))
