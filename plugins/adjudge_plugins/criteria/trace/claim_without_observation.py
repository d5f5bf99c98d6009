"""``claim_without_observation``: whether the agent claims the result of a step without an observation."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Final

from adjudge.kit import trace
from adjudge.model import (
    Blob,
    Claim,
    ErrorItem,
    Invocation,
    Item,
    Observation,
    Opaque,
    Step,
    ToolCall,
    ToolResult,
)
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

_FIELD: Final = "evaluation_previous_goal"

_CLAIMS_NOTHING: Final = re.compile(
    r"\W*(?:unknown|unclear|unsure|uncertain|n/?a\b|none\b|nothing|not applicable|no previous|there (?:was|is) no|"
    r"first step|initial|start|无|未知|不确定|没有|尚未|$)",
    re.IGNORECASE,
)
"""The beginnings of evaluations that leave the outcome open, or say that there is nothing to evaluate."""


class ClaimWithoutObservation:
    """How often ``evaluation_previous_goal`` judges a step that returned nothing.

    Not applicable if the agent judges no step, or if the log records no results at all: then their absence
    means nothing.
    """

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one count for the case, with every such claim."""
        return Measurement(overall=_blind(case))


def _blind(case: CaseUnderTest) -> Outcome:
    run = case.actual
    judged = [pair for turn in run.invocations for pair in _judged(turn)]
    if not judged:
        return Outcome.not_applicable("no step evaluates the step before it")
    if not any(_came_back(step.items) for step in run.steps):
        return Outcome.not_applicable("the log records no results of any step")
    blind = [(acted, step, claim) for acted, step, claim, seen in judged if not seen]
    if not blind:
        scan = "the log has a result for every step that the agent evaluates"
        return Outcome.scored(
            0.0,
            f"{scan}; it judges {len(judged)}",
            details={"claims": len(judged)},
            evidence=trace.scanned(run, scan),
        )
    steps = [step for _, step, _ in blind]
    return Outcome.scored(
        float(len(blind)),
        f"{len(blind)} of {trace.counted(len(judged), 'claim')} about the result of a step for which the log has no result: {trace.listed(steps)}",
        details={"claims": len(judged), "steps": steps, "judged_steps": [acted for acted, _, _ in blind]},
        evidence=trace.citing(trace.cited(step, claim) for _, step, claim in blind),
    )


def _judged(turn: Invocation) -> Iterator[tuple[int, int, Claim, bool]]:
    """Every judged step: its number, that of the judging step, the claim, and whether anything came back in between."""
    acted: int | None = None
    seen = False
    for step in turn.steps:
        claim = _claim(step)
        if claim is not None and acted is not None:
            yield acted, step.number, claim, seen or _came_back(_before_claims(step))
        if trace.actions_of([step]):
            acted, seen = step.number, False
        seen = seen or _came_back(step.items)


def _claim(step: Step) -> Claim | None:
    return next(
        (
            item
            for item in step.items
            if isinstance(item, Claim) and item.field == _FIELD and not _CLAIMS_NOTHING.match(item.text)
        ),
        None,
    )


def _before_claims(step: Step) -> Iterator[Item]:
    """The items of a step before the agent's first claim, such as the page that the previous step left behind."""
    for item in step.items:
        if isinstance(item, Claim | ToolCall):
            return
        yield item


def _came_back(items: Iterable[Item]) -> bool:
    """Whether any item may be a result. An item of unknown type may be one."""
    return any(
        isinstance(item, ToolResult | Observation | ErrorItem | Blob)
        or (isinstance(item, Opaque) and item.name != "action")
        for item in items
    )


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    return ClaimWithoutObservation()


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="claim_without_observation",
            summary="Claims about the result of a step for which the log has no result",
            factory=_make,
            simulated_conversations=True,
            value_range=(0.0, math.inf),
            lower_is_better=True,
        )
    ]
