"""The checks of criteria as fields: what each is about, and its words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, get_args

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from adjudge.kit.evaluation import CheckKind
from adjudge_web.criteria_text import Checks
from adjudge_web.pages.frame import chip, text

_KINDS: Final = list(get_args(CheckKind))
_BY: Final = {"author": "yours", "code": "the description itself"}


class CheckFields:
    """Shows compiled criteria, lets somebody edit their checks, and gives them to who writes them."""

    def __init__(self, prepared: Mapping[str, Any], write: Callable[[Mapping[str, Checks]], None]) -> None:
        """Show ``prepared``, as ``adjudge.prepare_criteria`` gives it; ``write`` is told the edited checks by criterion."""
        self._write = write
        criteria = {name: item for name, item in prepared.items() if item.get("checks")}
        self._checks: dict[str, list[list[str]]] = {
            name: [[check["about"], check["text"]] for check in item["checks"]]
            for name, item in criteria.items()
        }
        for name, item in criteria.items():
            with ui.element("div").classes("ad-criterion"):
                with ui.element("div").classes("ad-actions"):
                    text(name).classes("ad-name")
                    chip(_BY.get(item["compiled_by"], f"by {item['compiled_by']}"))
                rows = ui.element("div").classes("ad-stack")
            self._show(name, rows)
        if criteria:
            ui.button("Write them into the criteria", icon="edit_note", on_click=self._told).props(
                "outline dense"
            ).style("align-self: start")
        else:
            ui.label("These criteria are counted: no judge is asked about checks.").classes("ad-sub")

    def _show(self, name: str, rows: ui.element) -> None:
        """The checks of one criterion."""
        checks = self._checks[name]
        rows.clear()
        with rows:
            for number, check in enumerate(checks, 1):
                with ui.element("div").classes("ad-check"):
                    about = ui.select(_KINDS, value=check[0]).props("outlined dense")
                    about.props["aria-label"] = f"What check {number} of {name} is about"
                    about.on_value_change(partial(_set, check, 0))
                    words = ui.textarea(value=check[1]).props("outlined dense autogrow dir=auto")
                    words.props["aria-label"] = f"Check {number} of {name}"
                    words.on_value_change(partial(_set, check, 1))
                    if len(checks) > 1:
                        remove = ui.button(icon="delete", on_click=partial(self._remove, name, number, rows))
                        remove.props("flat dense")
                        remove.props["aria-label"] = f"Delete check {number} of {name}"

    def _remove(self, name: str, number: int, rows: ui.element) -> None:
        del self._checks[name][number - 1]
        self._show(name, rows)

    def _told(self) -> None:
        self._write({name: [_pair(check) for check in checks] for name, checks in self._checks.items()})


def _set(check: list[str], at: int, event: ValueChangeEventArguments[Any]) -> None:
    check[at] = event.value or ""


def _pair(check: Sequence[str]) -> tuple[str, str]:
    about, words = check
    return about, " ".join(words.split())
