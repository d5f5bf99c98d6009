"""What a user asks for when logs are to be judged, before anything is checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjudge.extension.judge_options import DEFAULT_NUM_SAMPLES
from adjudge.granularity.viewing import DEFAULT_BUDGET
from adjudge.runner.request import JudgingRequest

AUTO = "auto"
"""The granularity that is chosen for each criterion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogsRequest:
    """Logs, criteria, and how to judge."""

    logs: tuple[str, ...]
    """Files, folders or globs."""
    criteria: str | Path | tuple[Any, ...] | None
    """A criteria file, or criteria made in Python; ``None`` where only aggregation is wanted."""
    task: str | None = None
    granularity: str = AUTO
    reader: str | None = None
    aggregate_only: bool = False
    strict_evidence: bool = False
    correct_phases: bool = False
    token_budget: int = DEFAULT_BUDGET
    num_samples: int = DEFAULT_NUM_SAMPLES
    calibration: str | None = None
    """A file of calibrations; ``None``: what this installation keeps."""
    judging: JudgingRequest = field(default_factory=JudgingRequest)
    working_folder: Path
