"""adjudge's matching of tool calls: ``adjudge_trajectory.py TURNS SECONDS``, per match type."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from kernel import per_second

from adjudge.matching import Comparison, Match, MatchType
from adjudge.model.items import ToolCall

turns = [
    ([ToolCall(**call) for call in expected], [ToolCall(**call) for call in actual])
    for expected, actual in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
]
comparison = Comparison.of()  # once a criterion, as google-adk's evaluator
found = {
    kind.name: {
        "per_second": per_second(
            lambda expected, actual, kind=kind: Match(expected, actual, comparison, kind).matched,
            turns,
            sys.argv[2],
        ),
        "matched": [Match(expected, actual, comparison, kind).matched for expected, actual in turns],
    }
    for kind in MatchType
}
json.dump(found, sys.stdout)
