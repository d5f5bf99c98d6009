"""Eval sets: shown whatever their shape, many cases chosen at once, files deleted, and ways back from what is not there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import WalkT, elements, until, weather_case
from nicegui import ui
from nicegui.testing import User
from test_web_cases import OSLO, cases

Walk = Callable[[WalkT], None]


def test_what_a_case_expects_is_shown_as_a_trace_in_old_shapes_too(walk: Walk, folder: Path) -> None:
    old = [
        {
            "query": "Hi there",
            "reference": "Hello",
            "expected_tool_use": [{"tool_name": "greet", "tool_input": {}}],
        }
    ]
    (folder / "old.test.json").write_text(json.dumps(old), encoding="utf-8")

    async def steps(user: User) -> None:
        await user.open(OSLO)
        user.find("Trace").click()
        await user.should_see("What is expected")
        await user.should_see('get_weather({"city": "Oslo"})')
        await user.open("/set?file=old.test.json")
        [case] = [item for item in user.find(ui.link).elements if item.text == "old"]
        await user.open(str(case.props["href"]))
        await user.should_see("Hi there")
        await user.should_see("greet({})")
        trace = (await user.http_client.get("/data/cases?file=old.test.json&id=old")).json()["trace"]
        assert [row["kind"] for group in trace["groups"] for row in group["rows"]] == ["call"]
        missing = await user.http_client.get("/data/cases?file=../x.test.json&id=old")
        assert missing.status_code == 404

    walk(steps)


def test_all_cases_that_a_search_finds_are_chosen_at_once(walk: Walk, folder: Path) -> None:
    many = [
        weather_case(f"{'sun' if number % 2 else 'rain'}_{number}", "Rome", "Yes.") for number in range(240)
    ]
    document = {"eval_set_id": "many", "eval_cases": many}
    (folder / "many.evalset.json").write_text(json.dumps(document), encoding="utf-8")

    async def steps(user: User) -> None:
        await user.open("/set?file=many.evalset.json")
        user.find("Choose all found").click()
        await user.should_see("Run 240…")
        user.find("Choose all found").click()
        await user.should_see("Run all…")
        [search] = [item for item in elements(user) if item.props.get("aria-label") == "Search cases"]
        assert isinstance(search, ui.input)
        search.set_value("sun_")
        user.find("Choose all found").click()
        await user.should_see("Run 120…")
        user.find("Delete 120…").click()
        await user.should_see("and 112 more")
        user.find("Delete for good").click()
        await until(lambda: len(cases(folder, "many.evalset.json")) == 120)

    walk(steps)
    assert {name.split("_")[0] for name in cases(folder, "many.evalset.json")} == {"rain"}


@pytest.mark.parametrize("content", ["{", '[{"query": "Hi", "reference": "Hello", "expected_tool_use": []}]'])
def test_a_file_that_cannot_be_changed_can_be_deleted(walk: Walk, folder: Path, content: str) -> None:
    path = folder / "odd.test.json"
    path.write_text(content, encoding="utf-8")

    async def steps(user: User) -> None:
        await user.open("/set?file=odd.test.json")
        user.find("Delete…").click()
        user.find("Delete the file").click()
        await until(lambda: not path.exists())

    walk(steps)


def test_an_address_without_anything_says_so_and_leads_back(walk: Walk) -> None:
    async def steps(user: User) -> None:
        for place, back in (
            ("/set?file=none.test.json", "/"),
            ("/runs/none", "/runs"),
            ("/sessions/none", "/agents"),
        ):
            await user.open(place)
            await user.should_see("there is no")
            assert back in [item.props["href"] for item in user.find(ui.link).elements if "‹" in item.text]

    walk(steps)
