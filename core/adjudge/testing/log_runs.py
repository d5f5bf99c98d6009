"""Runs over logs in a test: judged, and seen as seed 003 shows them."""

from __future__ import annotations

from typing import Any

from adjudge import RunResult, judge_logs_sync
from adjudge.kit.judged_logs import JudgedLogs, judged_logs


def judged_sync(*arguments: Any, **options: Any) -> JudgedLogs:
    """What ``adjudge.judge_logs_sync`` finds with these arguments."""
    return judged(judge_logs_sync(*arguments, **options))


def judged(result: RunResult) -> JudgedLogs:
    """What a run over logs came to."""
    with result.report() as report:
        return judged_logs(report)
