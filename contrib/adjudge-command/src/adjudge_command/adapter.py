"""One process for each case: starts it, sends it the user's messages, and kills it with all its children."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import signal
import time
from asyncio import SubprocessTransport
from asyncio.subprocess import PIPE, Process, SubprocessStreamProtocol
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from adjudge.kit.adk import content_to_adk
from adjudge.kit.turn_steps import TurnSteps
from adjudge.model import AgentDetails, Content, Invocation, JsonObject
from adjudge.plugin import AgentError, AgentSession, Emit, InputError, Problem, SessionRequest
from adjudge_command.lines import (
    PROTOCOL,
    AgentLine,
    AnswerLine,
    ErrorLine,
    PieceLine,
    StepLine,
    read_line,
    shown,
)

_LONGEST: Final = 64 * 1024 * 1024
"""Bytes of one line."""
_TAIL: Final = 2_000
"""Bytes that are kept of what the agent printed last to standard error."""
_GRACE: Final = 2.0
"""Seconds that the agent has to end after its input has ended."""
_LEFTOVER: Final = 0.5
"""Seconds in which what the agent wrote after its last answer is read."""
_LOOK: Final = 0.01
"""Seconds between two looks whether it has ended."""


def command_agent(command: str, folder: Path) -> CommandAgent:
    """The adapter for a command.

    Args:
        command: The command with its arguments.
        folder: Where it runs.

    Raises:
        InputError: there is no such program.
    """
    if os.name != "posix":
        raise InputError(Problem(what="agents that are commands need a POSIX system"))
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(Problem(what=f"the command {command!r} cannot be read: {error}")) from None
    program = words[0] if words else ""
    place = shutil.which(str(folder / program) if "/" in program else program)
    if place is None:
        hint = "Name a program on the PATH, or a file that is executable: ./agent.sh"
        raise InputError(Problem(what=f"there is no program {program!r} to run", hint=hint))
    return CommandAgent([place, *words[1:]], command, folder)


class CommandAgent:
    """Sessions with a command, each a process of its own."""

    def __init__(self, words: list[str], command: str, folder: Path) -> None:
        """Keep what is run.

        Args:
            words: The program's place and its arguments.
            command: What the user wrote.
            folder: Where it runs.
        """
        self._words = words
        self._command = command
        self._folder = folder

    async def open_session(self, request: SessionRequest, emit: Emit) -> AgentSession:
        """Start the command for a case.

        Raises:
            AgentError: it cannot be started.
        """
        loop = asyncio.get_running_loop()
        try:
            # As asyncio.create_subprocess_exec does it, which gives nothing by which the pipes can be closed.
            transport, protocol = await loop.subprocess_exec(
                lambda: SubprocessStreamProtocol(limit=_LONGEST, loop=loop),
                *self._words,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                cwd=self._folder,
                start_new_session=True,
            )
        except OSError as error:
            raise AgentError(f"{self._command} cannot be started: {error}", code="agent_raised") from error
        process = Process(transport, protocol, loop)
        session = _Session(process, transport, emit, request.session_input.state)
        start = request.session_input
        first: JsonObject = {
            "type": "session",
            "protocol": PROTOCOL,
            "eval_id": request.eval_id,
            "repeat": request.repeat,
            "app_name": start.app_name,
            "user_id": start.user_id,
            "session_id": start.session_id,
            "state": start.state,
        }
        # An agent that ends at once is told when it is asked something.
        with suppress(ConnectionError):
            await session.tell(first)
        return session


class _Session:
    def __init__(
        self, process: Process, transport: SubprocessTransport, emit: Emit, state: JsonObject
    ) -> None:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None  # noqa: S101 - all three are pipes
        self._process = process
        self._transport = transport
        self._in, self._out = process.stdin, process.stdout
        self._emit = emit
        self._state: JsonObject = json.loads(json.dumps(state))
        self._agents: dict[str, AgentDetails] = {}
        self._tail = b""
        self._grace = _GRACE
        self._is_broken = False
        self._reading = asyncio.ensure_future(self._drain(process.stderr))

    async def tell(self, line: JsonObject) -> None:
        """Give the agent a line."""
        self._in.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        await self._in.drain()

    async def send(self, content: Content) -> Invocation:
        """One turn: lines of the agent until its answer."""
        turn = TurnSteps(content, self._emit)
        turn.agents = self._agents
        try:
            with suppress(ConnectionError):  # it has ended: what it wrote before says more
                await self.tell({"type": "message", "text": content.text, "content": content_to_adk(content)})
            await self._listen(turn)
            return turn.invocation()
        except BaseException:
            self._is_broken = True
            self._grace = 0.0  # what it was doing is of no use to anybody
            turn.broken_off()
            raise

    async def _listen(self, turn: TurnSteps) -> None:
        pieces: list[str] = []
        began = time.monotonic()
        while True:
            line = read_line(await self._next_line())
            now = time.monotonic()
            match line:
                case AgentLine():
                    turn.agents[line.name] = line.details()
                case PieceLine():
                    pieces.append(line.text)
                case ErrorLine():
                    raise AgentError(line.message, code=line.code, retryable=line.retryable)
                case StepLine():
                    turn.add(
                        *line.items(),
                        author=line.author,
                        model=line.model,
                        usage=line.tokens(),
                        seconds=(began, now),
                        parent_call_id=line.parent_call_id,
                    )
                    self._keep(line.state)
                    began = now
                case AnswerLine():
                    if line.usage is not None or line.model is not None or line.author is not None:
                        turn.add(
                            author=line.author, model=line.model, usage=line.tokens(), seconds=(began, now)
                        )
                    self._keep(line.state)
                    words = line.words(pieces)
                    turn.answer(words, asks=[{"question": words}] if line.question else [])
                    return

    async def _next_line(self) -> bytes:
        try:
            line = await self._out.readline()
        except ValueError:
            raise AgentError(
                f"the agent wrote a line of more than {_LONGEST >> 20} MiB", code="answer_too_large"
            ) from None
        if line.endswith(b"\n"):
            return line
        raise AgentError(
            f"the agent ended before it answered: {await self._how_it_ended()}", code="process_ended"
        )

    async def _how_it_ended(self) -> str:
        if (status := await self._ended(_GRACE)) is None:
            return "it closed its output and runs still"
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._reading), _GRACE)
        how = f"signal {_name_of(-status)}" if status < 0 else f"exit status {status}"
        said = self._tail.decode(errors="replace").strip().splitlines()[-3:]
        return f"{how}; the last that it printed: {' / '.join(said)}" if said else how

    def _keep(self, state: JsonObject | None) -> None:
        if state is not None:
            self._state = state

    @property
    def state(self) -> Mapping[str, Any] | None:
        """What the agent said last of its state, else what it was given."""
        return self._state

    async def aclose(self) -> None:
        """Let the process end, and kill what is left of it and of what it started.

        Raises:
            AgentError: it wrote more than one answer for a message, so that turns have answers of others
                (``bad_answer``).
        """
        try:
            self._in.close()
            await self._ended(self._grace)
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await self._ended(_GRACE)
            unasked = None if self._is_broken else await self._unasked()
            self._reading.cancel()
            self._transport.close()
        if unasked is not None:
            what = f"the agent wrote more than one answer for a message; left over is {shown(unasked)!r}"
            raise AgentError(what, code="bad_answer")

    async def _unasked(self) -> bytes | None:
        """The first line after the last answer that belongs to a turn; ``None`` where there is none."""
        with suppress(TimeoutError, ValueError):
            # A process that left the group may hold the pipe open.
            async with asyncio.timeout(_LEFTOVER):
                while line := await self._out.readline():
                    with suppress(AgentError):
                        if isinstance(read_line(line), StepLine | PieceLine | AnswerLine):
                            return line
        return None

    async def _ended(self, seconds: float) -> int | None:
        """How the process ended; ``None`` where it still runs after a while.

        ``Process.wait`` waits for the ends of its pipes too, which a process that left its group may hold for ever.
        """
        until = time.monotonic() + seconds
        while self._process.returncode is None and time.monotonic() < until:
            await asyncio.sleep(_LOOK)
        return self._process.returncode

    async def _drain(self, errors: asyncio.StreamReader) -> None:
        while printed := await errors.read(65_536):
            self._tail = (self._tail + printed)[-_TAIL:]


def _name_of(number: int) -> str:
    """The name of a signal; most real-time signals have none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
