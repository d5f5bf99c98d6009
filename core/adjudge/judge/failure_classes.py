"""The classes of failures of judge calls: what may pass, what ends a run, what concerns one question."""

from __future__ import annotations

from typing import Final

from adjudge.errors import JudgeErrorCode

ATTEMPTS: Final[dict[JudgeErrorCode, int]] = {
    "rate_limit": 10,
    "overload": 10,
    "server": 8,
    "network": 8,
    "timeout": 3,
    "malformed": 4,
    "shortage": 8,
}
"""How often a call is made at most, by the class of its last failure. Other failures are final."""

STOPPING: Final[frozenset[JudgeErrorCode]] = frozenset({"auth", "quota", "unknown_model"})
"""Failures that every further call would meet."""

OF_ONE_REQUEST: Final[frozenset[JudgeErrorCode]] = frozenset(
    {"context_too_long", "schema_rejected", "bad_request"}
)
"""Failures that the same question would meet in every vote."""

OF_ONE_QUESTION: Final[frozenset[JudgeErrorCode]] = frozenset({*OF_ONE_REQUEST, "not_recorded"})
"""Failures that concern one question, and that ``adjudge resume`` would meet again: the provider itself works."""
