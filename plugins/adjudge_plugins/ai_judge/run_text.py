"""The steps of a run as a judge reads them, with what each costs. Made once for a run, for all criteria."""

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
    """The steps of a run as texts of their own."""

    def __init__(self, trajectory: Trajectory) -> None:
        """Read the run."""
        self.places = Places(trajectory)
        self._steps = {step.number: step for step in steps_with_words(trajectory)}
        self._costs = {number: _cost(self.places.passages([number])) for number in self.places.steps}
        self._failed = {step.number for step in trajectory.steps if error_of(step) is not None}

    @cached_property
    def without_speech(self) -> RunMaterial:
        """The same run without the places at which it speaks to its judge."""
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
        """The tokens of a step as it was recorded."""
        return self._costs[step]

    @cached_property
    def tokens(self) -> int:
        """The tokens of the whole run as it was recorded."""
        return sum(self._costs.values())

    def failed(self, step: int) -> bool:
        """Whether something went wrong in a step."""
        return step in self._failed or "error" in self.places.of(step)

    def passages(self, step: int, most: int) -> tuple[Passage, ...]:
        """A step within ``most`` tokens: the longest of its fields are cut in their middles."""
        whole = self.places.passages([step])
        if self._costs[step] <= most:
            return whole
        # No character is less than a quarter of a token: of a megabyte only its ends are looked at.
        texts = [head_and_tail(passage.text, 4 * most) for passage in whole]
        headings = sum(tokens_shown(passage.heading) for passage in whole)
        share = fair_share([tokens_shown(text) for text in texts], max(0, most - headings))
        cut = [
            Passage(heading=passage.heading, text=clipped_to_tokens(text, share))
            for passage, text in zip(whole, texts, strict=True)
        ]
        kept: list[Passage] = []
        # A field of which not a word is left makes no passage; nor do those that have no room at all.
        for passage in filter(lambda passage: passage.text, cut):
            if _cost([*kept, passage]) <= most:
                kept.append(passage)
        return tuple(kept)

    def lines(self, steps: Sequence[int], most: int) -> str:
        """A line for every step within ``most`` tokens, as ``digests.digest`` has it."""
        return digest([self._steps[step] for step in steps if step in self._steps], most)


def _cost(passages: Sequence[Passage]) -> int:
    return sum(tokens_of_passage(passage.heading, passage.text) for passage in passages)


def material_of(trajectory: Trajectory) -> RunMaterial:
    """The material of a run. Asking again computes nothing again while the run is in memory."""
    key = id(trajectory)
    if key not in _MADE:
        weakref.finalize(trajectory, _MADE.pop, key, None)
        _MADE[key] = RunMaterial(trajectory)
    return _MADE[key]


def _without(step: Step, withheld: Collection[tuple[int, str]]) -> Step:
    kept = [item for item in step.items if (step.number, (place_of(item) or ("",))[0]) not in withheld]
    return step.model_copy(update={"items": tuple(kept), "extra": None})


def fair_share(costs: Sequence[int], room: int) -> int:
    """The most that each may have, so that all together have at most ``room``.

    What costs less leaves the rest of its share to the others.
    """
    left = room
    for at, cost in enumerate(sorted(costs)):
        share = left // (len(costs) - at)
        if cost > share:
            return share
        left -= cost
    return room
