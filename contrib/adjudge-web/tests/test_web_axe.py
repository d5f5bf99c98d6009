"""Every page is checked by axe, light and dark."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser
from served import served

SLOW = 60_000
"""Milliseconds that something may take on a machine that is busy."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_passes_axe(browser: Browser, folder: Path, scheme: Any) -> None:
    """Names, roles, landmarks, contrast: https://dequeuniversity.com/rules/axe. The framework's file chooser is left out."""
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
            for violation in Axe().run(page, context=options).response["violations"]:
                found.append(f"{place} {violation['id']}: {violation['nodes'][0]['html'][:200]}")
    context.close()
    assert found == []
