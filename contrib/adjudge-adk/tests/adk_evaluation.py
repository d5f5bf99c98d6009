"""google-adk's own evaluation of agents in folders; runs in an environment that has ``google-adk[eval]``.

Reads a JSON list of folders from standard input. Prints, for each folder by its name, what ``adk eval`` would find: the status,
the scores, the scores by turn, the calls and the answers of every case; and whether ``AgentEvaluator`` accepts its eval set.
"""

from __future__ import annotations

import asyncio
import json
import sys
import warnings
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")

from google.adk.cli.cli_eval import get_app_or_root_agent  # noqa: E402
from google.adk.evaluation.agent_evaluator import AgentEvaluator  # noqa: E402
from google.adk.evaluation.base_eval_service import (  # noqa: E402
    EvaluateConfig,
    EvaluateRequest,
    InferenceConfig,
    InferenceRequest,
    InferenceResult,
)
from google.adk.evaluation.eval_case import get_all_tool_calls  # noqa: E402
from google.adk.evaluation.eval_config import (  # noqa: E402
    get_eval_metrics_from_config,
    get_evaluation_criteria_or_default,
)
from google.adk.evaluation.eval_result import EvalCaseResult  # noqa: E402
from google.adk.evaluation.in_memory_eval_sets_manager import InMemoryEvalSetsManager  # noqa: E402
from google.adk.evaluation.local_eval_service import LocalEvalService  # noqa: E402
from google.adk.evaluation.local_eval_sets_manager import load_eval_set_from_file  # noqa: E402


async def evaluated(folder: Path) -> dict[str, Any]:
    """What ``adk eval FOLDER FOLDER/cases.evalset.json`` does, without its files."""
    app, root_agent = await get_app_or_root_agent(str(folder))
    path = str(folder / "cases.evalset.json")
    eval_set = load_eval_set_from_file(path, path)
    manager = InMemoryEvalSetsManager()
    manager.create_eval_set(app_name=folder.name, eval_set_id=eval_set.eval_set_id)
    for case in eval_set.eval_cases:
        manager.add_eval_case(app_name=folder.name, eval_set_id=eval_set.eval_set_id, eval_case=case)
    service = LocalEvalService(root_agent=root_agent, eval_sets_manager=manager, app=app)
    request = InferenceRequest(
        app_name=folder.name, eval_set_id=eval_set.eval_set_id, inference_config=InferenceConfig()
    )
    inferences = [result async for result in service.perform_inference(request)]
    metrics = get_eval_metrics_from_config(get_evaluation_criteria_or_default(None))
    asked = EvaluateRequest(
        inference_results=inferences, evaluate_config=EvaluateConfig(eval_metrics=metrics)
    )
    by_id = {result.eval_case_id: result for result in inferences}
    return {result.eval_id: shown(result, by_id[result.eval_id]) async for result in service.evaluate(asked)}


def shown(result: EvalCaseResult, inference: InferenceResult) -> dict[str, Any]:
    """What is compared of a case."""
    turns: dict[str, list[float | None]] = {}
    for turn in result.eval_metric_result_per_invocation:
        for metric in turn.eval_metric_results:
            turns.setdefault(metric.metric_name, []).append(metric.score)
    invocations = inference.inferences or []
    return {
        "status": result.final_eval_status.name,
        "scores": {metric.metric_name: metric.score for metric in result.overall_eval_metric_results},
        "turns": turns,
        "calls": [
            [[call.name, call.args] for call in get_all_tool_calls(each.intermediate_data)]
            for each in invocations
        ],
        "answers": [
            "\n".join(
                part.text for part in (each.final_response.parts or []) if part.text and not part.thought
            )
            if each.final_response
            else ""
            for each in invocations
        ],
        "instructions": [
            {name: agent.instructions for name, agent in each.app_details.agent_details.items()}
            if each.app_details
            else {}
            for each in invocations
        ],
        "state": None if result.session_details is None else result.session_details.state,
    }


async def accepted(folder: Path) -> bool:
    """Whether a test with ``AgentEvaluator`` passes."""
    path = str(folder / "cases.evalset.json")
    try:
        await AgentEvaluator.evaluate(
            agent_module=f"{folder.name}.agent",
            eval_dataset_file_path_or_dir=path,
            num_runs=1,
            print_detailed_results=False,
        )
    except AssertionError:
        return False
    return True


if __name__ == "__main__":
    folders = [Path(name) for name in json.load(sys.stdin)]
    sys.path[:0] = sorted({str(folder.parent) for folder in folders})
    found = {}
    for folder in folders:
        for name in [name for name in sys.modules if name.partition(".")[0] == "agent"]:
            del sys.modules[name]  # every folder is imported under this name
        found[folder.name] = {
            "cases": asyncio.run(evaluated(folder)),
            "accepted": asyncio.run(accepted(folder)),
        }
    json.dump(found, sys.stdout, default=repr)
