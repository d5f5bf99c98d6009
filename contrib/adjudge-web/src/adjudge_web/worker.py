"""The program that does the work of the page in a process of its own: plans, runs, and sessions with agents.

It reads one JSON object a line from standard input and writes one a line to standard output. The first says what to do;
``{"stop": true}`` ends it, and so does the end of the page, however that comes: what is journalled by then can be resumed.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, is_dataclass, replace
from functools import partial
from typing import Any, Final, cast

from pydantic_core import to_json

import adjudge
from adjudge import AdjudgeError, Event, InputError, JudgesAsked, OpenAgent
from adjudge.model import Content, Invocation, SessionInput, Step
from adjudge.plugin import AgentSession, CaseFinished, CriterionScored, RunStarted, SessionRequest

_PATIENCE: Final = 8.0
"""Seconds that a run has to end after it was told to; then it is left as it is."""


class Talk:
    """The lines to and from the page. What agents print goes to standard error."""

    def __init__(self) -> None:
        """Take over the standard streams."""
        self._in, self._out = os.dup(0), os.dup(1)
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.dup2(2, 1)
        os.close(empty)
        self._writing = threading.Lock()
        self.lines: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        """What the page says after the first; ``None`` is the end."""
        self._source = os.fdopen(self._in, "rb")
        self.first = json.loads(self._source.readline())

    def on_stop(self, stop: Callable[[], object]) -> None:
        """Listen to the page from now on, and call this at the end."""
        threading.Thread(target=self._read, args=(stop,), daemon=True).start()

    def say(self, **message: Any) -> None:
        """Tell the page."""
        line = memoryview(to_json(message, inf_nan_mode="strings", fallback=repr) + b"\n")
        with self._writing:
            while line:
                line = line[os.write(self._out, line) :]

    def _read(self, stop: Callable[[], object]) -> None:
        for line in self._source:
            message = json.loads(line)
            if "stop" in message:
                break
            self.lines.put(message)
        stop()
        self.lines.put(None)
        threading.Timer(_PATIENCE, _end).start()


def _end() -> None:
    """End this process, and what agents have started from it."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)


async def _evaluate(talk: Talk, given: dict[str, Any]) -> None:
    result = await adjudge.evaluate(given.pop("agent"), given.pop("eval_sets"), watch=_watch(talk), **given)
    talk.say(finished=result.status)


async def _resume(talk: Talk, given: dict[str, Any]) -> None:
    result = await adjudge.resume(given.pop("run"), watch=_watch(talk), **given)
    talk.say(finished=result.status)


async def _judge(talk: Talk, given: dict[str, Any]) -> None:
    result = await adjudge.judge_logs(given.pop("logs"), given.pop("criteria"), watch=_watch(talk), **given)
    talk.say(finished=result.status)


async def _plan(talk: Talk, given: dict[str, Any]) -> None:
    plan = await adjudge.plan_evaluation(given.pop("agent"), given.pop("eval_sets"), **given)
    talk.say(plan=_plain(plan))


async def _estimate(talk: Talk, given: dict[str, Any]) -> None:
    estimate = await adjudge.estimate_logs(given.pop("logs"), given.pop("criteria"), **given)
    talk.say(plan={"cases": estimate.runs, "warnings": [], "estimate": _plain(estimate)})


async def _prepare(talk: Talk, given: dict[str, Any]) -> None:
    talk.say(prepared=await adjudge.prepare_criteria(given.pop("criteria"), **given))


def _plain(value: Any) -> Any:
    """A dataclass as JSON; keys that are no texts (the criteria that share requests) are joined."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if not isinstance(value, dict):
        return value
    given = cast("Mapping[Any, Any]", value)
    return {
        ", ".join(cast("tuple[str, ...]", key)) if isinstance(key, tuple) else str(key): _plain(item)
        for key, item in given.items()
    }


def _watch(talk: Talk) -> Callable[[Event], None]:
    def watch(event: Event) -> None:
        match event:
            case RunStarted():
                talk.say(started=event.run, cases=event.cases)
            case CriterionScored():
                talk.say(
                    scored=event.eval_id,
                    criterion=event.result.criterion_name,
                    status=event.result.status,
                    score=event.result.score,
                )
            case CaseFinished(result=result):
                talk.say(case=result.eval_id, repeat=result.repeat, status=result.status)
            case JudgesAsked():
                costs = [calls.cost for calls in event.judges.values() if calls.calls]
                known = [cost for cost in costs if cost is not None]
                talk.say(
                    judged=sum(calls.calls for calls in event.judges.values()),
                    cost=sum(known) if len(known) == len(costs) else None,
                )
            case _:
                talk.say(playing=event.eval_id, repeat=event.repeat)

    return watch


async def _session(talk: Talk, given: dict[str, Any]) -> None:
    async with adjudge.open_agent(given["agent"]) as opened:
        await opened.run(lambda: _converse(opened, talk, given))


async def _converse(opened: OpenAgent, talk: Talk, given: dict[str, Any]) -> None:
    """One session, from its beginning to its end, all in one task."""
    request = SessionRequest(
        eval_id=given["session"],
        repeat=1,
        session_input=SessionInput(user_id="user", session_id=given["session"], state=given.get("state", {})),
    )
    session: AgentSession | None = None

    def emit(step: object) -> None:
        if not isinstance(step, Step):
            raise TypeError(f"emit was given an object of type {type(step).__name__}, expected a Step")
        talk.say(step=step)

    async def begin() -> None:
        nonlocal session
        session = await opened.agent.adapter.open_session(request, emit)
        talk.say(open=opened.agent.target, warnings=opened.warnings, state=session.state)

    async def send(said: Content) -> None:
        if session is not None:
            answer: Invocation = opened.checked(await session.send(said))
            talk.say(answer=answer, state=session.state)

    try:
        if await _told(opened, talk, begin):
            while (message := await asyncio.to_thread(talk.lines.get)) is not None:
                said = Content.of_text(message["send"], "user")
                await _told(opened, talk, partial(send, said))
    finally:
        if session is not None:
            await session.aclose()


async def _told(opened: OpenAgent, talk: Talk, call: Callable[[], Awaitable[None]]) -> bool:
    """Whether a call into the agent went well; what it raised is told."""
    try:
        await call()
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # whatever comes out of somebody's code is told
        talk.say(failure=opened.failure(error))
        return False
    return True


_WORK: Final[dict[str, Callable[[Talk, dict[str, Any]], Awaitable[None]]]] = {
    "evaluate": _evaluate,
    "estimate": _estimate,
    "judge": _judge,
    "plan": _plan,
    "prepare": _prepare,
    "resume": _resume,
    "session": _session,
}


async def _main(talk: Talk) -> None:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    if task is not None:
        talk.on_stop(lambda: loop.call_soon_threadsafe(task.cancel))
    given = dict(talk.first)
    try:
        await _WORK[given.pop("do")](talk, given)
    except asyncio.CancelledError:
        talk.say(stopped=True)
    except InputError as error:
        talk.say(problems=_problems(error), warnings=error.warnings)
    except AdjudgeError as error:
        talk.say(problems=[str(error)], warnings=())


def _problems(error: InputError) -> list[str]:
    """Its problems. Where the command line has an option for the judge, the page has a field; it is said once."""
    said: list[str] = []
    for problem in error.problems:
        if problem.hint is not None and "--judge" in problem.hint:
            _, _, installed = problem.hint.partition("\n")
            hint = f"Name one in the field Judge, as provider/model. What is installed:\n{installed}"
            problem = replace(problem, hint=None if any(hint in each for each in said) else hint)
        said.append(str(problem))
    return said


if __name__ == "__main__":
    asyncio.run(_main(Talk()))
    sys.stdout.flush()
    _end()
