"""Thousands of generated cases through google-adk and through adjudge: the same scores and the same verdicts.

The documented differences are left out of the data: null arguments, blank references, thoughts, and words that
are neither ASCII nor Chinese, Japanese or Korean (docs/reference/differences-from-adk.md).
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from adjudge import RunResult, evaluate_sync

CASES = 500
"""In each of the eval sets."""

CONFIGS: dict[str, dict[str, Any]] = {
    "default": {"tool_trajectory_avg_score": 1.0, "response_match_score": 0.8},
    "exact": {"tool_trajectory_avg_score": {"threshold": 0.5, "match_type": "EXACT"}},
    "in_order": {"tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "in order"}},
    "any_order": {"tool_trajectory_avg_score": {"threshold": 1.0, "match_type": 2}},
    "names": {
        "tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "ANY_ORDER", "ignore_args": True},
        "response_match_score": {"threshold": 0.5},
    },
    "words": {"response_match_score": 0.6},
}

VERDICTS = {"PASSED": "PASS", "FAILED": "FAIL"}

TOOLS = ["look_up", "book", "Book", "transfer_to_agent"]
ARGUMENTS: list[dict[str, Any]] = [
    {},
    {"id": 1},
    {"id": 1.0},
    {"id": True},
    {"id": "1"},
    {"id": 1, "verbose": False},
    {"where": {"city": "Zürich", "days": [1, 2]}},
    {"where": {"days": [1, 2], "city": "Zürich"}},
    {"where": {"city": "Zürich", "days": [2, 1]}},
    {"note": None},
    {"note": "on "},
]
ASCII = [
    "The",
    "device_2",
    "turned",
    "off;",
    "turning",
    "ON",
    "3.14",
    "$5",
    "don't",
    "happiness",
    "happy",
    "a-b",
]
CJK = [*"寝室の電気を消しました。東京は晴れカタカナひらがな불을껐습니다天气很好，「」", "AI", "2024", " "]


def turn(number: int, calls: list[dict[str, Any]], answer: str) -> dict[str, Any]:
    turn: dict[str, Any] = {
        "invocation_id": f"turn-{number}",
        "user_content": {"role": "user", "parts": [{"text": f"Question {number}"}]},
        "final_response": {"role": "model", "parts": [{"text": answer}]},
    }
    # A turn without intermediate data expects no call.
    return {**turn, "intermediate_data": {"tool_uses": calls}} if calls else turn


def some_calls(chance: random.Random) -> list[dict[str, Any]]:
    return [
        {"name": chance.choice(TOOLS), "args": chance.choice(ARGUMENTS)} for _ in range(chance.randint(0, 4))
    ]


def changed_calls(chance: random.Random, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Often the same calls, else some more, fewer, others, or in another order."""
    changed = list(calls)
    for _ in range(chance.choice((0, 0, 0, 1, 1, 2))):
        match chance.randrange(4):
            case 0:
                changed[(at := chance.randint(0, len(changed))) : at] = some_calls(chance)[:1]
            case 1 if changed:
                changed.pop(chance.randrange(len(changed)))
            case 2 if changed:
                at = chance.randrange(len(changed))
                changed[at] = {**changed[at], "args": chance.choice(ARGUMENTS)}
            case _:
                chance.shuffle(changed)
    return changed


def two_texts(chance: random.Random) -> tuple[str, str]:
    """A reference, which is never blank, and an answer that shares some words with it."""
    words, glue = chance.choice(((ASCII, " "), (ASCII, "\n"), (CJK, "")))
    reference = chance.choices(words, k=chance.randint(1, 20))
    shared = chance.sample(reference, k=chance.randint(0, len(reference)))
    answer = [*shared, *chance.choices(words, k=chance.choice((0, 0, 1, 4)))]
    chance.shuffle(answer)
    return glue.join(reference) + words[0], glue.join(answer)


def case(chance: random.Random, number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A case, and what the agent did in it."""
    expected: list[dict[str, Any]] = []
    actual: list[dict[str, Any]] = []
    for index in range(chance.randint(1, 3)):
        calls, (reference, answer) = some_calls(chance), two_texts(chance)
        expected.append(turn(index, calls, reference))
        actual.append(turn(index, changed_calls(chance, calls), answer))
    eval_id = f"case-{number}"
    return {"eval_id": eval_id, "conversation": expected}, {"eval_id": eval_id, "conversation": actual}


def files(folder: Path, name: str) -> dict[str, str]:
    """An eval set, a recording of every case, and a configuration."""
    chance = random.Random(name)
    cases = [case(chance, number) for number in range(CASES)]
    contents: dict[str, Any] = {
        "eval_set": {"eval_set_id": name, "eval_cases": [expected for expected, _ in cases]},
        "recorded": {"eval_set_id": name, "eval_cases": [actual for _, actual in cases]},
        "config": {"criteria": CONFIGS[name]},
    }
    paths: dict[str, str] = {}
    for kind, content in contents.items():
        path = folder / f"{name}.{kind}.json"
        path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
        paths[kind] = str(path)
    return paths


def shown(result: RunResult) -> dict[str, Any]:
    """The same of adjudge's results as is compared of google-adk's."""
    return {
        case.eval_id: {
            "status": case.status,
            "scores": {item.criterion_name: pytest.approx(item.score, abs=1e-12) for item in case.criteria},
            "turns": {
                item.criterion_name: [turn.score for turn in item.per_invocation] for item in case.criteria
            },
        }
        for case in result.cases()
    }


def comparable(case: dict[str, Any], criteria: dict[str, Any]) -> dict[str, Any]:
    """A case of google-adk without the efficiency figures that it adds to every run."""
    return {
        "status": VERDICTS[case["status"]],
        "scores": {name: case["scores"][name] for name in criteria},
        "turns": {name: case["turns"][name] for name in criteria},
    }


def test_scores_and_verdicts_equal_those_of_google_adk(tmp_path: Path) -> None:
    python = os.environ.get("ADJUDGE_ADK_PYTHON")
    if not python:
        pytest.skip("ADJUDGE_ADK_PYTHON names no interpreter that has google-adk")
    named = {name: files(tmp_path, name) for name in CONFIGS}
    done = subprocess.run(
        [python, Path(__file__).with_name("adk_verdicts.py")],
        input=json.dumps(named),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    theirs = json.loads(done.stdout)

    for name, paths in named.items():
        ours = shown(
            evaluate_sync(f"recorded:{paths['recorded']}", paths["eval_set"], config=paths["config"])
        )
        expected = {key: comparable(case, CONFIGS[name]) for key, case in theirs[name].items()}
        assert len(expected) == CASES
        # Both verdicts occur, or equality would say little.
        assert {case["status"] for case in expected.values()} == {"PASS", "FAIL"}
        assert ours == expected, name
