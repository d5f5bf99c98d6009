"""``adjudge.open_run``: a plan whose cases run when they are asked for."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

import adjudge


@pytest.fixture
def eval_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three cases."""
    monkeypatch.chdir(tmp_path)
    cases = [
        {
            "eval_id": name,
            "conversation": [
                {
                    "user_content": {"parts": [{"text": name}]},
                    "final_response": {"parts": [{"text": f"Hello {name}."}]},
                }
            ],
        }
        for name in ("ann", "ben", "cem")
    ]
    path = tmp_path / "people.test.json"
    path.write_text(json.dumps({"eval_set_id": "people", "eval_cases": cases}))
    (tmp_path / "test_config.json").write_text(json.dumps({"criteria": {"response_match_score": 0.9}}))
    return path


class Greeter:
    """Remembers whom it greeted."""

    def __init__(self) -> None:
        self.greeted: list[str] = []

    def __call__(self, text: str) -> str:
        self.greeted.append(text)
        return "Go away." if text == "ben" else f"Hello {text}."


def test_cases_run_when_they_are_asked_for_and_once(eval_set: Path) -> None:
    agent = Greeter()

    async def asked() -> adjudge.OpenRun:
        async with adjudge.open_run(agent, eval_set) as run:
            assert [eval_id for _, eval_id in run.cases] == ["ann", "ben", "cem"]
            assert agent.greeted == []
            assert (await run.case(eval_set, "cem")).status == "PASS"
            assert agent.greeted == ["cem"]
            failed, again = await asyncio.gather(
                run.case("people.test.json", "ben"), run.case(eval_set, "ben")
            )
            assert failed is again
            assert failed.status == "FAIL"
            response = failed.actual.invocations[0].final_response
            assert response is not None
            assert response.text == "Go away."
            await run.case(eval_set, "ann")
        return run

    run = asyncio.run(asked())

    assert agent.greeted == ["cem", "ben", "ann"]
    assert run.result is not None
    assert run.result.status == "FAIL"
    assert [case.status for case in run.result.cases()] == ["PASS", "FAIL", "PASS"]


def test_a_run_that_is_left_early_can_be_resumed(eval_set: Path) -> None:
    agent = Greeter()

    async def asked() -> adjudge.OpenRun:
        async with adjudge.open_run(agent, eval_set, run="left") as run:
            await run.case(eval_set, "cem")
        return run

    run = asyncio.run(asked())
    assert run.result is None
    result = adjudge.resume_sync("left", agent=agent)

    assert result.status == "FAIL"
    assert agent.greeted[0] == "cem"
    assert sorted(agent.greeted) == ["ann", "ben", "cem"]


def test_what_is_wrong_is_told_to_whoever_asks(eval_set: Path) -> None:
    async def unknown() -> None:
        async with adjudge.open_run(Greeter(), eval_set) as run:
            await run.case(eval_set, "dan")

    with pytest.raises(adjudge.InputError, match="no such case"):
        asyncio.run(unknown())

    async def changed() -> None:
        async with adjudge.open_run(Greeter(), eval_set) as run:
            eval_set.write_text(eval_set.read_text().replace("ann", "eva"))
            await run.case(eval_set, "ann")

    with pytest.raises(adjudge.RunError, match="changed since it was opened"):
        asyncio.run(changed())


def test_repeats_are_one_case(eval_set: Path) -> None:
    agent = Greeter()

    async def asked() -> adjudge.EvaluatedCase:
        async with adjudge.open_run(agent, eval_set, num_runs=3) as run:
            return await run.case(eval_set, "ann")

    case = asyncio.run(asked())

    assert [item.result.repeat for item in case.repeats] == [1, 2, 3]
    assert agent.greeted == ["ann"] * 3
    assert case.name == "people.test.json:ann"
