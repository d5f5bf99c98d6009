"""Shared code of judged criteria: prompts from files, exhibits of a turn, and decisions as outcomes."""

from adjudge.kit.judged_criteria.checklist import Checklist
from adjudge.kit.judged_criteria.config import JudgedConfig
from adjudge.kit.judged_criteria.delegation import DelegatingConfig
from adjudge.kit.judged_criteria.exhibits import (
    agent_instructions,
    agent_moves,
    agent_response,
    answer,
    conversation,
    earlier_turns,
    not_blank,
    reference_response,
    said,
    tool_declarations,
    user_prompt,
)
from adjudge.kit.judged_criteria.moves import moves_of
from adjudge.kit.judged_criteria.outcomes import mean_of, outcome_of, rubric_outcome, votes_of
from adjudge.kit.judged_criteria.prompts import read_prompt
from adjudge.kit.judged_criteria.rubrics import RubricJudge, RubricsConfig
from adjudge.kit.judged_criteria.turns import TurnUnderTest, together, turn_by_turn

__all__ = [
    "Checklist",
    "DelegatingConfig",
    "JudgedConfig",
    "RubricJudge",
    "RubricsConfig",
    "TurnUnderTest",
    "agent_instructions",
    "agent_moves",
    "agent_response",
    "answer",
    "conversation",
    "earlier_turns",
    "mean_of",
    "moves_of",
    "not_blank",
    "outcome_of",
    "read_prompt",
    "reference_response",
    "rubric_outcome",
    "said",
    "together",
    "tool_declarations",
    "turn_by_turn",
    "user_prompt",
    "votes_of",
]
