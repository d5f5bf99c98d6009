"""The token budget of a request, and the aggregated view of a run within it."""

from __future__ import annotations

from typing import Final

from adjudge.kit.digests import tokens_of
from adjudge.model import AggregatedSteps, Trajectory, WordedCriterion
from adjudge.plugin import AggregationContext, InputError, Judge, Problem, Writer
from adjudge_plugins.ai_judge.aggregator import StepAggregatorService
from adjudge_plugins.ai_judge.decomposer import TaskDecomposerService

DEFAULT_BUDGET: Final = 24_000
"""The tokens of one request, by ``tokens_of``, if the judge's limit is unknown. It fits a context of 32k."""

_MOST: Final = 150_000
"""The upper limit of a request in tokens: in longer ones models overlook more, and a token may cost more."""

_MARGIN: Final = 4
"""One quarter of the context is reserved for the answer and for errors in counting tokens without the tokenizer."""

LEAST_BUDGET: Final = 4_000
"""The minimum budget: a smaller request would show almost nothing of a run."""

_TEXT_SHARE: Final = 8
"""Each text of a criterion may take up to one eighth of a request."""

_OVERHEAD: Final = 3_000
"""The tokens reserved for the prompt, the statements and the answer."""


def budget_of(given: int | None, judge: Judge | None) -> int:
    """The tokens of one request: the user's limit, else the judge's context with a margin, else a default."""
    if given is not None:
        return given
    context = None if judge is None else judge.context
    if context is None:
        return DEFAULT_BUDGET
    return max(LEAST_BUDGET, min(_MOST, context - context // _MARGIN))


def check_lengths(criterion: WordedCriterion, budget: int) -> None:
    """Check that the texts of a criterion leave enough room for the run in a request.

    Raises:
        InputError: at least one text is too long; each is named.
    """
    most = budget // _TEXT_SHARE
    texts = {"the name": criterion.name, "the description": criterion.description}
    texts |= {f"check {number}": text for number, text in enumerate(criterion.checks, 1)}
    counted = {what: tokens_of(text) for what, text in texts.items()}
    problems = [
        Problem(
            what=f"{what} has about {tokens} tokens; of a request of {budget} tokens it may take at most {most}",
            hint="Use fewer words, or increase --token-budget.",
        )
        for what, tokens in counted.items()
        if tokens > most
    ]
    if problems:
        raise InputError(problems)


def room_of(budget: int) -> int:
    """The tokens for the run in a request of this budget."""
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
    """Aggregate the run at one granularity; without a ``writer`` by code alone.

    The view may take a third of the room of a request. It has no limit if the judge reads single steps at
    this granularity.

    Raises:
        UnknownNameError: no strategy has the name, or two have it.
        PluginError: the strategy raised, or its result violates its contract.
    """
    decomposition = await decomposer.decompose(trajectory, written=writer is not None)
    context = AggregationContext(
        criterion_name=criterion_name,
        criterion_description=criterion_description,
        clusters=lambda: decomposition.clusters,
        writer=writer,
        # One line per step for a run of any length: the lines are truncated when they are shown.
        token_budget=None if aggregator.reads(level) == "steps" else room_of(budget) // 3,
    )
    return await aggregator.aggregate(level, trajectory, context)
