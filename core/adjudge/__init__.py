"""adjudge evaluates LLM agents: the path that they took and the answer that they gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from adjudge.errors import AdjudgeError, InputError, JudgeUnusableError, PluginError, RunError
    from adjudge.journal.judge_notes import JudgeNote, keep_judge_note
    from adjudge.model.eval_set import EvalCase, EvalSet
    from adjudge.model.judged_logs import JudgedLogs
    from adjudge.runner.api import RunResult, evaluate, evaluate_sync, resume, resume_sync
    from adjudge.runner.judge_probe import JudgeAnswer, ask_judge
    from adjudge.runner.judged_scoring import CaseToScore, JudgedScore, JudgedScores, score_by_judge
    from adjudge.runner.logs.api import judge_logs, judge_logs_sync

__version__ = "0.1.0"

_HOMES: Final = {
    "AdjudgeError": "adjudge.errors",
    "CaseToScore": "adjudge.runner.judged_scoring",
    "EvalCase": "adjudge.model.eval_set",
    "EvalSet": "adjudge.model.eval_set",
    "InputError": "adjudge.errors",
    "JudgeAnswer": "adjudge.runner.judge_probe",
    "JudgeNote": "adjudge.journal.judge_notes",
    "JudgeUnusableError": "adjudge.errors",
    "JudgedLogs": "adjudge.model.judged_logs",
    "JudgedScore": "adjudge.runner.judged_scoring",
    "JudgedScores": "adjudge.runner.judged_scoring",
    "PluginError": "adjudge.errors",
    "RunError": "adjudge.errors",
    "RunResult": "adjudge.runner.api",
    "ask_judge": "adjudge.runner.judge_probe",
    "evaluate": "adjudge.runner.api",
    "evaluate_sync": "adjudge.runner.api",
    "judge_logs": "adjudge.runner.logs.api",
    "judge_logs_sync": "adjudge.runner.logs.api",
    "keep_judge_note": "adjudge.journal.judge_notes",
    "resume": "adjudge.runner.api",
    "resume_sync": "adjudge.runner.api",
    "score_by_judge": "adjudge.runner.judged_scoring",
}

__all__ = [
    "AdjudgeError",
    "CaseToScore",
    "EvalCase",
    "EvalSet",
    "InputError",
    "JudgeAnswer",
    "JudgeNote",
    "JudgeUnusableError",
    "JudgedLogs",
    "JudgedScore",
    "JudgedScores",
    "PluginError",
    "RunError",
    "RunResult",
    "__version__",
    "ask_judge",
    "evaluate",
    "evaluate_sync",
    "judge_logs",
    "judge_logs_sync",
    "keep_judge_note",
    "resume",
    "resume_sync",
    "score_by_judge",
]


def __getattr__(name: str) -> object:
    """Import the public names on first use: ``adjudge --help`` must not pay for them."""
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'adjudge' has no attribute {name!r}")
