"""The ``.env`` file of an agent, as ADK's own commands read it (google-adk 2.13.0, ``cli/utils/envs.py``)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from adjudge.plugin import InputError, Problem

_DISABLED: Final = "ADK_DISABLE_LOAD_DOTENV"
_EXPLICIT: Final = frozenset(os.environ)
"""Variables that were there before any file was read: no file changes them."""


def load_environment(folder: Path) -> None:
    """Put what the nearest ``.env`` says, in the folder or above it, into the environment of this process.

    Variables that the user has set stay what they are.

    Raises:
        InputError: the file cannot be read.
    """
    if os.environ.get(_DISABLED, "").lower() in {"1", "true"}:
        return
    file = next((path for place in (folder, *folder.parents) if (path := place / ".env").is_file()), None)
    if file is None:
        return
    from dotenv import dotenv_values

    try:
        found = dotenv_values(file, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(Problem(what=f"cannot be read: {error}", file=str(file))) from None
    for name, value in found.items():
        if value is not None and name not in _EXPLICIT:
            try:
                os.environ[name] = value
            except ValueError as error:
                raise InputError(Problem(what=f"{name!r} cannot be set: {error}", file=str(file))) from None
