"""Views: a run at one granularity, made within the budget of the request that it is for."""

from __future__ import annotations

from typing import Final

from adjudge.kit.digests import tokens_of
from adjudge.model import AggregatedSteps, Trajectory, WordedCriterion
from adjudge.plugin import AggregationContext, InputError, Problem, Writer
from adjudge_plugins.ai_judge.aggregator import StepAggregatorService
from adjudge_plugins.ai_judge.decomposer import TaskDecomposerService

DEFAULT_BUDGET: Final = 24_000
"""Tokens of one request, by ``tokens_of``. Small enough for every judge with a context of 32k."""

LEAST_BUDGET: Final = 4_000
"""Below this, a request would show nothing of a run."""

_TEXT_SHARE: Final = 8
"""One text of a criterion may have an eighth of a request."""

_OVERHEAD: Final = 3_000
"""Tokens kept for the prompt, the statements and the answer."""


def check_lengths(criterion: WordedCriterion, budget: int) -> None:
    """Check that the texts of a criterion leave a request room for the run.

    Raises:
        InputError: at least one does not; each is named.
    """
    most = budget // _TEXT_SHARE
    texts = {"the name": criterion.name, "the description": criterion.description}
    texts |= {f"check {number}": text for number, text in enumerate(criterion.checks, 1)}
    counted = {what: tokens_of(text) for what, text in texts.items()}
    problems = [
        Problem(
            what=f"{what} has about {tokens} tokens; of a request of {budget} tokens it may take at most {most}",
            hint="Say it in fewer words, or give more room with --token-budget.",
        )
        for what, tokens in counted.items()
        if tokens > most
    ]
    if problems:
        raise InputError(problems)


def room_of(budget: int) -> int:
    """Tokens that a request of this budget has for the run."""
    return max(LEAST_BUDGET, budget) - _OVERHEAD


async def view_of(
    trajectory: Trajectory,
    level: str,
    decomposer: TaskDecomposerService,
    aggregator: StepAggregatorService,
    *,
    criterion_name: str = "",
    criterion_description: str = "",
    writer: Writer | None,
    budget: int,
) -> AggregatedSteps:
    """The run at one granularity; without a ``writer`` by code alone.

    It has a third of the room of a request, or all that it takes where the granularity is that of steps.

    Raises:
        UnknownNameError: no strategy has the name, or two have it.
        PluginError: the strategy raised, or returned what its contract forbids.
    """
    decomposition = await decomposer.decompose(trajectory, written=writer is not None)
    context = AggregationContext(
        criterion_name=criterion_name,
        criterion_description=criterion_description,
        clusters=lambda: decomposition.clusters,
        writer=writer,
        # A line for each step, whatever the length of the run: what is shown of them is cut where it is shown.
        token_budget=None if aggregator.reads(level) == "steps" else room_of(budget) // 3,
    )
    return await aggregator.aggregate(level, trajectory, context)
