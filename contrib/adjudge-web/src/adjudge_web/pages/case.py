"""``/case?file=…&id=…``: a case, to be read and edited."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from nicegui import ui

from adjudge.kit.adk import known_personas
from adjudge.kit.eval_sets import EvalSetDocument, Steps
from adjudge.kit.strict_json import is_list, is_object
from adjudge.plugin import AdjudgeError
from adjudge_web.case_draft import CaseDraft, ConflictError
from adjudge_web.pages.changes import show_change
from adjudge_web.pages.fields import arguments_field, json_field, text_field, unsound
from adjudge_web.pages.frame import PATIENCE, address, chip, frame, heading, named, problem, told
from adjudge_web.pages.rooms import Rooms
from adjudge_web.pages.run_dialog import RunDialog


def add(rooms: Rooms) -> None:
    """Add the page."""

    @ui.page("/case", response_timeout=PATIENCE)
    async def page(file: str = "", id: str = "") -> None:  # noqa: A002 - the name in the address
        with frame(id, "/"):
            path = rooms.eval_sets.path(file)
            _Editor(rooms, file, await asyncio.to_thread(CaseDraft, path, id)).show()


class _Editor:
    """The fields of one case."""

    def __init__(self, rooms: Rooms, file: str, draft: CaseDraft) -> None:
        self._rooms = rooms
        self._file = file
        self._draft = draft
        self._client = ui.context.client
        """Kept: what is clicked may be gone when its click has been dealt with."""

    def show(self) -> None:
        with ui.element("div").classes("ad-head"):
            with ui.element("div"):
                ui.link(self._file, address("/set", file=self._file)).classes("ad-sub")
                heading(self._draft.eval_id)
            with ui.element("div").classes("ad-actions"):
                self._undo = ui.button("Undo", icon="undo", on_click=self._take_back).props(
                    'flat data-key="u"'
                )
                ui.button("Trace", icon="timeline", on_click=self._open_trace).props("flat")
                ui.button("Delete…", icon="delete", on_click=self._ask_to_delete).props("flat")
                ui.button("Run…", icon="play_arrow", on_click=self._ask_to_run).props('outline data-key="x"')
                self._save = ui.button("Save…", icon="save", on_click=self._ask_to_save).props('data-key="s"')
        self._body = ui.element("div").classes("ad-stack").style("gap: 16px")
        self._fill()
        # Leaving with changes that are not saved is asked about, as in any editor.
        self._client.run_javascript("window.onbeforeunload = () => (window.adjudgeUnsaved ? '' : undefined)")

    def _fill(self) -> None:
        self._body.clear()
        with self._body:
            if self._draft.at("conversation_scenario") is not None:
                self._scenario()
            for number in range(len(self._draft.at("conversation") or ())):
                self._turn(number)
            if self._draft.at("conversation_scenario") is None:
                ui.button("Add a turn", icon="add", on_click=self._add_turn).props("flat").style(
                    "align-self: start"
                )
            with ui.element("div").classes("ad-card"):
                heading("Session", level=2)
                with ui.element("div").classes("ad-fields"):
                    self._text("App", ("session_input", "app_name"))
                    self._text("User", ("session_input", "user_id"))
                json_field(
                    "Initial state",
                    self._draft.at("session_input", "state"),
                    self._put("session_input", "state"),
                )
                json_field(
                    "Final state", self._draft.at("final_session_state"), self._put("final_session_state")
                )
            self._rubrics(("rubrics",), "Rubrics of the case")
        self._changed()

    def _turn(self, number: int) -> None:
        at: Steps = ("conversation", number)
        with ui.element("section").classes("ad-card"):
            with ui.element("div").classes("ad-head"):
                heading(f"Turn {number + 1}", level=2)
                self._remover(at, f"Delete turn {number + 1}")
            self._contents("User", (*at, "user_content"))
            self._calls(at)
            self._on_the_way(at)
            self._events(at)
            if self._draft.at(*at, "final_response") is None:
                self._adder(
                    "Add a final response", lambda: self._draft.put((*at, "final_response"), _said("model"))
                )
            else:
                with ui.element("div").classes("ad-head"):
                    with ui.element("div").classes("ad-stack"):
                        self._contents("Final response", (*at, "final_response"))
                    self._remover((*at, "final_response"), "Delete the final response")
            self._rubrics((*at, "rubrics"), "Rubrics of this turn")

    def _contents(self, label: str, at: Steps) -> None:
        """The texts of a message; what is no text is named."""
        parts = self._draft.at(*at, "parts")
        for place, part in enumerate(parts if is_list(parts) else ()):
            if is_object(part) and "text" in part:
                self._text(label, (*at, "parts", place, "text"), long=True)
            else:
                chip(", ".join(part) if is_object(part) else "an unknown part")
        if not parts:
            self._adder(f"Add a text: {label}", lambda: self._draft.put((*at, "parts"), [{"text": ""}]))

    def _calls(self, at: Steps) -> None:
        uses = (*at, "intermediate_data", "tool_uses")
        for place in range(len(self._draft.at(*uses) or ())):
            self._call((*uses, place))
        if self._draft.at(*at, "intermediate_data", "invocation_events") is None:
            self._adder("Add an expected call", lambda: self._draft.add(uses, {"name": "", "args": {}}))

    def _call(self, at: Steps) -> None:
        with ui.element("div").classes("ad-criterion").props('role="group" aria-label="Expected call"'):
            with ui.element("div").classes("ad-head"):
                self._text("Expected call", (*at, "name"))
                self._remover(at, "Delete the call")
            arguments_field(self._draft.at(*at, "args") or {}, self._put(*at, "args"))

    def _on_the_way(self, at: Steps) -> None:
        said = (*at, "intermediate_data", "intermediate_responses")
        for place, entry in enumerate(self._draft.at(*said) or ()):
            if not (is_list(entry) and len(entry) == 2):
                continue
            for number, part in enumerate(entry[1] or ()):
                if is_object(part) and "text" in part:
                    with ui.element("div").classes("ad-head"):
                        with ui.element("div").classes("ad-stack"):
                            self._text(
                                f"On the way: {entry[0]}", (*said, place, 1, number, "text"), long=True
                            )
                        self._remover((*said, place), "Delete this message")

    def _events(self, at: Steps) -> None:
        events = (*at, "intermediate_data", "invocation_events")
        for place, event in enumerate(self._draft.at(*events) or ()):
            parts = self._draft.at(*events, place, "content", "parts") or ()
            author = event.get("author") or "agent" if is_object(event) else "agent"
            for number, part in enumerate(parts):
                here = (*events, place, "content", "parts", number)
                if self._draft.at(*here, "function_call") is not None:
                    self._call((*here, "function_call"))
                elif is_object(part) and "text" in part:
                    with ui.element("div").classes("ad-head"):
                        with ui.element("div").classes("ad-stack"):
                            self._text(f"On the way: {author}", (*here, "text"), long=True)
                        self._remover((*events, place), "Delete this message")
                else:
                    chip(f"{author}: {', '.join(part) if is_object(part) else 'an unknown part'}")

    def _scenario(self) -> None:
        at: Steps = ("conversation_scenario",)
        with ui.element("section").classes("ad-card"):
            heading("Scenario", sub="A model plays the user.", level=2)
            self._text("First message", (*at, "starting_prompt"), long=True)
            self._text("Plan: what the user wants and knows", (*at, "conversation_plan"), long=True)
            persona = self._draft.at(*at, "user_persona")
            if is_object(persona):
                json_field("Persona", persona, self._put(*at, "user_persona"))
                return
            names = list(known_personas())
            ui.select(
                {"": "none", **{name: name for name in names}, **({persona: persona} if persona else {})},
                label="Persona",
                value=persona or "",
                on_change=lambda event: self._put(*at, "user_persona")(event.value or None),
            ).props("outlined dense").style("max-width: 320px")

    def _rubrics(self, at: Steps, title: str) -> None:
        rubrics = self._draft.at(*at) or ()
        with ui.element("div").classes("ad-stack" if len(at) > 1 else "ad-card"):
            if rubrics or len(at) == 1:
                heading(title, level=2)
            for place in range(len(rubrics)):
                with ui.element("div").classes("ad-head"):
                    self._text("Id", (*at, place, "rubric_id"))
                    with ui.element("div").style("flex: 3 1 300px"):
                        self._text("Property", (*at, place, "rubric_content", "text_property"), long=True)
                    self._remover((*at, place), "Delete the rubric")
            number = len(rubrics) + 1
            empty = {"rubric_id": f"rubric_{number}", "rubric_content": {"text_property": ""}}
            self._adder("Add a rubric", lambda: self._draft.add(at, empty))

    def _text(self, label: str, at: Steps, *, long: bool = False) -> None:
        text_field(label, self._draft.at(*at), self._put(*at), long=long)

    def _put(self, *at: str | int) -> Callable[[Any], None]:
        def put(value: Any) -> None:
            try:
                if value is None and self._draft.at(*at) is not None:
                    self._draft.drop(at)
                elif value is not None:
                    if at[0] == "session_input" and self._draft.at("session_input") is None:
                        self._draft.put(("session_input",), {"app_name": "", "user_id": ""})
                    self._draft.put(at, value)
            except AdjudgeError as error:
                told(error)
            self._changed()

        return put

    def _adder(self, label: str, change: Callable[[], None]) -> None:
        def changed() -> None:
            change()
            self._fill()

        ui.button(label, icon="add", on_click=changed).props("flat dense").style("align-self: start")

    def _remover(self, at: Steps, label: str) -> None:
        def remove() -> None:
            self._draft.drop(at)
            self._fill()

        ui.button(icon="close", on_click=remove).props(f'flat round dense aria-label="{label}"').tooltip(
            label
        )

    def _add_turn(self) -> None:
        self._draft.add(("conversation",), {"user_content": _said("user"), "final_response": _said("model")})
        self._fill()

    def _take_back(self) -> None:
        self._draft.undo()
        self._fill()

    def _changed(self) -> None:
        self._undo.set_enabled(self._draft.can_undo)
        found = len(self._draft.changes)
        self._save.set_enabled(bool(found))
        self._save.set_text(f"Save {found} change{'' if found == 1 else 's'}…" if found else "Save…")
        self._client.run_javascript(f"window.adjudgeUnsaved = {json.dumps(bool(found))}")

    def _open_trace(self) -> None:
        ui.navigate.to(address("/case/trace", file=self._file, id=self._draft.eval_id))

    def _ask_to_save(self) -> None:
        if not self._draft.changes:
            return
        if (wrong := unsound(self._body)) is not None:
            ui.notify(wrong, type="negative", position="top")
            return
        with ui.dialog().props('aria-label="What changes"') as dialog, ui.element("div").classes("ad-dialog"):
            with ui.element("div").classes("ad-dialog-head"):
                heading("What changes", sub=self._file, level=2)
            with ui.element("div").classes("ad-dialog-body"):
                for change in self._draft.changes:
                    show_change(change)
            outcome = ui.element("div").classes("ad-dialog-outcome")
            with ui.element("div").classes("ad-dialog-foot"):
                ui.button("Back", on_click=dialog.close).props("flat")
                ui.button("Write the file", on_click=lambda: self._write(dialog, outcome)).props("autofocus")
        dialog.open()

    def _write(self, dialog: ui.dialog, outcome: ui.element, *, over_theirs: bool = False) -> None:
        try:
            self._draft.save(over_theirs=over_theirs)
        except ConflictError as conflict:
            outcome.clear()
            with outcome:
                self._show_conflict(dialog, outcome, conflict)
            return
        except AdjudgeError as error:
            outcome.clear()
            with outcome:
                problem(error)
            return
        dialog.close()
        self._fill()
        ui.notify("Saved", type="positive", position="top")

    def _show_conflict(self, dialog: ui.dialog, outcome: ui.element, conflict: ConflictError) -> None:
        problem(conflict)
        if conflict.theirs is not None:
            ui.label("Theirs against what you opened:").classes("ad-sub")
            from adjudge.kit.eval_sets import changes

            for change in changes(self._draft.base, conflict.theirs):
                show_change(change)
        with ui.element("div").classes("ad-actions"):
            ui.button(
                "Write mine over theirs", on_click=lambda: self._write(dialog, outcome, over_theirs=True)
            ).props("outline")
            ui.button("Drop mine and show theirs", on_click=lambda: self._drop_mine(dialog)).props("flat")

    def _drop_mine(self, dialog: ui.dialog) -> None:
        try:
            self._draft = CaseDraft(self._rooms.eval_sets.path(self._file), self._draft.eval_id)
        except AdjudgeError as error:
            told(error)
            return
        dialog.close()
        self._fill()

    def _ask_to_delete(self) -> None:
        ask_to_delete(self._rooms, self._file, [self._draft.eval_id])

    async def _ask_to_run(self) -> None:
        if self._draft.changes:
            ui.notify("Save first: the case runs as it is in its file.", type="warning")
            return
        await RunDialog(self._rooms, self._file, [self._draft.eval_id]).open()


def ask_to_delete(rooms: Rooms, file: str, ids: list[str]) -> None:
    """Ask whether cases are to be deleted, and do so."""
    with (
        ui.dialog().props('aria-label="Delete"') as dialog,
        ui.element("div").classes("ad-dialog").style("width: 460px"),
    ):
        with ui.element("div").classes("ad-dialog-body"):
            heading(
                f"Delete {len(ids)} case{'' if len(ids) == 1 else 's'}?",
                sub=f"{file}: {named(ids)}",
                level=2,
            )

        def delete() -> None:
            try:
                document = EvalSetDocument.opened(rooms.eval_sets.path(file))
                document.remove(ids)
                document.save()
            except AdjudgeError as error:
                told(error)
                return
            ui.run_javascript("window.adjudgeUnsaved = false")
            ui.navigate.to(address("/set", file=file))

        with ui.element("div").classes("ad-dialog-foot"):
            ui.button("Keep", on_click=dialog.close).props("flat")
            ui.button("Delete for good", on_click=delete).props("color=negative")
    dialog.open()


def _said(role: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"text": ""}]}
