"""``/sessions/NAME``: talk to an agent, see what it does, look into the trace, keep the session as a case."""

from __future__ import annotations

import json

from nicegui import ui

from adjudge_web.pages.conversation import show_beside_trace, show_message, show_step, show_turn
from adjudge_web.pages.frame import PATIENCE, frame, heading, problem, text
from adjudge_web.pages.keep_dialog import KeepDialog
from adjudge_web.pages.rooms import Rooms
from adjudge_web.sessions import Session

_OFTEN = 0.25
"""Seconds from a look at a session to the next."""


def add(rooms: Rooms) -> None:
    """Add the pages."""

    @ui.page("/sessions/{name}", response_timeout=PATIENCE)
    async def session_page(name: str) -> None:
        with frame(name, "/agents"):
            _Talk(rooms, rooms.sessions.get(name)).show()

    @ui.page("/sessions/{name}/trace", response_timeout=PATIENCE)
    async def trace_page(name: str) -> None:
        with frame(name, "/agents", look="ad-wide ad-run"):
            session = rooms.sessions.get(name)
            with ui.element("div").classes("ad-head"), ui.element("div"):
                ui.link(f"‹ {name}", f"/sessions/{name}").classes("ad-sub")
                heading(session.agent)
            show_beside_trace(session.trajectory.invocations, f"/data/sessions/{name}")


class _Talk:
    """A session on the screen."""

    def __init__(self, rooms: Rooms, session: Session) -> None:
        self._rooms = rooms
        self._session = session
        self._shown = -1
        self._turns = 0

    def show(self) -> None:
        session = self._session
        with ui.element("div").classes("ad-head"):
            with ui.element("div"):
                ui.link("Agents", "/agents").classes("ad-sub")
                heading(session.agent, sub=session.name)
            with ui.element("div").classes("ad-actions"):
                ui.button(
                    "Trace",
                    icon="timeline",
                    on_click=lambda: ui.navigate.to(f"/sessions/{session.name}/trace"),
                ).props("flat")
                self._keep = ui.button(
                    "Keep as a case…", icon="playlist_add", on_click=self._ask_to_keep
                ).props("outline")
                self._stop = ui.button("Stop", icon="stop", on_click=session.stop).props("flat")
                self._delete = ui.button("Delete…", icon="delete", on_click=self._ask_to_delete).props("flat")
        self._log = (
            ui.element("div")
            .classes("ad-stack")
            .style("gap: 12px")
            .props('role="log" aria-label="Conversation"')
        )
        self._now = ui.element("div").classes("ad-stack").props('aria-live="polite"')
        with ui.element("form").classes("ad-compose").on("submit.prevent", self._send) as self._form:
            self._field = ui.textarea("Message").props("outlined dense autogrow autofocus").style("flex: 1")
            self._field.on("keydown.enter.exact.prevent", self._send)
            self._send_button = ui.button("Send", icon="send", on_click=self._send)
        self._timer = ui.timer(_OFTEN, self._look)
        self._look()

    def _send(self) -> None:
        said = (self._field.value or "").strip()
        # What is typed while the agent is at work stays in the field.
        if said and self._session.can_hear:
            self._field.value = ""
            self._session.send(said)
            self._look()

    def _look(self) -> None:
        session = self._session
        if session.version == self._shown:
            return
        self._shown = session.version
        with self._log:
            for turn in session.turns[self._turns :]:
                show_turn(turn)
        self._turns = len(session.turns)
        self._now.clear()
        with self._now:
            if session.asked is not None:
                show_message(session.asked, is_user=True)
                for step in session.steps:
                    show_step(step)
                ui.label("The agent is at work…").classes("ad-sub")
            elif not session.turns and not session.problems and not session.is_over:
                said = "Say something to begin." if session.is_open else "Loading the agent…"
                ui.label(said).classes("ad-sub")
            for each in session.problems:
                problem(each)
            if session.state:
                with ui.expansion("Session state").props("dense"):
                    text(json.dumps(session.state, indent=2, ensure_ascii=False), mono=True)
            if session.is_over and session.turns:
                ui.label("This session is over.").classes("ad-sub")
        for shown in (self._stop, self._form):
            shown.set_visibility(not session.is_over)
        self._delete.set_visibility(session.is_over)
        self._send_button.set_enabled(session.can_hear)
        self._keep.set_enabled(any(turn.final_response or turn.tool_calls for turn in session.turns))
        if session.is_over:
            self._timer.deactivate()
        else:
            ui.run_javascript("adjudgeFollow()")

    async def _ask_to_keep(self) -> None:
        await KeepDialog(self._rooms, self._session).open()

    def _ask_to_delete(self) -> None:
        name = self._session.name
        with (
            ui.dialog().props('aria-label="Delete this session"') as dialog,
            ui.element("div").classes("ad-dialog").style("width: 420px"),
        ):
            with ui.element("div").classes("ad-dialog-body"):
                heading("Delete this session?", sub="Cases that were made of it stay.", level=2)

            def delete() -> None:
                self._rooms.sessions.delete(name)
                ui.navigate.to("/agents")

            with ui.element("div").classes("ad-dialog-foot"):
                ui.button("Keep it", on_click=dialog.close).props("flat")
                ui.button("Delete it", on_click=delete).props("color=negative")
        dialog.open()
