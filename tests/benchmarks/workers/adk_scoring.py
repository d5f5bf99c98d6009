"""google-adk scores inferences that were already made: ``adk_scoring.py MANAGER APP EVAL_SET RECORDED``.

MANAGER is ``local`` (the eval set is an id in the agent's folder, as in ``adk eval AGENT ID`` and ``adk web``)
or ``memory`` (the eval set is a file, as in ``adk eval AGENT FILE``). Prints how many cases passed.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

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
from google.adk.evaluation.evaluator import EvalStatus
from google.adk.evaluation.in_memory_eval_sets_manager import InMemoryEvalSetsManager
from google.adk.evaluation.local_eval_service import LocalEvalService
from google.adk.evaluation.local_eval_set_results_manager import LocalEvalSetResultsManager
from google.adk.evaluation.local_eval_sets_manager import LocalEvalSetsManager, load_eval_set_from_file

manager_kind, app, eval_set_path, recorded_path = sys.argv[1:]
agents_folder = str(Path(eval_set_path).parent.parent)
recorded = load_eval_set_from_file(recorded_path, recorded_path)

if manager_kind == "local":
    manager = LocalEvalSetsManager(agents_dir=agents_folder)
else:
    manager = InMemoryEvalSetsManager()
    eval_set = load_eval_set_from_file(eval_set_path, eval_set_path)
    manager.create_eval_set(app_name=app, eval_set_id=eval_set.eval_set_id)
    for case in eval_set.eval_cases:
        manager.add_eval_case(app_name=app, eval_set_id=eval_set.eval_set_id, eval_case=case)

service = LocalEvalService(
    root_agent=BaseAgent(name="recorded"),
    eval_sets_manager=manager,
    eval_set_results_manager=LocalEvalSetResultsManager(agents_dir=agents_folder),
)
request = EvaluateRequest(
    inference_results=[
        InferenceResult(
            app_name=app,
            eval_set_id=recorded.eval_set_id,
            eval_case_id=case.eval_id,
            inferences=case.conversation,
            session_id=None,
            status=InferenceStatus.SUCCESS,
        )
        for case in recorded.eval_cases
    ],
    evaluate_config=EvaluateConfig(
        eval_metrics=get_eval_metrics_from_config(get_evaluation_criteria_or_default(None))
    ),
)


async def passed() -> int:
    return sum([result.final_eval_status is EvalStatus.PASSED async for result in service.evaluate(request)])


json.dump(asyncio.run(passed()), sys.stdout)
