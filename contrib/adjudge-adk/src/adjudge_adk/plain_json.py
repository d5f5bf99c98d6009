"""What google-adk's objects hold, as plain JSON."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_json

from adjudge.model import JsonValue


def plain_json(value: Any) -> JsonValue:
    """The value as JSON has it: fields under their own names, without nulls and defaults; bytes as base64.

    What JSON has no form for is a text that describes it: an agent's tools may return anything.
    """
    if isinstance(value, BaseModel):
        try:
            return json.loads(
                value.model_dump_json(exclude_none=True, exclude_defaults=True), parse_constant=str
            )
        except (PydanticSerializationError, ValueError):
            value = value.model_dump(exclude_none=True, exclude_defaults=True)
    return json.loads(to_json(value, inf_nan_mode="strings", bytes_mode="base64", fallback=repr))
