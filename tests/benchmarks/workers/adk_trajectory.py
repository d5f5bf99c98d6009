"""google-adk's matching of tool calls: ``adk_trajectory.py TURNS SECONDS``, per match type."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
from google.genai.types import FunctionCall
from kernel import per_second

evaluator = TrajectoryEvaluator(threshold=1.0)
kernels = {
    "EXACT": evaluator._are_tool_calls_exact_match,
    "IN_ORDER": evaluator._are_tool_calls_in_order_match,
    "ANY_ORDER": evaluator._are_tool_calls_any_order_match,
}
turns = [
    ([FunctionCall(**call) for call in expected], [FunctionCall(**call) for call in actual])
    for expected, actual in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
]
found = {
    name: {
        "per_second": per_second(lambda expected, actual, run=run: run(actual, expected), turns, sys.argv[2]),
        "matched": [run(actual, expected) for expected, actual in turns],
    }
    for name, run in kernels.items()
}
json.dump(found, sys.stdout)
