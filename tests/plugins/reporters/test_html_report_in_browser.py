"""The page in a real browser: opened from disk, read, searched, followed; nothing asked of any server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from adjudge.kit.viewer import trace_document, viewer_css, viewer_js
from adjudge.model import Usage
from adjudge.model.aggregated import AggregatedSteps
from adjudge.model.eval_set import EvalCase
from adjudge.model.invocation import Invocation
from adjudge.model.items import Content
from adjudge.model.measurement import Measurement, Outcome
from adjudge.model.result import CriterionResult
from adjudge.model.step import Step
from adjudge.model.trajectory import Trajectory
from adjudge.model.verdict import Verdict
from adjudge.testing import FinishedCase, fake_distribution
from adjudge.testing.log_runs import log_case, report_of
from adjudge_plugins.reporters.html_reporter.reporter import HtmlReporter

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TESTS = Path(__file__).parents[2]
SIZES = {"laptop": (1440, 900), "tablet": (1024, 768), "phone": (390, 844)}
HOSTILE = (
    "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=1'><svg onload='window.hacked=1'>"
    "<style>body{display:none}</style> javascript:window.hacked=1 \x1b[31mred \u202etxt.exe \x00"
)
GROUND = "getComputedStyle(document.querySelector('.adjudge-viewer')).backgroundColor"
SHOWN = "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=1'>"


def run(folder: Path, *arguments: str, **environment: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "adjudge", *arguments],
        cwd=folder,
        env={**os.environ, "ADJUDGE_HOME": str(folder / "home"), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode in (0, 1, 3), done.stderr


def turn(city: str, answer: str, **args: str) -> dict[str, Any]:
    return {
        "user_content": {"parts": [{"text": f"What is the weather in {city}?"}]},
        "final_response": {"parts": [{"text": answer}]},
        "intermediate_data": {"tool_uses": [{"name": "get_weather", "args": {"city": city, **args}}]},
    }


ANSWERS = {
    "Paris": "It is sunny in Paris.",
    "Oslo": "It is sunny in Oslo.",
    "東京": "東京は晴れです。気温は二十度です。",
    "القاهرة": "الطقس مشمس في القاهرة اليوم.",
}
EXPECTED = {
    **ANSWERS,
    "Oslo": "It is raining in Oslo, four degrees.",
    "東京": "東京は大雨です。傘が要ります。",
    "القاهرة": "المطر غزير في القاهرة وعليك بالمظلة.",
}
AGENT = f"""
ANSWERS = {ANSWERS!r}

def agent(text):
    city = text.rstrip("?").split()[-1]
    return {{
        "intermediate_data": {{"tool_uses": [{{"name": "get_weather", "args": {{"city": city, "unit": "C"}}}}]}},
        "final_response": {{"parts": [{{"text": ANSWERS[city]}}]}},
    }}
"""


@pytest.fixture(scope="module")
def weather(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of an agent, compared with one before it."""
    folder = tmp_path_factory.mktemp("weather")
    (folder / "bot.py").write_text(AGENT, encoding="utf-8")
    cases = [
        {"eval_id": city, "conversation": [turn(city, answer, unit="F" if city == "Oslo" else "C")]}
        for city, answer in EXPECTED.items()
    ]
    cases.append({"eval_id": "Atlantis", "conversation": [turn("Atlantis", "I do not know.")]})
    file = folder / "weather.evalset.json"
    file.write_text(json.dumps({"eval_set_id": "weather", "eval_cases": cases}), encoding="utf-8")
    run(folder, "eval", "bot:agent", file.name, "--run", "monday")
    (folder / "bot.py").write_text(AGENT.replace("sunny in Paris", "foggy"), encoding="utf-8")
    run(folder, "eval", "bot:agent", file.name, "--run", "tuesday")
    run(folder, "runs", "show", "tuesday", "--baseline", "monday", "--output", "report.html")
    return folder / "report.html"


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs judged by a judge that is a program."""
    folder = tmp_path_factory.mktemp("judged")
    golden = TESTS / "integration" / "golden"
    shutil.copytree(golden / "inputs", folder, dirs_exist_ok=True)
    source = (golden / "scripted_judge.py").read_text(encoding="utf-8")
    site = folder / "installed"
    fake_distribution(
        site,
        "adjudge-scripted",
        entry_points={"scripted": "scripted_judge"},
        modules={"scripted_judge": source},
    )
    judge = ("judge", "logs", "--judge", "scripted/m", "--criteria", "criteria.yaml")
    run(folder, *judge, "--output", "report.html", PYTHONPATH=str(site))
    return folder / "report.html"


LEVELS = ("global_summary", "step_level", "phase_level")


def levels_of(folder: Path, goals: list[str], levels: tuple[str, ...] = LEVELS) -> Path:
    """A report of a run at levels: a step for each goal, and a phase wherever the goal changes."""
    steps = [
        {
            "step": number,
            "next_goal": goal,
            "action": f'click({{"index": {number}}})',
            "observation": f"Page {number}.",
        }
        for number, goal in enumerate(goals, 1)
    ]
    log = {"task": "Buy the cheapest milk.", "steps": steps}
    (folder / "log.json").write_text(json.dumps(log), encoding="utf-8")
    criteria = [{"name": name, "description": "The milk is bought.", "granularity": name} for name in levels]
    (folder / "criteria.yaml").write_text(json.dumps(criteria), encoding="utf-8")
    wanted = ("--aggregate-only", "--criteria", "criteria.yaml", "--output", "report.html")
    run(folder, "judge", "log.json", *wanted)
    return folder / "report.html"


@pytest.fixture(scope="module")
def levelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run at three levels: twelve steps in three phases."""
    goals = [goal for goal in ("Find milk.", "Compare prices.", "Pay.") for _ in range(4)]
    return levels_of(tmp_path_factory.mktemp("levelled"), goals)


def marked(page: Page, level: str) -> list[str]:
    """The steps of what is marked in a level."""
    parts = page.locator(f".av-level:has(.av-level-name:text-is('{level}')) [data-steps].av-marked")
    return [str(part.get_attribute("data-steps")) for part in parts.all()]


def rows(page: Page) -> list[str]:
    return page.locator(".av-case-row .av-case-id").all_inner_texts()


def test_it_opens_from_disk_and_asks_no_server(weather: Path, opened: Any) -> None:
    page = opened(weather).page

    assert page.title() == "tuesday: FAIL"
    assert page.locator(".av-verdict").inner_text() == "FAIL"
    assert rows(page) == ["Paris", "Oslo", "東京", "القاهرة", "Atlantis"]
    assert page.locator(".av-table tbody tr").count() == 2


def test_cases_are_filtered_searched_and_sorted(weather: Path, opened: Any) -> None:
    page = opened(weather).page

    page.get_by_role("button", name="FAIL").first.click()
    assert rows(page) == ["Paris", "Oslo", "東京", "القاهرة"]
    page.keyboard.press("/")
    page.keyboard.type("東京")
    page.wait_for_selector(".av-found:has-text('1 of 5 cases')")
    assert rows(page) == ["東京"]
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name="all").click()
    page.get_by_label("Sort by").select_option("lowest response_match_score")
    assert rows(page)[-1] == "Atlantis"
    assert "sort=c1" in page.url


def test_a_failure_shows_expected_beside_actual_with_what_differs(weather: Path, opened: Any) -> None:
    page = opened(weather).at(case="weather.evalset.json:Oslo")

    assert page.locator(".av-answer del").all_inner_texts() == ["raining", ", four degrees"]
    assert page.locator(".av-answer ins").all_inner_texts() == ["sunny"]
    assert page.locator(".av-call .av-expected").all_inner_texts() == ['unit="F"']
    assert page.locator(".av-call .av-actual").all_inner_texts() == ['unit="C"']
    assert "below the threshold 0.80" in page.locator(".av-finding").nth(1).inner_text()


def test_keys_go_from_failure_to_failure(weather: Path, opened: Any) -> None:
    page = opened(weather).page
    shown = page.locator(".av-case-name")

    page.keyboard.press("n")
    assert shown.inner_text() == "weather.evalset.json:Paris"
    page.keyboard.press("n")
    page.wait_for_selector(".av-case-name:has-text('Oslo')")
    page.keyboard.press("N")
    page.wait_for_selector(".av-case-name:has-text('Paris')")
    page.keyboard.press("j")
    page.wait_for_selector(".av-case-name:has-text('Oslo')")
    page.keyboard.press("2")
    assert page.get_by_role("tab", name="Trace").get_attribute("aria-selected") == "true"
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()
    page.keyboard.press("Escape")
    assert not page.get_by_role("dialog").is_visible()
    page.go_back()
    page.wait_for_selector(".av-case-name:has-text('Paris')")


def test_a_step_of_the_trace_opens_its_event_and_the_graph(weather: Path, opened: Any) -> None:
    one = opened(weather)
    page = one.at(case="weather.evalset.json:Oslo", tab="trace")

    page.locator(".av-trace-row").first.click()
    panel = page.get_by_role("region", name="Step")
    assert 'get_weather({"city": "Oslo", "unit": "C"})' in panel.inner_text()
    panel.get_by_role("tab", name="Request").click()
    assert "was not recorded" in panel.inner_text()
    panel.get_by_role("tab", name="Graph").click()
    assert panel.locator("svg .av-node text").all_text_contents() == ["user", "bot:agent", "get_weather"]
    assert panel.locator("svg .av-edge.av-now").count() == 1
    assert "step=1" in page.url


def test_what_was_recorded_of_a_model_call_is_shown_on_the_axis_of_time(
    tmp_path: Path, run_of: Any, a_turn: Any, opened: Any
) -> None:
    plain = a_turn("Turn it off.", "It is off.", [("look", {}), ("switch", {"on": False})])
    recorded = {
        "raw_event": {"id": "e-1", "author": "home"},
        "model_request": {"contents": "Turn it off."},
        "model_response": {"parts": ["switch"]},
        "usage": Usage(input_tokens=1200, output_tokens=34),
        "extra": {"cost": 0.00001034567},
    }
    first, second = plain.steps
    steps = (
        first.model_copy(update={"started_at": 100.0, "duration": 1.0, "author": "home"}),
        second.model_copy(update={"started_at": 101.0, "duration": 3.0, "author": "lamp", **recorded}),
    )
    report = (
        run_of()
        .add("lamp", {"answer_match": [1.0]}, actual=[plain.model_copy(update={"steps": steps})])
        .report()
    )
    file = tmp_path / "report.html"
    with file.open("wb") as stream:
        HtmlReporter().write(report, stream)
    page = opened(file).at(case="home.evalset.json:lamp", tab="trace", step=2)

    bars = [box.bounding_box() for box in page.locator(".av-bar").all()]
    assert bars[0] is not None
    assert bars[1] is not None
    assert bars[1]["width"] / bars[0]["width"] == pytest.approx(3, rel=0.05)
    assert bars[1]["x"] == pytest.approx(bars[0]["x"] + bars[0]["width"], abs=2)
    assert page.locator(".av-trace-row .av-time").all_inner_texts() == ["1.0 s", "3.0 s"]
    assert page.locator(".av-trace-row.av-event .av-tokens").all_inner_texts() == [
        "1.2k in, 34 out\ncost 0.00001035"
    ]
    assert "cost\n0.00001035" in page.locator(".av-trace-top").inner_text()
    spent = page.locator(".av-event .av-tokens")
    assert spent.evaluate("element => element.scrollWidth <= element.clientWidth"), "a cost is cut off"
    panel = page.get_by_role("region", name="Step")
    panel.get_by_text("Event as recorded").click()
    assert '"id": "e-1"' in panel.inner_text()
    panel.get_by_role("tab", name="Request").click()
    assert '"contents": "Turn it off."' in panel.inner_text()
    panel.get_by_role("tab", name="Response").click()
    assert '"switch"' in panel.inner_text()


def test_the_step_at_fault_and_its_runners_up_are_marked_in_the_run(
    tmp_path: Path, run_of: Any, a_turn: Any, opened: Any
) -> None:
    happened = a_turn("Turn it off.", "It is on.", [("look", {}), ("switch", {"on": True}), ("wait", {})])
    fault = {"step": 2, "agent": "lamp", "source_ref": None, "runners_up": [{"step": 3, "agent": None}]}
    found = Measurement(overall=Outcome.scored(0.0, "It was switched on."), details=fault)
    report = run_of().add("lamp", {"answer_match": found}, actual=[happened]).report()
    file = tmp_path / "report.html"
    with file.open("wb") as stream:
        HtmlReporter().write(report, stream)
    one = opened(file)
    page = one.at(case="home.evalset.json:lamp", tab="trace")

    assert page.locator(".av-trace-row .av-tag").all_inner_texts() == [
        "first error: answer_match",
        "runner-up: answer_match",
    ]
    page = one.at(case="home.evalset.json:lamp", tab="judge")
    assert "Step 2" in page.locator(".av-judge-step").inner_text()
    page.get_by_role("button", name="step 3").click()
    assert "Step 3" in page.locator(".av-judge-step").inner_text()


def test_a_page_of_somebody_else_shows_a_trace_and_keeps_its_own_address(
    browser: Browser, a_turn: Any
) -> None:
    turns = (a_turn("Turn it off.", "It is off.", [("look", {}), ("switch", {"on": False})]),)
    document = trace_document(Trajectory(invocations=turns), "a session")
    page = browser.new_page(viewport={"width": 700, "height": 500})
    page.set_content("<p id=own>Mine.</p><div id=there style='height: 400px'></div>")
    page.add_style_tag(content=viewer_css())
    page.add_script_tag(content=viewer_js())
    page.evaluate(
        """(view) => {
            window.told = []; window.pointed = [];
            window.viewer = adjudgeViewer.mount(document.getElementById("there"), view, {
                address: { read: () => "step=2", write: (fragment) => told.push(fragment) },
                hover: (step) => pointed.push(step),
            });
        }""",
        document,
    )

    page.wait_for_selector(".av-step-head:has-text('Step 2')")
    page.locator(".av-trace-row").first.click()
    page.locator("#own").hover()
    assert page.evaluate("told") == ["step=1"]
    assert page.evaluate("pointed") == [1, None]
    assert page.url == "about:blank"
    page.evaluate("viewer.destroy()")
    assert page.locator("#there > *").count() == 0
    page.close()


def test_a_citation_leads_to_its_words_and_has_an_address(judged: Path, opened: Any) -> None:
    one = opened(judged)
    page = one.page
    page.keyboard.press("n")
    page.wait_for_selector(".av-citation")
    citation = page.locator("button.av-citation").first
    words = citation.locator("q").inner_text()

    citation.click()

    assert page.locator(".av-judge-step mark").inner_text() == words
    assert page.evaluate("document.activeElement.tagName") == "MARK"
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector(".av-judge-step mark")
    assert page.locator(".av-judge-step mark").inner_text() == words


def test_votes_are_shown_beside_the_recorded_step(judged: Path, opened: Any) -> None:
    page = opened(judged).page
    page.keyboard.press("n")
    page.wait_for_selector(".av-judge")

    assert page.locator(".av-votes-bar").count() > 0
    page.locator(".av-step-list .av-step-row").first.click()
    step = page.get_by_role("region", name="Recorded step")
    assert step.get_by_role("heading", level=3).inner_text() == "Step 1"


def test_three_levels_stand_side_by_side_with_the_recorded_step(levelled: Path, opened: Any) -> None:
    one = opened(levelled)
    page = one.at(case="log.json#1", tab="judge")
    step = page.get_by_role("region", name="Recorded step")
    step.get_by_role("heading", name="Step 1", exact=True).wait_for()
    names = ("step level", "phase level", "global summary")
    panels = [page.get_by_role("region", name=name).bounding_box() for name in names]
    boxes = [box for box in (*panels, step.bounding_box()) if box is not None]

    assert len(boxes) == 4
    assert all(left["x"] + left["width"] <= right["x"] for left, right in pairwise(boxes))
    assert page.get_by_role("tablist", name="Level").count() == 0
    page.get_by_role("button", name="Phase B").click()
    step.get_by_role("heading", name="Step 5", exact=True).wait_for()
    assert 'click({"index": 5})' in step.inner_text()
    assert "[click(index=5)]" in step.get_by_text("as the judge saw it").locator("..").inner_text()
    assert marked(page, "step level") == ["5", "6", "7", "8"]
    assert marked(page, "phase level") == ["5,6,7,8"]
    assert page.get_by_role("button", name="Phase B").get_attribute("aria-pressed") == "true"
    assert marked(page, "global summary") == [",".join(str(number) for number in range(1, 13))]
    page.get_by_role("option", name="Step 10:").click()
    step.get_by_role("heading", name="Step 10", exact=True).wait_for()
    assert marked(page, "phase level") == ["9,10,11,12"]
    page.get_by_role("listbox", name="Steps").press("ArrowUp")
    step.get_by_role("heading", name="Step 9", exact=True).wait_for()
    assert "step=9" in page.url
    page = one.at(case="log.json#1", tab="judge", step=2)
    step.get_by_role("heading", name="Step 2", exact=True).wait_for()
    assert marked(page, "phase level") == ["1,2,3,4"]


def test_phases_are_drawn_as_wide_as_their_steps_are_many(levelled: Path, opened: Any) -> None:
    page = opened(levelled).at(case="log.json#1", tab="judge")
    line = page.get_by_role("img", name="Phases: Phase A: steps 1–4; Phase B: steps 5–8; Phase C: steps 9–12")
    whole = line.bounding_box()
    parts = [part.bounding_box() for part in line.locator(".av-phase").all()]

    assert whole is not None
    assert [part["width"] / whole["width"] for part in parts if part] == pytest.approx([1 / 3] * 3, abs=0.01)
    line.get_by_text("Phase C").click()
    page.get_by_role("heading", name="Step 9", exact=True).wait_for()
    assert marked(page, "step level") == ["9", "10", "11", "12"]
    assert line.locator(".av-phase.av-marked").all_inner_texts() == ["Phase C"]
    now = line.locator(".av-phase-now").bounding_box()
    assert now is not None
    assert now["x"] + now["width"] / 2 - whole["x"] == pytest.approx(8.5 / 12 * whole["width"], abs=2)


def test_the_first_error_and_its_runners_up_are_marked_on_the_line_of_phases(
    tmp_path: Path, opened: Any
) -> None:
    view = AggregatedSteps(
        granularity="phase_level",
        aggregated_content="Looks: steps 1 and 2\nBuys: steps 3 and 4",
        step_mapping={"Looks": (1, 2), "Buys": (3, 4)},
    )
    found = CriterionResult(
        criterion_name="Done",
        criterion="acme/words",
        status="FAIL",
        verdict=Verdict.FAIL,
        reasoning="It bought nothing.",
        details={"step": 3, "agent": None, "source_ref": None, "runners_up": [{"step": 1, "agent": None}]},
        aggregated_steps=(view,),
    )
    result = log_case("log.json", found)
    turn_of_four = Invocation(
        user_content=Content.of_text("Buy milk."), steps=tuple(Step(number=n) for n in (1, 2, 3, 4))
    )
    case = FinishedCase(
        result=result, case=EvalCase(eval_id="1"), actual=Trajectory(invocations=(turn_of_four,))
    )
    file = tmp_path / "report.html"
    with file.open("wb") as stream:
        HtmlReporter().write(replace(report_of([result]), cases=lambda: iter([case])), stream)
    page = opened(file).at(case="log.json#1", tab="judge")

    faults = page.locator(".av-phase-fault")
    assert [one.get_attribute("title") for one in faults.all()] == [
        "Step 1: runner-up: Done",
        "Step 3: first error: Done",
    ]
    faults.first.click()
    page.get_by_role("heading", name="Step 1", exact=True).wait_for()


def test_a_narrow_window_has_the_levels_as_tabs_for_the_keyboard(levelled: Path, opened: Any) -> None:
    page = opened(levelled, "phone").at(case="log.json#1", tab="judge", step=6)
    tabs = page.get_by_role("tablist", name="Level")
    steps, phases = tabs.get_by_role("tab").all()[:2]

    assert tabs.get_by_role("tab").all_inner_texts() == ["step level", "phase level", "global summary"]
    assert page.get_by_role("tabpanel", name="step level").is_visible()
    assert not page.get_by_role("button", name="Phase B").is_visible()
    steps.press("ArrowRight")
    assert phases.evaluate("tab => tab === document.activeElement")
    assert phases.get_attribute("aria-selected") == "true"
    panel = page.get_by_role("tabpanel", name="phase level")
    assert panel.is_visible()
    assert phases.get_attribute("aria-controls") == panel.get_attribute("id")
    assert marked(page, "phase level") == ["5,6,7,8"]
    panel.get_by_role("button", name="Phase C").press("Enter")
    page.get_by_role("region", name="Recorded step").get_by_role(
        "heading", name="Step 9", exact=True
    ).wait_for()
    phases.press("ArrowLeft")
    assert marked(page, "step level") == ["9", "10", "11", "12"]
    steps.press("ArrowLeft")
    assert page.get_by_role("tabpanel", name="global summary").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES["phone"][0]
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("region", name="step level").wait_for()
    assert page.get_by_role("region", name="phase level").is_visible()


def test_a_run_at_one_level_has_no_empty_ones(tmp_path: Path, opened: Any) -> None:
    report = levels_of(tmp_path, ["Find milk.", "Pay."], ("step_level",))
    for size in ("laptop", "phone"):
        page = opened(report, size).at(case="log.json#1", tab="judge")
        page.get_by_role("heading", name="Step 1", exact=True).wait_for()

        assert page.locator(".av-level-name").all_text_contents() == ["step level"]
        assert page.get_by_role("tablist", name="Level").count() == 0
        assert page.get_by_role("region", name="step level").is_visible()


def test_the_levels_of_a_long_run_are_rows_only_where_they_are_seen(tmp_path: Path, opened: Any) -> None:
    goals = [f"Goal {number // 100}." for number in range(3000)]
    page = opened(levels_of(tmp_path, goals)).at(case="log.json#1", tab="judge", step=1500)
    page.get_by_role("heading", name="Step 1500", exact=True).wait_for()

    assert page.locator(".av-step-row").count() < 60
    # Many phases are named briefly, as there is little room for each.
    assert page.locator(".av-phase").all_inner_texts()[:3] == ["A", "B", "C"]
    assert page.get_by_role("option", name="Step 1500:").get_attribute("aria-selected") == "true"
    page.get_by_role("listbox", name="Steps").press("End")
    page.get_by_role("heading", name="Step 3000", exact=True).wait_for()
    assert page.get_by_role("option", name="Step 3000:").is_visible()


def test_a_log_that_was_named_by_its_whole_path_is_headed_by_its_name(tmp_path: Path, opened: Any) -> None:
    levels_of(tmp_path, ["Pay."])
    file = str(tmp_path / "log.json")
    run(tmp_path, "judge", file, "--aggregate-only", "--output", "whole.html")
    page = opened(tmp_path / "whole.html").at(case=f"{file}#1")

    heading = page.get_by_role("heading", name="log.json#1")
    assert heading.inner_text() == "log.json#1"
    assert heading.get_attribute("title") == f"{file}#1"


def test_the_changes_since_another_run_lead_to_their_cases(weather: Path, opened: Any) -> None:
    page = opened(weather).at(view="changes")

    assert page.locator(".av-changes .av-change").count() == 1
    assert "got worse" in page.locator(".av-change").inner_text()
    page.locator(".av-change button").click()
    page.wait_for_selector(".av-case-name:has-text('Paris')")


def test_a_hostile_log_is_shown_as_text(tmp_path: Path, opened: Any) -> None:
    names = ("thinking", "memory", "next_goal", "action", "observation", "result", "error")
    steps = [{"step": number, **dict.fromkeys(names, HOSTILE)} for number in (1, 2)]
    steps[1]["observation"] = "A" * 10_000_000
    log = {"task": HOSTILE, "agent": HOSTILE, "steps": steps}
    (tmp_path / "log.json").write_text(json.dumps(log))
    run(tmp_path, "judge", "log.json", "--aggregate-only", "--run", "hostile", "--output", "report.html")
    one = opened(tmp_path / "report.html")

    for tab in ("result", "trace", "judge"):
        page = one.at(case="log.json#1", tab=tab, step=1)
        page.wait_for_selector(".av-case")
        assert SHOWN in page.locator("body").inner_text()
        assert page.evaluate("window.hacked") is None
        assert page.locator("img, iframe, object, link, a, script[src]").count() == 0
    page = one.at(case="log.json#1", tab="trace", step=2)
    item = page.locator(".av-item-observation .av-text")
    assert len(item.inner_text()) < 10_000
    item.get_by_role("button").click()
    assert len(item.inner_text()) > 200_000
    # Browsers need minutes for the lines of a word of this length, and two seconds for pieces of it.
    pieces = item.evaluate("element => [...element.childNodes].map((node) => node.textContent.length)")
    assert max(pieces) <= 500


def test_ten_thousand_cases_are_rows_only_where_they_are_seen(
    tmp_path: Path, run_of: Any, a_turn: Any, opened: Any
) -> None:
    many = run_of()
    turns = [a_turn("Turn it off.", "It is off.")]
    for number in range(10_000):
        many.add(
            f"case {number}",
            {"answer_match": [0.1 if number % 7 == 3 else 1.0]},
            expected=turns,
            actual=turns,
        )
    file = tmp_path / "report.html"
    with file.open("wb") as stream:
        HtmlReporter().write(many.report(), stream)

    page = opened(file).page

    assert page.locator(".av-case-row").count() < 60
    page.get_by_role("searchbox").fill("case 9999")
    page.wait_for_selector(".av-found:has-text('1 of 10,000 cases')")
    assert rows(page) == ["case 9999"]
    page.get_by_role("searchbox").fill("")
    page.wait_for_selector(".av-found", state="hidden")
    page.evaluate("document.querySelector('.av-case-list').scrollTop = 1e9")
    page.wait_for_selector(".av-case-row:has-text('case 9999')")
    page.locator(".av-case-row:has-text('case 9997')").click()
    page.wait_for_selector(".av-case-name:has-text('case 9997')")
    page.keyboard.press("N")
    page.wait_for_selector(".av-case-name:has-text('case 9992')")


def test_a_log_of_three_thousand_steps_is_scrolled_to_its_end(tmp_path: Path, opened: Any) -> None:
    steps = [
        {"step": number, "action": f"click({number})", "observation": f"Page {number}."}
        for number in range(1, 3001)
    ]
    (tmp_path / "log.json").write_text(json.dumps({"task": "Read on.", "steps": steps}))
    run(tmp_path, "judge", "log.json", "--aggregate-only", "--output", "report.html")
    one = opened(tmp_path / "report.html")
    page = one.at(case="log.json#1", tab="trace")

    page.wait_for_selector(".av-trace-row")
    assert page.locator(".av-trace-row").count() < 60
    page.locator(".av-waterfall").focus()
    page.keyboard.press("End")
    page.wait_for_selector(".av-step-head:has-text('Step 3000')")
    assert (
        one.at(case="log.json#1", tab="trace", step=1500)
        .locator(".av-trace-row.av-chosen")
        .inner_text()
        .startswith("1500")
    )


@pytest.mark.parametrize(
    "place",
    [
        {},
        {"view": "changes"},
        {"case": "weather.evalset.json:Oslo"},
        {"case": "weather.evalset.json:Oslo", "tab": "trace"},
    ],
    ids=["overview", "changes", "case", "trace"],
)
def test_a_narrow_window_shows_all_of_it(weather: Path, opened: Any, place: dict[str, str]) -> None:
    page = opened(weather, "phone").at(**place)

    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES["phone"][0]
    for box in (page.locator(part).bounding_box() for part in (".av-top", ".av-detail")):
        assert box is not None
        assert box["x"] + box["width"] <= SIZES["phone"][0]
    if not place:
        labels = page.locator(".av-matrix-labels > span")
        assert labels.all_text_contents() == ["tool_trajectory_avg_score", "response_match_score"]
        assert all(label.is_visible() for label in labels.all())
    page.get_by_role("button", name="Cases").click()
    assert page.locator(".av-case-row").first.is_visible()


def test_a_long_name_keeps_its_end_in_the_list(tmp_path: Path, opened: Any) -> None:
    (tmp_path / "bot.py").write_text(AGENT, encoding="utf-8")
    names = [f"{'weather_of_a_city_with_' * 3}{end}" for end in ("morning", "evening")]
    cases = [{"eval_id": name, "conversation": [turn("Paris", "Sunny.")]} for name in names]
    (tmp_path / "w.test.json").write_text(json.dumps({"eval_set_id": "w", "eval_cases": cases}))
    run(tmp_path, "eval", "bot:agent", "w.test.json", "--output", "report.html")
    page = opened(tmp_path / "report.html").page

    assert page.locator(".av-case-row .av-case-id").all_text_contents() == names
    for row, end in zip(page.locator(".av-case-row").all(), ("morning", "evening"), strict=True):
        text, last = row.locator(".av-case-text").bounding_box(), row.get_by_text(end).bounding_box()
        assert text is not None
        assert last is not None
        assert last["x"] + last["width"] <= text["x"] + text["width"] + 0.5


def test_dark_follows_the_system_until_the_reader_chooses(weather: Path, opened: Any) -> None:
    page = opened(weather, dark=True).page
    assert page.evaluate(GROUND) == "rgb(18, 22, 26)"
    page.keyboard.press("t")
    assert page.evaluate(GROUND) == "rgb(255, 255, 255)"
    page.reload()
    page.wait_for_selector(".av-case-row")
    assert page.evaluate(GROUND) == "rgb(255, 255, 255)"


def test_on_paper_every_case_is_listed_in_black_on_white(weather: Path, opened: Any) -> None:
    page = opened(weather, dark=True).page
    page.set_viewport_size({"width": 794, "height": 1123})  # A4
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")

    printed = page.locator(".av-printed .av-case-row")
    assert printed.count() == 5
    assert all(row.is_visible() for row in printed.all())
    assert not page.get_by_role("searchbox").is_visible()
    assert page.evaluate(GROUND) == "rgb(255, 255, 255)"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert printed.count() == 0
    assert page.evaluate(GROUND) == "rgb(18, 22, 26)"
    page = opened(weather).at(case="weather.evalset.json:Oslo", tab="trace")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".av-printed .av-trace-row").is_visible()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing(weather: Path, judged: Path, levelled: Path, opened: Any, dark: bool) -> None:
    axe = os.environ.get("ADJUDGE_AXE")
    if not axe:
        pytest.skip("ADJUDGE_AXE does not name the axe.min.js of axe-core")
    script = Path(axe).read_text(encoding="utf-8")
    places: list[tuple[Path, dict[str, Any]]] = [
        (weather, {}),
        (weather, {"view": "changes"}),
        (weather, {"case": "weather.evalset.json:Oslo"}),
        (weather, {"case": "weather.evalset.json:Oslo", "tab": "trace"}),
        (judged, {"case": "logs/milk.json#1", "tab": "judge"}),
        (levelled, {"case": "log.json#1", "tab": "judge"}),
    ]
    sized = [("laptop", one) for one in places] + [("phone", places[-1])]
    for size, (file, place) in sized:
        # What is to be looked at is the page, not whether a test may put a script into it.
        page = opened(file, size, dark=dark, bypass=True).at(**place)
        page.wait_for_timeout(300)
        page.add_script_tag(content=script)
        found = page.evaluate(
            "axe.run().then((found) => found.violations.map((one) => [one.id, one.nodes.map((node) => node.html.slice(0, 200) + ' ' + node.failureSummary)]))"
        )
        assert found == [], place


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_pictures_for_people(
    weather: Path, judged: Path, levelled: Path, opened: Any, size: str, dark: bool
) -> None:
    folder = os.environ.get("ADJUDGE_PICTURES")
    if not folder:
        pytest.skip("ADJUDGE_PICTURES names no folder for them")
    places: dict[str, tuple[Path, dict[str, Any]]] = {
        "overview": (weather, {}),
        "changes": (weather, {"view": "changes"}),
        "case": (weather, {"case": "weather.evalset.json:Oslo"}),
        "trace": (weather, {"case": "weather.evalset.json:Oslo", "tab": "trace"}),
        "judge": (judged, {"case": "logs/milk.json#1", "tab": "judge"}),
        "levels": (levelled, {"case": "log.json#1", "tab": "judge", "step": 6}),
    }
    for name, (file, place) in places.items():
        page = opened(file, size, dark=dark).at(**place)
        page.wait_for_timeout(300)
        page.screenshot(path=Path(folder) / f"{name}-{size}-{'dark' if dark else 'light'}.png")
