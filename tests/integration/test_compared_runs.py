"""Two runs compared: what changed first, in every report."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Cli = Callable[..., CompletedProcess[str]]

AGENT = """
def monday(text):
    return {"Paris": "Sunny.", "Oslo": "Rain."}.get(text, "I do not know.")

def tuesday(text):
    return {"Paris": "Fog and more fog.", "Oslo": "Snow.", "Rome": "Sunny."}.get(text, "I do not know.")
"""
CASES = {"Paris": "Sunny.", "Oslo": "Snow.", "Rome": "Sunny.", "Atlantis": "I do not know."}


def eval_set(*cities: str) -> dict[str, Any]:
    return {
        "eval_set_id": "weather",
        "eval_cases": [
            {
                "eval_id": city,
                "conversation": [
                    {
                        "user_content": {"parts": [{"text": city}]},
                        "final_response": {"parts": [{"text": CASES[city]}]},
                    }
                ],
            }
            for city in cities
        ],
    }


@pytest.fixture
def runs(tmp_path: Path, adjudge_here: Cli) -> Cli:
    (tmp_path / "bot.py").write_text(AGENT)
    (tmp_path / "test_config.json").write_text('{"criteria": {"response_match_score": 0.8}}')
    file = tmp_path / "weather.test.json"
    file.write_text(json.dumps(eval_set("Paris", "Oslo", "Atlantis")))
    adjudge_here("eval", "bot:monday", file.name, "--run", "monday")
    file.write_text(json.dumps(eval_set("Oslo", "Rome", "Paris")))
    adjudge_here("eval", "bot:tuesday", file.name, "--run", "tuesday")
    return adjudge_here


def test_the_console_says_what_changed_since_a_run_what_got_worse_first(runs: Cli) -> None:
    done = runs("runs", "show", "tuesday", "--baseline", "monday")

    assert done.returncode == 1
    [said] = done.stdout.split("since run monday: ")[1:]
    lines = [line.strip() for line in said.splitlines()]
    assert lines[0] == "1 got worse, 1 gone, 1 new, 1 got better, 0 unchanged"
    assert lines[1] == "note: agent: bot:monday → bot:tuesday"
    assert [line for line in lines if "weather.test.json:" in line] == [
        "got worse   weather.test.json:Paris  PASS → FAIL",
        "gone        weather.test.json:Atlantis  PASS",
        "new         weather.test.json:Rome  PASS",
        "got better  weather.test.json:Oslo  FAIL → PASS",
    ]
    assert "response_match_score: 1.00 → 0.00 (PASS → FAIL)" in lines


def test_markdown_says_it_too(runs: Cli, tmp_path: Path) -> None:
    runs("runs", "show", "tuesday", "--baseline", "monday", "--output", "r.md")

    text = (tmp_path / "r.md").read_text()
    assert "### Since run `monday`: 1 got worse, 1 gone, 1 new, 1 got better, 0 unchanged" in text
    assert re.findall(
        r"^- (\*\*.*?)(?: `response_match_score.*)?$", text.split("### What")[0], re.MULTILINE
    ) == [
        "**got worse** `weather.test.json:Paris` PASS → FAIL",
        "**gone** `weather.test.json:Atlantis` PASS",
        "**new** `weather.test.json:Rome` PASS",
        "**got better** `weather.test.json:Oslo` FAIL → PASS",
    ]


def test_a_run_compared_with_itself_has_no_changes(runs: Cli) -> None:
    done = runs("runs", "show", "monday", "--baseline", "monday")

    assert "since run monday: 3 unchanged" in done.stdout


def test_a_baseline_that_is_not_there_is_an_error(runs: Cli, tmp_path: Path) -> None:
    done = runs("runs", "show", "tuesday", "--baseline", "sunday", "--output", "r.html")

    assert done.returncode == 2
    assert "no run named 'sunday'" in done.stderr
    assert not (tmp_path / "r.html").exists()
