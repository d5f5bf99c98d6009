"""The steps of a run as text for a judge, with token counts. Created once per run, for all criteria."""

from __future__ import annotations

import weakref
from collections.abc import Collection, Sequence
from copy import copy
from functools import cached_property
from typing import Final

from adjudge.kit.digests import (
    clipped_to_tokens,
    digest,
    error_of,
    head_and_tail,
    steps_with_words,
    tokens_of_passage,
    tokens_shown,
)
from adjudge.kit.trace import place_of
from adjudge.model import Passage, Step, Trajectory
from adjudge_plugins.ai_judge.evidence import Places

_MADE: Final[dict[int, RunMaterial]] = {}


class RunMaterial:
    """The steps of a run as separate texts."""

    def __init__(self, trajectory: Trajectory) -> None:
        """Convert the run."""
        self.places = Places(trajectory)
        self._steps = {step.number: step for step in steps_with_words(trajectory)}
        self._costs = {number: _cost(self.places.passages([number])) for number in self.places.steps}
        self._failed = {step.number for step in trajectory.steps if error_of(step) is not None}

    @cached_property
    def without_speech(self) -> RunMaterial:
        """A copy without the fields whose text addresses the judge."""
        withheld = {(words.step, words.field) for words in self.places.speech}
        rest = copy(self)
        rest.places = self.places.without(withheld)
        touched = {number for number, _ in withheld}
        rest._steps = self._steps | {
            number: _without(self._steps[number], withheld) for number in touched & self._steps.keys()
        }
        rest._costs = self._costs | {number: _cost(rest.places.passages([number])) for number in touched}
        return rest

    @property
    def steps(self) -> tuple[int, ...]:
        """The numbers of the steps, in order."""
        return self.places.steps

    def cost(self, step: int) -> int:
        """The tokens of a step as recorded."""
        return self._costs[step]

    @cached_property
    def tokens(self) -> int:
        """The tokens of the whole run as recorded."""
        return sum(self._costs.values())

    def failed(self, step: int) -> bool:
        """Whether a step failed or has an error."""
        return step in self._failed or "error" in self.places.of(step)

    def passages(self, step: int, most: int) -> tuple[Passage, ...]:
        """A step within ``most`` tokens: the longest fields are shortened in the middle."""
        whole = self.places.passages([step])
        if self._costs[step] <= most:
            return whole
        # A character is at least a quarter of a token, so at most 4 * most characters can remain of a huge
        # text.
        texts = [head_and_tail(passage.text, 4 * most) for passage in whole]
        headings = sum(tokens_shown(passage.heading) for passage in whole)
        share = fair_share([tokens_shown(text) for text in texts], max(0, most - headings))
        cut = [
            Passage(heading=passage.heading, text=clipped_to_tokens(text, share))
            for passage, text in zip(whole, texts, strict=True)
        ]
        kept: list[Passage] = []
        # Fields that are empty after shortening, or for which there is no room left, are dropped.
        for passage in filter(lambda passage: passage.text, cut):
            if _cost([*kept, passage]) <= most:
                kept.append(passage)
        return tuple(kept)

    def lines(self, steps: Sequence[int], most: int) -> str:
        """One line per step within ``most`` tokens, as made by ``digests.digest``."""
        return digest([self._steps[step] for step in steps if step in self._steps], most)


def _cost(passages: Sequence[Passage]) -> int:
    return sum(tokens_of_passage(passage.heading, passage.text) for passage in passages)


def material_of(trajectory: Trajectory) -> RunMaterial:
    """The material of a run, cached as long as the run is in memory."""
    key = id(trajectory)
    if key not in _MADE:
        weakref.finalize(trajectory, _MADE.pop, key, None)
        _MADE[key] = RunMaterial(trajectory)
    return _MADE[key]


def _without(step: Step, withheld: Collection[tuple[int, str]]) -> Step:
    kept = [item for item in step.items if (step.number, (place_of(item) or ("",))[0]) not in withheld]
    return step.model_copy(update={"items": tuple(kept), "extra": None})


def fair_share(costs: Sequence[int], room: int) -> int:
    """The cap per item that keeps the total of the capped costs within ``room`` (max-min fairness).

    Items that cost less than an equal share leave the rest to the others.
    """
    left = room
    for at, cost in enumerate(sorted(costs)):
        share = left // (len(costs) - at)
        if cost > share:
            return share
        left -= cost
    return room
