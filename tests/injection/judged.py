"""Runs judged by adjudge as ``adjudge judge --num-samples 1 --granularity step_level`` judges them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, chdir
from pathlib import Path

from failed_runs import CRITERION
from payloads import Run
from programs import Programs

from adjudge.extension.loader import Extensions, discover
from adjudge.extension.project import find_settings
from adjudge.model import WordedCriterion
from adjudge.plugin import JudgeModelOptions, ReadOptions, Source, Trajectory
from adjudge.runner.host import RunHost
from adjudge.runner.judges import RunJudges
from adjudge.runner.request import JudgingRequest
from adjudge.testing import as_candidate
from adjudge_plugins.ai_judge.services import CriterionEvaluator, Options, Services
from adjudge_plugins.readers.history_log_reader.reader import HistoryLogReader

BUDGET = 6000
"""Tokens of one request: on a processor alone a small model reads some tens of them a second."""


@asynccontextmanager
async def evaluator(
    model: str, folder: Path, *, only_kept: bool = False
) -> AsyncIterator[CriterionEvaluator]:
    """Judges runs by the one criterion, with one vote at temperature 0.

    What is left out is the call that names the phases of a run: at ``step_level`` no question shows names.

    Args:
        model: As ``--judge`` has it, or ``program/NAME``.
        folder: Its ``adjudge.toml`` configures the judge; a file of a model is looked up there.
        only_kept: Whether nothing is asked any more: what is not among the answers that are kept is an error.
    """
    extensions = Extensions([*discover(), as_candidate("programs", Programs())])
    with chdir(folder):
        host = RunHost(extensions, folder)
        host.read_environment(agent_folder=None)
        request = JudgingRequest(
            judges=(model,),
            use_cache=not model.startswith("program/"),
            max_calls=0 if only_kept else None,
        )
        judges = RunJudges(request, host, find_settings(folder).judge)
        judge = judges.judge(JudgeModelOptions(num_samples=1, judge_model_config={"temperature": 0}))
        services = Services(host, None, Options(token_budget=BUDGET))
        judges.open(None)
        try:
            yield CriterionEvaluator(services, judge, WordedCriterion.model_validate(CRITERION))
        finally:
            await judges.aclose()


def trajectory_of(run: Run) -> Trajectory:
    """A run as the reader of history logs reads it from a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.json"
        path.write_text(json.dumps(run), encoding="utf-8")
        [trajectory] = HistoryLogReader().read(Source(path), ReadOptions())
    return trajectory
