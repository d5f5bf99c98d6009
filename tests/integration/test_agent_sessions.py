"""Sessions of agents that misbehave: each ends once, in time, and as an error of its own case alone."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import adjudge as package
from adjudge.extension import guard
from adjudge.extension.loader import Extensions, discover
from adjudge.model import Content, Invocation, Step, ToolCall
from adjudge.model.result import CaseResult
from adjudge.plugin import (
    AgentAdapterSpec,
    AgentSession,
    ComponentConfig,
    Emit,
    SessionRequest,
    hookimpl,
)
from adjudge.runner.api import RunResult
from adjudge.testing import ScriptedAgent, Turn, as_candidate

CONFIG = {"criteria": {"response_match_score": 0.5}}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def eval_set(folder: Path, *eval_ids: str) -> Path:
    path = folder / "set.test.json"
    turn = {
        "user_content": {"parts": [{"text": "hello"}]},
        "final_response": {"parts": [{"text": "good day"}]},
    }
    cases = [{"eval_id": eval_id, "conversation": [turn, turn]} for eval_id in eval_ids]
    path.write_text(json.dumps({"eval_set_id": "set", "eval_cases": cases}))
    return path


# --- answers --------------------------------------------------------------------------


class Collecting:
    """A session whose calls all hold one list, which grows from turn to turn."""

    def __init__(self) -> None:
        self.state = None
        self._items: list[str] = []

    async def send(self, content: Content) -> Invocation:
        self._items.append(content.text)
        call = ToolCall(name="add", args={"items": self._items})
        return Invocation(
            user_content=content,
            steps=(Step(number=1, items=(call,)),),
            final_response=Content.of_text("good day", role="model"),
        )

    async def aclose(self) -> None:
        """Nothing is open."""


class Target(ComponentConfig):
    """What is collected: anything."""

    target: str


class Strangers:
    """A plugin of somebody else, whose adapter answers with what it goes on changing."""

    @hookimpl.agent_adapters
    def agent_adapters(self) -> list[AgentAdapterSpec]:
        return [
            AgentAdapterSpec(
                name="collecting", summary="Collects", factory=lambda _config, _host: self, config=Target
            )
        ]

    async def open_session(self, request: SessionRequest, emit: Emit) -> AgentSession:
        return Collecting()


@pytest.mark.parametrize("agent", [Collecting, "collecting:any"])
def test_what_an_agent_changes_later_does_not_change_what_it_answered(folder: Path, agent: Any) -> None:
    items: list[list[str]] = [["a"], ["a", "b"]]
    turns = [
        {
            "user_content": {"parts": [{"text": said[-1]}]},
            "intermediate_data": {"tool_uses": [{"name": "add", "args": {"items": said}}]},
        }
        for said in items
    ]
    path = folder / "set.test.json"
    path.write_text(
        json.dumps({"eval_set_id": "set", "eval_cases": [{"eval_id": "a", "conversation": turns}]})
    )
    extensions = Extensions([*discover(), as_candidate("stranger", Strangers())])
    config = {"criteria": {"tool_trajectory_avg_score": 1.0}}
    done = package.evaluate_sync(agent, path, config=config, extensions=extensions)
    assert done.summary.status == "PASS"


# --- closing --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "timeout", "code"),
    [
        ("good day", None, None),
        (ValueError("boom"), None, "agent_raised"),
        (TimeoutError("its own"), None, "agent_raised"),
        (Turn(hangs=True), 0.1, "timeout"),
    ],
)
def test_a_session_is_closed_once_whatever_becomes_of_its_case(
    folder: Path, reply: Any, timeout: float | None, code: str | None
) -> None:
    agent = ScriptedAgent(["good day", reply])
    done = package.evaluate_sync(agent, eval_set(folder, "one"), config=CONFIG, timeout=timeout)
    [case] = done.cases()
    assert (case.error and case.error.code) == code
    assert [session.closed for session in agent.sessions] == [1]


def test_a_session_whose_state_cannot_be_read_is_closed(folder: Path) -> None:
    closed: list[bool] = []

    class Conversation:
        async def send(self, content: Content) -> str:
            return "good day"

        @property
        def state(self) -> dict[str, Any]:
            raise LookupError("no state")

        def close(self) -> None:
            closed.append(True)

    class Agent:
        def open_session(self) -> Conversation:
            return Conversation()

    done = package.evaluate_sync(Agent(), eval_set(folder, "one"), config=CONFIG)
    [case] = done.cases()
    assert case.error is not None and "no state" in case.error.message
    assert closed == [True]


def test_an_agent_that_is_made_after_its_case_timed_out_is_closed(folder: Path) -> None:
    late, closed = threading.Event(), threading.Event()

    class Agent:
        def __init__(self) -> None:
            late.wait(60)

        def __call__(self, text: str) -> str:
            return "good day"

        def close(self) -> None:
            closed.set()

    async def main() -> RunResult:
        done = await package.evaluate(Agent, eval_set(folder, "one"), config=CONFIG, timeout=0.1)
        late.set()
        while not closed.is_set():
            await asyncio.sleep(0.01)
        return done

    [case] = asyncio.run(asyncio.wait_for(main(), 60)).cases()
    assert case.error is not None and case.error.code == "timeout"


def test_sessions_are_closed_when_the_run_is_interrupted(folder: Path) -> None:
    agent = ScriptedAgent([Turn(hangs=True)])

    async def main() -> None:
        run = asyncio.create_task(package.evaluate(agent, eval_set(folder, "one", "two"), config=CONFIG))
        while not all(session.received for session in agent.sessions) or len(agent.sessions) < 2:
            await asyncio.sleep(0.01)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(asyncio.wait_for(main(), 60))
    assert [session.closed for session in agent.sessions] == [1, 1]


def test_one_task_opens_talks_and_closes(folder: Path) -> None:
    """Cancel scopes, and with them the clients of MCP servers, must be left in the task that entered them."""
    tasks: set[object] = set()

    class Conversation:
        async def send(self, content: Content) -> str:
            tasks.add(asyncio.current_task())
            return "good day"

        async def aclose(self) -> None:
            tasks.add(asyncio.current_task())

    class Agent:
        async def open_session(self) -> Conversation:
            tasks.add(asyncio.current_task())
            return Conversation()

    assert package.evaluate_sync(Agent(), eval_set(folder, "one"), config=CONFIG).passed
    assert len(tasks) == 1


# --- what would end the run, or make the case vanish ------------------------------------


class Unusual(BaseException):
    """Neither an ``Exception`` nor anything that Python knows."""


def raises(error: BaseException) -> Callable[[], None]:
    def misbehave() -> None:
        raise error

    return misbehave


def cancels_itself() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()


MISBEHAVIOURS = {
    "CancelledError": raises(asyncio.CancelledError()),
    "SystemExit": raises(SystemExit(0)),
    "Unusual": raises(Unusual("odd")),
    "GeneratorExit": raises(GeneratorExit()),
}


class Misbehaving:
    """Answers well, but for one case and one call."""

    def __init__(self, place: str, misbehave: Callable[[], None]) -> None:
        self.place = place
        self.misbehave = misbehave

    async def open_session(self, request: Any) -> Any:
        agent = self

        def now(place: str) -> None:
            if request.eval_id == "bad" and agent.place == place:
                agent.misbehave()

        class Conversation:
            async def send(self, content: Content) -> str:
                now("send")
                await asyncio.sleep(0)
                return "good day"

            async def aclose(self) -> None:
                now("aclose")
                await asyncio.sleep(0)

        now("open_session")
        return Conversation()


def misbehaved(done: RunResult) -> CaseResult:
    """The case of the agent that misbehaved; the others passed, and none is missing."""
    before, bad, after = done.cases()
    assert [before.status, bad.status, after.status] == ["PASS", "error", "PASS"]
    assert done.summary.counts == {"PASS": 2, "error": 1}
    assert done.summary.exit_status == 3
    return bad


@pytest.mark.parametrize("place", ["open_session", "send", "aclose"])
@pytest.mark.parametrize("name", [*MISBEHAVIOURS])
def test_whatever_an_async_agent_raises_is_an_error_of_its_case(folder: Path, place: str, name: str) -> None:
    done = package.evaluate_sync(
        Misbehaving(place, MISBEHAVIOURS[name]), eval_set(folder, "before", "bad", "after"), config=CONFIG
    )
    bad = misbehaved(done)
    assert bad.error is not None
    assert bad.error.code == "agent_raised"
    assert name in bad.error.message


def test_an_async_agent_that_cancels_its_own_task_is_an_error_of_its_case(folder: Path) -> None:
    done = package.evaluate_sync(
        Misbehaving("send", cancels_itself), eval_set(folder, "before", "bad", "after"), config=CONFIG
    )
    bad = misbehaved(done)
    assert bad.error is not None and "CancelledError" in bad.error.message


def test_what_an_agent_emits_must_be_a_step(folder: Path) -> None:
    class Agent:
        def open_session(self, request: Any, emit: Any) -> Any:
            class Conversation:
                def send(self, content: Content) -> str:
                    if request.eval_id == "bad":
                        emit("looked around")
                    return "good day"

            return Conversation()

    bad = misbehaved(
        package.evaluate_sync(Agent(), eval_set(folder, "before", "bad", "after"), config=CONFIG)
    )
    assert bad.error is not None and "emit was given an object of type str" in bad.error.message


# --- what does not stop -----------------------------------------------------------------

STUBBORN = """
import asyncio, threading

release = threading.Event()

async def deaf(text, session):
    while session.eval_id == "bad" and not release.is_set():
        try:
            await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            pass
    return "good day"

async def blocking(text, session):
    if session.eval_id == "bad":
        release.wait(60)
    return "good day"

def thread(text, session):
    if session.eval_id == "bad":
        release.wait(60)
    return "good day"

async def answers_when_cancelled(text, session):
    if session.eval_id == "bad":
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            pass
    return "good day"
"""


@pytest.fixture
def stubborn(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A module of agents that do not stop, until the test is over."""
    (folder / "stubborn.py").write_text(STUBBORN)
    monkeypatch.setattr(guard, "GRACE", 0.2)
    yield
    sys.modules.pop("stubborn").release.set()


@pytest.mark.usefixtures("stubborn")
@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("deaf", "; its code ignores that it was cancelled, and was left running"),
        ("blocking", "; its code blocks the event loop, cannot be stopped, and was left running"),
        ("thread", "; its code blocks, cannot be stopped, and was left running in its thread"),
        ("answers_when_cancelled", ""),
    ],
)
def test_the_limit_of_a_case_holds_for_an_agent_that_does_not_stop(
    folder: Path, agent: str, said: str
) -> None:
    [case] = package.evaluate_sync(
        f"stubborn:{agent}", eval_set(folder, "bad"), config=CONFIG, timeout=0.2
    ).cases()
    assert case.error is not None
    assert case.error.code == "timeout"
    advice = "; --isolate (isolate=True) runs it where it can be ended" if said else ""
    assert case.error.message == f"the case took longer than 0.2 s{said}{advice}"
    assert case.error.retryable


@pytest.mark.usefixtures("stubborn")
def test_cases_after_one_that_blocks_the_event_loop_run_as_ever(folder: Path) -> None:
    done = package.evaluate_sync(
        "stubborn:blocking", eval_set(folder, "bad", "after"), config=CONFIG, timeout=4.0, concurrency=1
    )
    assert [case.status for case in done.cases()] == ["error", "PASS"]


@pytest.mark.usefixtures("stubborn")
def test_a_case_that_another_holds_up_says_so(folder: Path) -> None:
    done = package.evaluate_sync(
        "stubborn:blocking", eval_set(folder, "bad", "beside"), config=CONFIG, timeout=0.2, concurrency=2
    )
    errors = {case.eval_id: case.error for case in done.cases()}
    assert errors["beside"] is not None
    assert "adjudge agent, case bad, repeat 1 blocks the event loop" in errors["beside"].message


@pytest.mark.usefixtures("stubborn")
def test_a_deaf_agent_given_as_an_object_holds_up_neither_the_run_nor_the_program(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(folder)
    import stubborn as module  # type: ignore[import-not-found]  # written by the fixture

    [case] = package.evaluate_sync(module.deaf, eval_set(folder, "bad"), config=CONFIG, timeout=0.2).cases()
    assert case.error is not None and "left running" in case.error.message


def test_an_agent_runs_as_ever_once_its_thread_can_be_started(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What this machine lacks for a moment is an error of one case, and holds no other one up."""
    (folder / "polite.py").write_text("async def agent(text):\n    return 'good day'\n")
    start = threading.Thread.start
    refused: list[str] = []

    def start_later(thread: threading.Thread) -> None:
        if thread.name == "adjudge agent" and not refused:
            refused.append(thread.name)
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_later)
    done = package.evaluate_sync(
        "polite:agent", eval_set(folder, "one", "two"), config=CONFIG, timeout=60, concurrency=1
    )
    errors = [case.error.code if case.error else None for case in done.cases()]
    assert errors == ["shortage", None]


def test_the_loop_of_an_agent_ends_without_waiting_for_its_limit(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "polite.py").write_text("async def agent(text):\n    return 'good day'\n")
    monkeypatch.setattr(guard, "GRACE", 3600.0)

    async def main() -> None:
        async with asyncio.timeout(120):
            await package.evaluate("polite:agent", eval_set(folder, "one"), config=CONFIG)

    asyncio.run(main())
