"""One session with an agent in a separate process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Final

from adjudge.model import Content, Invocation, JsonObject, Step
from adjudge.plugin import AgentError, Emit, SessionRequest
from adjudge_plugins.agents.isolated_agent.process import AgentProcess, line_of

_LONGEST: Final = 2**28
"""The size limit in bytes of one reply or one step."""


class IsolatedSession:
    """Forwards the user's messages to the process, and emits the agent's steps as they arrive."""

    def __init__(self, process: AgentProcess, emit: Emit) -> None:
        self._process = process
        self._emit = emit
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._is_idle = False
        self._state: Mapping[str, Any] | None = None

    async def open(self, request: SessionRequest) -> None:
        """Create the agent in the process and open its session.

        Raises:
            AgentError: the agent cannot be created, cannot open a session, or ended its process.
        """
        self._reader, self._writer = await asyncio.open_connection(
            sock=self._process.connection, limit=_LONGEST
        )
        made = await self._asked(self._process.start_line)
        if "refused" in made:
            told = "; ".join(problem["what"] for problem in made["refused"])
            raise AgentError(f"the agent could not be made in its process: {told}", code="agent_raised")
        facts = {
            "eval_id": request.eval_id,
            "repeat": request.repeat,
            "eval_set_id": request.eval_set_id,
            "timeout": request.timeout,
            "turns": request.turns,
            "session_input": request.session_input.model_dump(mode="json"),
        }
        self._state = (await self._asked(line_of({"open": facts})))["state"]

    async def send(self, content: Content) -> Invocation:
        """Run one turn.

        Raises:
            AgentError: the agent raised, or ended its process.
        """
        reply = await self._asked(line_of({"send": content.model_dump(mode="json")}))
        self._state = reply["state"]
        return Invocation.model_validate(reply["answer"])

    @property
    def state(self) -> Mapping[str, Any] | None:
        """The state of the session after the last turn."""
        return self._state

    async def aclose(self) -> None:
        """Close the session in the process if it still answers, then end the process.

        Raises:
            AgentError: the agent raised.
        """
        try:
            if self._is_idle:
                await self._asked(line_of({"close": True}))
        finally:
            self.end()

    def end(self) -> None:
        """End the process and everything that it started."""
        self._is_idle = False
        if self._writer is None:
            self._process.connection.close()
        else:
            self._writer.close()
        self._process.end()

    async def _asked(self, line: bytes) -> JsonObject:
        """Send a line and return the reply; steps that arrive before the reply are emitted."""
        reader, writer = self._reader, self._writer
        if reader is None or writer is None:
            raise AgentError("the session was not opened", code="bad_answer")
        self._is_idle = False
        try:
            writer.write(line)
            await writer.drain()
            while (reply := await self._read(reader)) is not None and "step" in reply:
                self._emit(Step.model_validate(reply["step"]))
        except ConnectionError:
            reply = None
        if reply is None:
            raise AgentError(f"the agent's process {await self._process.died()}", code="process_ended")
        self._is_idle = True
        if "failure" in reply:
            failure = reply["failure"]
            raise AgentError(
                failure["message"],
                code=failure["code"],
                retryable=failure["retryable"],
                place=failure["place"],
                traceback=failure["traceback"],
            )
        return reply

    async def _read(self, reader: asyncio.StreamReader) -> JsonObject | None:
        """Read one message; ``None`` if the process closed its connection."""
        try:
            line = await reader.readline()
        except ValueError:
            raise AgentError(
                f"the agent gave more than {_LONGEST // 2**20} MiB for one turn or step", code="bad_answer"
            ) from None
        if not line.endswith(b"\n"):
            return None
        reply: JsonObject = json.loads(line)
        return reply
