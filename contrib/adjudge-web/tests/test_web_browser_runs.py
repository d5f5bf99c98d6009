"""Runs in a real Chromium: one whose server is killed is finished by the next, and reports are downloaded."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import jsonschema_rs
import pytest
from conftest import weather_case
from playwright.sync_api import Browser, expect
from served import free_port, served, started
from walking import Walk, walking

import adjudge

REPOSITORY = Path(__file__).resolve().parents[3]

COUNTING = """
import os, time
from pathlib import Path


def agent(text):
    with open("asked", "a") as asked:
        asked.write(text + "\\n")
    Path("pid").write_text(str(os.getpid()))
    while "Oslo" in text and not Path("go").exists():
        time.sleep(0.05)
    return "It is sunny."
"""
"""An agent that writes down every case that it is asked, and does not answer one of them until it may."""


@pytest.fixture
def walk(browser: Browser, tmp_path: Path) -> Iterator[Walk]:
    with walking(browser, tmp_path) as walk:
        yield walk


def asked(folder: Path) -> Counter[str]:
    """How often the agent was asked about each city."""
    lines = (folder / "asked").read_text("utf-8").splitlines()
    return Counter(line.rstrip("?").split()[-1] for line in lines)


def test_a_run_whose_server_was_killed_is_resumed_on_the_page(walk: Walk, folder: Path) -> None:
    (folder / "counting.py").write_text(COUNTING, "utf-8")
    cities = ("Paris", "Oslo", "Rome", "Lima")
    cases = [weather_case(city.casefold(), city, "It is sunny.") for city in cities]
    document = {"eval_set_id": "weather", "eval_cases": cases}
    (folder / "weather.evalset.json").write_text(json.dumps(document), "utf-8")
    page, port = walk.page, free_port()
    server = started(folder, port=port)
    try:
        page.goto(f"http://127.0.0.1:{port}/set?file=weather.evalset.json")
        page.get_by_role("button", name="Run all…").click()
        dialog = page.get_by_role("dialog", name="Run")
        dialog.get_by_role("combobox", name="Agent").fill("counting:agent")
        page.keyboard.press("Enter")
        dialog.get_by_role("checkbox", name="tool_trajectory_avg_score").click()
        page.get_by_role("button", name="Start").click()
        page.wait_for_url("**/runs/*")
        page.get_by_text("3 of 4 done").wait_for()
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait(20)
    [run] = adjudge.list_runs()
    assert (run.state, run.done, run.total) == ("unfinished", 3, 4)
    assert asked(folder) == dict.fromkeys(cities, 1)
    with served(folder, port=port) as address:
        page.goto(f"{address}/runs/{run.name}")
        resume = page.get_by_role("button", name="Resume")
        resume.click()
        expect(resume).to_have_count(0)
        for said in ("under way: counting:agent", "3 of 4 done", "3 were finished before."):
            page.get_by_text(said).wait_for()
        (folder / "go").touch()
        viewer = page.locator(".adjudge-viewer")
        for city in cities:
            viewer.get_by_text(city.casefold()).first.wait_for()
        expect(resume).to_have_count(0)
        walk.check(address)
    [run] = adjudge.list_runs()
    assert (run.state, run.done, run.total) == ("finished", 4, 4)
    assert asked(folder) == {**dict.fromkeys(cities, 1), "Oslo": 2}


def evaluated(eval_set: str, run: str) -> int:
    """Evaluate with the command line; its exit status."""
    command = [sys.executable, "-m", "adjudge", "eval", "sky:agent", eval_set, "--run", run]
    return subprocess.run(command, check=False, capture_output=True, timeout=300).returncode


def test_reports_are_downloaded(walk: Walk, folder: Path, tmp_path: Path) -> None:
    assert evaluated("weather.evalset.json", "weekly") == 1
    page = walk.page
    arrived: dict[str, str] = {}
    with served(folder) as address:
        page.goto(f"{address}/runs/weekly")
        page.locator(".adjudge-viewer").wait_for()
        for kind in ("JSON", "JUnit", "HTML"):
            page.get_by_role("button", name="Download").click()
            with page.expect_download() as started:
                page.get_by_role("menuitem", name=kind).click()
            file = tmp_path / "arrived"
            started.value.save_as(file)
            arrived[started.value.suggested_filename] = file.read_text("utf-8")
        walk.check(address)
    assert list(arrived) == ["weekly.json", "weekly.xml", "weekly.html"]
    schema = json.loads((REPOSITORY / "docs" / "reference" / "result.schema.json").read_text("utf-8"))
    document = json.loads(arrived["weekly.json"])
    jsonschema_rs.validator_for(schema).validate(document)
    assert {case["eval_id"]: case["status"] for case in document["cases"]} == {
        "paris": "PASS",
        "oslo": "FAIL",
    }
    tests = ElementTree.fromstring(arrived["weekly.xml"]).iter("testcase")  # noqa: S314 - of our own
    assert {test.get("name"): test.find("failure") is not None for test in tests} == {
        "paris": False,
        "oslo": True,
    }
    (tmp_path / "weekly.html").write_text(arrived["weekly.html"], "utf-8")
    page.goto((tmp_path / "weekly.html").as_uri())
    page.locator(".adjudge-viewer").get_by_text("oslo").first.click()
    expect(page.locator(".av-detail")).to_contain_text("It rains in Oslo.")


def test_a_large_run_has_rows_for_what_is_seen_whatever_stands_above_them(walk: Walk, folder: Path) -> None:
    cases = [weather_case(f"case_{number}", "Oslo", "It is sunny in Oslo.") for number in range(2000)]
    (folder / "large.evalset.json").write_text(
        json.dumps({"eval_set_id": "large", "eval_cases": cases}), "utf-8"
    )
    assert evaluated("large.evalset.json", "large") == 0
    page = walk.page
    with served(folder) as address:
        page.goto(f"{address}/runs/large")
        rows, last = page.locator(".av-case-row"), page.locator(".av-case-row", has_text="case_1999")
        listed = page.get_by_role("listbox", name="Cases")
        for width, height in ((1440, 900), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            if width < 820:  # where the list and the overview are not seen at once
                page.get_by_role("button", name="Cases 2,000").click()
            rows.first.wait_for()
            for padding in ("8px", "90px"):
                page.add_style_tag(content=f".ad-head {{ padding-block: {padding} !important; }}")
                expect(page.get_by_role("region", name="Results")).to_be_in_viewport(ratio=0.99)
                listed.focus()
                page.keyboard.press("Home")
                expect(last).to_have_count(0)
                page.keyboard.press("End")
                expect(last).to_be_in_viewport(ratio=0.99)
                assert 0 < rows.count() < 60
        walk.check(address)


def test_the_page_of_a_run_has_each_button_once_and_fits_a_phone(walk: Walk, folder: Path) -> None:
    assert evaluated("weather.evalset.json", "weekly") == 1
    log = {"task": "Buy milk.", "steps": [{"step": 1, "action": "search(1)", "result": "milk"}]}
    (folder / "log.json").write_text(json.dumps(log), "utf-8")
    page = walk.page
    with served(folder) as address:
        for place in ("/log?file=log.json&run=1", "/runs/weekly"):
            page.goto(address + place)
            page.locator(".adjudge-viewer").wait_for()
            expect(page.get_by_role("button", name="Light or dark")).to_have_count(1)
            page.get_by_role("button", name="Keys", exact=True).click()
            expect(page.get_by_role("dialog", name="Keys")).to_contain_text("g r")
            page.keyboard.press("Escape")
        page.set_viewport_size({"width": 390, "height": 844})
        criteria = page.get_by_role("group", name="Criteria")
        for said in ("tool_trajectory_avg_score", "0.83", "≥ 0.80", "1/2", "1 failed"):
            expect(criteria.get_by_text(said, exact=True)).to_be_in_viewport(ratio=0.99)
        assert criteria.evaluate("box => box.scrollWidth - box.clientWidth") == 0
        walk.shot("phone")
        page.get_by_role("button", name="Label").click()
        button = page.get_by_role("button", name="should be FAIL").last
        for side in ("left", "right"):
            expect(button).to_have_css(f"border-{side}-style", "solid")
        walk.shot("labels")
        page.goto(f"{address}/nowhere")
        page.get_by_role("link", name="All eval sets").click()
        page.get_by_text("weather.evalset.json").wait_for()
        walk.check(address)
