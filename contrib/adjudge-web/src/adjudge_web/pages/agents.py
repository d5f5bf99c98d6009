"""``/agents`` and ``/sessions/NAME``: choose an agent, talk to it, see what it does, keep the session as a case."""

from __future__ import annotations

import asyncio
import json
from functools import partial

from nicegui import ui

from adjudge.kit.adk import case_from_trajectory
from adjudge.kit.eval_sets import EvalSetDocument, id_from
from adjudge.model import Claim, Content, ErrorItem, Invocation, Observation, Step, Text, ToolCall, ToolResult
from adjudge.plugin import AdjudgeError
from adjudge_web.pages.frame import (
    PATIENCE,
    Paged,
    address,
    chip,
    empty,
    frame,
    heading,
    link_row,
    problem,
    text,
    told,
)
from adjudge_web.pages.rooms import Rooms
from adjudge_web.pages.viewer import mount_viewer
from adjudge_web.sessions import Session

_OFTEN = 0.25
"""Seconds from a look at a session to the next."""


def add(rooms: Rooms) -> None:
    """Add the pages."""

    @ui.page("/agents", response_timeout=PATIENCE)
    async def agents_page() -> None:
        with frame("Agents", "/agents"):
            await _agents(rooms)

    @ui.page("/sessions/{name}", response_timeout=PATIENCE)
    async def session_page(name: str) -> None:
        with frame(name, "/agents"):
            _Talk(rooms, rooms.sessions.get(name)).show()

    @ui.page("/sessions/{name}/trace", response_timeout=PATIENCE)
    async def trace_page(name: str) -> None:
        with frame(name, "/agents", look="ad-wide ad-run"):
            rooms.sessions.get(name)
            with ui.element("div").classes("ad-head"):
                ui.link(f"‹ {name}", f"/sessions/{name}").classes("ad-crumb")
            mount_viewer(f"/data/sessions/{name}")


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
    names = await asyncio.to_thread(rooms.sessions.names)
    if not names:
        empty("No session yet.", "Talk to an agent: the session is kept here, and can become a case.")
        return

    def row(name: str) -> None:
        with link_row(f"/sessions/{name}"):
            ui.label(name).classes("ad-grow ad-name")

    Paged(names, row, str, noun="sessions")


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
        self._log = (
            ui.element("div")
            .classes("ad-stack")
            .style("gap: 12px")
            .props('role="log" aria-label="Conversation"')
        )
        self._now = ui.element("div").classes("ad-stack").props('aria-live="polite"')
        if not session.is_over:
            with ui.element("form").classes("ad-compose").on("submit.prevent", self._send):
                self._field = (
                    ui.textarea("Message").props("outlined dense autogrow autofocus").style("flex: 1")
                )
                self._field.on("keydown.enter.exact.prevent", self._send)
                ui.button("Send", icon="send", on_click=self._send)
        self._look()
        if not session.is_over:
            self._timer = ui.timer(_OFTEN, self._look)

    def _send(self) -> None:
        said = (self._field.value or "").strip()
        if said and self._session.is_open:
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
                _turn(turn)
        self._turns = len(session.turns)
        self._now.clear()
        with self._now:
            if session.asked is not None:
                _message(session.asked, is_user=True)
                for step in session.steps:
                    _step(step)
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
        self._stop.set_visibility(not session.is_over)
        self._keep.set_enabled(bool(session.turns))

    async def _ask_to_keep(self) -> None:
        files = await asyncio.to_thread(self._rooms.eval_sets.paths)
        with (
            ui.dialog().props('aria-label="Keep this session as a case"') as dialog,
            ui.element("div").classes("ad-dialog").style("width: 520px"),
        ):
            with ui.element("div").classes("ad-dialog-head"):
                heading(
                    "Keep this session as a case",
                    sub="What the agent did is what it is expected to do.",
                    level=2,
                )
            with ui.element("div").classes("ad-dialog-body"):
                if not files:
                    problem(
                        "There is no eval set yet.",
                        hint="Make one on the page of eval sets first.",
                        warning=True,
                    )
                file = ui.select(files, label="Eval set", value=files[0] if files else None).props(
                    "outlined dense"
                )
                name = ui.input("Id of the case", value=id_from(self._session.name)).props("outlined dense")

            def keep() -> None:
                try:
                    document = EvalSetDocument.opened(self._rooms.eval_sets.path(str(file.value)))
                    document.add(case_from_trajectory(self._session.trajectory, name.value or "case"))
                    document.save()
                except AdjudgeError as error:
                    told(error)
                    return
                ui.navigate.to(address("/case", file=str(file.value), id=name.value or "case"))

            with ui.element("div").classes("ad-dialog-foot"):
                ui.button("Cancel", on_click=dialog.close).props("flat")
                ui.button("Keep it", on_click=keep).set_enabled(bool(files))
        dialog.open()


def _turn(turn: Invocation) -> None:
    _message(turn.user_content.text, is_user=True)
    for step in turn.steps:
        _step(step)
    if turn.final_response is not None:
        _message(_words(turn.final_response), is_user=False)


def _words(content: Content) -> str:
    return content.text or ", ".join(item.kind for item in content.items)


def _message(said: str, *, is_user: bool) -> None:
    with ui.element("div").classes("ad-message ad-from-user" if is_user else "ad-message"):
        ui.label("You" if is_user else "Agent").classes("ad-sub")
        text(said)


def _step(step: Step) -> None:
    """What an agent did, as it comes."""
    if not step.items:
        return
    with ui.element("div").classes("ad-step"):
        for item in step.items:
            match item:
                case Claim():
                    text(item.text).classes("ad-thought")
                case ToolCall():
                    text(f"{item.name}({json.dumps(item.args or {}, ensure_ascii=False)})", mono=True)
                case ToolResult():
                    text(f"→ {json.dumps(item.value, ensure_ascii=False, default=str)}", mono=True)
                case Text() | Observation():
                    text(f"{step.author}: {item.text}" if step.author else item.text)
                case ErrorItem():
                    text(item.message).classes("ad-FAIL")
                case _:
                    chip(item.kind)
