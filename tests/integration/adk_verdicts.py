"""google-adk's verdicts on recorded cases; runs in an environment that has google-adk.

Reads a JSON object of ``{name: {"eval_set": path, "recorded": path, "config": path}}`` from standard input and
prints ``{name: {eval_id: {"status": …, "scores": {metric: score}, "turns": {metric: [score, …]}}}}``.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from google.adk.agents import BaseAgent
from google.adk.evaluation.base_eval_service import (
    EvaluateConfig,
    EvaluateRequest,
    InferenceResult,
    InferenceStatus,
)
from google.adk.evaluation.eval_config import (
    get_eval_metrics_from_config,
    get_evaluation_criteria_or_default,
)
from google.adk.evaluation.eval_result import EvalCaseResult
from google.adk.evaluation.in_memory_eval_sets_manager import InMemoryEvalSetsManager
from google.adk.evaluation.local_eval_service import LocalEvalService
from google.adk.evaluation.local_eval_sets_manager import load_eval_set_from_file

APP = "app"


async def verdicts(files: dict[str, str]) -> dict[str, Any]:
    """The results of one eval set, with inferences that were made before."""
    eval_set = load_eval_set_from_file(files["eval_set"], files["eval_set"])
    manager = InMemoryEvalSetsManager()
    manager.create_eval_set(app_name=APP, eval_set_id=eval_set.eval_set_id)
    for case in eval_set.eval_cases:
        manager.add_eval_case(app_name=APP, eval_set_id=eval_set.eval_set_id, eval_case=case)
    recorded = load_eval_set_from_file(files["recorded"], files["recorded"])
    request = EvaluateRequest(
        inference_results=[
            InferenceResult(
                app_name=APP,
                eval_set_id=eval_set.eval_set_id,
                eval_case_id=case.eval_id,
                inferences=case.conversation,
                session_id=None,
                status=InferenceStatus.SUCCESS,
            )
            for case in recorded.eval_cases
        ],
        evaluate_config=EvaluateConfig(
            eval_metrics=get_eval_metrics_from_config(get_evaluation_criteria_or_default(files["config"]))
        ),
    )
    service = LocalEvalService(root_agent=BaseAgent(name="recorded"), eval_sets_manager=manager)
    return {result.eval_id: shown(result) async for result in service.evaluate(request)}


def shown(result: EvalCaseResult) -> dict[str, Any]:
    """What is compared of a case."""
    turns: dict[str, list[float | None]] = {}
    for turn in result.eval_metric_result_per_invocation:
        for metric in turn.eval_metric_results:
            turns.setdefault(metric.metric_name, []).append(metric.score)
    return {
        "status": result.final_eval_status.name,
        "scores": {metric.metric_name: metric.score for metric in result.overall_eval_metric_results},
        "turns": turns,
    }


if __name__ == "__main__":
    json.dump(
        {name: asyncio.run(verdicts(files)) for name, files in json.load(sys.stdin).items()}, sys.stdout
    )
