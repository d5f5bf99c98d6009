"""Actions, results and errors of a run: shared code of criteria that are computed without a judge.

All are pure functions of the model.
"""

from adjudge.kit.trace.actions import Action, ActionKey, actions_of, is_in_words
from adjudge.kit.trace.citations import cited, citing, counted, listed, scanned
from adjudge.kit.trace.costs import cost_of, cost_of_step
from adjudge.kit.trace.failures import ShownError, errors_of, failure_of, unchanging
from adjudge.kit.trace.locations import json_text, place_of
from adjudge.kit.trace.moves import Move, moves_of
from adjudge.kit.trace.tools import DeclaredTool, declared_tools, is_answer, is_of_the_framework, is_thought

__all__ = [
    "Action",
    "ActionKey",
    "DeclaredTool",
    "Move",
    "ShownError",
    "actions_of",
    "cited",
    "citing",
    "cost_of",
    "cost_of_step",
    "counted",
    "declared_tools",
    "errors_of",
    "failure_of",
    "is_answer",
    "is_in_words",
    "is_of_the_framework",
    "is_thought",
    "json_text",
    "listed",
    "moves_of",
    "place_of",
    "scanned",
    "unchanging",
]
