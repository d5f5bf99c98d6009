"""Results as a CSV file with the columns of ADK's ``output_file``."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from adjudge import RunResult
from adjudge.model import Content, Invocation

_COLUMNS: Final = (
    "eval_set_id",
    "eval_id",
    "metric_name",
    "threshold",
    "score",
    "eval_status",
    "prompt",
    "expected_response",
    "actual_response",
    "expected_tool_calls",
    "actual_tool_calls",
)
_STATUSES: Final = {"PASS": "PASSED", "FAIL": "FAILED", "informational": "INFORMATIONAL"}


def append_results(result: RunResult, path: Path) -> None:
    """Append one row for every criterion and turn; folders that are missing are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        table: csv.DictWriter[str] = csv.DictWriter(file, _COLUMNS)
        if is_new:
            table.writeheader()
        table.writerows(_rows(result))


def _rows(result: RunResult) -> Iterator[dict[str, Any]]:
    for reported in result.details():
        for criterion in reported.result.criteria:
            expected = reported.case.conversation or ()
            for number, turn in enumerate(criterion.per_invocation):
                actual = reported.actual.invocations[number]
                wanted = expected[number] if number < len(expected) else None
                yield {
                    "eval_set_id": reported.result.eval_set_id,
                    "eval_id": reported.result.eval_id,
                    "metric_name": criterion.criterion_name,
                    "threshold": criterion.threshold,
                    "score": turn.score,
                    "eval_status": _STATUSES.get(turn.status, "NOT_EVALUATED"),
                    "prompt": actual.user_content.text,
                    "expected_response": _text(None if wanted is None else wanted.final_response),
                    "actual_response": _text(actual.final_response),
                    "expected_tool_calls": _calls(wanted),
                    "actual_tool_calls": _calls(actual),
                }


def _text(content: Content | None) -> str:
    return "" if content is None else content.text


def _calls(turn: Invocation | None) -> str:
    calls = () if turn is None else turn.tool_calls
    return "\n".join(f"{call.name} {json.dumps(call.args or {}, ensure_ascii=False)}" for call in calls)
