"""The page of plugins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import WalkT
from nicegui.testing import User

Walk = Callable[[WalkT], None]


def test_what_was_installed_since_the_page_was_started_is_not_called_broken(
    walk: Walk, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = folder / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))

    async def steps(user: User) -> None:
        facts = site / "adjudge_late-0.1.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: adjudge-late\nVersion: 0.1\n", "utf-8")
        (facts / "entry_points.txt").write_text("[adjudge]\nlate = adjudge_late\n", "utf-8")
        await user.open("/plugins")
        await user.should_see(
            "adjudge-late 0.1 was installed since the page was started: start the page again."
        )
        await user.should_see(", 0 broken")
        await user.should_not_see("No module named")

    walk(steps)
