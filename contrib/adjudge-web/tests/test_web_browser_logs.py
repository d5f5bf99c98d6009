"""A hostile log in a real Chromium: every field is shown as text, and other pages answer meanwhile."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect
from served import served
from walking import Walk, walking

HOSTILE = (
    "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=1'>"
    "<svg onload='window.hacked=1'><a xlink:href='javascript:window.hacked=1'>svg</a></svg>"
    "<img src='http://evil.example/pixel.png'><style>@import 'http://evil.example/a.css';body{display:none}</style>"
    " [link](javascript:window.hacked=1) javascript:window.hacked=1 data:text/html,<script>window.hacked=1</script>"
    " {{constructor.constructor('window.hacked=1')()}} \x1b[31mred\x1b]8;;http://evil.example\x07 \u202etxt.exe \x00"
)
SHOWN = "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=1'><svg onload="
LONG = 10_000_000


@pytest.fixture
def walk(browser: Browser, tmp_path: Path) -> Iterator[Walk]:
    with walking(browser, tmp_path) as walk:
        yield walk


def harmless(page: Page) -> None:
    """Nothing of the log was run, became an element, or hides or turns text."""
    expect(page.locator("body")).to_be_visible()
    shown = page.locator("body").inner_text()
    assert page.evaluate("window.hacked") is None
    assert page.locator("[onload], [onerror], [href^=javascript], [src*=evil], [href*=evil]").count() == 0
    assert [odd for odd in "\x1b\x00\u202e" if odd in shown] == []


@pytest.mark.parametrize("kind", ["history", "browser"])
def test_a_hostile_log_is_shown_as_text(walk: Walk, folder: Path, kind: str) -> None:
    name, steps = "odd'\"<img src=x onerror=alert(1)>.json", [1, 2]
    long = HOSTILE + "A" * LONG
    if kind == "history":
        fields = ("thinking", "memory", "action", "next_goal", "evaluation_previous_goal", "result", "error")
        moves = [{"step": number, **dict.fromkeys(fields, HOSTILE)} for number in steps]
        moves[1]["observation"] = long
        log: dict[str, object] = {"task": HOSTILE, "agent": HOSTILE, "steps": moves}
    else:
        log = {"history": [browser_move(number, HOSTILE if number == 1 else long) for number in steps]}
    (folder / name).write_text(json.dumps(log), "utf-8")
    with served(folder) as address:
        page = walk.page
        page.goto(f"{address}/log?file={quote(name)}&run=1")
        page.locator(".adjudge-viewer").wait_for()
        expect(page.locator("body")).to_contain_text(SHOWN)
        harmless(page)
        # Another page answers while this one is open.
        other = page.context.new_page()
        other.goto(f"{address}/")
        other.get_by_text("weather.evalset.json").wait_for()
        other.close()
        # Every step, and everything that can be opened of it; the long text is cut, and says so.
        for number in steps:
            page.goto(f"{address}/log?file={quote(name)}&run=1#tab=trace&step={number}")
            page.reload()
            expect(page.locator(".av-items")).to_contain_text(SHOWN)
            for tab in ("Event", "Request", "Response", "Graph"):
                page.get_by_role("tab", name=tab, exact=True).click()
                harmless(page)
        page.goto(f"{address}/log?file={quote(name)}&run=1#tab=trace&step=2")
        page.reload()
        item = page.locator(".av-item .av-text", has_text="AAAA").first
        item.wait_for()
        assert len(item.inner_text()) < 10_000
        item.get_by_role("button", name="more characters").click()
        expect(item).to_contain_text("A" * 100_000)
        while (more := item.get_by_role("button", name="more characters")).count():
            more.click()
        expect(item).to_contain_text("more characters are not kept here")
        walk.shot(f"hostile-{kind}")
        walk.check(address)


def browser_move(number: int, text: str) -> dict[str, object]:
    claims = ("thinking", "evaluation_previous_goal", "memory", "next_goal")
    return {
        "model_output": {**dict.fromkeys(claims, HOSTILE), "action": [{"search": {"query": HOSTILE}}]},
        "result": [{"is_done": number == 2, "extracted_content": text, "error": HOSTILE}],
        "state": {
            "url": "javascript:window.hacked=1",
            "title": HOSTILE,
            "tabs": [{"url": "http://evil.example/", "title": HOSTILE}],
            "interacted_element": [None],
            "screenshot": HOSTILE,
        },
        "metadata": {"step_number": number, "step_start_time": 1.0, "step_end_time": 2.0, "input_tokens": 9},
    }
