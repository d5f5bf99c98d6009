"""The ``python`` agent: what somebody's code may look like, and what it is told when it does not fit."""

from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from adjudge.model import Content, Invocation, SessionInput, Step, ToolCall
from adjudge.plugin import (
    AgentAdapter,
    AgentError,
    AgentSession,
    InputError,
    SessionRequest,
)
from adjudge.testing import FakeHost
from adjudge.testing.conformance import AgentAdapterConformance
from adjudge_plugins.agents import python_agent as plugin


@dataclass
class Talk:
    """What one session did."""

    turns: list[Invocation] = field(default_factory=list)
    emitted: list[Step] = field(default_factory=list)
    state: Any = None


def agent_of(target: object, folder: Path = Path()) -> AgentAdapter:
    (spec,) = plugin.agent_adapters()
    return spec.factory(spec.config(target=target), FakeHost(folder))


def request(eval_id: str = "case", **session_input: Any) -> SessionRequest:
    return SessionRequest(eval_id=eval_id, repeat=1, session_input=SessionInput(**session_input))


async def talk(agent: AgentAdapter, *messages: str, case: SessionRequest | None = None) -> Talk:
    done = Talk()
    session: AgentSession = await agent.open_session(case or request(), done.emitted.append)
    try:
        for message in messages:
            done.turns.append(await session.send(Content.of_text(message, role="user")))
        done.state = session.state
    finally:
        await session.aclose()
    return done


def run(target: object, *messages: str, case: SessionRequest | None = None) -> Talk:
    return asyncio.run(talk(agent_of(target), *messages, case=case))


def answers(done: Talk) -> list[str]:
    return [turn.final_response.text for turn in done.turns if turn.final_response]


class TestConformance(AgentAdapterConformance):
    component = "python-agent/python"
    messages = ("hello", "bye")

    @pytest.fixture(autouse=True)
    def _path(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "path", list(sys.path))

    def options(self, folder: Path) -> Mapping[str, Any]:
        (folder / "agent_for_conformance.py").write_text(
            "def agent(text, session):\n    return text.upper()\n"
        )
        return {"target": "agent_for_conformance:agent"}


# --- callables ------------------------------------------------------------------------


def test_a_function_from_text_to_text() -> None:
    done = run(lambda text: text.upper(), "hi", "there")
    assert answers(done) == ["HI", "THERE"]
    assert [turn.user_content.text for turn in done.turns] == ["hi", "there"]
    assert all(turn.duration is not None and turn.duration >= 0 for turn in done.turns)


def test_an_async_function() -> None:
    async def agent(text: str) -> str:
        await asyncio.sleep(0)
        return text[::-1]

    assert answers(run(agent, "abc")) == ["cba"]


def test_an_object_with_an_async_call() -> None:
    class Agent:
        async def __call__(self, text: str) -> str:
            return f"<{text}>"

    assert answers(run(Agent(), "a")) == ["<a>"]


def test_a_class_with_an_async_call_is_made_once_for_each_session() -> None:
    class Agent:
        def __init__(self) -> None:
            self.heard = 0

        async def __call__(self, text: str) -> str:
            self.heard += 1
            return f"{self.heard}: {text}"

    assert answers(run(Agent, "a", "b")) == ["1: a", "2: b"]


def test_a_builtin() -> None:
    assert answers(run(str.upper, "a")) == ["A"]


def test_an_adk_shaped_dict_may_leave_out_what_the_user_said() -> None:
    def agent(text: str) -> dict[str, Any]:
        return {
            "final_response": {"role": "model", "parts": [{"text": "done"}]},
            "intermediate_data": {"tool_uses": [{"name": "roll_die", "args": {"sides": 6}}]},
        }

    done = run(agent, "roll")
    (turn,) = done.turns
    assert turn.user_content.text == "roll"
    assert [(call.name, call.args) for call in turn.tool_calls] == [("roll_die", {"sides": 6})]
    assert [step.calls[0].name for step in done.emitted] == ["roll_die"]


def test_an_adk_shaped_dict_in_camel_case() -> None:
    def agent(text: str) -> dict[str, Any]:
        return {
            "userContent": {"parts": [{"text": "as the agent saw it"}]},
            "finalResponse": {"parts": [{"text": "ok"}]},
        }

    done = run(agent, "roll")
    assert answers(done) == ["ok"]
    assert done.turns[0].user_content.text == "as the agent saw it"


def test_an_invocation_is_taken_as_it_is() -> None:
    def agent(text: str) -> Invocation:
        return Invocation(
            user_content=Content.of_text(text),
            steps=(Step(number=1, items=(ToolCall(name="look"),)),),
            final_response=Content.of_text("seen"),
            duration=12.5,
        )

    (turn,) = run(agent, "x").turns
    assert turn.duration == 12.5
    assert turn.tool_calls[0].name == "look"


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        (None, "None"),
        (42, "int"),
        (["a"], "list"),
        (b"bytes", "bytes"),
        ((piece for piece in "abc"), "stream"),
        ({"final_respnse": {}}, "final_respnse"),
        ({"final_response": {"parts": [{"text": object()}]}}, "JSON"),
        ({"final_response": {"parts": [{"text": float("nan")}]}}, "JSON"),
        ("\ud800", "Unicode"),
    ],
)
def test_a_wrong_answer_says_what_came_and_what_was_expected(answer: object, named: str) -> None:
    with pytest.raises(AgentError, match=named) as caught:
        run(lambda text: answer, "hi")
    assert caught.value.code == "bad_answer"


def test_an_async_generator_is_named_as_a_stream() -> None:
    async def agent(text: str):
        yield text

    with pytest.raises(AgentError, match="stream"):
        run(agent, "hi")


def test_an_exception_of_the_agent_comes_through_as_it_is() -> None:
    def agent(text: str) -> str:
        raise LookupError("no such flight")

    with pytest.raises(LookupError, match="no such flight"):
        run(agent, "hi")


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), StopIteration()])
def test_an_agent_that_exits_does_not_end_the_run(error: BaseException) -> None:
    def agent(text: str) -> str:
        raise error

    with pytest.raises(Exception, match=type(error).__name__):
        run(agent, "hi")


def test_an_async_agent_that_exits_does_not_end_the_run() -> None:
    async def agent(text: str) -> str:
        raise SystemExit(1)

    with pytest.raises(AgentError, match="SystemExit"):
        run(agent, "hi")


# --- sessions -------------------------------------------------------------------------


def test_the_second_parameter_tells_the_session_and_keeps_its_state() -> None:
    def agent(text: str, session: Any) -> str:
        session.state["turns"] = session.state.get("turns", 0) + 1
        return f"{session.app_name}/{session.user_id}/{session.eval_id} {session.state}"

    case = request("c1", app_name="home", user_id="u", state={"k": 1})
    done = run(agent, "a", "b", case=case)
    assert answers(done) == ["home/u/c1 {'k': 1, 'turns': 1}", "home/u/c1 {'k': 1, 'turns': 2}"]
    assert done.state == {"k": 1, "turns": 2}
    assert case.session_input.state == {"k": 1}


def test_an_optional_second_parameter_gets_the_session_and_another_default_does_not() -> None:
    def optional(text: str, session: Any = None) -> str:
        return str(session.user_id)

    def tuned(text: str, temperature: float = 0.5) -> str:
        return str(temperature)

    case = request(user_id="u")
    assert answers(run(optional, "a", case=case)) == ["u"]
    assert answers(run(tuned, "a", case=case)) == ["0.5"]


def test_nothing_leaks_between_cases_that_run_at_the_same_time() -> None:
    def agent(text: str, session: Any) -> str:
        session.state.setdefault("said", []).append(text)
        time.sleep(0.01)
        return " ".join(session.state["said"])

    async def both() -> list[Talk]:
        adapter = agent_of(agent)
        shared = SessionInput(state={"said": []})
        cases = [SessionRequest(eval_id=name, repeat=1, session_input=shared) for name in "ab"]
        return await asyncio.gather(
            *(talk(adapter, f"{case.eval_id}1", f"{case.eval_id}2", case=case) for case in cases)
        )

    first, second = asyncio.run(both())
    assert answers(first) == ["a1", "a1 a2"]
    assert answers(second) == ["b1", "b1 b2"]


def test_a_class_is_made_anew_for_every_session_and_closed() -> None:
    closed: list[list[str]] = []

    class Agent:
        def __init__(self) -> None:
            self.said: list[str] = []

        def __call__(self, text: str) -> str:
            self.said.append(text)
            return " ".join(self.said)

        def close(self) -> None:
            closed.append(self.said)

    adapter = agent_of(Agent)
    assert answers(asyncio.run(talk(adapter, "a", "b"))) == ["a", "a b"]
    assert answers(asyncio.run(talk(adapter, "c"))) == ["c"]
    assert closed == [["a", "b"], ["c"]]


def test_a_class_whose_constructor_takes_the_session() -> None:
    class Agent:
        def __init__(self, session: Any) -> None:
            self.session = session

        async def send(self, content: Content) -> str:
            self.session.state["last"] = content.text
            return f"{self.session.user_id}: {content.text}"

    done = run(Agent, "a", case=request(user_id="u"))
    assert answers(done) == ["u: a"]
    assert done.state == {"last": "a"}


def test_a_function_without_parameters_makes_an_agent_for_every_session() -> None:
    def make() -> Callable[[str], str]:
        said: list[str] = []

        def agent(text: str) -> str:
            said.append(text)
            return "".join(said)

        return agent

    adapter = agent_of(make)
    assert answers(asyncio.run(talk(adapter, "a", "b"))) == ["a", "ab"]
    assert answers(asyncio.run(talk(adapter, "c"))) == ["c"]


def test_an_object_with_sessions_emits_by_itself_and_shows_its_state() -> None:
    class Chat:
        def __init__(self, emit: Callable[[Step], None]) -> None:
            self.emit = emit
            self.state = {"turns": 0}
            self.closed = False

        def send(self, content: Content) -> Invocation:
            step = Step(number=1, items=(ToolCall(name="look"),))
            self.emit(step)
            self.state["turns"] += 1
            return Invocation(user_content=content, steps=(step,), final_response=Content.of_text("ok"))

        async def aclose(self) -> None:
            self.closed = True

    class Agent:
        def __init__(self) -> None:
            self.chats: list[Chat] = []

        async def open_session(self, request: SessionRequest, emit: Callable[[Step], None]) -> Chat:
            self.chats.append(Chat(emit))
            return self.chats[-1]

    agent = Agent()
    done = run(agent, "a", "b")
    assert len(done.emitted) == 2
    assert done.state == {"turns": 2}
    assert agent.chats[0].closed


def test_an_object_with_sessions_may_ignore_request_and_emit() -> None:
    class Chat:
        def send(self, content: Content) -> str:
            return content.text

    class Agent:
        def open_session(self) -> Chat:
            return Chat()

    done = run(Agent, "a")
    assert answers(done) == ["a"]
    assert done.state is None


def test_a_state_that_is_no_json_is_an_error_of_the_case() -> None:
    def agent(text: str, session: Any) -> str:
        session.state["lock"] = threading.Lock()
        return "ok"

    with pytest.raises(AgentError, match=r"state of the session.*JSON"):
        run(agent, "a")


def test_a_session_keeps_its_thread_and_its_context() -> None:
    remembered: contextvars.ContextVar[str] = contextvars.ContextVar("remembered", default="nothing")
    outside: contextvars.ContextVar[str] = contextvars.ContextVar("outside")

    def agent(text: str) -> str:
        before = remembered.get()
        remembered.set(text)
        return f"{before} {outside.get()} {threading.get_ident()}"

    async def main() -> tuple[Talk, Talk]:
        outside.set("o")
        adapter = agent_of(agent)
        return await talk(adapter, "a", "b"), await talk(adapter, "c")

    first, second = asyncio.run(main())
    (one, two), (three,) = (answers(done) for done in (first, second))
    assert one.split()[:2] == ["nothing", "o"]
    assert two.split()[:2] == ["a", "o"]
    assert one.split()[2] == two.split()[2]
    assert three.split()[:2] == ["nothing", "o"]


# --- blocking -------------------------------------------------------------------------


@pytest.mark.parametrize("turns", [None, 1])
def test_blocking_agents_block_nobody(turns: int | None) -> None:
    barrier = threading.Barrier(40, timeout=120)

    def agent(text: str) -> str:
        barrier.wait()  # passes only where all forty run at the same time
        return text

    async def main() -> list[Talk]:
        adapter = agent_of(agent)
        case = replace(request(), turns=turns)
        return await asyncio.gather(*(talk(adapter, str(index), case=case) for index in range(40)))

    assert [answers(done) for done in asyncio.run(main())] == [[str(index)] for index in range(40)]


def test_nothing_of_a_session_is_left_in_the_thread_of_another_one() -> None:
    local = threading.local()
    remembered: contextvars.ContextVar[str] = contextvars.ContextVar("remembered", default="nothing")

    def agent(text: str) -> str:
        answer = f"{getattr(local, 'text', 'nothing')} {remembered.get()}"
        local.text = text
        remembered.set(text)
        return answer

    async def main() -> list[Talk]:
        adapter = agent_of(agent)
        case = replace(request(), turns=1)
        return await asyncio.gather(*(talk(adapter, str(index), case=case) for index in range(40)))

    assert [answers(done) for done in asyncio.run(main())] == [["nothing nothing"]] * 40


def test_a_thread_that_cannot_be_started_is_an_error_of_the_sessions_that_need_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    def agent(text: str) -> str:
        return text.upper()

    async def main() -> None:
        adapter = agent_of(agent)
        case = replace(request(), turns=1)
        with monkeypatch.context() as patch:
            patch.setattr("_thread.start_new_thread", refuse)
            with pytest.raises(RuntimeError, match="can't start new thread"):
                await talk(adapter, "a", case=case)
        assert answers(await talk(adapter, "b", case=case)) == ["B"]

    asyncio.run(asyncio.wait_for(main(), 60))


def test_a_session_whose_agent_hangs_can_still_be_closed() -> None:
    release = threading.Event()
    closed: list[bool] = []

    class Agent:
        def __call__(self, text: str) -> str:
            release.wait(120)
            return text

        def close(self) -> None:
            closed.append(True)

    async def main() -> None:
        session = await agent_of(Agent).open_session(request(), lambda step: None)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await session.send(Content.of_text("a"))
        with pytest.raises(AgentError, match="left running in its thread"):
            await session.aclose()

    try:
        asyncio.run(main())
        assert closed == [True]
    finally:
        release.set()


def test_a_hanging_agent_does_not_hold_up_the_end_of_the_process(tmp_path: Path) -> None:
    script = """
import asyncio, time
from pathlib import Path
from adjudge.model import Content, SessionInput
from adjudge.plugin import SessionRequest
from adjudge_plugins.agents import python_agent

(spec,) = python_agent.agent_adapters()
adapter = spec.factory(spec.config(target=lambda text: time.sleep(60)), None)

async def main():
    session = await adapter.open_session(SessionRequest(eval_id="a", repeat=1, session_input=SessionInput()), print)
    try:
        await asyncio.wait_for(session.send(Content.of_text("x")), 0.05)
    except TimeoutError:
        print("timed out")

asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout == "timed out\n"


# --- targets that cannot be used ------------------------------------------------------


def test_a_target_is_imported_from_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "agent_for_import.py").write_text(
        "class Box:\n    @staticmethod\n    def agent(text):\n        import helper_for_import\n        return helper_for_import.reply\n"
    )
    (tmp_path / "helper_for_import.py").write_text("reply = 'helped'\n")
    adapter = agent_of("agent_for_import:Box.agent", tmp_path)
    assert answers(asyncio.run(talk(adapter, "a"))) == ["helped"]


@pytest.mark.parametrize(
    ("source", "name", "message"),
    [
        ("import no_such_thing_at_all", "agent", "No module named 'no_such_thing_at_all'"),
        ("raise RuntimeError('no key')", "agent", "RuntimeError: no key"),
        ("import sys; sys.exit(3)", "agent", "SystemExit: 3"),
        ("def agent(:", "agent", "SyntaxError"),
        ("def agent(text): ...", "agnet", "Did you mean 'agent'"),
        ("agent = 7", "agent", "type int"),
        ("def agent(text, session, more): ...", "agent", "neither (text) nor (text, session)"),
        ("def agent(text, *, key): ...", "agent", "neither (text) nor (text, session)"),
        ("class agent:\n    def __init__(self, a, b): ...", "agent", "more than one argument"),
        ("class A:\n    def send(self, content): ...\nagent = A()", "agent", "mix the conversations"),
    ],
)
def test_an_agent_that_cannot_be_used_is_refused_before_the_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    source: str,
    name: str,
    message: str,
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    module = f"refused_{abs(hash(source))}"
    (tmp_path / f"{module}.py").write_text(source)
    with pytest.raises(InputError) as caught:
        agent_of(f"{module}:{name}", tmp_path)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("no_such_module_at_all:agent", "was looked for in"),
        ("no_such_agent.py:agent", "not its file: no_such_agent"),
        ("agent", "package.module:name"),
    ],
)
def test_a_target_that_names_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, message: str
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(InputError) as caught:
        agent_of(target, tmp_path)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("target", "accepted"),
    [
        ("agent:run", True),
        ("package.agent:Box.run", True),
        ("recorded:runs.json", True),  # a scheme is looked at first
        ("http://localhost:8000", False),
        ("agent.py", False),
        ("folder/agent:run", False),
        (":run", False),
        ("agent:", False),
    ],
)
def test_what_looks_like_a_python_agent(target: str, accepted: bool) -> None:
    (spec,) = plugin.agent_adapters()
    assert spec.accepts is not None
    assert spec.accepts(target) is accepted
