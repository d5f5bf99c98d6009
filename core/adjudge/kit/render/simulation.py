"""The simulated user of a conversation as lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeGuard

from adjudge.kit.render.lines import Line, Tone, line, shortened
from adjudge.kit.render.votes import is_votes, vote_lines
from adjudge.model.base import JsonObject
from adjudge.model.simulation import Simulation

_NOTE: Final = 300
"""The maximum length of a simulator's note in characters."""


def simulation_lines(simulation: Simulation | None) -> Iterator[Line]:
    """Show the simulator of the user and why the conversation ended; nothing if no user was simulated."""
    if simulation is None:
        return
    persona = f" as {simulation.persona}" if simulation.persona else ""
    ended = "broken off" if simulation.stop_reason is None else f"ended by {simulation.stop_reason}"
    note = f": {shortened(simulation.note, _NOTE)}" if simulation.note else ""
    yield line(("simulated user", Tone.STRONG), f"  {simulation.simulator}{persona}, {ended}{note}")


def is_end(value: object) -> TypeGuard[JsonObject]:
    """Whether a value has the format of ``details["end"]``, the judgement about the end of a conversation."""
    return isinstance(value, dict) and {"score", "reasoning"} <= value.keys()


def end_lines(end: JsonObject, told: str | None, *, indent: int, everything: bool) -> Iterator[Line]:
    """Show whether the user was right to end the conversation; if so, only if ``everything`` is shown.

    ``told`` is the reason shown for the turn; it is not repeated.
    """
    score, reason = end["score"], end["reasoning"]
    if score == 1.0 and not everything:
        return
    words = {1.0: "the end was right", 0.0: "the end was wrong"}.get(score, "the end could not be judged")
    said = f"{words}: {reason}" if reason else words
    if told == said or (score is None and told == reason):
        said = words
    yield line(said if everything else shortened(said, _NOTE), indent=indent)
    if is_votes(votes := end.get("votes")):
        yield from vote_lines(votes, indent=indent + 2, everything=everything)
