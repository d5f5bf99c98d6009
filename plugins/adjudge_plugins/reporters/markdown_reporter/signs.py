"""Signs of statuses, in the colours that they have on the console and in the page."""

from __future__ import annotations

from typing import Final

from adjudge.kit import render
from adjudge.model import Status

_SIGNS: Final = {
    render.Tone.PASS: "🟢",
    render.Tone.FAIL: "🔴",
    render.Tone.UNSURE: "🟡",
    render.Tone.ERROR: "🟣",
}


def sign(status: Status) -> str:
    """The sign of a status; grey for statuses without a verdict."""
    return _SIGNS.get(render.tone_of(status), "⚪")
