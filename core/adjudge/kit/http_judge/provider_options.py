"""Adds options of ``judge_model_config`` to the body of a call, except those that the judge client sets."""

from __future__ import annotations

from adjudge.errors import JudgeError
from adjudge.model.base import JsonObject


def with_options(body: JsonObject, options: JsonObject) -> JsonObject:
    """Add the provider's own ``options`` to ``body``.

    Raises:
        JudgeError: an option would replace a key of ``body``.
    """
    if taken := sorted(body.keys() & options.keys()):
        raise JudgeError(
            f"judge_model_config cannot set {', '.join(map(repr, taken))}: the judge client does",
            code="bad_request",
        )
    return {**body, **options}
