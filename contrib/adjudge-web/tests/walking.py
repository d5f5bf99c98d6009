"""A page in Chromium, with everything that it asks for, and pictures of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

expect.set_options(timeout=60_000)
SLOW = 60_000
"""Milliseconds that something may take on a machine that is busy."""


class Walk:
    """A page, everything that it asked for, and what went wrong in it."""

    def __init__(self, page: Page, shots: Path) -> None:
        self.page = page
        self.asked: list[str] = []
        self.wrong: list[str] = []
        self._shots = shots
        page.set_default_timeout(SLOW)
        page.set_default_navigation_timeout(SLOW)
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("websocket", lambda socket: self.asked.append(socket.url.replace("ws:", "http:")))
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("dialog", lambda dialog: (self.wrong.append(dialog.message), dialog.dismiss()))

    def shot(self, name: str) -> None:
        """Keep pictures: at three widths, light and dark, where somebody wants to look at them."""
        page = self.page
        if "ADJUDGE_WEB_SHOTS" not in os.environ:
            page.screenshot(path=self._shots / f"{name}.png")
            return
        for dark in (False, True):
            page.emulate_media(color_scheme="dark" if dark else "light")
            for width in (1440, 1024, 390):
                page.set_viewport_size({"width": width, "height": 900})
                page.wait_for_timeout(150)
                page.screenshot(path=self._shots / f"{name}-{width}-{'dark' if dark else 'light'}.png")
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 1440, "height": 900})

    def check(self, address: str) -> None:
        """Nobody else was asked, and nothing raised."""
        # A page that was open before a restart may still ask where the server was then.
        own = (address, "http://127.0.0.1:", "data:", "blob:")
        others = [url for url in self.asked if not url.startswith(own)]
        assert self.asked != []
        assert others == []
        self.asked.clear()
        assert self.wrong == []


@contextmanager
def walking(browser: Browser, kept: Path) -> Iterator[Walk]:
    """A page of its own; pictures go to the folder that ``ADJUDGE_WEB_SHOTS`` names, or else to ``kept``."""
    shots = Path(os.environ.get("ADJUDGE_WEB_SHOTS") or kept / "shots")
    shots.mkdir(parents=True, exist_ok=True)
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    yield Walk(context.new_page(), shots)
    context.close()
