"""Tracebacks of agents: the frames of their own code, without the frames of adjudge."""

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
"""Maximum length of a stored traceback, in characters. The middle of a longer one is left out."""


class Raised(NamedTuple):
    """Where in the agent's code an exception was raised."""

    place: str | None
    """File, line and function of the last frame of the agent's own code, relative to the working folder."""
    traceback: str | None
    """The traceback, from the first frame of the agent's code to the exception. It is bounded in length."""


def raised_by_agent(error: BaseException, adapter: object) -> Raised:
    """Find where ``error`` was raised in an agent's code.

    Args:
        error: The exception of the agent.
        adapter: The adapter that called the agent. Frames of files in its folder and in adjudge's are left out.
    """
    with suppress(Exception):  # an agent's exception class may raise too, when it is formatted
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
    """The frames below the callers: without adjudge, the adapter, and Python's frames of threads and event loops."""
    last = max(
        (place for place, frame in enumerate(frames) if any(_lies_in(frame, folder) for folder in callers)),
        default=-1,
    )
    rest = list(frames[last + 1 :])
    first = next((place for place, frame in enumerate(rest) if not _is_of_python(frame)), 0)
    return rest[first:]


def _place(frames: Sequence[traceback.FrameSummary]) -> str:
    """File, line and function of the last frame outside Python and installed libraries; if none, of the last frame."""
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
