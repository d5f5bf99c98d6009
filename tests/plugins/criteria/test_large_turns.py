"""Turns with hundreds of calls: nobody waits for them, and what is told of them ends."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import adjudge as package
from adjudge.extension.hooks import CriterionScored
from adjudge.kit.matching import match

CALLS = 200


def calls(first: int, number: int = CALLS) -> list[dict[str, Any]]:
    """Calls of one tool that are all alike and never equal."""
    return [{"name": "look", "args": {"at": first + n, "from": "here"}} for n in range(number)]


@pytest.mark.parametrize(
    ("criterion", "options"),
    [
        ("tool_trajectory_avg_score", {"match_type": "IN_ORDER"}),
        ("trajectory_precision", {}),
        ("trajectory_recall", {}),
        ("trajectory_f1", {"partial_credit": True}),
        ("trajectory_edit_similarity", {"partial_credit": True}),
    ],
)
def test_the_event_loop_goes_on_while_many_calls_are_compared(
    tmp_path: Path, criterion: str, options: dict[str, Any]
) -> None:
    said = {
        "user_content": {"parts": [{"text": "look around"}]},
        "final_response": {"parts": [{"text": "ok"}]},
    }
    turn = {**said, "intermediate_data": {"tool_uses": calls(0)}}
    path = tmp_path / "set.test.json"
    path.write_text(
        json.dumps({"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation": [turn]}]})
    )
    rounds = 0
    before = after = 0

    async def agent(text: str) -> dict[str, Any]:
        nonlocal before
        before = rounds
        return {**said, "intermediate_data": {"tool_uses": calls(1000)}}

    def watch(event: object) -> None:
        nonlocal after
        if isinstance(event, CriterionScored):
            after = rounds

    async def main() -> None:
        nonlocal rounds
        config = {"criteria": {criterion: {"threshold": 0.5, **options}}}
        run = asyncio.create_task(package.evaluate(agent, path, config=config, watch=watch))
        while not run.done():
            rounds += 1
            await asyncio.sleep(0)
        await run

    asyncio.run(main())
    # Four rounds pass around the scoring; while it is made elsewhere thousands do, and fewer on a machine that is busy.
    assert after - before > 5


def test_what_differs_among_very_many_calls_is_told_without_looking_for_the_nearest() -> None:
    expected = [(call["name"], call["args"]) for call in calls(0)]
    actual = [(call["name"], call["args"]) for call in calls(1000)]
    found = match(expected, actual, "IN_ORDER")
    assert {row["status"] for row in found.diff()} == {"different_args"}
    assert [row["actual"]["args"]["at"] for row in found.diff()] == list(range(1000, 1000 + CALLS))
