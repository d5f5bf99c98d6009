"""The environment, with what ``.env`` files add."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from adjudge.errors import InputError, Problem
from adjudge.model.environment import Environment


def environment_with(folders: Iterable[Path]) -> Environment:
    """The environment variables; what they lack, the ``.env`` of the first folder that has it fills in.

    Nothing is written back into the environment of the process.

    Raises:
        InputError: a ``.env`` file cannot be read.
    """
    values = dict(os.environ)
    files: dict[str, Path] = {}
    for folder in dict.fromkeys(folder.resolve() for folder in folders):
        path = folder / ".env"
        if path.is_file():
            for name, value in _values(path).items():
                if name not in values:
                    values[name], files[name] = value, path
    return Environment(values, files)


def _values(path: Path) -> dict[str, str]:
    from dotenv import dotenv_values  # only where there is such a file

    try:
        found = dotenv_values(path, encoding="utf-8")
    except OSError as error:
        raise InputError(Problem(what=f"cannot be read: {error.strerror}", file=str(path))) from None
    except UnicodeDecodeError:
        raise InputError(Problem(what="is not UTF-8", file=str(path))) from None
    return {name: value for name, value in found.items() if value is not None}
