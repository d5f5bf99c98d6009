"""Starts and ends the process that runs a model."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import sys
import tempfile
from pathlib import Path
from typing import IO, Final

from adjudge.plugin import JudgeError
from adjudge_local.config import LocalConfig

_STAMP: Final = re.compile(r"^[\d.]+ E (?:\w+ )*\s*(?:\w+: )?")
"""What llama.cpp writes before an error: time, level, component, function."""


class ModelServer:
    """A model being served; the key keeps other users of the machine out."""

    def __init__(self, process: asyncio.subprocess.Process, *, url: str, key: str) -> None:
        self._process = process
        self.url = url
        self.key = key

    @property
    def running(self) -> bool:
        """Whether the process is alive."""
        return self._process.returncode is None

    async def aclose(self) -> None:
        """End the process."""
        await _ended(self._process)


async def serve(path: Path, config: LocalConfig) -> ModelServer:
    """Load a model and serve it.

    Raises:
        JudgeError: the model cannot be loaded.
    """
    key = secrets.token_hex(16)
    options = {
        "path": str(path),
        "name": path.name,
        "key": key,
        "context": config.context,
        "slots": config.slots,
        "threads": config.threads or _cores(),
    }
    with tempfile.TemporaryFile() as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # no module of the working folder
            "-m",
            "adjudge_local.server",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            # Threads that wait for work by spinning make everything many times slower on a busy machine.
            env={"OMP_WAIT_POLICY": "passive", **os.environ},
            start_new_session=True,  # Ctrl-C is for adjudge, which ends this process when it is done
        )
        assert process.stdin is not None and process.stdout is not None  # noqa: S101 - both are pipes
        try:
            process.stdin.write(json.dumps(options).encode() + b"\n")
            url = (await process.stdout.readline()).decode().strip()
        except BaseException:
            await _ended(process)
            raise
        if not url:
            await _ended(process)
            raise JudgeError(
                f"{path} cannot be run: {_first_error(log)}. It may be broken, too large for this machine's "
                "memory, or of a kind that the installed xllamacpp does not know",
                code="unknown_model",
            )
    return ModelServer(process, url=url, key=key)


async def _ended(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
    if process.stdin is not None:
        process.stdin.close()
    await process.wait()


def _cores() -> int:
    """The cores that this process may use; a container may have fewer than the machine."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _first_error(log: IO[bytes]) -> str:
    """What went wrong first; what the library says after it is only that it gives up."""
    log.seek(0)
    for line in log.read(10_000).decode(errors="replace").splitlines():
        if said := _STAMP.sub("", line).strip():
            return said
    return "the process ended without a word"
