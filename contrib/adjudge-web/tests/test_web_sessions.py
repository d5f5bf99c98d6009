"""Sessions: an agent is talked to, what it does is seen, and the session becomes a case."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from conftest import WalkT, fields, until
from nicegui.testing import User

from adjudge.kit.adk import load_eval_set

Walk = Callable[[WalkT], None]


async def talked(user: User, agent: str, said: str) -> str:
    """Begin a session and say something; the name of the session."""
    await user.open("/agents")
    fields(user, "Agent")[0].set_value(agent)
    user.find("Talk").click()
    await until(lambda: user.back_history[-1].startswith("/sessions/"))
    await user.should_see("Say something to begin.", retries=300)
    fields(user, "Message")[0].set_value(said)
    user.find("Send").click()
    return user.back_history[-1].removeprefix("/sessions/")


def test_a_session_becomes_a_case_that_the_agent_passes(walk: Walk, folder: Path) -> None:
    async def steps(user: User) -> None:
        name = await talked(user, "sky:agent", "What is the weather in <b>Rome</b>?")
        await user.should_see("It is sunny in <b>Rome</b>.")
        await user.should_see('get_weather({"city": "<b>Rome</b>"})')
        trace = (await user.http_client.get(f"/data/sessions/{name}")).json()
        assert trace["kind"] == "trace"
        assert [len(group["rows"]) for group in trace["trace"]["groups"]] == [1]
        user.find("Keep as a case…").click()
        await user.should_see("Id of the case")
        fields(user, "Id of the case")[0].set_value("rome")
        user.find("Keep it").click()
        await user.should_see("Turn 1")
        user.find("Session").click()
        await user.open(f"/sessions/{name}")
        user.find("Stop").click()
        await user.should_see("This session is over.")
        await user.open("/agents")
        await user.should_see(name)

    walk(steps)
    case = load_eval_set(folder / "weather.evalset.json").eval_cases[-1]
    assert case.eval_id == "rome"
    assert case.conversation is not None
    [turn] = case.conversation
    assert [(call.name, call.args) for call in turn.tool_calls] == [("get_weather", {"city": "<b>Rome</b>"})]
    assert json.loads((folder / "weather.evalset.json").read_text("utf-8"))["made_by"] == "hand"


def test_a_session_is_stopped_while_the_agent_is_at_work(walk: Walk) -> None:
    async def steps(user: User) -> None:
        await talked(user, "sky:slow", "What is the weather in Oslo?")
        await user.should_see("The agent is at work…")
        user.find("Stop").click()
        await until(lambda: "The agent is at work…" not in str(user.current_layout))

    walk(steps)


def test_an_agent_that_cannot_be_made_says_why(walk: Walk) -> None:
    async def steps(user: User) -> None:
        await user.open("/agents")
        fields(user, "Agent")[0].set_value("sky:nobody")
        user.find("Talk").click()
        await user.should_see("nobody", retries=300)

    walk(steps)
