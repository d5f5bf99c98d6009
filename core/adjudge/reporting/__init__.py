"""What reporters share: cases over their repeats, and explanations as lines for a person.

Everything that comes out of here is safe to print: text of agents, tools and files is cleaned of
terminal escapes and control characters on its way into a ``Line``.
"""

from adjudge.reporting.calibrated import confidence_lines
from adjudge.reporting.explanation import explained
from adjudge.reporting.judgements import inapplicable_lines, judgement_lines, log_error_lines
from adjudge.reporting.judges import judge_lines
from adjudge.reporting.lines import Line, Piece, Tone, clean, line, shortened
from adjudge.reporting.scores import score_text, threshold_text, tone_of
from adjudge.reporting.transcript import transcript
from adjudge.reporting.votes import is_votes
from adjudge.reporting.whole_cases import WholeCase, whole_cases

__all__ = [
    "Line",
    "Piece",
    "Tone",
    "WholeCase",
    "clean",
    "confidence_lines",
    "explained",
    "inapplicable_lines",
    "is_votes",
    "judge_lines",
    "judgement_lines",
    "line",
    "log_error_lines",
    "score_text",
    "shortened",
    "threshold_text",
    "tone_of",
    "transcript",
    "whole_cases",
]
