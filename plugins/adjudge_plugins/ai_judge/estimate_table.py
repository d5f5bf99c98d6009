"""The output of ``adjudge judge --dry-run``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from adjudge.plugin import say, show_table

if TYPE_CHECKING:
    from adjudge import Estimate, Needed

_T = TypeVar("_T")


def show_estimate(estimate: Estimate) -> None:
    """Print requests, tokens and cost by criterion, each as a range."""
    rows = [[", ".join(names), *_told(needed)] for names, needed in estimate.criteria.items()]
    if len(rows) > 1:
        rows.append(["all", *_told(estimate.total)])
    show_table(["criteria", "requests", "tokens", "cost"], rows or [["none asks a judge", "0", "0", "-"]])
    runs = "1 run" if estimate.runs == 1 else f"{estimate.runs} runs"
    say(
        f"\n{runs}; no call was made. Cached answers cost nothing, and requests that repair an answer are not counted."
    )


def _told(needed: Needed) -> list[str]:
    low, high = needed.cost
    unknown = low is None or high is None
    return [
        _range(*needed.requests, str),
        _range(*needed.tokens, _thousands),
        "price not known" if unknown else _range(low or 0.0, high or 0.0, lambda usd: f"${usd:.4f}"),
    ]


def _range(low: _T, high: _T, told: Callable[[_T], str]) -> str:
    least, most = told(low), told(high)
    return least if least == most else f"{least} to {most}"


def _thousands(tokens: int) -> str:
    return (
        str(tokens)
        if tokens < 1_000
        else f"{tokens / 1_000:.3g}k"
        if tokens < 1e6
        else f"{tokens / 1e6:.3g}M"
    )
