"""What reporters share: cases over their repeats, and explanations as lines for a person.

Everything that comes out of here is safe to print: text of agents, tools and files is cleaned of
terminal escapes and control characters on its way into a ``Line``.
"""

from adjudge.reporting.explanation import explained
from adjudge.reporting.judges import judge_lines
from adjudge.reporting.lines import Line, Tone, clean, line
from adjudge.reporting.scores import score_text, threshold_text, tone_of
from adjudge.reporting.transcript import transcript
from adjudge.reporting.votes import is_votes
from adjudge.reporting.whole_cases import WholeCase, whole_cases

__all__ = [
    "Line",
    "Tone",
    "WholeCase",
    "clean",
    "explained",
    "is_votes",
    "judge_lines",
    "line",
    "score_text",
    "threshold_text",
    "tone_of",
    "transcript",
    "whole_cases",
]
