"""The picture of the page in the guide: a run of the documentation's example, in Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from served import served

REPOSITORY = Path(__file__).resolve().parents[3]
EXAMPLE = REPOSITORY / "docs" / "examples" / "home_automation"
PICTURE = REPOSITORY / "docs" / "guide" / "web-page.png"
SLOW = 60_000
"""Milliseconds that something may take on a machine that is busy."""


@pytest.mark.skipif(not EXAMPLE.is_dir(), reason="the documentation's examples are not beside the tests")
def test_the_picture_in_the_guide(browser: Browser, tmp_path: Path) -> None:
    """With ADJUDGE_UPDATE_GOLDEN=1 it is taken again."""
    shutil.copytree(EXAMPLE, tmp_path / "home_automation")
    files = (f"home_automation/{name}" for name in ("home.test.json", "wishes.evalset.json"))
    command = [sys.executable, "-m", "adjudge", "eval", "home_automation.agent:agent", *files]
    ended = subprocess.run([*command, "--run", "evening"], cwd=tmp_path, capture_output=True, timeout=120)
    assert ended.returncode == 1
    taken = PICTURE if os.environ.get("ADJUDGE_UPDATE_GOLDEN") == "1" else tmp_path / "page.png"
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme="light")
    page = context.new_page()
    with served(tmp_path) as address:
        page.goto(f"{address}/runs/evening", timeout=SLOW)
        page.get_by_text("fahrenheit").first.click(timeout=SLOW)
        detail = page.locator(".av-detail")
        for said in ("Make it 70 degrees in the bathroom.", "set_temperature", "response_match_score"):
            detail.get_by_text(said).first.wait_for(timeout=SLOW)
        page.screenshot(path=taken, animations="disabled", caret="hide")
    context.close()
    assert PICTURE.stat().st_size < 150 * 1024
