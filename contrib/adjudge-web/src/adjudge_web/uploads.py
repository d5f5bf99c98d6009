"""Files that somebody gives to the page: read as logs, and gone when that is done."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import adjudge
from adjudge.kit.eval_sets import id_from
from adjudge.plugin import Trajectory

if TYPE_CHECKING:
    from nicegui.elements.upload_files import FileUpload

LARGEST: Final = 512 * 2**20
"""Bytes of a file that is taken."""

_LONGEST: Final = 60
"""Bytes of a part of a name; file systems have room for 255 in the whole of it."""


async def runs_of(file: FileUpload, task: str | None) -> list[Trajectory]:
    """The runs in a log that was given.

    Raises:
        InputError: no reader knows it, or it is broken.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / safe_name(file.name)
        await file.save(path)
        return await asyncio.to_thread(lambda: list(adjudge.read_log(path, task=task)))


def safe_name(name: str) -> str:
    """A name for a file that somebody gave: of its own, of no other folder, and short enough for one."""
    stem, *endings = name.rpartition("/")[2].rpartition("\\")[2].split(".")
    return ".".join(_short(id_from(part)) for part in (stem, *endings[-2:]))


def _short(part: str) -> str:
    return part.encode()[:_LONGEST].decode(errors="ignore")
