"""What ``judge_model_config`` adds to a call, beside what the judge client itself decides."""

from __future__ import annotations

from adjudge.errors import JudgeError
from adjudge.model.base import JsonObject


def with_options(body: JsonObject, options: JsonObject) -> JsonObject:
    """``body`` with the provider's own ``options``.

    Raises:
        JudgeError: an option would replace the question or the form of its answer.
    """
    if taken := sorted(body.keys() & options.keys()):
        raise JudgeError(
            f"judge_model_config cannot set {', '.join(map(repr, taken))}: the judge client does",
            code="bad_request",
        )
    return {**body, **options}
