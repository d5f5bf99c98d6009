"""The step of the first error as a line, from the ``details`` of ``first_error`` and AI Judge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from adjudge.kit.render.lines import Line, Tone, line, shortened
from adjudge.model.base import JsonObject

_KEYS: Final = frozenset({"step", "agent", "source_ref", "runners_up"})
_NAME: Final = 60


def fault_keys(details: JsonObject) -> frozenset[str]:
    """The keys of details that ``fault_lines`` shows; none if the details contain no such step."""
    return _KEYS if details.keys() >= _KEYS else frozenset()


def fault_lines(details: JsonObject, *, indent: int) -> Iterator[Line]:
    """Show the step of the first error, its agent, and the next most likely steps; nothing if there is no such step."""
    if not fault_keys(details) or details["step"] is None:
        return
    others = cast("list[JsonObject]", details["runners_up"])
    rest = f"; then {', '.join(map(_told, others))}" if others else ""
    yield line(("first error: ", Tone.FAINT), f"{_told(details)}{rest}", indent=indent)


def _told(place: JsonObject) -> str:
    agent = place.get("agent")
    return f"step {place.get('step')}" + (f" ({shortened(str(agent), _NAME)})" if agent else "")
