"""What the pages share: the folder, the runs under way, and what is installed."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from importlib.metadata import entry_points
from pathlib import Path

import adjudge
from adjudge import Inventory
from adjudge_web.agent_folders import find_agents
from adjudge_web.eval_set_folder import EvalSetFolder
from adjudge_web.log_shelf import LogShelf
from adjudge_web.run_views import RunViews
from adjudge_web.score_history import ScoreHistory
from adjudge_web.sessions import Sessions
from adjudge_web.work import Runs
from adjudge_web.workers import Workers


class Rooms:
    """The same for everybody who looks at the page."""

    def __init__(self, folder: Path) -> None:
        """Serve the agents and eval sets below ``folder``."""
        self.folder = folder.resolve()
        self.eval_sets = EvalSetFolder(folder)
        self.logs = LogShelf(folder)
        self.workers = Workers()
        self.runs = Runs(self.workers)
        self.sessions = Sessions(self.workers)
        self.views = RunViews()
        self.scores = ScoreHistory()
        self._inventory: Inventory | None = None
        self._installed = _installed()

    async def inventory(self) -> Inventory:
        """What is installed, looked up once."""
        if self._inventory is None:
            self._inventory = await asyncio.to_thread(adjudge.inventory)
        return self._inventory

    async def installed_since(self) -> list[tuple[str, str]]:
        """The distributions with plugins, and their versions, that were not there when the page was started."""
        return sorted(await asyncio.to_thread(_installed) - self._installed)

    async def agents(self) -> list[str]:
        """The agents below the folder, as targets."""
        return await asyncio.to_thread(find_agents, self.folder)


def _installed() -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for entry in entry_points(group="adjudge"):
        if entry.dist is not None:
            with suppress(Exception):  # metadata that cannot be read: the list of plugins says so
                found.add((entry.dist.name, entry.dist.version))
    return found
