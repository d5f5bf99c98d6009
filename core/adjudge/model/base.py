"""What every model class shares."""

from __future__ import annotations

import hashlib
import json
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict

JsonValue: TypeAlias = Any
"""Any JSON value: ``None``, ``bool``, ``int``, ``float``, ``str``, list or object."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object. Shared between readers of frozen data: treat it as read-only."""


class Frozen(BaseModel):
    """Base of the model: immutable, and unknown fields are refused."""

    # Building a validator costs about a millisecond a class; deferring it means that a
    # command pays only for the classes that it uses.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, protected_namespaces=())


def canonical_sha256(value: JsonObject) -> str:
    """SHA-256 of a JSON object in its canonical form: the same for equal objects, whatever the order of their keys."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
