"""Tracebacks of agents: where their own code raised, without the frames of adjudge that called it."""

from __future__ import annotations

import sys
import sysconfig
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import adjudge

_MOST: Final = 20_000
"""Characters that are kept of a traceback."""


class Raised(NamedTuple):
    """Where an agent raised."""

    place: str | None
    """File, line and function of the last frame of the agent's own code, relative to the working folder."""
    traceback: str | None
    """All frames from the first of the agent's code on, and what was raised."""


def raised_by_agent(error: BaseException, adapter: object) -> Raised:
    """Where ``error`` was raised in an agent's code.

    Args:
        error: What came out of the agent.
        adapter: What called it: frames of its folder are left out as those of adjudge are.
    """
    with suppress(Exception):  # an exception may be made of anything
        told = traceback.TracebackException.from_exception(error)
        frames = _own_frames(told.stack, _folders_of(adapter))
        if frames:
            told.stack = traceback.StackSummary.from_list(frames)
            return Raised(_place(frames), _bounded("".join(told.format())))
    return Raised(None, None)


def _folders_of(adapter: object) -> list[Path]:
    module = sys.modules.get(type(adapter).__module__)
    files = (getattr(found, "__file__", None) for found in (adjudge, module))
    return [Path(file).parent for file in files if file is not None]


def _own_frames(
    frames: Sequence[traceback.FrameSummary], callers: Sequence[Path]
) -> list[traceback.FrameSummary]:
    """The frames after those that called: adjudge's, the adapter's, and what threads and loops are made of."""
    last = max(
        (place for place, frame in enumerate(frames) if any(_lies_in(frame, folder) for folder in callers)),
        default=-1,
    )
    rest = list(frames[last + 1 :])
    first = next((place for place, frame in enumerate(rest) if not _is_of_python(frame)), 0)
    return rest[first:]


def _place(frames: Sequence[traceback.FrameSummary]) -> str:
    """The last frame of code that is neither Python's nor an installed library's; else the last of all."""
    own = [frame for frame in frames if not _is_of_python(frame) and "site-packages" not in frame.filename]
    frame = (own or frames)[-1]
    path = Path(frame.filename)
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return f"{shown}:{frame.lineno}, in {frame.name}"


def _is_of_python(frame: traceback.FrameSummary) -> bool:
    return frame.filename.startswith("<frozen") or (
        _lies_in(frame, Path(sysconfig.get_path("stdlib"))) and "site-packages" not in frame.filename
    )


def _lies_in(frame: Any, folder: Path) -> bool:
    return Path(frame.filename).is_relative_to(folder)


def _bounded(text: str) -> str:
    if len(text) <= _MOST:
        return text
    return f"{text[: _MOST // 2]}\n  ...\n{text[-_MOST // 2 :]}"
