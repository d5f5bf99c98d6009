"""Possible boundaries of sub-tasks: changes between successive steps of a log, with their weights."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from adjudge.kit.digests import (
    error_of,
    families_of,
    host_of,
    pages_of,
    plan_of,
    tab_of,
    without_query,
)
from adjudge.kit.trace import actions_of
from adjudge.model import Step, Trajectory

# The weight of each change as a sign of a new sub-task. Mainly their order matters: explicit signs in the log
# (a user's message, another agent, another item of the plan) rank above likely ones.
_USER: Final = 4.0
_PLAN: Final = 3.0
_AGENT: Final = 2.5
_HOST: Final = 2.5
_TAB: Final = 1.5
_PAGE: Final = 1.0
_GOAL: Final = 1.5
_TOOLS: Final = 0.75
_ERRORS: Final = 1.25

_BURST: Final = 2
"""The number of consecutive failed steps that form a burst; a single failure is treated as an accident."""

_WINDOW: Final = 3
"""The number of steps on each side whose goals are compared."""

_NEW_GOAL: Final = 0.5
"""The minimum difference of goals; smaller ones are treated as rewordings of one goal."""

_WORDS: Final = re.compile(
    r"[^\W_\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]{2,}|[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]"
)


@dataclass(frozen=True, slots=True)
class Boundary:
    """A position at which a sub-task may begin."""

    position: int
    """The index, from 0, of the first step of that sub-task."""
    strength: float
    reason: str
    """The kind of change, for instance ``page changed``."""


def boundaries_of(trajectory: Trajectory) -> list[Boundary]:
    """Find every position with a change, in order."""
    steps = trajectory.steps
    signals = _Signals(steps)
    spoken = _positions_of_turns(trajectory)
    found: list[Boundary] = []
    actions = [tuple(action.key for action in actions_of([step])) for step in steps]
    for position in range(1, len(steps)):
        if actions[position] and actions[position] == actions[position - 1]:
            continue  # a repeated action never starts a sub-task, whatever else changed
        changes = dict(signals.changes(position))
        if position in spoken:
            changes["user spoke"] = _USER
        if changes:
            reason = max(changes, key=lambda change: changes[change])
            found.append(Boundary(position, sum(changes.values()), reason))
    return found


class _Signals:
    """The features of a step that are compared with its neighbours, computed once."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._pages = pages_of(steps)
        self._tabs = [tab_of(step) for step in steps]
        self._plans = [plan_of(step) for step in steps]
        self._agents = [step.author for step in steps]
        self._families = [frozenset(families_of(step)) for step in steps]
        self._goals = _Goals([step.claim("next_goal") or step.thinking or "" for step in steps])
        self._bursts = _bursts([error_of(step) is not None for step in steps])

    def changes(self, at: int) -> Iterator[tuple[str, float]]:
        """The changes between the step at ``at`` and the previous one, with their weights."""
        page, page_before = self._pages[at], self._pages[at - 1]
        if page and page_before and page != page_before:
            if host_of(page) != host_of(page_before):
                yield "site changed", _HOST
            elif without_query(page) != without_query(page_before):
                yield "page changed", _PAGE
        for name, values, weight in (
            ("tab changed", self._tabs, _TAB),
            ("plan changed", self._plans, _PLAN),
            ("agent changed", self._agents, _AGENT),
        ):
            if values[at] and values[at - 1] and values[at] != values[at - 1]:
                yield name, weight
        if self._tools_change(at):
            yield "tools changed", _TOOLS
        if (change := self._goals.change(at)) > 0:
            yield "goal changed", _GOAL * change
        if self._bursts[at] != self._bursts[at - 1]:
            yield ("errors began" if self._bursts[at] else "errors ended"), _ERRORS

    def _tools_change(self, at: int) -> bool:
        """Whether the agent switched from one kind of tools to another. A single call is not a switch."""
        earlier, before, here, later = (
            self._families[place] if 0 <= place < len(self._families) else frozenset[str]()
            for place in range(at - 2, at + 2)
        )
        return bool(earlier & before and here & later and not before & here)


class _Goals:
    """Measures the change of the agent's goal, from the words of the steps on both sides (Hearst's TextTiling).

    Agents reword one goal at every step, so comparing adjacent steps is not enough. Rare words have more
    weight; a word that occurs in every step has none.
    """

    def __init__(self, goals: Sequence[str]) -> None:
        # Distinct words in their order, not a set: floating-point sums depend on the order, so with the
        # random order of a set another process could divide the run differently.
        self._words = [tuple(dict.fromkeys(_WORDS.findall(goal[:2000].lower()))) for goal in goals]
        steps_with = Counter(word for words in self._words for word in words)
        self._weights = {word: math.log(len(goals) / steps) for word, steps in steps_with.items()}

        self._differences = [0.0, *(self._difference(at) for at in range(1, len(goals))), 0.0]

    def change(self, at: int) -> float:
        """A value between 0.5 and 1 if the change of the goal has a local maximum here; else 0."""
        before, here, after = self._differences[at - 1 : at + 2]
        return here if here > _NEW_GOAL and before < here >= after else 0.0

    def _difference(self, at: int) -> float:
        """The difference of the words on both sides, from 0 (equal) to 1 (disjoint); 0 if one side has no words."""
        before = self._weighed(max(at - _WINDOW, 0), at)
        after = self._weighed(at, at + _WINDOW)
        lengths = math.hypot(*before.values()) * math.hypot(*after.values())
        if not lengths:
            return 0.0
        return 1 - sum(weight * after.get(word, 0.0) for word, weight in before.items()) / lengths

    def _weighed(self, start: int, end: int) -> dict[str, float]:
        counted = Counter(word for words in self._words[start:end] for word in words)
        return {word: times * self._weights[word] for word, times in counted.items()}


def _positions_of_turns(trajectory: Trajectory) -> set[int]:
    """The indices of the first steps of all turns but the first."""
    found: set[int] = set()
    position = 0
    for turn in trajectory.invocations:
        if position and turn.steps:
            found.add(position)
        position += len(turn.steps)
    return found


def _bursts(failed: Sequence[bool]) -> list[bool]:
    """For every step, whether it belongs to a burst of errors."""
    found = [False] * len(failed)
    start = 0
    for position in range(len(failed) + 1):
        if position < len(failed) and failed[position]:
            continue
        if position - start >= _BURST:
            found[start:position] = [True] * (position - start)
        start = position + 1
    return found
