"""Fixtures of every test."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User
from nicegui.testing.general import nicegui_reset_globals
from nicegui.testing.user_interaction import UserInteraction
from playwright.sync_api import Browser, sync_playwright
from served import simulated

from adjudge.testing.fixtures import home

WalkT = Callable[[User], Coroutine[Any, Any, None]]

__all__ = ["home"]

AGENT = """
def agent(text):
    city = text.rstrip("?").split()[-1]
    return {
        "intermediate_data": {"tool_uses": [{"name": "get_weather", "args": {"city": city}}]},
        "final_response": {"parts": [{"text": f"It is sunny in {city}."}]},
    }


async def slow(text):
    import asyncio

    await asyncio.sleep(0 if "Paris" in text else 60)
    return agent(text)
"""


def weather_case(eval_id: str, city: str, answer: str) -> dict[str, Any]:
    return {
        "eval_id": eval_id,
        "conversation": [
            {
                "invocation_id": "turn-1",
                "user_content": {"role": "user", "parts": [{"text": f"What is the weather in {city}?"}]},
                "final_response": {"role": "model", "parts": [{"text": answer}]},
                "intermediate_data": {"tool_uses": [{"name": "get_weather", "args": {"city": city}}]},
            }
        ],
    }


FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("no Chromium is installed")
    with sync_playwright() as started:
        found = started.chromium.launch(executable_path=path, args=list(FLAGS))
        yield found
        found.close()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with an agent that is a function, and an eval set of two cases, of which one fails."""
    (tmp_path / "sky.py").write_text(AGENT, encoding="utf-8")
    cases = [
        weather_case("paris", "Paris", "It is sunny in Paris."),
        weather_case("oslo", "Oslo", "It rains in Oslo."),
    ]
    document = {"eval_set_id": "weather", "name": "weather", "eval_cases": cases, "made_by": "hand"}
    (tmp_path / "weather.evalset.json").write_text(json.dumps(document, indent=2), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def walk(folder: Path) -> Callable[[WalkT], None]:
    """Lets a user walk through the pages of the folder, in this process and without a browser."""

    def run(steps: WalkT) -> None:
        with nicegui_reset_globals():
            asyncio.run(simulated(folder, steps))

    return run


def elements(user: User) -> list[ui.element]:
    """Everything on the page, in the order in which it was made."""
    assert user.client is not None
    return sorted(user.client.elements.values(), key=lambda item: item.id)


def fields(user: User, label: str) -> list[Any]:
    """The fields with that label."""
    found = (
        item for item in elements(user) if isinstance(item, ui.input | ui.textarea | ui.select | ui.number)
    )
    return [item for item in found if item.props.get("label") == label]


def press(user: User, label: str) -> None:
    """Click the first button that a screen reader calls so."""
    found = [item for item in elements(user) if item.props.get("aria-label") == label]
    UserInteraction(user, {found[0]}, None).click()


async def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until something holds."""
    for _ in range(int(seconds * 10)):
        if condition():
            return
        await asyncio.sleep(0.1)
    raise AssertionError("it did not happen")


@pytest.fixture
def scripted_judge(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a judge that is a program: for this process and those that it starts."""
    monkeypatch.setenv("ADJUDGE_PLUGIN_FOLDERS", str(Path(__file__).parent / "plugins"))
    return "scripted/m"
