"""What judged criteria share: prompts read from files, and decisions as outcomes.

Plugins reach it as ``adjudge.plugin.judged``.
"""

from adjudge.judged.outcomes import outcome_of, rubric_outcome, votes_of
from adjudge.judged.prompts import read_prompt

__all__ = ["outcome_of", "read_prompt", "rubric_outcome", "votes_of"]
