"""Phases: clusters of steps with labels from their content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Final

from adjudge.kit import digests
from adjudge.model import Cluster, Step
from adjudge.plugin import Trajectory

_LEAST: Final = 30
"""The minimum number of tokens per phase: its heading and a short sentence."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A cluster, its steps and its position among the phases."""

    place: int
    """The position, from 0."""
    cluster: Cluster
    steps: tuple[Step, ...]

    @property
    def key(self) -> str:
        """The key in ``cluster_summaries``: ``cluster_1`` and so on."""
        return f"cluster_{self.place + 1}"

    @property
    def label(self) -> str:
        """The label: ``Phase A`` and so on; ``Phase AA`` follows ``Phase Z``."""
        return f"Phase {_letters(self.place)}"

    @property
    def heading(self) -> str:
        """The label with the steps: ``Phase A (Steps 1-3)``, or ``Phase B (Step 4)``."""
        first, last = self.cluster.steps[0], self.cluster.steps[-1]
        return f"{self.label} ({f'Step {first}' if first == last else f'Steps {first}-{last}'})"


def phases_of(trajectory: Trajectory, clusters: Sequence[Cluster]) -> list[Phase]:
    """The clusters as phases, in order."""
    steps = {step.number: step for step in digests.steps_with_words(trajectory)}
    return [
        Phase(place, cluster, tuple(steps[number] for number in cluster.steps))
        for place, cluster in enumerate(clusters)
    ]


def with_room(phases: Sequence[Phase], token_budget: int | None) -> list[Phase]:
    """Join neighbouring phases until each has room for a heading and a sentence within the budget."""
    joined = list(phases)
    while token_budget is not None and len(joined) > max(1, token_budget // _LEAST):
        pairs = [joined[at : at + 2] for at in range(0, len(joined), 2)]
        joined = [
            Phase(
                place, _together([phase.cluster for phase in pair]), sum((phase.steps for phase in pair), ())
            )
            for place, pair in enumerate(pairs)
        ]
    return joined


def _together(clusters: Sequence[Cluster]) -> Cluster:
    first, last = clusters[0], clusters[-1]
    if first is last:
        return first
    return Cluster(
        name=digests.in_line(f"{first.name}; {last.name}", 120),
        steps=(*first.steps, *last.steps),
        boundary=first.boundary,
    )


def _letters(place: int) -> str:
    found = ""
    place += 1
    while place:
        place, digit = divmod(place - 1, len(ascii_uppercase))
        found = ascii_uppercase[digit] + found
    return found
