"""Every page is checked by axe, light and dark."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect
from served import served

SLOW = 60_000
"""Milliseconds that something may take on a machine that is busy."""

BUTTONS = [[".q-dialog .q-btn__content"], [".ad-compose .q-btn__content"]]
"""axe compares the words of a button in a fixed or sticky box with what lies behind the box, and not with the button.
Their colours are those of the buttons on the pages."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_passes_axe(browser: Browser, folder: Path, scheme: Any) -> None:
    """Names, roles, landmarks, contrast: https://dequeuniversity.com/rules/axe. The framework's file chooser is left out."""
    (folder / "log.json").write_text(
        json.dumps({"task": "Buy milk.", "steps": [{"step": 1, "action": "buy(milk)"}]})
    )
    # Playwright has a loop of its own in this process.
    for run in ("one", "two"):
        command = [sys.executable, "-m", "adjudge", "eval", "sky:agent", "weather.evalset.json", "--run", run]
        assert subprocess.run(command, cwd=folder, capture_output=True).returncode == 1
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    places = {
        "/": "weather.evalset.json",
        "/set?file=weather.evalset.json": "oslo",
        "/case?file=weather.evalset.json&id=oslo": "Turn 1",
        "/case/trace?file=weather.evalset.json&id=oslo": "What is expected",
        "/set?file=none.test.json": "there is no such eval set",
        "/log?file=log.json": "Buy milk.",
        "/log?file=log.json&run=1": "buy(milk)",
        "/runs": "The same as a table",
        "/runs/one": "oslo",
        "/runs/one/labels": "No label yet.",
        "/agents": "No session yet.",
        "/judge": "judged by criteria in words",
        "/plugins": "Keys are never shown.",
    }
    found: list[str] = []
    with served(folder) as address:
        for place, seen in places.items():
            page.goto(address + place, timeout=SLOW)
            page.get_by_text(seen).first.wait_for(timeout=SLOW)
            page.wait_for_timeout(300)
            options = {"exclude": [[".q-uploader"]]} if place == "/judge" else None
            found += violations(page, place, options)
        # What has no address: dialogs, and a session with what was said in it.
        dialog = {"include": [[".q-dialog"]], "exclude": BUTTONS}
        page.goto(f"{address}/set?file=weather.evalset.json", timeout=SLOW)
        page.get_by_role("button", name="Run all…").click(timeout=SLOW)
        page.get_by_text("more criteria").click(timeout=SLOW)
        page.get_by_label("Search criteria").wait_for(timeout=SLOW)
        page.wait_for_timeout(600)
        found += violations(page, "the dialog of a run", dialog)
        page.goto(f"{address}/case?file=weather.evalset.json&id=oslo", timeout=SLOW)
        page.get_by_label("Final response", exact=True).fill("It rains.", timeout=SLOW)
        page.get_by_role("button", name="Save 1 change").click(timeout=SLOW)
        page.get_by_text("What changes").wait_for(timeout=SLOW)
        page.wait_for_timeout(600)
        found += violations(page, "the dialog of a change", dialog)
        page.evaluate("window.adjudgeUnsaved = false")
        page.goto(f"{address}/agents", timeout=SLOW)
        page.get_by_label("Agent", exact=True).fill("sky:agent", timeout=SLOW)
        page.keyboard.press("Enter")
        page.get_by_label("Message").fill("What is the weather in Rome?", timeout=SLOW)
        page.get_by_text("Say something to begin.").wait_for(timeout=SLOW)
        page.keyboard.press("Enter")
        page.get_by_text("It is sunny in Rome.").wait_for(timeout=SLOW)
        expect(page.get_by_role("button", name="Send")).to_be_enabled(timeout=SLOW)
        page.wait_for_timeout(600)
        found += violations(page, "a session", {"exclude": BUTTONS})
        page.get_by_role("button", name="Trace").click()
        page.get_by_role("tab", name="Graph").wait_for(timeout=SLOW)
        page.wait_for_timeout(300)
        found += violations(page, "the trace of a session")
    context.close()
    assert found == []


def violations(page: Page, place: str, options: dict[str, Any] | None = None) -> list[str]:
    """What axe has against the page as it is."""
    found = Axe().run(page, context=options).response["violations"]
    return [f"{place} {each['id']}: {each['nodes'][0]['html'][:200]}" for each in found]
