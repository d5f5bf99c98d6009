"""The dialog that starts a run: agent, criteria with their thresholds and options, repeats, and what it will take."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from nicegui import ui

from adjudge.kit.strict_json import is_object
from adjudge.plugin import AdjudgeError
from adjudge_web.agent_folders import likely_agent
from adjudge_web.config_draft import NAME, ConfigDraft
from adjudge_web.pages.fields import Slider
from adjudge_web.pages.frame import address, chip, heading, named, problem, told
from adjudge_web.pages.option_fields import option_fields
from adjudge_web.pages.rooms import Rooms

_STEPS: Final = 100
"""Positions of a slider over a range."""


def new_name() -> str:
    """A name for a run, made from the time."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"


class RunDialog:
    """One dialog, from its opening to the run."""

    def __init__(self, rooms: Rooms, file: str, cases: Sequence[str]) -> None:
        """Ask how to run ``cases`` of a file; none named are all."""
        self._rooms = rooms
        self._file = file
        self._cases = cases
        self._seen_estimate = False

    async def open(self) -> None:
        """Show the dialog."""
        inventory = await self._rooms.inventory()
        agents = await self._rooms.agents()
        self._installed = {
            self._name_of(item, inventory.components["criteria"]): item
            for item in inventory.components["criteria"]
        }
        self._by_any_name = {
            name: item for item in self._installed.values() for name in (item["name"], item["id"])
        }
        try:
            path = self._rooms.eval_sets.path(self._file).parent / NAME
            self._draft = ConfigDraft(path, list(self._installed.values()))
        except AdjudgeError as error:
            told(error)
            return
        self._on = dict.fromkeys(self._draft.criteria, True)
        with ui.dialog().props('aria-label="Run"') as self._dialog, ui.element("div").classes("ad-dialog"):
            with ui.element("div").classes("ad-dialog-head"):
                what = named(self._cases) if self._cases else "all cases"
                heading("Run", sub=f"{self._file}: {what}", level=2)
            with ui.element("div").classes("ad-dialog-body"):
                self._agent_fields(agents)
                self._criteria_fields()
            self._outcome = ui.element("div").classes("ad-dialog-outcome")
            with ui.element("div").classes("ad-dialog-foot"):
                ui.button(f"Save as {NAME}", on_click=self._save).props("flat")
                ui.space()
                ui.button("Cancel", on_click=self._dialog.close).props("flat")
                ui.button("Check", on_click=self._check).props("outline")
                self._start_button = ui.button("Start", icon="play_arrow", on_click=self._start)
        self._dialog.open()

    @staticmethod
    def _name_of(item: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> str:
        """The short name where it is enough."""
        return str(item["id"] if sum(other["name"] == item["name"] for other in items) > 1 else item["name"])

    def _agent_fields(self, agents: list[str]) -> None:
        with ui.element("div").classes("ad-fields"):
            likely = likely_agent(self._file, agents)
            self._agent = ui.select(
                agents,
                label="Agent",
                value=likely or None,
                with_input=True,
                new_value_mode="add-unique",
            ).props('outlined dense hint="A folder, package.module:name, http://…"')
            self._repeats = ui.number("Repeats of each case", value=1, min=1, max=10_000, step=1)
            self._repeats.props("outlined dense")
            self._judge = ui.input("Judge of all criteria").props(
                'outlined dense hint="provider/model; empty: each its own"'
            )

    def _criteria_fields(self) -> None:
        heading("Criteria", sub=f"From {NAME}." if self._draft.is_from_file else "The defaults.", level=2)
        for name in list(self._draft.criteria):
            entry = self._draft.criteria[name]
            component = entry.get("criterion", name) if is_object(entry) else name
            self._criterion(name, self._by_any_name.get(str(component)))
        others = [name for name in self._installed if name not in self._draft.criteria]
        with ui.expansion(f"{len(others)} more criteria").classes("ad-card").props("dense") as more:
            sought = ui.input(placeholder="Search criteria").props(
                'outlined dense clearable aria-label="Search criteria"'
            )
            shown = ui.element("div").classes("ad-stack")

        def fill() -> None:
            words = (sought.value or "").casefold()
            shown.clear()
            with shown:
                for name in others:
                    item = self._installed[name]
                    if words in f"{name} {item['summary']}".casefold():
                        self._criterion(name, item)

        # Made when it is opened: most people look at the first few alone.
        more.on_value_change(
            lambda event: fill() if event.value and not shown.default_slot.children else None
        )
        sought.on_value_change(fill)

    def _criterion(self, name: str, item: Mapping[str, Any] | None) -> None:
        box = ui.element("div").classes("ad-criterion")
        with box:
            with ui.element("div").classes("ad-actions"):
                check = ui.checkbox(name, value=self._on.get(name, False)).classes("ad-name")
                if item is not None and item["llm_judge"]:
                    chip("asks a judge")
                if item is not None and item["lower_is_better"]:
                    chip("lower is better")
            if item is None:
                ui.label("It is not installed, or measured by a function of the configuration.").classes(
                    "ad-sub"
                )
            else:
                ui.label(str(item["summary"])).classes("ad-sub")
            inside = ui.element("div").classes("ad-stack")

        def switched() -> None:
            is_on = bool(check.value)
            if is_on and name not in self._draft.criteria:
                self._draft.set_threshold(name, None if item is None else item["default_threshold"])
            self._on[name] = is_on
            box.classes(add="ad-criterion-on" if is_on else "", remove="" if is_on else "ad-criterion-on")
            inside.set_visibility(is_on)
            if is_on and item is not None and not inside.default_slot.children:
                with inside:
                    self._threshold(name, item)
                    self._options(name, item)

        check.on_value_change(switched)
        switched()

    def _threshold(self, name: str, item: Mapping[str, Any]) -> None:
        low, high = item["value_range"]
        value = self._draft.threshold(name)
        decides = ui.switch("decides, with the threshold", value=value is not None)
        row = ui.element("div").classes("ad-slider")
        start = value if value is not None else item["default_threshold"]
        with row:
            if low is not None and high is not None:
                start = high if start is None else start
                step = _step(low, high)
                slider = Slider(low=low, high=high, step=step, value=start).props(
                    f'label aria-label="Threshold of {name}"'
                )
                number = (
                    ui.number(value=start, min=low, max=high, step=step)
                    .props("dense outlined")
                    .style("width: 110px")
                )
                number.props(f'aria-label="Threshold of {name}, as a number"')
                slider.bind_value(number)
            else:
                start = 0 if start is None else start
                number = (
                    ui.number(value=start, min=low, max=high).props("dense outlined").style("width: 160px")
                )
                number.props(f'aria-label="Threshold of {name}"')

        def changed() -> None:
            row.set_visibility(bool(decides.value))
            known = number.value if number.value is not None else start
            self._draft.set_threshold(name, float(known) if decides.value else None)

        number.on_value_change(changed)
        decides.on_value_change(changed)
        row.set_visibility(value is not None)

    def _options(self, name: str, item: Mapping[str, Any]) -> None:
        if not item["options_schema"] or not item["options"]:
            return
        with ui.expansion("Options").props("dense"):
            option_fields(
                item["options_schema"],
                item["options"],
                lambda option: self._draft.option(name, option),
                lambda option, value: self._draft.set_option(name, option, value),
            )

    def _config(self) -> dict[str, Any]:
        document = self._draft.document()
        document["criteria"] = {
            name: entry for name, entry in document["criteria"].items() if self._on.get(name, False)
        }
        return document

    def _task(self) -> dict[str, Any]:
        sets = self._file if not self._cases else f"{self._file}:{','.join(self._cases)}"
        return {
            "agent": self._agent.value or "",
            "eval_sets": [sets],
            "config": self._config(),
            "trust_code": False,  # much of it stands in a file that may have come along with the eval set
            "num_runs": int(self._repeats.value or 1),
            "judge": [self._judge.value] if self._judge.value else [],
        }

    async def _check(self) -> dict[str, Any] | None:
        """Show what the run will take; the plan, or ``None`` where it has problems."""
        if not self._agent.value:
            self._say(
                lambda: problem("No agent is chosen.", hint="Choose a folder, or write package.module:name.")
            )
            return None
        if odd := [name for name in self._cases if "," in name or name != name.strip()]:
            what = f"the case {odd[0]!r} cannot be run alone: its id has a comma, or begins or ends with a space."
            self._say(lambda: problem(what, hint="Run all cases, or give it another id."))
            return None
        self._say(
            lambda: ui.label("Checking: loading the agent, the criteria and the judges…").classes("ad-sub")
        )
        self._start_button.disable()
        try:
            found = await self._rooms.workers.answer(do="plan", **self._task())
        finally:
            self._start_button.enable()
        plan: dict[str, Any] | None = found.get("plan")
        self._say(lambda: show_plan(plan) if plan is not None else show_problems(found))
        return plan

    def _say(self, make: Callable[[], object]) -> None:
        self._outcome.clear()
        with self._outcome:
            make()

    async def _start(self) -> None:
        plan = await self._check()
        if plan is None:
            return
        asked = plan["estimate"]["total"]["requests"][1]
        if asked and not self._seen_estimate:
            self._seen_estimate = True
            self._start_button.set_text(f"Start: up to {asked} judge calls")
            return
        name = new_name()
        task = self._task()
        what = f"{task['agent']}, {self._file}"
        self._rooms.runs.begin(name, what, do="evaluate", run=name, **task)
        ui.navigate.to(address(f"/runs/{name}"))

    def _save(self) -> None:
        try:
            self._draft.criteria = self._config()["criteria"]
            self._draft.save()
        except AdjudgeError as error:
            told(error)
            return
        ui.notify(f"Saved {self._draft.path.name}", type="positive", position="top")


def _step(low: float, high: float) -> float:
    """A step that gives about a hundred positions, round in decimals; whole numbers where the range is wide."""
    return float(10 ** round(math.log10((high - low) / _STEPS)))


def show_problems(found: Mapping[str, Any]) -> None:
    """What stands in the way of a run, and what is odd."""
    for each in found.get("problems", ()):
        problem(each)
    for each in found.get("warnings", ()):
        problem(each, warning=True)


def show_plan(plan: Mapping[str, Any], what: str = "of cases") -> None:
    """What the run will take."""
    for each in plan["warnings"]:
        problem(each, warning=True)
    total = plan["estimate"]["total"]
    low, high = total["requests"]
    said = [f"{plan['cases']} run{'' if plan['cases'] == 1 else 's'} {what}"]
    if high:
        tokens = f"{total['tokens'][0]:,} to {total['tokens'][1]:,} tokens"
        costs = total["cost"]
        cost = "cost unknown" if None in costs else f"${costs[0]:.2f} to ${costs[1]:.2f}"
        supposing = ", if the agent does what is expected" if what == "of cases" else ""
        said.append(f"{low} to {high} judge calls, {tokens}, {cost}{supposing}")
    else:
        said.append("no judge is asked")
    with ui.element("div").classes("ad-problem").style("border-color: var(--ad-pass)").props('role="status"'):
        ui.label("Everything that it needs is there.").classes("ad-name")
        ui.label("; ".join(said)).classes("ad-sub")
