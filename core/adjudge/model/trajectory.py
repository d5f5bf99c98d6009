"""A trajectory: the record of one run of one case, or of one run in a log."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from adjudge.model.base import Frozen, JsonObject
from adjudge.model.invocation import Invocation
from adjudge.model.simulation import Simulation
from adjudge.model.step import Step


class Trajectory(Frozen):
    """The invocations of one run, with the data about the run as a whole."""

    invocations: tuple[Invocation, ...] = ()
    eval_id: str | None = None
    """The id of its case, if known."""
    eval_set_id: str | None = None
    """The id of its eval set, if known."""
    task: str | None = None
    """The task, if the log contains it separately from the first message."""
    agent: str | None = None
    session_id: str | None = None
    final_session_state: JsonObject | None = None
    """The session state at the end; ``None`` if the agent does not expose it."""
    duration: float | None = None
    """Seconds."""
    source: str | None = None
    """The file and the place in it from which the trajectory was read."""
    simulation: Simulation | None = None
    """The simulator of the user; ``None`` if no user was simulated."""
    lost: tuple[str, ...] = ()
    """Descriptions of data in the source that the reader could not keep."""
    extra: JsonObject | None = None

    @property
    def goal(self) -> str:
        """The task of the log, otherwise all messages of the user, joined by newlines; empty if there is neither."""
        if self.task:
            return self.task
        said = (turn.user_content.text for turn in self.invocations)
        return "\n".join(text for text in said if text)

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps, in order."""
        return tuple(step for invocation in self.invocations for step in invocation.steps)

    @property
    def nothing_of_the_agent(self) -> str | None:
        """A message if the run has neither steps nor a final response; else ``None``."""
        if any(turn.steps or turn.final_response is not None for turn in self.invocations):
            return None
        what = f"no step and no answer of the agent was read from {self.source or 'the log'}"
        return f"{what}; lost: {'; '.join(self.lost)}" if self.lost else what


def numbered(invocations: Iterable[Invocation]) -> tuple[Invocation, ...]:
    """Number the steps of all turns uniquely.

    If the numbers are already increasing over the whole trajectory, they are kept; otherwise every step gets its
    position, from 1.
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
