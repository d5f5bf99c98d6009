"""``claim_without_observation``: whether the agent says how a step ended without having seen it."""

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
"""How an evaluation begins that leaves the outcome open, or says that there is nothing to evaluate."""


class ClaimWithoutObservation:
    """How many times ``evaluation_previous_goal`` judges a step from which nothing came back.

    Not applicable where the agent judges no step, and where the log records nothing that comes back at
    all: what a log does not record cannot be missed in it.
    """

    async def score(self, case: CaseUnderTest) -> Measurement:
        """One count for the case, with every such claim."""
        return Measurement(overall=_blind(case))


def _blind(case: CaseUnderTest) -> Outcome:
    run = case.actual
    judged = [pair for turn in run.invocations for pair in _judged(turn)]
    if not judged:
        return Outcome.not_applicable("no step says how the one before it ended")
    if not any(_came_back(step.items) for step in run.steps):
        return Outcome.not_applicable("the log records nothing that came back from any step")
    blind = [(acted, step, claim) for acted, step, claim, seen in judged if not seen]
    if not blind:
        scan = "something came back from every step that the agent judges"
        return Outcome.scored(
            0.0,
            f"{scan}; it judges {len(judged)}",
            details={"claims": len(judged)},
            evidence=trace.scanned(run, scan),
        )
    steps = [step for _, step, _ in blind]
    return Outcome.scored(
        float(len(blind)),
        f"{len(blind)} of {trace.counted(len(judged), 'claim')} of how a step ended, where nothing came back from "
        f"it: {trace.listed(steps)}",
        details={"claims": len(judged), "steps": steps, "judged_steps": [acted for acted, _, _ in blind]},
        evidence=trace.citing(trace.cited(step, claim) for _, step, claim in blind),
    )


def _judged(turn: Invocation) -> Iterator[tuple[int, int, Claim, bool]]:
    """Every step that is judged: its number, the judging step's, the claim, and whether anything came back before it."""
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
    """What a step shows before the agent speaks: the page that the step before it left behind."""
    for item in step.items:
        if isinstance(item, Claim | ToolCall):
            return
        yield item


def _came_back(items: Iterable[Item]) -> bool:
    """Whether anything may have come back. An item that adjudge has no word for may be anything."""
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
            summary="Claims of how a step ended where nothing came back from it",
            factory=_make,
            simulated_conversations=True,
            value_range=(0.0, math.inf),
            lower_is_better=True,
        )
    ]
