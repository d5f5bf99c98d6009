"""adjudge's matching of tool calls: ``adjudge_trajectory.py TURNS SECONDS``, per match type.

The kernels are measured, as on google-adk's side. They give the pairs as indices; the verdicts are those of ``match``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from kernel import per_second

from adjudge.kit.matching import MatchType, equality, match
from adjudge.model.items import ToolCall

turns = [
    ([ToolCall(**call) for call in expected], [ToolCall(**call) for call in actual])
    for expected, actual in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
]
kernels = {
    MatchType.EXACT: equality.exact,
    MatchType.IN_ORDER: equality.in_order,
    MatchType.ANY_ORDER: equality.any_order,
}
found = {
    kind.name: {
        "per_second": per_second(kernel, turns, sys.argv[2]),
        "matched": [match(expected, actual, kind).matched for expected, actual in turns],
    }
    for kind, kernel in kernels.items()
}
json.dump(found, sys.stdout)
