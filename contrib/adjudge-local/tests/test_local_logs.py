"""Logs of many formats to verdicts without a network, by the model of 98 megabytes.

What it says of them is of no worth. That it was asked, understood and held to the log is: every result has what seed
003 asks for, and what it cites stands in the log.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[3]
OURS = REPOSITORY / "docs" / "examples" / "logs"
THEIRS = REPOSITORY.parent / "shared" / "data"
"""Logs of other people's agents, where this machine has them."""

CRITERIA = [
    {
        "name": "Success",
        "description": "The task is done.",
        "granularity": "step_level",
        "checks": ["The final result is what the task asked for."],
    }
]


QUICK = ("history_log", "otel_genai")
"""Six formats take minutes: `ADJUDGE_SIX_FORMATS=1 nox -s contrib` judges them all."""


@pytest.fixture
def logs(folder: Path) -> dict[str, Path]:
    """Logs by reader."""
    found = six_logs(folder)
    return found if os.environ.get("ADJUDGE_SIX_FORMATS") else {name: found[name] for name in QUICK}


def six_logs(folder: Path) -> dict[str, Path]:
    """Other people's, or ours, which are shorter."""
    if THEIRS.is_dir():
        return {
            "eval_set": THEIRS / "adk_eval_files" / "hello_world" / "roll_die.test.json",
            "history_log": one_run(THEIRS / "web_agent_runs" / "runs.jsonl.gz", 27, folder),
            "openai_messages": one_run(THEIRS / "tau_airline" / "runs.jsonl.gz", 87, folder),
            "openinference": THEIRS / "otel_spans" / "openinference_live_spans.json",
            "otel_genai": THEIRS / "otel_spans" / "adk_live_spans.json",
            "swe_agent": THEIRS / "swe_agent" / "function_calling_simple.traj",
        }
    if not OURS.is_dir():
        pytest.skip("no logs: neither ../shared/data nor docs/examples/logs is there")
    names = ("browser_use", "history_log", "openai_messages", "openinference", "otel_genai", "swe_agent")
    return {name: next(OURS.glob(f"{name}.*")) for name in names}


def one_run(path: Path, number: int, folder: Path) -> Path:
    """A short run out of many, as a log of its own."""
    alone = folder / f"{path.parent.name}.jsonl"
    with gzip.open(path, "rb") as file:
        alone.write_bytes(next(line for at, line in enumerate(file) if at == number))
    return alone


def test_logs_are_judged_by_the_embedded_model(
    folder: Path, logs: dict[str, Path], offline: dict[str, str]
) -> None:
    (folder / "criteria.json").write_text(json.dumps(CRITERIA))
    (folder / "adjudge.toml").write_text(
        "[judge]\ntimeout = 600.0\n[judge.backends.local]\nmax_text = 40\nmax_tokens = 400\n"
    )
    model = ("--judge", "local/models/small.gguf", "--num-samples", "1", "--token-budget", "4000")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "adjudge", "judge", *map(str, logs.values())),
            *("--criteria", "criteria.json", "--output", "result.json", *model),
        ],
        cwd=folder,
        env=offline,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode in (0, 1, 3), done.stdout + done.stderr
    assert done.stderr == ""
    document = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    assert [run["reader"].partition("/")[2] for run in document["cases"]] == list(logs)
    # An answer that is cut off is a lost vote, and without any vote there is no verdict.
    assert sum(run["criteria"][0]["verdict"] is None for run in document["cases"]) < len(logs)
    for run, path in zip(document["cases"], logs.values(), strict=True):
        [view] = [view for view in run["aggregated_steps"] if view["granularity"] == "step_level"]
        steps = {step for of_view in view["step_mapping"].values() for step in of_view}
        said = squeezed(*leaves(json.loads(path.read_text(encoding="utf-8"))))
        [result] = run["criteria"]
        assert (result["criterion_name"], result["used_granularity"]) == ("Success", "step_level")
        if result["verdict"] is None:
            assert result["error"]["code"]
        else:
            assert result["verdict"] in ("PASS", "FAIL", "UNSURE")
            assert result["reasoning"]
            assert (result["confidence_score"] is None) == (result["verdict"] == "UNSURE")
            for citation in result["evidence"]["citations"]:
                assert citation["step"] in steps
                assert all(squeezed(part) in said for part in citation["quote"].split("(", 1))


def leaves(value: Any) -> list[str]:
    """Every text of a JSON document in order, and what is JSON inside of a text."""
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in (key, *leaves(item))]
    if isinstance(value, list):
        return [text for item in value for text in leaves(item)]
    if not isinstance(value, str):
        return [json.dumps(value)]
    try:
        inner = json.loads(value)
    except ValueError:
        return [value]
    return [value, *leaves(inner)] if isinstance(inner, (dict, list)) else [value]


def squeezed(*texts: str) -> str:
    """Letters and digits alone."""
    return re.sub(r"[\W_]+", "", " ".join(texts))


def test_a_list_in_an_answer_ends(folder: Path, backend: Any, question: Any) -> None:
    import asyncio

    schema = {
        "type": "object",
        "properties": {
            "numbers": {"type": "array", "items": {"type": "string"}},
            "verdict": {"type": "string", "enum": ["yes", "no"]},
        },
        "required": ["numbers", "verdict"],
        "additionalProperties": False,
    }

    async def ask() -> Any:
        judge = backend(max_text=20)
        try:
            return await judge.complete(
                question("Write all numbers from 1 to 1000.", schema_=schema, parameters={})
            )
        finally:
            await judge.aclose()

    answer = json.loads(asyncio.run(ask()).text)
    assert len(answer["numbers"]) <= 4
    assert all(len(text) <= 20 for text in answer["numbers"])
    assert answer["verdict"] in ("yes", "no")
