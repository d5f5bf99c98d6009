"""Asks a model about short runs by one criterion, alone and with another one in the same request; one JSON line an answer.

The model generates as it does by itself, with a seed for each repetition: how often a plain repetition says something else
is what the other criterion is compared with.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

from short_runs import ADDED, JUDGED, SHORT_RUNS, ShortRun

from adjudge.extension.project import find_settings, project_extensions
from adjudge.model import EvaluationResult
from adjudge.plugin import JudgeModelOptions
from adjudge.runner.host import RunHost
from adjudge.runner.judges import RunJudges
from adjudge.runner.request import JudgingRequest
from adjudge_plugins.ai_judge.services import CriterionEvaluator, Options, Services, evaluated_together

ALONE, TOGETHER = "alone", "together"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", metavar="MODEL", required=True)
    parser.add_argument("--folder", type=Path, default=Path(), help="has adjudge.toml and files of models")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--alone", type=int, default=2, help="repetitions with the criterion alone")
    parser.add_argument("--together", type=int, default=2, help="repetitions with another one added")
    arguments = parser.parse_args()
    asyncio.run(_ask(arguments, arguments.output.resolve()))


async def _ask(arguments: argparse.Namespace, output: Path) -> None:
    with chdir(arguments.folder), output.open("w", encoding="utf-8") as file:
        extensions = project_extensions(Path.cwd())
        host = RunHost(extensions, Path.cwd())
        host.read_environment(agent_folder=None)
        request = JudgingRequest(judges=(arguments.judge,))
        judges = RunJudges(request, host, find_settings(Path.cwd()).judge)
        services = Services(host, None, Options())
        conditions = [(ALONE, seed) for seed in range(arguments.alone)]
        conditions += [(TOGETHER, seed) for seed in range(arguments.together)]
        made: dict[tuple[str, int], list[CriterionEvaluator]] = {}
        for condition, seed in conditions:
            judge = judges.judge(JudgeModelOptions(num_samples=1, judge_model_config={"seed": seed}))
            criteria = [JUDGED] if condition == ALONE else [JUDGED, ADDED]
            made[condition, seed] = [CriterionEvaluator(services, judge, each) for each in criteria]
        judges.open(None)
        try:
            for run in SHORT_RUNS:
                for condition, seed in conditions:
                    began = time.monotonic()
                    [judged, *_] = await evaluated_together(made[condition, seed], run.trajectory)
                    for answer in _answers(run, condition, seed, judged.result):
                        file.write(json.dumps(answer) + "\n")
                    file.flush()
                    told = f"{judged.result.verdict}, {time.monotonic() - began:.0f} s"
                    print(run.run_id, condition, seed, told, flush=True)  # noqa: T201
        finally:
            await judges.aclose()


def _answers(run: ShortRun, condition: str, seed: int, result: EvaluationResult) -> Iterator[dict[str, Any]]:
    usage = result.judging.usage if result.judging else None
    for check in result.checks:
        yield {
            "run": run.run_id,
            "condition": condition,
            "seed": seed,
            "verdict": result.verdict,
            "check": check.text,
            "wanted": run.labels.get(check.text),
            "vote": check.votes.label,
            "state": check.state,
            "code": check.unsure_code,
            "models": list(result.judging.model_versions) if result.judging else [],
            "prompts": dict(result.judging.prompts) if result.judging else {},
            "tokens_in": usage.input_tokens if usage else None,
            "tokens_out": usage.output_tokens if usage else None,
            "reason": check.reasoning,
        }


if __name__ == "__main__":
    main()
