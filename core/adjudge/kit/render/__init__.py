"""What reporters share: cases over their repeats, and explanations as lines for a person.

Everything that comes out of here is safe to print: text of agents, tools and files is cleaned of
terminal escapes and control characters on its way into a ``Line``.
"""

from adjudge.kit.render.calibrated import confidence_lines
from adjudge.kit.render.conversation import transcript
from adjudge.kit.render.evaluation_lines import Finding, findings_of
from adjudge.kit.render.explanation import explained, headline
from adjudge.kit.render.judges import judge_lines
from adjudge.kit.render.lines import Line, Piece, Tone, line, shortened
from adjudge.kit.render.repeats import WholeCase, whole_cases
from adjudge.kit.render.scores import score_text, threshold_text, tone_of
from adjudge.kit.render.votes import is_votes
from adjudge.kit.render.word_diff import marked
from adjudge.model.printable import clean

__all__ = [
    "Finding",
    "Line",
    "Piece",
    "Tone",
    "WholeCase",
    "clean",
    "confidence_lines",
    "explained",
    "findings_of",
    "headline",
    "is_votes",
    "judge_lines",
    "line",
    "marked",
    "score_text",
    "shortened",
    "threshold_text",
    "tone_of",
    "transcript",
    "whole_cases",
]
