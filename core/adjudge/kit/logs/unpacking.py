"""Opens logs; gzip is decompressed up to a limit, because a small file may expand to gigabytes."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path
from typing import Any, BinaryIO, Final

from adjudge.plugin import InputError, Problem, Source

_ALWAYS: Final = 64 * 1024 * 1024
"""The size in bytes up to which any file is decompressed."""

_TIMES: Final = 50
"""The maximum compression ratio of a larger file. Logs that repeat their prompts reach 30."""


def open_log(source: Source) -> BinaryIO:
    """Open a log for reading bytes; a file compressed with gzip is decompressed, whatever its name.

    Raises:
        InputError: during reading, if the decompressed size exceeds the limit, or the compressed data is damaged.
    """
    with source.path.open("rb") as file:
        is_packed = file.read(2) == b"\x1f\x8b"
    if not is_packed:
        return source.path.open("rb")
    limit = max(_ALWAYS, _TIMES * source.path.stat().st_size)
    return io.BufferedReader(_Limited(source.path, limit))


class _Limited(io.RawIOBase):
    def __init__(self, path: Path, limit: int) -> None:
        super().__init__()
        self._path = path
        self._limit = limit
        self._left = limit
        self._file = gzip.open(path, "rb")  # noqa: SIM115 - closed by ``close``

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            read = self._file.readinto(buffer)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(Problem(what=f"cannot be read: {error}", file=self._path.name)) from error
        self._left -= read
        if self._left < 0:
            raise InputError(
                Problem(
                    what=f"unpacked it is larger than {self._limit // (1024 * 1024):,} MiB, which is more than "
                    f"{_TIMES} times its size",
                    file=self._path.name,
                    hint="Where you trust it, unpack it with gunzip first.",
                )
            )
        return read

    def close(self) -> None:
        self._file.close()
        super().close()
