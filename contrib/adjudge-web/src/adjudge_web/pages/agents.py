"""``/agents``: choose an agent to talk to, or open an earlier session."""

from __future__ import annotations

import asyncio
from functools import partial

from nicegui import ui

from adjudge_web.pages.frame import PATIENCE, Paged, chip, empty, frame, heading, link_row, text
from adjudge_web.pages.rooms import Rooms
from adjudge_web.sessions import Listed


def add(rooms: Rooms) -> None:
    """Add the page."""

    @ui.page("/agents", response_timeout=PATIENCE)
    async def agents_page() -> None:
        with frame("Agents", "/agents"):
            await _agents(rooms)


async def _agents(rooms: Rooms) -> None:
    heading("Agents", sub=str(rooms.folder))
    found = await rooms.agents()

    def begin(agent: str) -> None:
        session = rooms.sessions.begin(agent)
        ui.navigate.to(f"/sessions/{session.name}")

    with ui.element("div").classes("ad-card"):
        heading(
            "Any agent",
            sub="A folder, package.module:name, http://…: whatever `adjudge eval` takes.",
            level=2,
        )
        with ui.element("div").classes("ad-actions"):
            target = ui.input("Agent").props("outlined dense").style("flex: 1 1 260px; max-width: 480px")
            talk = ui.button("Talk", icon="chat", on_click=lambda: begin(target.value or ""))
            target.on("keydown.enter", lambda: begin(target.value or ""))
            talk.bind_enabled_from(target, "value", bool)
    if found:
        with ui.element("div").classes("ad-list").props('role="list"'):
            for agent in found:
                with ui.element("div").classes("ad-row").props('role="listitem"'):
                    ui.label(agent).classes("ad-grow ad-name")
                    ui.button("Talk", icon="chat", on_click=partial(begin, agent)).props("flat dense")
    heading("Sessions", level=2)
    sessions = await asyncio.to_thread(rooms.sessions.listed)
    if not sessions:
        empty("No session yet.", "Talk to an agent: the session is kept here, and can become a case.")
        return
    Paged(sessions, _row, lambda item: f"{item.name} {item.agent} {item.first}", noun="sessions")


def _row(item: Listed) -> None:
    with link_row(f"/sessions/{item.name}"):
        with ui.element("div").classes("ad-grow"):
            text(item.first[:200] or "nothing said yet").classes("ad-name")
            text(" · ".join(filter(None, (item.agent, item.name)))).classes("ad-sub")
        if item.is_open:
            chip("open")
        ui.label(f"{item.turns} turn{'' if item.turns == 1 else 's'}").classes("ad-sub")
