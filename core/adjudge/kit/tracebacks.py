"""The file and line at which third-party code raised, for messages."""

from __future__ import annotations

import importlib
import traceback
from pathlib import Path

__all__ = ["raised_at"]


def raised_at(error: BaseException, below: Path | None = None) -> str:
    """``" (FILE:LINE)"`` of the last frame in third-party code; empty if there is none.

    Args:
        error: The exception. For a syntax error, the place in the source file is used.
        below: The folder of the third-party code; by default all frames after the last import count.
    """
    if isinstance(error, SyntaxError) and error.filename:
        return f" ({error.filename}:{error.lineno})"
    frames = list(traceback.extract_tb(error.__traceback__))
    if below is not None:
        frames = [frame for frame in frames if Path(frame.filename).is_relative_to(below)] or frames
    # The frames of a module come after the frame that imported it.
    imported = next(
        (number for number, frame in enumerate(frames, 1) if frame.filename == importlib.__file__), 0
    )
    last = [frame for frame in frames[imported:] if not _is_import_machinery(frame.filename)]
    return f" ({last[-1].filename}:{last[-1].lineno})" if last else ""


def _is_import_machinery(filename: str) -> bool:
    return filename == importlib.__file__ or filename.startswith("<frozen importlib")
