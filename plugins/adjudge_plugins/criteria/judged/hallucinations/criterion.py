"""Judges every sentence of an answer against the information that the agent had."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from adjudge.kit import judged_criteria
from adjudge.model import Choice, Decision, Invocation, Item, JsonObject, JudgedItem, Question, Step, Text
from adjudge.plugin import (
    CaseUnderTest,
    Judge,
    Measurement,
    Outcome,
)
from adjudge_plugins.criteria.judged.hallucinations.config import HallucinationsConfig
from adjudge_plugins.criteria.judged.hallucinations.sentences import sentences

_CHOICES: Final = (
    Choice(label="supported", meaning="the evidence bears out every claim of the sentence", value=1.0),
    Choice(
        label="unsupported",
        meaning="a claim of the sentence is not in the evidence, and nothing in the evidence denies it",
        value=0.0,
    ),
    Choice(label="contradictory", meaning="the evidence denies a claim of the sentence", value=0.0),
    Choice(
        label="disputed",
        meaning="one part of the evidence bears out a claim of the sentence and another part denies it",
        value=0.0,
    ),
    Choice(
        label="not_applicable",
        meaning="the sentence states no fact: a greeting, a question, an offer, an opinion, advice, a plan, "
        "a heading, or that the agent does not know or cannot do something",
        value=1.0,
    ),
)
_GOOD: Final = frozenset(choice.label for choice in _CHOICES if choice.value)
_WORDS: Final = {"unsure": "undecided", "error": "not judged"}
_NOTES: Final = {
    "excerpt": "the words that decide, copied exactly from the evidence and never from the sentence; empty where "
    "the evidence has none",
    "rationale": "why, in one or two sentences",
}


@dataclass(frozen=True, slots=True)
class _Said:
    """A text of the agent, and the information that the agent had when it said it."""

    text: str
    before: Invocation
    """The turn up to the text, without the agent's own words."""
    where: JsonObject


class Hallucinations:
    """The share of sentences that are supported, or that need no support, from 0 to 1 (seed 004).

    A judge labels every sentence ``supported``, ``unsupported``, ``contradictory``, ``disputed`` or
    ``not_applicable``, by votes. The score of a text is (supported + not_applicable) / sentences; the
    score of a turn is the mean over its texts: the final response and, optionally, each text before it.
    A sentence that could not be judged stays in the denominator. A turn without a text is not applicable.

    Evidence consists of the instructions and tool declarations of the agents, the user's messages, and
    everything up to the text that the agent did or received (calls, responses, observations, errors,
    grounding metadata). The agent's own words are shown as context for sentences that refer to them; they are
    not evidence.
    """

    def __init__(self, config: HallucinationsConfig, judge: Judge) -> None:
        self._with_intermediate = config.evaluate_intermediate_nl_responses
        self._judge = judge
        self._prompt = judged_criteria.read_prompt(__package__, "hallucinations_v1")

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one score per turn."""
        return await judged_criteria.turn_by_turn(case, self._turn)

    async def _turn(self, turn: judged_criteria.TurnUnderTest) -> Outcome:
        texts = [*_intermediate(turn.actual)] if self._with_intermediate else []
        texts.append(_final(turn.actual))
        outcomes = await judged_criteria.together(self._text(said, turn.earlier) for said in texts)
        return judged_criteria.mean_of(
            outcomes,
            "; ".join(outcome.reasoning or "" for outcome in outcomes if outcome.state != "not_applicable"),
            none="the agent wrote no text in this turn",
            details={"texts": [outcome.details for outcome in outcomes if outcome.details]},
        )

    async def _text(self, said: _Said, earlier: Sequence[Invocation]) -> Outcome:
        found = sentences(said.text)
        if not found:
            return Outcome.not_applicable("nothing was said")
        evidence = judged_criteria.not_blank(
            judged_criteria.agent_instructions(said.before),
            judged_criteria.tool_declarations(said.before),
            judged_criteria.earlier_turns(earlier),
            judged_criteria.user_prompt(said.before),
            judged_criteria.agent_moves(said.before),
        )
        question = Question(
            prompt=self._prompt,
            # The answer as a whole is not shown: small judges take it for evidence of its own sentences.
            exhibits=evidence,
            items=tuple(
                JudgedItem(item_id=f"sentence {number}", text=sentence, quoted=True)
                for number, sentence in enumerate(found, start=1)
            ),
            choices=_CHOICES,
            notes=_NOTES,
        )
        decisions = await self._judge.decide(question)
        known = _folded(" ".join(exhibit.text for exhibit in evidence))
        labelled = [
            _labelled(sentence, decision, known) for sentence, decision in zip(found, decisions, strict=True)
        ]
        outcome = judged_criteria.mean_of(
            [judged_criteria.outcome_of(decision) for decision in decisions],
            _summary(labelled),
            none="no sentence could be true or false",
        )
        details = {**said.where, "score": outcome.score, "sentences": labelled}
        return outcome.model_copy(update={"details": details})


def _final(turn: Invocation) -> _Said:
    text = "" if turn.final_response is None else turn.final_response.text
    return _Said(text, _without_words(turn, turn.steps), {"text": "final response"})


def _intermediate(turn: Invocation) -> Iterator[_Said]:
    """The texts before the final response; texts that nothing separates are joined."""
    for position, step in enumerate(turn.steps):
        items: list[Item] = []
        for is_text, run in groupby(step.items, key=lambda item: isinstance(item, Text)):
            group = list(run)
            if is_text:
                before = (*turn.steps[:position], step.model_copy(update={"items": tuple(items)}))
                text = "\n".join(item.text for item in group if isinstance(item, Text))
                where = {"text": "intermediate response", "step": step.number, "author": step.author}
                yield _Said(text, _without_words(turn, before), where)
            items += group


def _without_words(turn: Invocation, steps: Sequence[Step]) -> Invocation:
    """Copy the turn with these steps and without the agent's own words, which are not evidence."""
    bare = [
        step.model_copy(update={"items": tuple(item for item in step.items if not isinstance(item, Text))})
        for step in steps
    ]
    return turn.model_copy(update={"steps": tuple(bare)})


def _labelled(sentence: str, decision: Decision, evidence: str) -> JsonObject:
    """Format a sentence for the details, with an excerpt from a vote for its label.

    Judges sometimes invent excerpts: one that occurs in the evidence is preferred, and any other is marked.
    """
    outcome = judged_criteria.outcome_of(decision)
    votes = [vote.notes.get("excerpt", "") for vote in decision.votes if vote.label == decision.label]
    excerpts = [excerpt for excerpt in votes if excerpt.strip()]
    genuine = [excerpt for excerpt in excerpts if _folded(excerpt) in evidence]
    return {
        "sentence": sentence,
        "state": outcome.state,
        "label": decision.label,
        "rationale": outcome.reasoning,
        "excerpt": next(iter([*genuine, *excerpts]), None),
        "excerpt_found": bool(genuine),
        **outcome.details,
    }


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _summary(labelled: Sequence[JsonObject]) -> str:
    bad = [
        f"{_WORDS.get(entry['state'], entry['label'])}: {entry['sentence']!r}"
        for entry in labelled
        if entry["state"] != "scored" or entry["label"] not in _GOOD
    ]
    good = len(labelled) - len(bad)
    return "; ".join([f"{good} of {len(labelled)} sentences are supported or need no support", *bad])
