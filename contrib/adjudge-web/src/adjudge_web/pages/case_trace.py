"""``/case/trace?file=…&id=…``: what a case expects, as a conversation beside its trace."""

from __future__ import annotations

import asyncio

from nicegui import ui

from adjudge_web.pages.conversation import show_beside_trace
from adjudge_web.pages.frame import PATIENCE, address, empty, frame, heading
from adjudge_web.pages.rooms import Rooms


def add(rooms: Rooms) -> None:
    """Add the page."""

    @ui.page("/case/trace", response_timeout=PATIENCE)
    async def page(file: str = "", id: str = "") -> None:  # noqa: A002 - the name in the address
        with frame(id, "/", look="ad-wide ad-run"):
            expected = await asyncio.to_thread(rooms.eval_sets.expected, file, id)
            with ui.element("div").classes("ad-head"), ui.element("div"):
                ui.link(f"‹ {file}", address("/set", file=file)).classes("ad-sub")
                heading(id, sub="What is expected: what an agent did is shown with the results of a run.")
            if expected.invocations:
                show_beside_trace(expected.invocations, address("/data/cases", file=file, id=id))
            else:
                empty("A scenario has no turns of its own.", "Run it: its results have the trace.")
