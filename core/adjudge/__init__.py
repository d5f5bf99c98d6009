"""adjudge evaluates LLM agents: their trajectories and their answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from adjudge.cli.run_command import (
        answers_options,
        budget_options,
        concurrency_option,
        name_option,
        report_options,
        run_and_show,
        time_limit_options,
    )
    from adjudge.errors import AdjudgeError, InputError, JudgeUnusableError, PluginError, RunError
    from adjudge.journal.judge_notes import JudgeNote, keep_judge_note
    from adjudge.model.eval_set import EvalCase, EvalSet
    from adjudge.runner.api import (
        evaluate,
        evaluate_sync,
        judge_logs,
        judge_logs_sync,
        resume,
        resume_sync,
    )
    from adjudge.runner.engine import Event, JudgesAsked
    from adjudge.runner.estimate import Estimate, EvaluationPlan, Needed
    from adjudge.runner.execution import RunResult
    from adjudge.runner.inventory import Inventory, inventory
    from adjudge.runner.judged_scoring import CaseToScore, JudgedScore, JudgedScores, score_by_judge
    from adjudge.runner.open_agent import OpenAgent, open_agent
    from adjudge.runner.open_judge import open_judge
    from adjudge.runner.open_run import EvaluatedCase, OpenRun, open_run
    from adjudge.runner.plan_preview import (
        estimate_logs,
        estimate_logs_sync,
        plan_evaluation,
        plan_evaluation_sync,
        prepare_criteria,
        prepare_criteria_sync,
    )
    from adjudge.runner.read_log import read_log
    from adjudge.runner.stored_runs import StoredRun, delete_run, list_runs, read_run, write_reports

__version__ = "0.1.0"

_MODULES: Final = {
    "cli.run_command": (
        "answers_options budget_options concurrency_option name_option report_options run_and_show"
        " time_limit_options"
    ),
    "errors": "AdjudgeError InputError JudgeUnusableError PluginError RunError",
    "journal.judge_notes": "JudgeNote keep_judge_note",
    "model.eval_set": "EvalCase EvalSet",
    "runner.api": "evaluate evaluate_sync judge_logs judge_logs_sync resume resume_sync",
    "runner.engine": "Event JudgesAsked",
    "runner.estimate": "Estimate EvaluationPlan Needed",
    "runner.execution": "RunResult",
    "runner.inventory": "Inventory inventory",
    "runner.judged_scoring": "CaseToScore JudgedScore JudgedScores score_by_judge",
    "runner.open_agent": "OpenAgent open_agent",
    "runner.open_judge": "open_judge",
    "runner.open_run": "EvaluatedCase OpenRun open_run",
    "runner.plan_preview": (
        "estimate_logs estimate_logs_sync plan_evaluation plan_evaluation_sync"
        " prepare_criteria prepare_criteria_sync"
    ),
    "runner.read_log": "read_log",
    "runner.stored_runs": "StoredRun delete_run list_runs read_run write_reports",
}
_HOMES: Final = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = [
    "AdjudgeError",
    "CaseToScore",
    "Estimate",
    "EvalCase",
    "EvalSet",
    "EvaluatedCase",
    "EvaluationPlan",
    "Event",
    "InputError",
    "Inventory",
    "JudgeNote",
    "JudgeUnusableError",
    "JudgedScore",
    "JudgedScores",
    "JudgesAsked",
    "Needed",
    "OpenAgent",
    "OpenRun",
    "PluginError",
    "RunError",
    "RunResult",
    "StoredRun",
    "__version__",
    "answers_options",
    "budget_options",
    "concurrency_option",
    "delete_run",
    "estimate_logs",
    "estimate_logs_sync",
    "evaluate",
    "evaluate_sync",
    "inventory",
    "judge_logs",
    "judge_logs_sync",
    "keep_judge_note",
    "list_runs",
    "name_option",
    "open_agent",
    "open_judge",
    "open_run",
    "plan_evaluation",
    "plan_evaluation_sync",
    "prepare_criteria",
    "prepare_criteria_sync",
    "read_log",
    "read_run",
    "report_options",
    "resume",
    "resume_sync",
    "run_and_show",
    "score_by_judge",
    "time_limit_options",
    "write_reports",
]


def __getattr__(name: str) -> object:
    """Import public names at their first use, so that ``adjudge --help`` does not import everything."""
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(f"adjudge.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'adjudge' has no attribute {name!r}")
