"""``token_usage_v1``: how many tokens the agent's models read and wrote."""

from __future__ import annotations

import math

from adjudge.kit.trace import counted
from adjudge.model import Invocation, Usage
from adjudge.plugin import (
    CaseUnderTest,
    Criterion,
    CriterionSpec,
    Host,
    Measurement,
    NoConfig,
    Outcome,
    hookimpl,
)

_COUNTS = (
    "input_tokens",
    "output_tokens",
    "cached_tokens",
    "reasoning_tokens",
    "tool_use_tokens",
)


class TokenUsage:
    """Tokens of a turn (ADK ``token_usage_v1``): the sum over the model calls that report them.

    The total of a call is its reported total, else its input plus its output. A turn in which no call
    reports tokens is not applicable. The details have the sum for every reported kind; cached
    tokens are part of the input.
    """

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one sum per turn."""
        return Measurement(per_invocation=tuple(_sum(turn) for turn in case.actual.invocations))


def _sum(turn: Invocation) -> Outcome:
    usages = [step.usage for step in turn.steps if step.usage is not None]
    totals = [total for usage in usages if (total := _total(usage)) is not None]
    if not totals:
        return Outcome.not_applicable("no step reports its token usage")
    details: dict[str, int] = {"total_tokens": sum(totals)}
    for name in _COUNTS:
        counts: list[int] = [count for usage in usages if (count := getattr(usage, name)) is not None]
        if counts:
            details[name] = sum(counts)
    reason = f"{counted(sum(totals), 'token')} in {counted(len(totals), 'model call')}."
    return Outcome.scored(float(sum(totals)), reason, details=details)


def _total(usage: Usage) -> int | None:
    if usage.total_tokens is not None:
        return usage.total_tokens
    if usage.input_tokens is None and usage.output_tokens is None:
        return None
    return (usage.input_tokens or 0) + (usage.output_tokens or 0)


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    return TokenUsage()


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="token_usage_v1",
            summary="Tokens per turn, input and output together",
            factory=_make,
            simulated_conversations=True,
            value_range=(0.0, math.inf),
            lower_is_better=True,
        )
    ]
