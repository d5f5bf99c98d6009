"""adjudge evaluates LLM agents: the path that they took and the answer that they gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from adjudge.errors import AdjudgeError, InputError, PluginError, RunError
    from adjudge.model.eval_set import EvalCase, EvalSet
    from adjudge.model.judged_logs import JudgedLogs
    from adjudge.runner.api import RunResult, evaluate, evaluate_sync, resume, resume_sync
    from adjudge.runner.logs.api import judge_logs, judge_logs_sync

__version__ = "0.1.0"

_HOMES: Final = {
    "AdjudgeError": "adjudge.errors",
    "EvalCase": "adjudge.model.eval_set",
    "EvalSet": "adjudge.model.eval_set",
    "InputError": "adjudge.errors",
    "JudgedLogs": "adjudge.model.judged_logs",
    "PluginError": "adjudge.errors",
    "RunError": "adjudge.errors",
    "RunResult": "adjudge.runner.api",
    "evaluate": "adjudge.runner.api",
    "evaluate_sync": "adjudge.runner.api",
    "judge_logs": "adjudge.runner.logs.api",
    "judge_logs_sync": "adjudge.runner.logs.api",
    "resume": "adjudge.runner.api",
    "resume_sync": "adjudge.runner.api",
}

__all__ = [
    "AdjudgeError",
    "EvalCase",
    "EvalSet",
    "InputError",
    "JudgedLogs",
    "PluginError",
    "RunError",
    "RunResult",
    "__version__",
    "evaluate",
    "evaluate_sync",
    "judge_logs",
    "judge_logs_sync",
    "resume",
    "resume_sync",
]


def __getattr__(name: str) -> object:
    """Import the public names on first use: ``adjudge --help`` must not pay for them."""
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'adjudge' has no attribute {name!r}")
