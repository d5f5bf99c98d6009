"""Sessions: an agent is talked to, what it does is seen, and the session becomes a case."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from conftest import WalkT, elements, fields, until
from nicegui import ui
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


BROKEN = """
def agent(text):
    if "again" in text:
        raise RuntimeError("the backend is down")
    return {"final_response": {"parts": [{"text": "Here I am."}]}}
"""


def test_what_is_typed_while_the_agent_is_at_work_stays_in_the_field(walk: Walk) -> None:
    async def steps(user: User) -> None:
        await talked(user, "sky:slow", "What is the weather in Oslo?")
        await user.should_see("The agent is at work…")
        message = fields(user, "Message")[0]
        message.set_value("And in Rome?")
        user.find(kind=ui.textarea).trigger("keydown.enter.exact.prevent")
        assert message.value == "And in Rome?"
        user.find("Stop").click()
        await user.should_see("This session is over.")
        await user.should_see("What is the weather in Oslo?")
        await user.should_not_see("The agent is at work…")
        await user.should_not_see("Send")

    walk(steps)


def test_a_message_that_the_agent_failed_at_stays_in_its_place_with_the_error(
    walk: Walk, folder: Path
) -> None:
    (folder / "moody.py").write_text(BROKEN, encoding="utf-8")

    async def steps(user: User) -> None:
        name = await talked(user, "moody:agent", "Do it again")
        await user.should_see("agent_raised: RuntimeError: the backend is down")
        fields(user, "Message")[0].set_value("Hello?")
        user.find("Send").click()
        await user.should_see("Here I am.")
        user.find("Stop").click()
        await user.should_see("This session is over.")
        shown = [item.text for item in elements(user) if isinstance(item, ui.label)]
        said = ["Do it again", "agent_raised: RuntimeError: the backend is down", "Hello?", "Here I am."]
        assert [text for text in shown if text in said] == said
        trace = (await user.http_client.get(f"/data/sessions/{name}")).json()["trace"]
        assert [group["rows"][0]["kind"] for group in trace["groups"]] == ["error", "say"]

    walk(steps)


def test_sessions_are_found_by_what_was_said_and_deleted(walk: Walk) -> None:
    async def steps(user: User) -> None:
        name = await talked(user, "sky:agent", "What is the weather in Rome?")
        await user.should_see("It is sunny in Rome.")
        user.find("Stop").click()
        await user.should_see("This session is over.")
        await user.open("/agents")
        await user.should_see("What is the weather in Rome?")
        await user.should_see("1 turn")
        await user.open(f"/sessions/{name}")
        await user.should_see("It is sunny in Rome.")
        user.find("Delete…").click()
        user.find("Delete it").click()
        await user.should_see("No session yet.")

    walk(steps)


def test_a_session_is_kept_in_a_new_eval_set_where_no_other_can_be_written(walk: Walk, folder: Path) -> None:
    (folder / "weather.evalset.json").unlink()
    old = [{"query": "Hi", "reference": "Hello", "expected_tool_use": []}]
    (folder / "old.test.json").write_text(json.dumps(old), encoding="utf-8")

    async def steps(user: User) -> None:
        await talked(user, "sky:agent", "What is the weather in Rome?")
        await user.should_see("It is sunny in Rome.")
        user.find("Keep as a case…").click()
        await user.should_see("Id of the case")
        assert fields(user, "Eval set")[0].options == {"": "a new eval set"}
        fields(user, "Id of the new eval set: letters, digits and _")[0].set_value("not good")
        fields(user, "Id of the case")[0].set_value("rome")
        user.find("Keep it").click()
        await user.should_see("can be no id of an eval set")
        fields(user, "Id of the new eval set: letters, digits and _")[0].set_value("kept")
        user.find("Keep it").click()
        await user.should_see("Turn 1")

    walk(steps)
    assert [case.eval_id for case in load_eval_set(folder / "kept.evalset.json").eval_cases] == ["rome"]
