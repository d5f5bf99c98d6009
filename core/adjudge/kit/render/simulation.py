"""Who played the user of a conversation, as lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from adjudge.kit.render.lines import Line, Tone, line, shortened
from adjudge.model.simulation import Simulation

_NOTE: Final = 300
"""Characters shown of what a simulator says of the end."""


def simulation_lines(simulation: Simulation | None) -> Iterator[Line]:
    """Show who played the user and why the conversation ended; nothing where nobody did."""
    if simulation is None:
        return
    persona = f" as {simulation.persona}" if simulation.persona else ""
    ended = "broken off" if simulation.stop_reason is None else f"ended by {simulation.stop_reason}"
    note = f": {shortened(simulation.note, _NOTE)}" if simulation.note else ""
    yield line(("simulated user", Tone.STRONG), f"  {simulation.simulator}{persona}, {ended}{note}")
