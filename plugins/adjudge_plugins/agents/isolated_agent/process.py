"""Starts a process that serves an agent, and ends it no matter what the agent does."""

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
"""The number of bytes of the agent's latest output that are kept."""
_LINES: Final = 3
"""The number of output lines that a message shows."""
_LINE: Final = 300
"""The length limit of an output line in a message, in characters."""
_DYING: Final = 2.0
"""The time limit in seconds for a process to exit after it has closed its connection."""
_STEP: Final = 0.01


class AgentProcess:
    """A process in its own process group, so that processes started by the agent end with it.

    The protocol is JSON Lines over a pair of sockets, which the process finds as its stdin and stdout. The
    agent's output goes to stderr, whose last lines are kept.
    """

    def __init__(self, start: dict[str, Any], folder: Path) -> None:
        """Start the process.

        Args:
            start: The first message, which says which agent to create.
            folder: The working folder of the process.

        Raises:
            InputError: this system has no process groups.
            OSError: the process cannot be started.
        """
        if os.name != "posix":
            raise InputError(Problem(what="processes of their own need a POSIX system: leave --isolate out"))
        self.connection, theirs = socket.socketpair()
        printed, prints = os.pipe()
        try:
            # -P: modules in the working folder must not shadow installed ones. -u: os._exit() must not lose
            # buffered output.
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
        """Kill the process group, unless the process was already reaped: its pid may belong to another process then."""
        if self._process.returncode is not None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> int:
        """Kill the process group, wait for the process, and return its exit status."""
        self.kill()
        return self._process.wait()

    def told(self) -> str:
        """End the process and describe how it ended, with its last output. Blocks until that output is read."""
        code = self.end()
        self._reading.join(timeout=_DYING)
        how = f"was ended by {_signal(-code)}" if code < 0 else f"ended with exit status {code}"
        lines = [line.strip()[:_LINE] for line in self._tail.decode(errors="replace").splitlines()]
        told = " / ".join([line for line in lines if line][-_LINES:])
        return f"{how}; the last that it printed: {told}" if told else f"{how}, and had printed nothing"

    def has_ended(self) -> bool:
        """Whether the process has exited by itself. It is not reaped, so its group can still be killed."""
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self._process.pid, options) is not None

    async def died(self) -> str:
        """Describe how the process ended, after it closed its connection without a reply."""
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
    """Encode a message as one line of JSON."""
    return json.dumps(message).encode() + b"\n"


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
