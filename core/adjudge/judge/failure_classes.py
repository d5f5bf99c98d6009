"""Classes of failed judge calls: temporary, fatal for the run, or specific to one question."""

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
"""Maximum attempts of a call by the class of its last failure. Other failures are not retried."""

STOPPING: Final[frozenset[JudgeErrorCode]] = frozenset({"auth", "quota", "unknown_model"})
"""Failures that would repeat for every further call."""

OF_ONE_REQUEST: Final[frozenset[JudgeErrorCode]] = frozenset(
    {"context_too_long", "schema_rejected", "bad_request"}
)
"""Failures that would repeat for every vote on the same question."""

OF_ONE_QUESTION: Final[frozenset[JudgeErrorCode]] = frozenset({*OF_ONE_REQUEST, "not_recorded"})
"""Failures of one question while the provider works. ``adjudge resume`` would not solve them."""
