"""The processes beside the page: when it has ended, none of them is left, whatever they were doing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from adjudge_web import workers
from adjudge_web.workers import Work, Workers
from conftest import WalkT, fields, until
from nicegui import ui
from nicegui.testing import User

import adjudge

Walk = Callable[[WalkT], None]

AGENTS = """
import os, signal, subprocess, sys, time
from pathlib import Path


def quiet(text):
    Path("pids").write_text(str(os.getpid()))
    return text


def lingering(text):
    # The run says its result long before the process ends.
    Path("pids").write_text(str(os.getpid()))
    end = os.killpg
    os.killpg = lambda *group: (time.sleep(4), end(*group))
    return text


def helped(text):
    helper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    Path("pids").write_text(f"{os.getpid()} {helper.pid}")
    return text


def deaf(text):
    helper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    Path("pids").write_text(f"{os.getpid()} {helper.pid}")
    os.kill(os.getpid(), signal.SIGSTOP)
    return text
"""

HEAVY = """
import os, time
from pathlib import Path

Path("pids").write_text(str(os.getpid()))
time.sleep(600)
"""


@pytest.fixture(autouse=True)
def agents(folder: Path) -> Path:
    (folder / "house.py").write_text(AGENTS, "utf-8")
    (folder / "heavy.py").write_text(HEAVY, "utf-8")
    return folder


def pids() -> list[int]:
    """The processes that have written their numbers into the working folder."""
    path = Path("pids")
    return [int(number) for number in path.read_text("utf-8").split()] if path.exists() else []


def state(process: int) -> str:
    """The letter that the system has for it; ``Z`` where it is no more."""
    try:
        return Path(f"/proc/{process}/stat").read_text("utf-8").rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return "Z"


async def started(user: User, agent: str) -> None:
    """Press Start in the dialog."""
    await user.open("/set?file=weather.evalset.json")
    user.find("Run all…").click()
    await user.should_see("Criteria")
    [field] = [item for item in user.find(ui.select).elements if item.props.get("label") == "Agent"]
    field.set_options([agent], value=agent)
    user.find("Start").click()


def test_a_run_that_has_said_its_result_has_not_ended_yet(walk: Walk) -> None:
    async def steps(user: User) -> None:
        await started(user, "house:lingering")
        await until(lambda: [run.state for run in adjudge.list_runs()] == ["finished"])
        assert [state(process) for process in pids()] != ["Z"]

    walk(steps)
    assert [state(process) for process in pids()] == ["Z"]


def test_what_an_agent_has_started_ends_with_the_process_of_its_run(walk: Walk) -> None:
    async def steps(user: User) -> None:
        await started(user, "house:helped")
        await until(lambda: [run.state for run in adjudge.list_runs()] == ["finished"])

    walk(steps)
    assert len(pids()) == 2
    asyncio.run(until(lambda: [state(process) for process in pids()] == ["Z", "Z"]))


def test_a_session_that_nobody_has_stopped(walk: Walk) -> None:
    async def steps(user: User) -> None:
        await user.open("/agents")
        fields(user, "Agent")[0].set_value("house:quiet")
        user.find("Talk").click()
        await user.should_see("Say something to begin.", retries=300)
        fields(user, "Message")[0].set_value("Hello.")
        user.find("Send").click()
        await until(lambda: len(pids()) == 1)

    walk(steps)
    assert [state(process) for process in pids()] == ["Z"]


def test_a_plan_that_is_still_being_made(walk: Walk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "PATIENCE", 0.5)

    async def steps(user: User) -> None:
        await started(user, "heavy:agent")
        await until(lambda: len(pids()) == 1)

    walk(steps)
    assert [state(process) for process in pids()] == ["Z"]


def test_a_process_that_does_not_listen_ends_with_all_that_it_has_started(
    walk: Walk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "PATIENCE", 0.5)

    async def steps(user: User) -> None:
        await started(user, "house:deaf")
        await until(lambda: len(pids()) == 2 and state(pids()[0]) == "T")

    walk(steps)
    assert state(pids()[0]) == "Z"
    asyncio.run(until(lambda: state(pids()[1]) == "Z"))  # the system ends it; nobody here is told


def test_nothing_is_begun_that_cannot_be_told_to_a_process() -> None:
    async def steps() -> None:
        owner, ended = Workers(), list[Work]()
        with pytest.raises(TypeError, match="not JSON serializable"):
            owner.begin(print, ended.append, do="session", agent=object())
        talking = owner.begin(print, ended.append, do="session", agent="house:quiet", session="one")
        with pytest.raises(TypeError, match="not JSON serializable"):
            talking.tell(send=object())
        await asyncio.wait_for(owner.stop_all(), 60)
        assert ended == [talking]

    asyncio.run(steps())
