"""A trajectory: what happened in one run of one case, or in one log."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from adjudge.model.base import Frozen, JsonObject
from adjudge.model.invocation import Invocation
from adjudge.model.simulation import Simulation
from adjudge.model.step import Step


class Trajectory(Frozen):
    """The invocations of one run of one case."""

    invocations: tuple[Invocation, ...] = ()
    eval_id: str | None = None
    """The case that it belongs to, where the source says so."""
    eval_set_id: str | None = None
    """The eval set of that case, where the source says so."""
    task: str | None = None
    """The goal, where the log names one apart from the first message."""
    agent: str | None = None
    session_id: str | None = None
    final_session_state: JsonObject | None = None
    """The state of the session at the end; ``None`` where the agent does not show it."""
    duration: float | None = None
    """Seconds."""
    source: str | None = None
    """The file, and the place in it, that it was read from."""
    simulation: Simulation | None = None
    """Who played the user, where a program did."""
    lost: tuple[str, ...] = ()
    """Fields of the source that the reader could not keep, in its own words."""
    extra: JsonObject | None = None

    @property
    def goal(self) -> str:
        """What the log names as the task, or what the user said; empty where nobody says one."""
        if self.task:
            return self.task
        said = (turn.user_content.text for turn in self.invocations)
        return "\n".join(text for text in said if text)

    @property
    def steps(self) -> tuple[Step, ...]:
        """Every step, in order."""
        return tuple(step for invocation in self.invocations for step in invocation.steps)

    @property
    def nothing_of_the_agent(self) -> str | None:
        """A message that nothing of the agent was read; ``None`` where the run has a step or an answer."""
        if any(turn.steps or turn.final_response is not None for turn in self.invocations):
            return None
        what = f"nothing of the agent was read from {self.source or 'the log'}"
        return f"{what}; lost: {'; '.join(self.lost)}" if self.lost else what


def numbered(invocations: Iterable[Invocation]) -> tuple[Invocation, ...]:
    """The same turns with steps numbered so that a number names one step of the whole trajectory.

    A log's own numbers are kept where they are unique, increasing and at least 1; otherwise every
    step gets its position from 1.
    """
    turns = tuple(invocations)
    numbers = [step.number for turn in turns for step in turn.steps]
    if all(left < right for left, right in pairwise(numbers)):
        return turns
    position = 0
    renumbered: list[Invocation] = []
    for turn in turns:
        steps: list[Step] = []
        for step in turn.steps:
            position += 1
            steps.append(step if step.number == position else step.model_copy(update={"number": position}))
        renumbered.append(turn.model_copy(update={"steps": tuple(steps)}))
    return tuple(renumbered)
