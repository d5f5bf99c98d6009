"""Converts steps to text by code, for granularity strategies."""

from adjudge.kit.digests.conversations import Task, said_by_user, steps_with_words, task_of
from adjudge.kit.digests.facts import (
    error_of,
    families_of,
    family_of,
    host_of,
    pages_of,
    plan_of,
    reported_success,
    shown,
    tab_of,
    text_of,
    without_query,
)
from adjudge.kit.digests.fitting import Line, actions_counted, digest, fitted_lines, spread
from adjudge.kit.digests.lines import call_text, step_line
from adjudge.kit.digests.texts import first_sentence, in_line
from adjudge.model.base import canonical_sha256
from adjudge.model.tokens import clipped_to_tokens, head_and_tail, tokens_of, tokens_of_passage, tokens_shown

__all__ = [
    "Line",
    "Task",
    "actions_counted",
    "call_text",
    "canonical_sha256",
    "clipped_to_tokens",
    "digest",
    "error_of",
    "families_of",
    "family_of",
    "first_sentence",
    "fitted_lines",
    "head_and_tail",
    "host_of",
    "in_line",
    "pages_of",
    "plan_of",
    "reported_success",
    "said_by_user",
    "shown",
    "spread",
    "step_line",
    "steps_with_words",
    "tab_of",
    "task_of",
    "text_of",
    "tokens_of",
    "tokens_of_passage",
    "tokens_shown",
    "without_query",
]
