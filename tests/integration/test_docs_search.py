"""The search of the site leads to the page that answers, in a real browser, and asks no other host."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
)


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Print nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the built site is served."""
    if (site := os.environ.get("ADJUDGE_SITE")) is None:
        pytest.skip("there is no built site; `nox -s docs` builds it")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=site)) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def page(address: str) -> Iterator[Page]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("ADJUDGE_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=list(FLAGS))
        opened = browser.new_page()
        opened.goto(address)
        yield opened
        browser.close()


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("UNSURE", "/why/#unsure"),
        ("what does UNSURE mean", "/why/#unsure"),
        ("swap judge", "/guide/judges/#choose-or-swap-the-judge"),
        ("how to swap a judge", "/guide/judges/#choose-or-swap-the-judge"),
        ("promptfoo", "/coming-from/promptfoo/"),
        ("where votes are counted", "/architecture/"),
        ("exit status", "/guide/runs/#exit-status"),
        ("phase_level", "/guide/granularity/"),
    ],
)
def test_a_newcomer_finds_the_page_that_answers(page: Page, address: str, words: str, answer: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    # The key is heard once the script of the page has begun: then the field takes the focus.
    for _ in range(100):
        page.keyboard.press("/")
        if page.evaluate("document.activeElement !== document.body"):
            break
        page.wait_for_timeout(100)
    page.keyboard.type(words)

    page.locator(f"ol > li:nth-child(-n+3) a[href*='{answer}']").first.wait_for()

    assert [url for url in asked if not url.startswith(address)] == []
