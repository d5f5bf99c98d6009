"""A real Chromium walks the steps of ADK's documentation, with a real agent of google-adk, and asks nobody else."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect
from served import served
from walking import Walk, walking

AGENTS = Path(__file__).parent / "agents"


@pytest.fixture
def walk(browser: Browser, tmp_path: Path) -> Iterator[Walk]:
    with walking(browser, tmp_path) as walk:
        yield walk


@pytest.mark.skipif(
    find_spec("google.adk") is None if find_spec("google") else True,
    reason="google-adk is not installed: pip install ./contrib/adjudge-adk",
)
def test_create_edit_run_and_analyse_as_the_documentation_of_adk_says(walk: Walk, tmp_path: Path) -> None:
    agents = tmp_path / "agents"
    shutil.copytree(AGENTS, agents)
    with served(agents) as address:
        page = walk.page
        # Step 1: talk to the agent, make an eval set, keep the session as a case.
        page.goto(f"{address}/")
        page.get_by_role("button", name="New").click()
        page.get_by_label("Id: letters, digits and _").fill("switching")
        page.get_by_role("button", name="Make").click()
        page.get_by_text("No case yet.").wait_for()
        page.get_by_role("link", name="Agents").click()
        page.get_by_role("listitem").filter(has_text="home_agent").get_by_role("button", name="Talk").click()
        page.get_by_text("Say something to begin.").wait_for()
        page.get_by_label("Message").fill("Turn off device_2 in the Bedroom.")
        page.keyboard.press("Enter")
        page.get_by_text("I have set the device_2 status to off.").wait_for()
        page.get_by_text("The user wants it off.").wait_for()
        walk.shot("session")
        # The trace of the session: a row under the pointer marks its message, a click opens its details.
        page.get_by_role("button", name="Trace").click()
        said = page.get_by_role("region", name="Conversation")
        rows = page.get_by_role("listbox", name="Steps of the run").get_by_role("option")
        marked = said.locator(".ad-pointed")
        for row, message in (
            ("Step 1", "set_device_info("),
            ("Step 2", "device_2 in the Bedroom is OFF."),
            ("Step 3", "I have set the device_2 status to off."),
        ):
            rows.and_(page.get_by_label(re.compile(f"^{row}, .*produced an event"))).hover()
            expect(marked).to_have_count(1)
            expect(marked).to_contain_text(message)
        rows.and_(page.get_by_label(re.compile("^Step 1,"))).click()
        for tab, seen in (
            ("Request", "Turn off device_2 in the Bedroom."),
            ("Response", '"set_device_info"'),
        ):
            page.get_by_role("tab", name=tab, exact=True).click()
            expect(page.get_by_role("tabpanel", name=tab)).to_contain_text(seen)
        page.get_by_role("tab", name="Graph", exact=True).click()
        expect(page.locator("svg.av-graph")).to_contain_text("set_device_info")
        walk.shot("session-trace")
        page.go_back()
        page.get_by_role("button", name="Keep as a case").click()
        page.get_by_label("Id of the case").fill("bedroom")
        page.get_by_role("button", name="Keep it").click()
        # Step 2: look at the case and edit it.
        answer = page.get_by_label("Final response", exact=True)
        expect(answer).to_have_value("I have set the device_2 status to off.")
        answer.fill("Device 2 is off now.")
        walk.shot("case")
        page.get_by_role("button", name="Save 1 change").click()
        page.get_by_text("What changes").wait_for()
        page.wait_for_timeout(300)
        walk.shot("diff")
        page.get_by_role("button", name="Write the file").click()
        page.get_by_role("button", name="Save…").wait_for()
        # Step 3: run it with thresholds on sliders.
        page.get_by_role("button", name="Run…").click()
        box = page.locator(".ad-criterion", has_text="response_match_score").first
        slider = box.locator(".q-slider")
        slider.scroll_into_view_if_needed()
        place = slider.bounding_box()
        assert place is not None
        page.mouse.click(place["x"] + place["width"] * 0.7, place["y"] + place["height"] / 2)
        threshold = box.get_by_label("Threshold of response_match_score, as a number")
        expect(threshold).to_have_value(re.compile(r"0\.(69|7|71)"))
        walk.shot("dialog")
        page.get_by_role("button", name="Start").click()
        page.wait_for_url("**/runs/*")
        # Step 4: see why it failed, expected beside actual, and into the trace.
        page.locator(".adjudge-viewer").wait_for()
        walk.shot("results")
        page.locator(".adjudge-viewer").get_by_text("bedroom").first.click()
        page.locator(".av-detail").get_by_text("Device 2 is off now.").first.wait_for()
        walk.shot("failure")
        page.keyboard.press("2")
        page.locator(".av-detail").get_by_text("set_device_info").first.wait_for()
        walk.shot("trace")
        assert "tab=trace" in page.url
        deep, run = page.url, page.url.split("/runs/")[1].partition("#")[0]
        walk.check(address)
    # Addresses survive a restart of the page.
    with served(agents) as address:
        page.goto(f"{address}/runs/{deep.split('/runs/')[1]}")
        page.locator(".av-detail").get_by_text("set_device_info").first.wait_for()
        page.goto(f"{address}/runs")
        page.get_by_text(run).first.wait_for()
        page.get_by_text(re.compile(r"response_match_score, threshold 0\.(69|7|71)")).first.wait_for()
        walk.check(address)
    # What the page wrote, the command line reads.
    saved = json.loads((agents / "home_agent" / "switching.evalset.json").read_text("utf-8"))
    turn = saved["eval_cases"][0]["conversation"][0]
    assert turn["final_response"]["parts"][0]["text"] == "Device 2 is off now."


HOSTILE = "<img src=x onerror=alert(1)>{{7*7}}</script>\u202egnp\x1b[31m"


def test_hostile_names_and_texts_are_shown_as_texts(walk: Walk, folder: Path) -> None:
    case: dict[str, Any] = {
        "eval_id": HOSTILE,
        "conversation": [
            {
                "user_content": {"parts": [{"text": HOSTILE}]},
                "final_response": {"parts": [{"text": f"javascript:alert(2) {HOSTILE}"}]},
                "intermediate_data": {"tool_uses": [{"name": HOSTILE, "args": {HOSTILE: HOSTILE}}]},
            }
        ],
    }
    document = {"eval_set_id": HOSTILE, "eval_cases": [case]}
    (folder / "hostile.evalset.json").write_text(json.dumps(document), encoding="utf-8")
    with served(folder) as address:
        page = walk.page
        page.goto(address)
        page.get_by_text("<img src=x onerror=alert(1)>{{7*7}}").first.wait_for()
        walk.shot("list")
        page.get_by_text("hostile.evalset.json").click()
        page.get_by_text("<img src=x onerror=alert(1)>{{7*7}}").first.wait_for()
        page.locator("a", has_text="onerror").first.click()
        page.get_by_label("Final response", exact=True).wait_for()
        assert "onerror" in page.title()
        page.goto(f"{address}/plugins")
        page.get_by_text("Keys are never shown.").wait_for()
        walk.shot("plugins")
        page.goto(f"{address}/judge")
        page.get_by_text("judged by criteria in words").wait_for()
        walk.shot("judge")
        walk.check(address)
    assert page.locator("img[src=x]").count() == 0


REPOSITORY = Path(__file__).resolve().parents[3]
LOGS = (
    REPOSITORY.parent / "shared" / "data" / "browser_use_history" / "history_0_1_nested.json",
    REPOSITORY / "docs" / "examples" / "logs" / "browser_use.json",
)
"""A run of somebody's browser agent, where it lies beside the clone, or else the one of the documentation."""


def set_threshold(dialog: Locator, criterion: str, key: str, times: int) -> None:
    """Move the slider of a criterion with the keyboard, as quickly as keys can be pressed."""
    slider = dialog.get_by_role("slider", name=f"Threshold of {criterion}", exact=True)
    handle = slider.locator("[tabindex]")
    handle.focus()
    for _ in range(times):
        handle.press(key)


def test_from_a_session_to_a_report_for_a_colleague(
    walk: Walk, folder: Path, scripted_judge: str, tmp_path: Path
) -> None:
    log = next((path for path in LOGS if path.is_file()), None)
    if log is None:
        pytest.skip("neither the folder of real files (../shared/data) nor the documentation is here")
    shutil.copy(log, folder / "browser.json")
    with served(folder) as address:
        page = walk.page
        # Record a session with an agent that is a program.
        page.goto(f"{address}/agents")
        page.get_by_label("Agent", exact=True).fill("sky:agent")
        page.keyboard.press("Enter")
        page.get_by_text("Say something to begin.").wait_for()
        page.get_by_label("Message").fill("What is the weather in Rome?")
        page.keyboard.press("Enter")
        page.get_by_text("It is sunny in Rome.").wait_for()
        # Save it as a case, and edit it.
        page.get_by_role("button", name="Keep as a case").click()
        page.get_by_label("Id of the case").fill("rome")
        page.get_by_role("button", name="Keep it").click()
        expected = page.get_by_label("Final response", exact=True)
        expect(expected).to_have_value("It is sunny in Rome.")
        expected.fill("It rains in Rome, take an umbrella.")
        page.get_by_role("button", name="Save 1 change").click()
        page.get_by_role("button", name="Write the file").click()
        page.get_by_role("button", name="Save…").wait_for()
        # Run it with two thresholds changed, on sliders and without a mouse.
        page.get_by_role("button", name="Run…").click()
        dialog = page.get_by_role("dialog", name="Run")
        dialog.get_by_role("combobox", name="Agent").fill("sky:agent")
        page.keyboard.press("Enter")
        set_threshold(dialog, "response_match_score", "ArrowLeft", 10)
        set_threshold(dialog, "tool_trajectory_avg_score", "ArrowLeft", 5)
        for criterion, threshold in (("response_match_score", "0.7"), ("tool_trajectory_avg_score", "0.95")):
            number = dialog.get_by_label(f"Threshold of {criterion}, as a number")
            expect(number).to_have_value(threshold)
        page.get_by_role("button", name="Start").click()
        page.wait_for_url("**/runs/*")
        # Understand the failure: what was expected beside what came, and the score below the threshold.
        page.locator(".adjudge-viewer").get_by_text("rome").first.click()
        detail = page.locator(".av-detail")
        for said in ("It rains in Rome, take an umbrella.", "It is sunny in Rome.", "0.7", "FAIL"):
            expect(detail).to_contain_text(said)
        walk.shot("walk-failure")
        page.keyboard.press("2")
        detail.get_by_text("get_weather").first.wait_for()
        # From the failure to its case is one key.
        page.keyboard.press("e")
        page.wait_for_url("**/case?*")
        expect(page.get_by_label("Final response", exact=True)).to_have_value(
            "It rains in Rome, take an umbrella."
        )
        # Have a log judged: see the checks first, change what one is about, and keep them.
        page.get_by_role("link", name="AI Judge").click()
        page.get_by_label("Files or folders below this folder, one a line").fill("browser.json")
        page.get_by_label("Task, where a log names none").fill("Put the cheapest milk into the cart.")
        page.get_by_label("Criteria", exact=True).fill("- name: Milk\n  description: The milk is bought.\n")
        page.get_by_label("Judge", exact=True).fill(scripted_judge)
        page.get_by_role("button", name="See the checks").click()
        check = page.get_by_label("Check 2 of Milk", exact=True)
        expect(check).to_have_value("It names the milk.")
        walk.shot("walk-checks")
        page.get_by_role("button", name="Write them into the criteria").click()
        expect(check).to_have_count(0)
        expect(page.get_by_label("Criteria", exact=True)).to_have_value(
            re.compile('- answer: "It names the milk."')
        )
        judge = page.get_by_role("button", name=re.compile("^Judge"))
        judge.click()
        expect(judge).to_have_text(re.compile("up to"))
        judge.click()
        page.wait_for_url("**/runs/*")
        # Follow a citation, and land on the quoted words in the step.
        page.locator(".adjudge-viewer").get_by_text("browser.json").first.click()
        citation = detail.locator("button.av-citation").first
        quoted = citation.locator("q").inner_text()
        citation.click()
        mark = page.get_by_role("region", name="Recorded step").locator("mark").first
        expect(mark).to_be_focused()
        expect(mark).to_be_in_viewport()
        assert " ".join(mark.inner_text().split()) == " ".join(quoted.split())
        walk.shot("walk-citation")
        # Label it, and send a colleague the report.
        run = page.url.split("/runs/")[1].partition("#")[0]
        report = tmp_path / "report.html"
        page.get_by_role("button", name="Download").click()
        with page.expect_download() as downloading:
            page.get_by_role("menuitem", name="HTML").click()
        downloading.value.save_as(report)
        page.get_by_role("button", name="Label").click()
        page.get_by_role("button", name="should be PASS").first.click()
        page.get_by_text("1 label").wait_for()
        walk.check(address)
    assert run in report.read_text("utf-8")
    page.goto(report.as_uri())
    page.get_by_text("browser.json").first.wait_for()


LATE = """
let connected = false;
Object.defineProperty(window, 'did_handshake', {
  get: () => connected && window.serverListens === true, set: (value) => { connected = value; },
});
"""
"""The server listens when the test says so."""

RELOADING = """() => {
  window.location.reload();
  window.did_handshake = true;
  return document.getElementById('content').disabled;
}"""
"""What NiceGUI does where a handshake fails, and whether the fields wait then."""


def test_nothing_is_typed_before_the_server_listens(walk: Walk, folder: Path) -> None:
    with served(folder) as address:
        page = walk.page
        page.add_init_script(LATE)
        page.goto(f"{address}/judge")
        field = page.get_by_label("Criteria", exact=True)
        expect(field).to_be_disabled()
        expect(page.get_by_role("button", name="Estimate")).to_be_disabled()
        walk.shot("connecting")
        page.evaluate("window.serverListens = true")
        field.fill("- name: mine\n  criterion: action_repeats\n  maximum: 1\n")
        page.get_by_label("Files or folders below this folder, one a line").fill("none.json")
        page.get_by_role("button", name="Estimate").click()
        page.get_by_text("no such log").wait_for()
        expect(field).to_have_value(re.compile("name: mine"))
        # Nor while the page is loaded anew, as after a failed handshake.
        page.route("**/judge", lambda _: None)
        assert page.evaluate(RELOADING) is True


def test_what_was_typed_stays_when_the_connection_is_lost_for_a_while(walk: Walk, folder: Path) -> None:
    with served(folder) as address:
        page = walk.page
        page.goto(f"{address}/judge")
        field = page.get_by_label("Criteria", exact=True)
        field.fill("- name: mine\n  criterion: action_repeats\n  maximum: 1\n")
        page.wait_for_timeout(500)  # what is on its way when the connection is lost is not what is tested
        page.evaluate("window.socket.disconnect()")
        page.get_by_label("Files or folders below this folder, one a line").fill("none.json")
        page.wait_for_timeout(5_000)  # longer than a page is kept that was closed and nobody typed into
        page.evaluate("window.socket.connect()")
        page.wait_for_function("window.did_handshake")
        page.get_by_role("button", name="Estimate").click()
        page.get_by_text("no such log").wait_for()
        expect(field).to_have_value(re.compile("name: mine"))
