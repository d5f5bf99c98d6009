"""What judged criteria share: prompts read from files, exhibits of a turn, and decisions as outcomes.

Plugins reach it as ``adjudge.plugin.judged``.
"""

from adjudge.judged.checklist import Checklist
from adjudge.judged.delegation import DelegatingConfig
from adjudge.judged.exhibits import (
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
from adjudge.judged.moves import moves_of
from adjudge.judged.outcomes import mean_of, outcome_of, rubric_outcome, votes_of
from adjudge.judged.prompts import read_prompt
from adjudge.judged.rubrics import RubricJudge, RubricsConfig
from adjudge.judged.turns import TurnUnderTest, together, turn_by_turn

__all__ = [
    "Checklist",
    "DelegatingConfig",
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
