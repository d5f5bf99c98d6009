"""The judge calls of a run as lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from adjudge.kit.render.lines import Line, Tone, line
from adjudge.model.result import JudgeCalls
from adjudge.model.step import Usage


def judge_lines(judges: Mapping[str, JudgeCalls]) -> Iterator[Line]:
    """Show one line per model: calls, tokens, cost."""
    for name, calls in judges.items():
        yield line("judge ", (name, Tone.STRONG), f": {', '.join(_said(calls))}")


def _said(calls: JudgeCalls) -> Iterator[str]:
    yield counted(calls.calls, "call")
    if calls.cached:
        yield f"{counted(calls.cached, 'answer')} known already"
    if calls.retries:
        yield f"{calls.retries} {'retry' if calls.retries == 1 else 'retries'}"
    if calls.failed:
        yield f"{calls.failed} failed"
    if (tokens := _tokens(calls.usage)) is not None:
        yield f"{short_number(tokens)} tokens"
    if calls.cost is not None:
        yield cost_text(calls.cost)
    elif calls.calls:
        yield "cost not known"


def _tokens(usage: Usage | None) -> int | None:
    if usage is None:
        return None
    known = [count for count in (usage.input_tokens, usage.output_tokens) if count is not None]
    return usage.total_tokens if usage.total_tokens is not None else sum(known) if known else None


def short_number(number: int) -> str:
    """A number with about three digits, for instance "45k"."""
    for size, letter in ((1_000_000, "M"), (1000, "k")):
        if number >= size:
            return f"{number // size}{letter}" if number >= 100 * size else f"{number / size:.3g}{letter}"
    return str(number)


def cost_text(cost: float) -> str:
    """A cost in USD with two decimals, or with more if it would be shown as zero."""
    if cost == 0 or cost >= 0.01:
        return f"${cost:.2f}"
    return f"${cost:.6f}" if cost >= 0.000001 else "less than $0.000001"


def counted(count: int, word: str) -> str:
    """A count with its noun: "1 call", "2 calls"."""
    return f"{count} {word}{'' if count == 1 else 's'}"
