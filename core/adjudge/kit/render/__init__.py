"""Shared code of reporters: cases over their repeats, and explanations as lines for people.

All lines are safe to print: terminal escapes and control characters are removed from texts of agents, tools and files
when a ``Line`` is created.
"""

from adjudge.kit.render.calibrated import confidence_lines
from adjudge.kit.render.conversation import transcript
from adjudge.kit.render.criterion_words import brief_text
from adjudge.kit.render.evaluation_lines import Finding, findings_of
from adjudge.kit.render.explanation import explained, headline
from adjudge.kit.render.judges import judge_lines
from adjudge.kit.render.lines import Line, Piece, Tone, line, shortened
from adjudge.kit.render.log_tally import LogTally, run_name, source_of, was_read
from adjudge.kit.render.log_tally import tally_of as log_tally_of
from adjudge.kit.render.repeats import WholeCase, whole_cases
from adjudge.kit.render.run_words import cases_text, runs_text, status_word, verdict_word
from adjudge.kit.render.scores import score_text, threshold_text, tone_of
from adjudge.kit.render.tally import CriterionTally, EvalSetTally, Tally, counts_text
from adjudge.kit.render.votes import is_votes
from adjudge.kit.render.word_diff import marked
from adjudge.model.printable import clean

__all__ = [
    "CriterionTally",
    "EvalSetTally",
    "Finding",
    "Line",
    "LogTally",
    "Piece",
    "Tally",
    "Tone",
    "WholeCase",
    "brief_text",
    "cases_text",
    "clean",
    "confidence_lines",
    "counts_text",
    "explained",
    "findings_of",
    "headline",
    "is_votes",
    "judge_lines",
    "line",
    "log_tally_of",
    "marked",
    "run_name",
    "runs_text",
    "score_text",
    "shortened",
    "source_of",
    "status_word",
    "threshold_text",
    "tone_of",
    "transcript",
    "verdict_word",
    "was_read",
    "whole_cases",
]
