"""Lets a judge decide fixed statements about a whole conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from adjudge.kit.judged_criteria.exhibits import (
    agent_instructions,
    conversation,
    not_blank,
    tool_declarations,
)
from adjudge.kit.judged_criteria.outcomes import rubric_outcome
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.judging import Choice, JudgedItem, Prompt, Question
from adjudge.model.measurement import Outcome
from adjudge.plugin import Judge

_CHOICES: Final = (
    Choice(label="yes", meaning="the statement holds", value=1.0),
    Choice(label="no", meaning="the statement does not hold, or only in part", value=0.0),
    Choice(label="not_applicable", meaning="the statement speaks only of a situation that did not arise"),
)


class Checklist:
    """Decides fixed statements about a conversation. The score is the mean over the applicable statements.

    Results show the statements as rubric scores, each with its votes.
    """

    def __init__(self, judge: Judge, prompt: Prompt) -> None:
        """Decide with ``judge`` and ``prompt``."""
        self._judge = judge
        self._prompt = prompt

    async def decide(self, case: CaseUnderTest, statements: Mapping[str, str]) -> Outcome:
        """Decide the statements; returns one outcome for the whole conversation.

        Args:
            case: The case with the conversation.
            statements: The statements by id.
        """
        turns = case.actual.invocations
        question = Question(
            prompt=self._prompt,
            exhibits=not_blank(agent_instructions(*turns), tool_declarations(*turns), conversation(turns)),
            items=tuple(JudgedItem(item_id=name, text=text) for name, text in statements.items()),
            choices=_CHOICES,
        )
        return rubric_outcome(await self._judge.decide(question))
