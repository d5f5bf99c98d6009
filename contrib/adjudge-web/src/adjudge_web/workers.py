"""The processes that plan, run and talk beside the page. Each is known from its start until nothing of it is left."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from adjudge.plugin import InputError, Problem

_LONGEST: Final = 64 * 2**20
"""Bytes of a line: a step may hold a page or a picture."""

PATIENCE = 10.0
"""Seconds from being told to stop to being killed, and from the last word to the end."""

_LAST_WORDS: Final = 1.0
"""Seconds that standard error, and the pipes, have to end after the process has."""


class _Protocol(asyncio.subprocess.SubprocessStreamProtocol):
    """Says when the process has ended, and when the last of its pipes is closed."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=_LONGEST, loop=loop)
        self.exited = asyncio.Event()
        self.closed = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.closed.set()


class Work:
    """One process, from its start to its end; it leads a process group, so that what it started can end with it."""

    def __init__(
        self, task: dict[str, Any], take: Callable[[dict[str, Any]], object], ended: Callable[[Work], object]
    ) -> None:
        """Start the process as soon as the loop is free.

        Args:
            task: What it does.
            take: Is given each thing that it says.
            ended: Is called once, when nothing of it is left.
        """
        self._take = take
        self._ended = ended
        self._trouble: deque[str] = deque(maxlen=30)
        self._untold = [_line(task)]
        self._transport: asyncio.SubprocessTransport | None = None
        self._stdin: asyncio.StreamWriter | None = None
        self._life = asyncio.create_task(self._live())

    @property
    def trouble(self) -> str:
        """What it wrote on standard error last."""
        return "\n".join(self._trouble)

    def tell(self, **message: Any) -> None:
        """Say something to the process, where it is still there."""
        self._untold.append(_line(message))
        self._flush()

    async def end(self) -> None:
        """Wait until nothing of it is left."""
        await asyncio.wait({self._life})

    async def stop(self) -> None:
        """End the process: at once where it listens, else after a while by force."""
        self.tell(stop=True)
        await asyncio.wait({self._life}, timeout=PATIENCE)
        self._kill()
        await asyncio.wait({self._life}, timeout=PATIENCE)
        self._life.cancel()  # of a process that not even the system can end
        await self.end()

    async def _live(self) -> None:
        try:
            await self._process()
        except OSError as error:
            self._trouble.append(f"no process can be started: {error}")
        finally:
            self._stdin = None
            self._ended(self)

    async def _process(self) -> None:
        loop = asyncio.get_running_loop()
        # As asyncio.create_subprocess_exec does it, which gives nothing by which the pipes can be closed.
        transport, protocol = await loop.subprocess_exec(
            lambda: _Protocol(loop),
            sys.executable,
            "-P",  # modules are not looked for in the working folder: an agent's json.py is no library
            "-m",
            "adjudge_web.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        process = asyncio.subprocess.Process(transport, protocol, loop)
        self._transport, self._stdin = transport, process.stdin
        said = asyncio.create_task(_each_line(process.stdout, self._hear))
        trouble = asyncio.create_task(_each_line(process.stderr, self._hear_trouble))
        exited = asyncio.create_task(protocol.exited.wait())
        try:
            self._flush()
            await asyncio.wait({said, exited}, return_when=asyncio.FIRST_COMPLETED)
            # Who says nothing any more, or something that cannot be read, ends by itself or is ended.
            await asyncio.wait({exited}, timeout=PATIENCE if said.done() and not said.exception() else 0)
            self._kill()
            await exited
            # What an agent started may live on and hold the pipes: nobody waits for its end.
            await asyncio.wait({said}, timeout=PATIENCE)
            await asyncio.wait({trouble}, timeout=_LAST_WORDS)
            if said.done() and (error := said.exception()):
                self._trouble.append(f"what it said cannot be read: {error}")
        finally:
            self._kill()
            for task in (said, trouble, exited):
                task.cancel()
            await asyncio.wait({said, trouble, exited})
            if process.stdin is not None and not process.stdin.is_closing():
                process.stdin.transport.abort()
            transport.close()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(protocol.closed.wait(), _LAST_WORDS)

    def _flush(self) -> None:
        if self._stdin is not None:
            self._stdin.write(b"".join(self._untold))
            self._untold.clear()

    def _hear(self, line: bytes) -> None:
        self._take(json.loads(line))

    def _hear_trouble(self, line: bytes) -> None:
        self._trouble.append(line.decode("utf-8", "replace").rstrip())

    def _kill(self) -> None:
        """End the process and its group, unless it has ended: its number may be another's then."""
        transport = self._transport
        if transport is None or transport.get_returncode() is not None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                transport.kill()
            else:
                os.killpg(transport.get_pid(), signal.SIGKILL)


def _line(message: dict[str, Any]) -> bytes:
    """A message as it is sent: one that is no JSON is refused where it is given, before anything is begun."""
    return json.dumps(message).encode() + b"\n"


async def _each_line(stream: asyncio.StreamReader | None, hear: Callable[[bytes], None]) -> None:
    if stream is not None:
        async for line in stream:
            hear(line)


class Workers:
    """The one owner of all processes beside the page."""

    def __init__(self) -> None:
        """Begin with none."""
        self._all: set[Work] = set()
        self._is_ending = False

    def begin(
        self,
        take: Callable[[dict[str, Any]], object],
        ended: Callable[[Work], object] = lambda _: None,
        /,
        **task: Any,
    ) -> Work:
        """Start a process that does a task in the working folder.

        Args:
            take: Is given each thing that it says.
            ended: Is called once, when nothing of it is left.
            **task: What it does.

        Raises:
            InputError: the page is ending.
        """
        if self._is_ending:
            raise InputError(Problem(what="the page is ending: nothing is started any more."))

        def forget(work: Work) -> None:
            self._all.discard(work)
            ended(work)

        work = Work(task, take, forget)
        self._all.add(work)
        return work

    async def answer(self, **task: Any) -> dict[str, Any]:
        """What a process says last that does a task: a plan, or its problems."""
        said: deque[dict[str, Any]] = deque(maxlen=1)
        work = self.begin(said.append, **task)
        try:
            await work.end()
        except asyncio.CancelledError:
            await work.stop()
            raise
        if said:
            return said[0]
        return {"problems": [f"the process ended without an answer.\n{work.trouble}"], "warnings": []}

    async def stop_all(self) -> None:
        """End every process, for good; no other is begun."""
        self._is_ending = True
        await asyncio.gather(*(work.stop() for work in tuple(self._all)))
