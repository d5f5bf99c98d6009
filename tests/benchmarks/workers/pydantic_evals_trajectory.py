"""pydantic-evals' equality of lists of calls: ``pydantic_evals_trajectory.py TURNS SECONDS``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from kernel import per_second
from pydantic_evals.evaluators import EqualsExpected, EvaluatorContext
from pydantic_evals.otel import SpanTree

evaluator = EqualsExpected()
turns = [
    (
        EvaluatorContext(
            name=None,
            inputs=None,
            metadata=None,
            expected_output=expected,
            output=actual,
            duration=0.0,
            _span_tree=SpanTree(),
            attributes={},
            metrics={},
        ),
        None,
    )
    for expected, actual in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
]
found = {
    "per_second": per_second(lambda context, _: evaluator.evaluate(context), turns, sys.argv[2]),
    "matched": [evaluator.evaluate(context) for context, _ in turns],
}
json.dump({"EXACT": found}, sys.stdout)
