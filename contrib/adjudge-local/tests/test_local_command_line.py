"""The whole way without a network: an eval set, the command line, a model on this machine, a verdict."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

REFERENCES = {"When does the shop open?": "It opens at 9 am.", "Do you ship to Norway?": "Yes, we do."}
ANSWERS = {"When does the shop open?": "The shop opens at 9 am.", "Do you ship to Norway?": "No."}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An agent that answers from a table, and a case that says what it should have answered."""
    (tmp_path / "shop.py").write_text(
        f"ANSWERS = {ANSWERS!r}\n\n\ndef agent(text):\n    return ANSWERS[text]\n"
    )
    turns = [
        {
            "user_content": {"role": "user", "parts": [{"text": question}]},
            "final_response": {"role": "model", "parts": [{"text": reference}]},
        }
        for question, reference in REFERENCES.items()
    ]
    cases = [{"eval_id": "opening", "conversation": turns}]
    (tmp_path / "shop.evalset.json").write_text(json.dumps({"eval_set_id": "shop", "eval_cases": cases}))
    return tmp_path


def evaluated(
    project: Path, offline: dict[str, str], model: Path | str, options: Mapping[str, Any], **config: Any
) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    criterion = {"threshold": 0.5, "judge_model_options": options}
    (project / "test_config.json").write_text(
        json.dumps({"criteria": {"final_response_match_v2": criterion}})
    )
    lines = [f"{name} = {value}" for name, value in {"context": 4096, **config}.items()]
    settings = ["[judge]", "timeout = 600.0", "[judge.backends.local]", *lines]
    (project / "adjudge.toml").write_text("\n".join(settings))
    done = subprocess.run(
        [
            *(sys.executable, "-m", "adjudge", "eval", "shop:agent", "shop.evalset.json"),
            *("--judge", f"local/{model}", "--output", "result.json"),
        ],
        cwd=project,
        env=offline,
        capture_output=True,
        text=True,
        check=False,
    )
    result = project / "result.json"
    return done, json.loads(result.read_text(encoding="utf-8")) if result.exists() else {}


def test_a_model_of_98_megabytes_takes_an_eval_set_to_a_verdict(
    project: Path, folder: Path, offline: dict[str, str]
) -> None:
    three = {"num_samples": 3, "judge_model_config": {"temperature": 0}}

    done, result = evaluated(project, offline, "models/small.gguf", three, max_text=40)

    # What it says is of no worth: that it was asked, understood and counted is.
    assert done.returncode in (0, 1), done.stdout + done.stderr
    [case] = result["cases"]
    [criterion] = case["criteria"]
    assert criterion["scored"] == criterion["total"] == 2
    for turn in criterion["per_invocation"]:
        [label] = turn["details"]["votes"]["tally"]
        assert (label, turn["score"]) in (("valid", 1.0), ("invalid", 0.0))

    again, repeated = evaluated(project, offline, "models/small.gguf", three, max_text=40)

    first, second = (run["summary"]["judges"]["local/models/small.gguf"] for run in (result, repeated))
    assert again.returncode == done.returncode
    assert (first["calls"], first["failed"]) == (4, 0)  # two equal votes of three decide a turn
    assert (second["calls"], second["cached"]) == (0, 4)


def test_a_model_that_can_judge_is_right(project: Path, judge_model: Path, offline: dict[str, str]) -> None:
    one = {"num_samples": 1, "judge_model_config": {"temperature": 0}}

    done, result = evaluated(project, offline, judge_model, one)

    assert done.returncode == 0, done.stdout + done.stderr
    [case] = result["cases"]
    [criterion] = case["criteria"]
    assert [turn["score"] for turn in criterion["per_invocation"]] == [1.0, 0.0]


SHOP = """
def agent(text):
    if "cancel" in text.lower():
        call = {"name": "cancel", "args": {"order": 7}}
        return {"intermediate_data": {"tool_uses": [call]}, "final_response": {"parts": [{"text": "Order 7 is cancelled."}]}}
    return "Order 7 ships tomorrow. Shall I cancel it?"
"""


def test_a_model_plays_the_user_and_judges_the_conversation(
    tmp_path: Path, judge_model: Path, offline: dict[str, str]
) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    scenario = {
        "starting_prompt": "Where is order 7?",
        "conversation_plan": "Ask where order 7 is. If it has not arrived yet, ask to cancel it. When it is cancelled, you are done.",
    }
    (tmp_path / "shop.evalset.json").write_text(
        json.dumps(
            {"eval_set_id": "shop", "eval_cases": [{"eval_id": "cancel", "conversation_scenario": scenario}]}
        )
    )
    one = {"num_samples": 1, "judge_model_config": {"temperature": 0}}
    config = {
        "criteria": {
            "hallucinations_v1": {"threshold": 0.5, "judge_model_options": one},
            "per_turn_user_simulator_quality_v1": {"threshold": 0.5, "judge_model_options": one},
        },
        "user_simulator_config": {"max_allowed_invocations": 4},
    }
    (tmp_path / "test_config.json").write_text(json.dumps(config))
    (tmp_path / "adjudge.toml").write_text(
        "[judge]\ntimeout = 600.0\n[judge.backends.local]\ncontext = 4096\n"
    )

    done = subprocess.run(
        [
            *(sys.executable, "-m", "adjudge", "eval", "shop:agent", "shop.evalset.json"),
            *("--judge", f"local/{judge_model}", "--output", "result.json"),
        ],
        cwd=tmp_path,
        env=offline,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode in (0, 1), done.stdout + done.stderr
    result = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    [case] = result["cases"]
    assert case["invocations"][0]["prompt"] == scenario["starting_prompt"]
    assert [call["name"] for turn in case["invocations"] for call in turn["actual_calls"]] == ["cancel"]
    assert case["simulation"]["stop_reason"] == "stop_signal"
    for criterion in case["criteria"]:
        assert criterion["scored"] == criterion["total"] == len(case["invocations"])
