"""Asking a judge model about labelled runs, with adjudge's own prompts and rules of evidence."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, chdir
from dataclasses import dataclass
from pathlib import Path

from adjudge.extension.project import find_settings, project_extensions
from adjudge.model import EvaluationResult, WordedCriterion
from adjudge.plugin import JudgeModelOptions, Trajectory
from adjudge.runner.host import RunHost
from adjudge.runner.judges import RunJudges
from adjudge.runner.request import JudgingRequest
from adjudge_plugins.ai_judge.services import CriterionEvaluator, Options, Services

BUDGET = 6000
"""Tokens of one request. On a processor alone a small model reads about forty tokens a second."""


@dataclass(frozen=True)
class Asked:
    """A run, and what the judge is asked of it."""

    run_id: str
    trajectory: Trajectory
    criterion: WordedCriterion


async def ask(
    model: str, folder: Path, questions: Sequence[Asked], *, minutes: float
) -> dict[str, EvaluationResult]:
    """What the judge says of each run, in the given order, until the time is over; a run that was begun is finished.

    The questions are those of ``adjudge judge --num-samples 1``, at temperature 0. What is left out is the call that
    names the phases of a run: at the granularity ``step_level`` no question shows their names.

    Args:
        model: As ``--judge`` has it; a file is looked up in ``folder``.
        folder: Where the answers are kept, so that asking again goes on where it ended. Its ``adjudge.toml``
            configures the judge.
        questions: What to ask.
        minutes: How long; 0: nothing is asked, and what is known already is the answer.
    """
    until = time.monotonic() + 60 * minutes
    results: dict[str, EvaluationResult] = {}
    with chdir(folder):
        async with _evaluating(model, folder, max_calls=None if minutes else 0) as evaluator_of:
            for at, question in enumerate(questions, 1):
                if minutes and time.monotonic() > until:
                    break
                result = await evaluator_of(question.criterion).evaluate(question.trajectory)
                if result.error is not None and result.error.code == "judge_budget":
                    break
                results[question.run_id] = result
                told = result.verdict or (result.error and result.error.message)
                print(f"{at}/{len(questions)} {question.run_id}: {told}", flush=True)  # noqa: T201
    return results


@asynccontextmanager
async def _evaluating(
    model: str, folder: Path, *, max_calls: int | None
) -> AsyncIterator[Callable[[WordedCriterion], CriterionEvaluator]]:
    extensions = project_extensions(folder)
    host = RunHost(extensions, folder)
    host.read_environment(agent_folder=None)
    request = JudgingRequest(judges=(model,), max_calls=max_calls)
    judges = RunJudges(request, host, find_settings(folder).judge)
    judge = judges.judge(JudgeModelOptions(num_samples=1, judge_model_config={"temperature": 0}))
    services = Services(host, None, Options(token_budget=BUDGET))
    made: dict[str, CriterionEvaluator] = {}

    def evaluator_of(criterion: WordedCriterion) -> CriterionEvaluator:
        if criterion.name not in made:
            made[criterion.name] = CriterionEvaluator(services, judge, criterion)
        return made[criterion.name]

    judges.open(None)
    try:
        yield evaluator_of
    finally:
        await judges.aclose()
