"""The program of an agent's process: creates one agent and serves it until the run ends or kills the process."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from functools import partial
from typing import Any, Final

from adjudge import AdjudgeError, InputError, OpenAgent, open_agent
from adjudge.kit.plain_json import plain_json
from adjudge.model import Content, SessionInput, Step
from adjudge.plugin import (
    AgentSession,
    CaseFacts,
    Problem,
    SessionRequest,
    SupportsPlanCheck,
    SupportsRecordedUser,
)
from adjudge_plugins.agents.isolated_agent.process import line_of

_OF_PROBLEM: Final = "it is a recording: no code runs that could be isolated"


class Talk:
    """The message channel to the run. The agent's own stdin is empty, and its stdout goes to stderr."""

    def __init__(self) -> None:
        """Take over stdin and stdout."""
        self._in, self._out = os.dup(0), os.dup(1)
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.dup2(2, 1)
        os.close(empty)
        self._writing = threading.Lock()
        self._lines: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        # If the agent forks this process, the child must not answer the run.
        os.register_at_fork(after_in_child=self._close)
        threading.Thread(target=self._read, daemon=True).start()

    def next(self) -> dict[str, Any]:
        """Wait for the next message of the run (blocking)."""
        return self._lines.get()

    def say(self, **message: Any) -> None:
        """Send a message to the run."""
        line = memoryview(line_of(message))
        with self._writing:
            while line:
                line = line[os.write(self._out, line) :]

    def _close(self) -> None:
        os.close(self._in)
        os.close(self._out)

    def _read(self) -> None:
        with os.fdopen(os.dup(self._in), "rb") as lines:
            for line in lines:
                self._lines.put(json.loads(line))
        # The run has closed the connection: kill this process and everything that the agent started.
        os.killpg(os.getpgrp(), signal.SIGKILL)


async def _beat() -> None:
    """Wake the event loop every second: if the agent has closed the loop's files, it would wait forever."""
    while True:
        await asyncio.sleep(1)


async def _serve(talk: Talk) -> None:
    start = talk.next()
    beating = asyncio.create_task(_beat())
    try:
        async with open_agent(start["target"], start["agent_options"], disable=start["disable"]) as opened:
            agent = opened.agent
            if isinstance(agent.adapter, SupportsRecordedUser):
                raise InputError(
                    Problem(what=f"the agent {start['target']!r} cannot be isolated: {_OF_PROBLEM}")
                )
            talk.say(
                warnings=opened.warnings,
                document=agent.document(),
                folder=None if agent.folder is None else str(agent.folder),
            )
            message = await asyncio.to_thread(talk.next)
            if "cases" in message:
                _check(opened, talk, message["cases"])
            else:
                await opened.run(partial(_converse, opened, talk, message["open"]))
            await asyncio.to_thread(talk.next)  # serve until killed
    except InputError as error:
        talk.say(refused=[asdict(problem) for problem in error.problems], warnings=error.warnings)
    except AdjudgeError as error:
        talk.say(refused=[asdict(Problem(what=str(error)))], warnings=())
    finally:
        beating.cancel()


def _check(opened: OpenAgent, talk: Talk, cases: list[dict[str, Any]]) -> None:
    adapter, spec = opened.agent.adapter, opened.agent.component.spec
    facts = [CaseFacts(**case) for case in cases]
    problems = [
        f"case {case.eval_id!r} starts with a session state, which a {spec.name!r} agent cannot take"
        for case in facts
        if case.has_state and not spec.takes_state
    ]
    if isinstance(adapter, SupportsPlanCheck):
        problems += adapter.check_plan(facts)
    talk.say(problems=problems)


async def _converse(opened: OpenAgent, talk: Talk, facts: dict[str, Any]) -> None:
    """Serve one session from start to end in one task."""
    session_input = SessionInput.model_validate(facts.pop("session_input"))
    request = SessionRequest(session_input=session_input, **facts)
    session: AgentSession | None = None

    def emit(step: object) -> None:
        if not isinstance(step, Step):
            raise TypeError(f"emit was given an object of type {type(step).__name__}, expected a Step")
        talk.say(step=step.model_dump(mode="json"))

    async def open_it() -> None:
        nonlocal session
        session = await opened.agent.adapter.open_session(request, emit)
        talk.say(state=plain_json(session.state))

    async def send(said: Content) -> None:
        if session is not None:
            answer = opened.checked(await session.send(said))
            talk.say(answer=answer.model_dump(mode="json"), state=plain_json(session.state))

    async def close() -> None:
        if session is not None:
            await session.aclose()
        talk.say(closed=True)

    await _told(opened, talk, open_it)
    while "close" not in (message := await asyncio.to_thread(talk.next)):
        await _told(opened, talk, partial(send, Content.model_validate(message["send"])))
    await _told(opened, talk, close)


async def _told(opened: OpenAgent, talk: Talk, call: Callable[[], Awaitable[None]]) -> None:
    try:
        await call()
    except BaseException as error:  # report any exception of third-party code
        talk.say(failure=opened.failure(error).model_dump(mode="json"))


if __name__ == "__main__":
    asyncio.run(_serve(Talk()))
    sys.stderr.flush()
