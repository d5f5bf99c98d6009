"""Searches for the step that made a run fail: with one question if the run fits into a request, else part by part."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from adjudge.kit.digests import clipped_to_tokens, tokens_shown
from adjudge.kit.untrusted import addresses_judge, cleaned
from adjudge.model import Citation, Decision, Exhibit, Trajectory
from adjudge.plugin import Judge
from adjudge_plugins.ai_judge.chunking import packed
from adjudge_plugins.ai_judge.first_error.question import (
    EXPECTED,
    LINES,
    STEPS,
    question_about,
    steps_named,
    tokens_without_run,
)
from adjudge_plugins.ai_judge.run_exhibits import RunExhibits
from adjudge_plugins.ai_judge.run_text import RunMaterial, material_of
from adjudge_plugins.ai_judge.truncation import shown

_MOST_STEPS: Final = 200
"""The maximum number of options in a question: providers refuse schemas with many more values."""
_TOKENS_OF_A_STEP: Final = 200
"""The tokens of a request per option, so that the options leave room for the run."""


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search."""

    decision: Decision
    """The decision that names the step, or says that there is none."""
    steps: tuple[int, ...]
    """Every step that votes name, the likeliest first."""
    questions: int
    """The number of questions; more than one if the run does not fit into a request."""


class FirstErrorSearch:
    """Searches one run."""

    def __init__(
        self, trajectory: Trajectory, judge: Judge, description: str, expected: str, budget: int
    ) -> None:
        """Prepare the search without calling the judge.

        Args:
            trajectory: The run.
            judge: The judge.
            description: What the run had to meet; empty: its task.
            expected: The answer that the author of the case expects; empty: none.
            budget: The tokens of one request.
        """
        self._judge = judge
        self._description = description
        self._expected = expected
        self._exhibits = RunExhibits(trajectory)
        self._asks_who = len({step.author for step in trajectory.steps if step.author}) > 1
        self._most_steps = min(_MOST_STEPS, budget // _TOKENS_OF_A_STEP)
        self._material = material_of(trajectory)
        self._budget = budget

    @property
    def speech(self) -> Sequence[Citation]:
        """A citation for each place in which the run addresses its judge."""
        return self._material.places.speech

    async def found(self) -> Found:
        """Search the run."""
        return await self._found(self._material, ())

    async def found_without_speech(self) -> Found:
        """Search the run again, without the fields whose text addresses the judge."""
        told = [text for text in self._exhibits.texts if addresses_judge(cleaned(text)[0])]
        return await self._found(self._material.without_speech, told)

    @cached_property
    def _room(self) -> int:
        """The tokens for the run in a request."""
        steps = self._material.steps
        menu = sorted(steps, reverse=True)[: self._most_steps]
        fields = self._fields(self._material, steps)
        return self._budget - tokens_without_run(menu, fields, self._description, self._judge)

    @cached_property
    def _given(self) -> tuple[Exhibit, ...]:
        """The expected answer, limited to one eighth of the room."""
        text = clipped_to_tokens(self._expected, self._room // 8)
        return (Exhibit(name=EXPECTED, text=text),) if text.strip() else ()

    async def _found(self, material: RunMaterial, left_out: Sequence[str]) -> Found:
        steps = material.steps
        given = self._given
        left = self._room - material.tokens - _tokens_of(given)
        if len(steps) <= self._most_steps and left >= min(self._exhibits.tokens, self._room // 4):
            around = (*self._exhibits.within(left, left_out=left_out), *given)
            decision = await self._decided(material, steps, around, self._room)
            return Found(decision, tuple(steps_named(decision)), 1)
        lines = Exhibit(name=LINES, text=material.lines(steps, self._room // 6))
        around = (*self._exhibits.within(self._room // 4, left_out=left_out), *given, lines)
        room = self._room - _tokens_of(around)
        parts = self._parts(material, room)
        decisions = await asyncio.gather(*(self._decided(material, part, around, room) for part in parts))
        failed = next((item for item in decisions if item.state == "error"), None)
        named = [item for item in decisions if item.state == "decided"]
        if failed is not None or not named:
            unsure = next((item for item in decisions if item.state == "unsure"), None)
            last = failed or unsure or _none_of(decisions)
            return Found(last, _ranked_of(decisions), len(parts))
        candidates = self._candidates(named)
        if len(candidates) == 1:
            return Found(named[0], _ranked_of(named), len(parts))
        last = await self._decided(material, candidates, around, room)
        others = [step for step in _ranked_of(named) if step not in steps_named(last)]
        return Found(last, (*steps_named(last), *others), len(parts) + 1)

    def _parts(self, material: RunMaterial, room: int) -> list[tuple[int, ...]]:
        """Divide the steps into parts that fit into a request as recorded, in order."""
        most = self._most_steps
        packs = packed([(step,) for step in material.steps], material, room)
        return [pack[at : at + most] for pack in packs for at in range(0, len(pack), most)]

    def _candidates(self, named: Sequence[Decision]) -> list[int]:
        """The options of the last question, in order: the step found in each part, then other steps named by votes."""
        first = [int(item.value) for item in named if item.value is not None]
        labels = [vote.label or "" for item in named for vote in item.votes]
        others = [int(label) for label in labels if label.isdigit()]
        return sorted(list(dict.fromkeys([*first, *others]))[: self._most_steps])

    async def _decided(
        self, material: RunMaterial, steps: Sequence[int], around: Iterable[Exhibit], room: int
    ) -> Decision:
        seen = shown(steps, material, room)
        question = question_about(
            steps,
            (*around, Exhibit(name=STEPS, passages=seen.passages)),
            self._fields(material, seen.steps),
            self._description,
            is_part=len(steps) < len(self._material.steps),
            asks_who=self._asks_who,
        )

        def problem(_item: str, _label: str, citation: Citation) -> str | None:
            return material.places.problem(citation, "process")

        [decision] = await self._judge.decide(question, check=problem)
        return decision

    def _fields(self, material: RunMaterial, steps: Sequence[int]) -> tuple[str, ...]:
        return material.places.fields_of(steps, "process")


def _tokens_of(exhibits: Iterable[Exhibit]) -> int:
    return sum(tokens_shown(exhibit.text) for exhibit in exhibits)


def _ranked_of(decisions: Sequence[Decision]) -> tuple[int, ...]:
    """The steps that votes on several parts name: first the likeliest of every part, then the second, and so on."""
    by_part = [steps_named(decision) for decision in decisions]
    longest = max(map(len, by_part), default=0)
    steps = (part[place] for place in range(longest) for part in by_part if place < len(part))
    return tuple(dict.fromkeys(steps))


def _none_of(decisions: Sequence[Decision]) -> Decision:
    """The decision that no part has the step, with the lowest confidence, and the flags and citations of all parts."""
    flags = dict.fromkeys(flag for item in decisions for flag in item.flags)
    citations = dict.fromkeys(citation for item in decisions for citation in item.citations)
    least = min(decisions, key=lambda item: item.confidence or 0.0)
    return least.model_copy(update={"flags": tuple(flags), "citations": tuple(citations)})
