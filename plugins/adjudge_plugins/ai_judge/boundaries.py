"""Where a sub-task may begin: what changes in a log from one step to the next, and how much that says."""

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

# How much each change speaks for a new sub-task. Only their order matters much: what the log says outright
# (a message of the user, another agent, another item of the plan) before what is only likely.
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
"""Steps in a row that fail: one is an accident, more are an episode of the run."""

_WINDOW: Final = 3
"""Steps on each side whose goals are compared."""

_NEW_GOAL: Final = 0.5
"""Smaller differences are other words for one goal."""

_WORDS: Final = re.compile(
    r"[^\W_\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]{2,}|[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]"
)


@dataclass(frozen=True, slots=True)
class Boundary:
    """A place where a sub-task may begin."""

    position: int
    """Of the step that would be its first, from 0."""
    strength: float
    reason: str
    """What changed, for instance ``page changed``."""


def boundaries_of(trajectory: Trajectory) -> list[Boundary]:
    """Every place where something changed, in order."""
    steps = trajectory.steps
    signals = _Signals(steps)
    spoken = _positions_of_turns(trajectory)
    found: list[Boundary] = []
    actions = [tuple(action.key for action in actions_of([step])) for step in steps]
    for position in range(1, len(steps)):
        if actions[position] and actions[position] == actions[position - 1]:
            continue  # the same again is no new sub-task, whatever else changed
        changes = dict(signals.changes(position))
        if position in spoken:
            changes["user spoke"] = _USER
        if changes:
            reason = max(changes, key=lambda change: changes[change])
            found.append(Boundary(position, sum(changes.values()), reason))
    return found


class _Signals:
    """What is compared between neighbours, looked up once for every step."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._pages = pages_of(steps)
        self._tabs = [tab_of(step) for step in steps]
        self._plans = [plan_of(step) for step in steps]
        self._agents = [step.author for step in steps]
        self._families = [frozenset(families_of(step)) for step in steps]
        self._goals = _Goals([step.claim("next_goal") or step.thinking or "" for step in steps])
        self._bursts = _bursts([error_of(step) is not None for step in steps])

    def changes(self, at: int) -> Iterator[tuple[str, float]]:
        """What differs between the step at ``at`` and the one before it, with how much that says."""
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
        """Whether one kind of tools that was used for a while gives way to another: a single call is no change."""
        earlier, before, here, later = (
            self._families[place] if 0 <= place < len(self._families) else frozenset[str]()
            for place in range(at - 2, at + 2)
        )
        return bool(earlier & before and here & later and not before & here)


class _Goals:
    """How far what the agent wants changes, from the words of the steps on both sides (Hearst's TextTiling).

    Agents word one goal anew at every step, so that neighbours alone say little. Words weigh by how few
    steps have them: what every step says is no sign of a change.
    """

    def __init__(self, goals: Sequence[str]) -> None:
        # Each once and in their order, not a set: sums in another order differ in their last digits, and a run
        # would have other sub-tasks in another process.
        self._words = [tuple(dict.fromkeys(_WORDS.findall(goal[:2000].lower()))) for goal in goals]
        steps_with = Counter(word for words in self._words for word in words)
        self._weights = {word: math.log(len(goals) / steps) for word, steps in steps_with.items()}

        self._differences = [0.0, *(self._difference(at) for at in range(1, len(goals))), 0.0]

    def change(self, at: int) -> float:
        """From above 0.5 to 1 where what is wanted changes more than before and after; else 0."""
        before, here, after = self._differences[at - 1 : at + 2]
        return here if here > _NEW_GOAL and before < here >= after else 0.0

    def _difference(self, at: int) -> float:
        """From 0, the same words, to 1, none in common; 0 where one side says nothing of its own."""
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
    """Where the first steps of turns after the first stand."""
    found: set[int] = set()
    position = 0
    for turn in trajectory.invocations:
        if position and turn.steps:
            found.add(position)
        position += len(turn.steps)
    return found


def _bursts(failed: Sequence[bool]) -> list[bool]:
    """For every step whether it belongs to a burst of errors."""
    found = [False] * len(failed)
    start = 0
    for position in range(len(failed) + 1):
        if position < len(failed) and failed[position]:
            continue
        if position - start >= _BURST:
            found[start:position] = [True] * (position - start)
        start = position + 1
    return found
