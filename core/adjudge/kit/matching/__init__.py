"""Compares tool calls and texts: pure functions that only use the model.

Compare lists of calls with ``match`` (``EXACT``, ``IN_ORDER``, ``ANY_ORDER``), ``precision``, ``recall``,
``f1``, ``edit_similarity`` and ``single_tool_use``. A call is a ``ToolCall``, a ``(name, arguments)`` pair, or
a bare name. Compare two texts with ``rouge_1``.
"""

from adjudge.kit.matching.alignment import Alignment, CallStatus, counted
from adjudge.kit.matching.arguments import ArgumentFunction, Difference
from adjudge.kit.matching.call_match import Match, match
from adjudge.kit.matching.calls import Call
from adjudge.kit.matching.comparison import Arguments, Comparison
from adjudge.kit.matching.measures import (
    Edits,
    Overlap,
    edit_similarity,
    f1,
    precision,
    recall,
    single_tool_use,
)
from adjudge.kit.matching.options import ArgumentOptions, ArgumentRules, CallOptions, MatchType, Tolerance
from adjudge.kit.matching.turns import is_large, per_turn
from adjudge.kit.matching.words import RougeScore, rouge_1

__all__ = [
    "Alignment",
    "ArgumentFunction",
    "ArgumentOptions",
    "ArgumentRules",
    "Arguments",
    "Call",
    "CallOptions",
    "CallStatus",
    "Comparison",
    "Difference",
    "Edits",
    "Match",
    "MatchType",
    "Overlap",
    "RougeScore",
    "Tolerance",
    "counted",
    "edit_similarity",
    "f1",
    "is_large",
    "match",
    "per_turn",
    "precision",
    "recall",
    "rouge_1",
    "single_tool_use",
]
