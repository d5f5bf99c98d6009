"""Matching three calls a turn, inside one process, on objects of each side's own that are already there."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from environments import Environments
from measure import in_turns, median, worker
from table import Row, faster

_TURNS = 1000
_CALLS = 3
SECONDS = "0.5"
"""How long a kernel runs in one round."""

_TOOLS = ("find_device", "set_device", "book_room", "send_mail")


def rows(environments: Environments, rounds: int) -> Iterator[Row]:
    """Turns per second for each match type; both sides must agree on every turn."""
    folder, data = turns(environments)
    found = in_turns(
        {
            "adk": lambda: worker(environments.adk, "adk_trajectory", folder, data, SECONDS),
            "adjudge": lambda: worker(environments.adjudge, "adjudge_trajectory", folder, data, SECONDS),
        },
        rounds,
    )
    for kind in ("EXACT", "IN_ORDER", "ANY_ORDER"):
        sides = {side: [run[kind] for run in found[side]] for side in found}
        if sides["adk"][0]["matched"] != sides["adjudge"][0]["matched"]:
            raise RuntimeError(f"the verdicts of {kind} differ")
        adk, adjudge = (median([run["per_second"] for run in sides[side]]) for side in ("adk", "adjudge"))
        yield Row(f"trajectory {kind}, {_CALLS} calls a turn", "turns/s", adk, adjudge, faster(1))


def turns(environments: Environments) -> tuple[Path, Path]:
    """A folder, and a file in it with the expected and the actual calls of each turn."""
    folder = environments.folder("trajectory")
    data = folder / "turns.json"
    chance = random.Random(2)
    data.write_text(json.dumps([_turn(chance) for _ in range(_TURNS)]), encoding="utf-8")
    return folder, data


def _turn(chance: random.Random) -> tuple[list[Any], list[Any]]:
    """Mostly the expected calls; sometimes in another order, sometimes with another argument."""
    expected = [
        {"name": chance.choice(_TOOLS), "args": {"id": chance.randrange(50), "on": chance.random() < 0.5}}
        for _ in range(_CALLS)
    ]
    actual = [{"name": call["name"], "args": dict(call["args"])} for call in expected]
    kind = chance.random()
    if kind < 0.1:
        chance.shuffle(actual)
    elif kind < 0.2:
        chance.choice(actual)["args"]["id"] = -1
    return expected, actual
