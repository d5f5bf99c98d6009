"""``/plugins``: what is installed, what is broken and why, and which judges can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from nicegui import ui

from adjudge_web.pages.frame import PATIENCE, Paged, chip, frame, heading, problem, status, text
from adjudge_web.pages.rooms import Rooms

_KINDS: Final = {
    "criteria": "criteria",
    "judge_backends": "judges",
    "granularity_strategies": "granularity strategies",
    "agent_adapters": "kinds of agents",
    "trace_readers": "readers of logs",
    "reporters": "reporters",
    "user_simulators": "simulated users",
}


def add(rooms: Rooms) -> None:
    """Add the page."""

    @ui.page("/plugins", response_timeout=PATIENCE)
    async def page() -> None:
        with frame("Plugins", "/plugins"):
            found = await rooms.inventory()
            late = await rooms.installed_since()
            plugins = [item for item in found.plugins if (item["distribution"], item["version"]) not in late]
            broken = [item for item in plugins if item["state"] in ("failed", "conflict")]
            heading("Plugins", sub=f"{len(plugins)} installed, {len(broken)} broken")
            for name, version in late:
                problem(
                    f"{name} {version} was installed since the page was started: start the page again.",
                    warning=True,
                )
            for item in broken:
                problem(
                    f"{item['name']} ({item['distribution']} {item['version']}), {item['state']}: {item['reason']}"
                )
            heading("Judges", sub="Which can be asked from here. Keys are never shown.", level=2)
            with ui.element("div").classes("ad-list"):
                for item in found.components["judge_backends"]:
                    _judge(item)
            heading("Installed", level=2)
            with ui.element("div").classes("ad-actions"):
                for hook, name in _KINDS.items():
                    chip(f"{len(found.components[hook])} {name}")
                chip(f"{len(found.commands)} commands")
            order = {"failed": 0, "conflict": 1, "disabled": 2, "active": 3}
            rows = sorted(plugins, key=lambda item: (order.get(item["state"], 0), item["name"]))
            Paged(
                rows,
                _plugin,
                lambda item: f"{item['name']} {item['distribution']} {item['components']}",
                noun="plugins",
            )


def _judge(item: Mapping[str, Any]) -> None:
    missing = item["missing"]
    with ui.element("div").classes("ad-row"):
        with ui.element("div").classes("ad-grow"):
            ui.label(str(item["name"])).classes("ad-name")
            example = f"; for instance {item['example']}" if item["example"] else ""
            text(f"{item['summary']}{example}").classes("ad-sub")
            for each in missing:
                text(each).classes("ad-sub")
        ui.label("ready" if not missing else "not ready").classes(
            f"ad-status ad-{'PASS' if not missing else 'UNSURE'}"
        )


def _plugin(item: Mapping[str, Any]) -> None:
    with ui.element("div").classes("ad-row").props('role="listitem"'):
        with ui.element("div").classes("ad-grow"):
            ui.label(str(item["name"])).classes("ad-name")
            ui.label(f"{item['distribution']} {item['version']}").classes("ad-sub")
            if item["reason"]:
                text(str(item["reason"])).classes("ad-sub")
            if item["components"]:
                text("\n".join(item["components"])).classes("ad-sub")
        state = str(item["state"])
        if state in ("failed", "conflict"):
            ui.label(state).classes("ad-status ad-FAIL")
        else:
            status(state)
