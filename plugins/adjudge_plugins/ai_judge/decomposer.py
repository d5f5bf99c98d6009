"""``TaskDecomposerService``: divides a sequence of steps into sub-tasks (seed 003, section 2)."""

from __future__ import annotations

import asyncio
import re
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from adjudge.kit.digests import (
    actions_counted,
    digest,
    first_sentence,
    host_of,
    in_line,
    pages_of,
    steps_with_words,
)
from adjudge.kit.judged_criteria import read_prompt
from adjudge.model import Cluster, Exhibit, Step, TaskDecomposition, Trajectory
from adjudge.plugin import Writer
from adjudge_plugins.ai_judge.boundaries import boundaries_of
from adjudge_plugins.ai_judge.partition import chosen

_NAME: Final = 80
"""The length limit of a name in characters."""

_AT_A_TIME: Final = 8
"""The number of clusters that are named in one call."""

_REMEMBERED: Final = 256
"""The number of trajectories in the cache of sub-tasks."""

_TOKENS: Final = 8000
"""The default token limit for the material of one call."""

_NUMBER: Final = re.compile(r"\d+")


class TaskDecomposerService:
    """Divides trajectories into contiguous sub-tasks that cover every step exactly once. Results are cached.

    Sub-tasks begin at changes in the log (see ``boundaries``); there are at most
    ``partition.most_clusters``. Their names come from the agent's goals and calls, or from a writer.
    """

    def __init__(
        self, writer: Writer | None = None, *, corrections: bool = False, token_budget: int = _TOKENS
    ) -> None:
        """Store the settings.

        Args:
            writer: A judge that writes names; ``None``: code generates them.
            corrections: Whether the writer may also move and remove boundaries.
            token_budget: The token limit for the material of one call.
        """
        self._writer = writer
        self._corrections = corrections
        self._token_budget = token_budget
        self._made: OrderedDict[tuple[bytes, bool], asyncio.Future[TaskDecomposition]] = OrderedDict()
        self._known: dict[int, bytes] = {}

    @property
    def corrects(self) -> bool:
        """Whether the writer corrects the boundaries of sub-tasks, also in short runs."""
        return self._corrections and self._writer is not None

    async def decompose(self, trajectory: Trajectory, *, written: bool = True) -> TaskDecomposition:
        """Return the sub-tasks of a trajectory. Results are cached, and concurrent calls share one computation.

        Args:
            trajectory: The run.
            written: Whether the writer may name the sub-tasks; otherwise code generates the names.
        """
        writer = self._writer if written else None
        key = (self._key(trajectory), writer is not None)
        if key not in self._made:
            self._made[key] = asyncio.ensure_future(self._decompose(trajectory, writer))
            if len(self._made) > _REMEMBERED:
                self._made.popitem(last=False)
        return await asyncio.shield(self._made[key])

    def _key(self, trajectory: Trajectory) -> bytes:
        """The key of a trajectory: its content, because each criterion may get its own copy."""
        known = self._known.get(id(trajectory))
        if known is None:
            known = sha256(trajectory.model_dump_json(exclude_defaults=True).encode()).digest()
            self._known[id(trajectory)] = known
            weakref.finalize(trajectory, self._known.pop, id(trajectory), None)
        return known

    async def _decompose(self, trajectory: Trajectory, writer: Writer | None) -> TaskDecomposition:
        found = decomposed(trajectory)
        if writer is None or not found.clusters:
            return found
        if self._corrections and len(found.clusters) > 1:
            found = await self._corrected(trajectory, found, writer)
        return await self._with_names(trajectory, found, writer)

    async def _corrected(
        self, trajectory: Trajectory, found: TaskDecomposition, writer: Writer
    ) -> TaskDecomposition:
        """The division with the writer's boundaries; unchanged if its answer is not a valid division."""
        starts = [cluster.steps[0] for cluster in found.clusters]
        exhibits = (
            Exhibit(name="steps", text=digest(steps_with_words(trajectory), self._token_budget * 9 // 10)),
            Exhibit(name="beginnings", text=", ".join(map(str, starts))),
        )
        fields = {"beginnings": "the numbers of the steps at which sub-tasks begin, with commas between them"}
        texts = await writer.write(read_prompt(__package__, "phase_starts"), exhibits, fields)
        wanted = [int(number) for number in _NUMBER.findall((texts or {}).get("beginnings", ""))]
        positions = {step.number: at for at, step in enumerate(trajectory.steps)}
        is_division = (
            wanted == sorted(set(wanted)) and set(wanted) <= positions.keys() and len(wanted) <= len(starts)
        )
        if not wanted or not is_division or wanted[0] != starts[0]:
            return found
        reasons = {cluster.steps[0]: cluster.boundary for cluster in found.clusters}
        return TaskDecomposition(
            clusters=_clusters(
                steps_with_words(trajectory),
                [(positions[number], reasons.get(number, "judge's correction")) for number in wanted[1:]],
            )
        )

    async def _with_names(
        self, trajectory: Trajectory, found: TaskDecomposition, writer: Writer
    ) -> TaskDecomposition:
        """The clusters with names from the writer, or with the names generated by code if it gives none."""
        steps = {step.number: step for step in steps_with_words(trajectory)}
        prompt = read_prompt(__package__, "phase_names")

        async def names(first: int) -> list[str | None]:
            clusters = found.clusters[first : first + _AT_A_TIME]
            share = self._token_budget // len(clusters)
            fields = {f"part_{at}": f"the name of part_{at}" for at in range(1, len(clusters) + 1)}
            exhibits = [
                Exhibit(name=field, text=digest([steps[number] for number in cluster.steps], share))
                for field, cluster in zip(fields, clusters, strict=True)
            ]
            texts = await writer.write(prompt, exhibits, fields)
            return [None if texts is None else in_line(texts[field], _NAME) or None for field in fields]

        batches = await asyncio.gather(*map(names, range(0, len(found.clusters), _AT_A_TIME)))
        given = [name for batch in batches for name in batch]
        written = _distinct([name for name in given if name is not None])
        if len(written) < len(given):  # all names come from the judge, or none
            return found
        return TaskDecomposition(
            clusters=tuple(
                cluster.model_copy(update={"name": name})
                for cluster, name in zip(found.clusters, written, strict=True)
            ),
            named_by="judge",
        )


def decomposed(trajectory: Trajectory) -> TaskDecomposition:
    """Divide a trajectory into sub-tasks by code alone."""
    kept = chosen(boundaries_of(trajectory), len(trajectory.steps))
    return TaskDecomposition(
        clusters=_clusters(steps_with_words(trajectory), [(found.position, found.reason) for found in kept])
    )


def _clusters(steps: Sequence[Step], boundaries: Sequence[tuple[int, str | None]]) -> tuple[Cluster, ...]:
    """The clusters that begin at the first step and at the given positions."""
    if not steps:
        return ()
    starts: list[tuple[int, str | None]] = [(0, None), *boundaries]
    ends = [*(position for position, _ in boundaries), len(steps)]
    names = _distinct([_name(steps[start:end]) for (start, _), end in zip(starts, ends, strict=True)])
    return tuple(
        Cluster(name=name, steps=tuple(step.number for step in steps[start:end]), boundary=reason)
        for name, (start, reason), end in zip(names, starts, ends, strict=True)
    )


def _distinct(names: Sequence[str]) -> list[str]:
    """Make names distinct by appending a number to repeated ones."""
    taken: set[str] = set()
    found: list[str] = []
    for name in names:
        number, tried = 1, name
        while tried in taken:
            number += 1
            tried = f"{name} ({number})"
        taken.add(tried)
        found.append(tried)
    return found


def _name(steps: Sequence[Step]) -> str:
    """The agent's first goal; else its call with the place; else its text."""
    for step in steps:
        if goal := first_sentence(step.claim("next_goal") or "", _NAME):
            return goal
    called = actions_counted(steps)
    if called:
        page = next((page for page in reversed(pages_of(steps)) if page), None)
        return in_line(f"{called} on {host_of(page)}" if page else called, _NAME)
    for step in steps:
        if said := first_sentence(step.text or step.thinking or "", _NAME):
            return said
    return "no action"
