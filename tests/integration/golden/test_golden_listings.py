"""Every listing and every page of help as it is, and what eval sets look like."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from subprocess import CompletedProcess
from typing import Any

import pytest

from adjudge.testing import fake_distribution

Run = Callable[..., CompletedProcess[str]]

OLD_SHAPE = '[{"query": "Buy milk.", "expected_tool_use": [{"tool_name": "buy", "tool_input": {"n": 1}}]}]'


@pytest.fixture
def only_own() -> None:
    """Listings name every plugin of the environment: others would make them longer."""
    found = {
        point.dist.name
        for point in importlib.metadata.entry_points(group="adjudge")
        if point.dist and point.dist.name not in ("adjudge", "adjudge-scripted")
    }
    if found:
        pytest.skip(f"plugins of others are installed: {', '.join(sorted(found))}")


@pytest.mark.usefixtures("only_own")
@pytest.mark.parametrize(
    "listed",
    [
        "agents",
        "commands",
        "criteria",
        "granularity",
        "judges",
        "observers",
        "plugins",
        "readers",
        "reporters",
        "simulators",
    ],
)
def test_what_is_installed(golden: Any, adjudge_here: Run, listed: str) -> None:
    fake_distribution(
        golden.folder / "installed",
        "adjudge-broken",
        entry_points={"broken": "broken_plugin"},
        modules={"broken_plugin": "raise RuntimeError('out of order')\n"},
    )
    golden.command(f"lists/{listed}.txt", adjudge_here(listed))
    done = adjudge_here(listed, "--json")
    assert done.returncode == 0, done.stderr
    golden.text(f"lists/{listed}.json", done.stdout)


@pytest.mark.parametrize(
    "shown",
    [
        ("agents", "python"),
        ("criteria", "tool_trajectory_avg_score"),
        ("criteria", "rubric_based_final_response_quality_v1"),
        ("granularity", "phase_level"),
        ("judges", "openai"),
        ("judges", "scripted"),
        ("judges", "try", "scripted/m"),
        ("commands", "judges", "try"),
        ("readers", "browser_use"),
        ("reporters", "json"),
        ("plugins", "show", "json-reporter"),
        ("plugins", "show", "adjudge-scripted"),
        ("plugins", "check", "adjudge-scripted"),
        ("runs", "list"),
    ],
    ids="-".join,
)
def test_one_of_them(golden: Any, adjudge_here: Run, shown: tuple[str, ...]) -> None:
    name = "-".join(shown).replace("/", "-")
    golden.command(f"lists/one/{name}.txt", adjudge_here(*shown))
    if shown[0] not in ("plugins", "runs") or shown[:2] == ("plugins", "show"):
        golden.text(f"lists/one/{name}.json", adjudge_here(*shown, "--json").stdout)


def test_eval_sets(golden: Any, adjudge_here: Run) -> None:
    (golden.folder / "old.json").write_text(OLD_SHAPE)
    (golden.folder / "bad.test.json").write_text('{"eval_set_id": "bad", "eval_cases": [{"eval_i": "x"}]}')
    golden.command("evalset/show.txt", adjudge_here("evalset", "show", "shop.test.json"))
    done = adjudge_here("evalset", "show", "shop.test.json:passes,no-reference", "--json")
    golden.text("evalset/show.json", done.stdout)
    golden.command("evalset/list.txt", adjudge_here("evalset", "list", "."))
    golden.command("evalset/validate.txt", adjudge_here("evalset", "validate", "."))
    golden.command("evalset/migrate.txt", adjudge_here("evalset", "migrate", "old.json", "new.test.json"))
    golden.text("evalset/migrated.json", (golden.folder / "new.test.json").read_text(encoding="utf-8"))


COMMANDS = (
    "",
    "agents",
    "agreement",
    "commands",
    "criteria",
    "eval",
    "evalset",
    "evalset list",
    "evalset migrate",
    "evalset show",
    "evalset validate",
    "granularity",
    "judge",
    "judges",
    "judges try",
    "observers",
    "plugins",
    "plugins check",
    "plugins list",
    "plugins new",
    "plugins show",
    "readers",
    "reporters",
    "resume",
    "runs",
    "runs delete",
    "runs list",
    "runs show",
    "simulators",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_help(golden: Any, adjudge_here: Run, command: str) -> None:
    done = adjudge_here(*command.split(), "--help")
    assert done.returncode == 0, done.stderr
    golden.text(f"help/{command.replace(' ', '-') or 'adjudge'}.txt", done.stdout)
