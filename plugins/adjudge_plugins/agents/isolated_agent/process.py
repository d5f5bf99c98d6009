"""A process that serves an agent, seen from the run: how it starts, and how it ends whatever the agent does."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

from adjudge.plugin import InputError, Problem

_PROGRAM: Final = "adjudge_plugins.agents.isolated_agent"
_TAIL: Final = 8_192
"""Bytes that are kept of what the agent printed last."""
_LINES: Final = 3
"""Lines of it that are told."""
_LINE: Final = 300
"""Characters that are told of a line."""
_DYING: Final = 2.0
"""Seconds that a process may take to end after it has closed its connection."""
_STEP: Final = 0.01


class AgentProcess:
    """One process, the leader of a process group: what the agent starts itself ends with it.

    It is talked to in lines of JSON, over a pair of sockets that is its standard input and output at its start. What the
    agent prints goes to standard error, and its end is kept.
    """

    def __init__(self, start: dict[str, Any], folder: Path) -> None:
        """Start it.

        Args:
            start: Which agent it makes.
            folder: Where it works.

        Raises:
            InputError: this system has no process groups.
            OSError: no process can be started.
        """
        if os.name != "posix":
            raise InputError(Problem(what="processes of their own need a POSIX system: leave --isolate out"))
        self.connection, theirs = socket.socketpair()
        printed, prints = os.pipe()
        try:
            # -P: modules of the working folder must not replace installed ones; -u: os._exit() drops no words.
            self._process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-P", "-u", "-m", _PROGRAM],
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=prints,
                cwd=folder,
                start_new_session=True,
            )
        except BaseException:
            self.connection.close()
            os.close(printed)
            raise
        finally:
            theirs.close()
            os.close(prints)
        self._tail = b""
        self._reading = threading.Thread(
            target=self._drain, args=(os.fdopen(printed, "rb", buffering=0),), daemon=True
        )
        self._reading.start()
        self.start_line = line_of(start)

    def kill(self) -> None:
        """End it, and all that it has started; once, as its number may be another's afterwards."""
        if self._process.returncode is not None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> int:
        """End it, and all that it has started, for good; its exit status."""
        self.kill()
        return self._process.wait()

    def told(self) -> str:
        """End it, and say how it had ended; blocks until the last that it printed is read."""
        code = self.end()
        self._reading.join(timeout=_DYING)
        how = f"was ended by {_signal(-code)}" if code < 0 else f"ended with exit status {code}"
        lines = [line.strip()[:_LINE] for line in self._tail.decode(errors="replace").splitlines()]
        told = " / ".join([line for line in lines if line][-_LINES:])
        return f"{how}; the last that it printed: {told}" if told else f"{how}, and had printed nothing"

    def has_ended(self) -> bool:
        """Whether it has ended by itself. Its group can still be killed afterwards."""
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self._process.pid, options) is not None

    async def died(self) -> str:
        """How it ended, when its connection was closed without a reply."""
        for _ in range(int(_DYING / _STEP)):
            if self.has_ended():
                return await asyncio.to_thread(self.told)
            await asyncio.sleep(_STEP)
        return f"closed its connection, and {await asyncio.to_thread(self.told)}"

    def _drain(self, printed: BinaryIO) -> None:
        with printed:
            while read := printed.read(65_536):
                self._tail = (self._tail + read)[-_TAIL:]


def line_of(message: dict[str, Any]) -> bytes:
    """A message as it is sent."""
    return json.dumps(message).encode() + b"\n"


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
