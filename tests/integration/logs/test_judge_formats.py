"""Logs of every format through ``adjudge judge``: the outputs of seed 003, with a judge and with its recording."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

YAML = """\
- name: Success
  description: The task is done.
  about: outcome
  checks: ["The final result is what the task asked for."]
- name: Exploration
  description: Each part of the run leads on to the next.
  about: process
  checks: ["What is done in a part follows from the part before."]
  granularity: phase_level
- name: Hallucination
  description: No step rests on something that was never seen.
  about: process
  checks: ["Each call follows from what came back before."]
"""
LEVELS = {"Success": "global_summary", "Exploration": "phase_level", "Hallucination": "step_level"}

RESULT = {"criterion_name", "verdict", "reasoning", "confidence_score", "used_granularity", "evidence"}
"""The keys of ``EvaluationResult`` in seed 003, section 3.3."""
VIEW = {"granularity", "aggregated_content", "step_mapping", "summary_metadata"}
"""The keys of ``AggregatedSteps`` in seed 003, section 3.2."""


@pytest.fixture
def environment(server: Any) -> dict[str, str]:
    """A server with a model that finds every statement met."""
    server.cited = 4
    return dict(server.environment)


def test_one_run_in_every_format_gives_one_verdict(
    adjudge: Callable[..., Any], environment: dict[str, str], small_logs: dict[str, Path], tmp_path: Path
) -> None:
    for name, document in judged(adjudge, environment, small_logs, tmp_path).items():
        [log] = document
        assert log["task"] == (None if name == "browser_use" else "Buy the cheapest milk."), name
        quoted = " ".join(
            citation["quote"] for result in log["criteria"] for citation in result["evidence"]["citations"]
        )
        # There a browser tells first what it has done, and then what the page shows.
        seen = "screenshot of [Shop]" if name == "magentic_one" else "17: milk, 1.09. 18: oat milk, 1.49."
        assert seen in quoted, name


def test_logs_of_other_peoples_agents_in_seven_formats(
    adjudge: Callable[..., Any], environment: dict[str, str], real_logs: dict[str, Path], tmp_path: Path
) -> None:
    runs = judged(adjudge, environment, real_logs, tmp_path)
    assert len(runs) >= 6
    for name, logs in runs.items():
        # A run in which nothing was called and nothing came back leaves nothing to cite.
        assert any(result["verdict"] == "PASS" for log in logs for result in log["criteria"]), name


def judged(
    adjudge: Callable[..., Any], environment: dict[str, str], logs: dict[str, Path], folder: Path
) -> dict[str, list[dict[str, Any]]]:
    """The runs of each log, as JSON, after a judge and its recording gave the same."""
    (folder / "criteria.yaml").write_text(YAML)
    judge = ("judge", *logs.values(), "--criteria", "criteria.yaml", "--output")
    first = adjudge(*judge, "1.json", "--judge", "openai/m", "--record", "calls.rec", **environment)
    elsewhere = {"ADJUDGE_HOME": str(folder / "elsewhere")}  # where nothing is cached
    again = adjudge(*judge, "2.json", "--judge", "replay:calls.rec", **elsewhere)

    assert (first.stderr, again.stderr) == ("", "")
    assert first.returncode == again.returncode
    document, repeated = (json.loads((folder / name).read_bytes()) for name in ("1.json", "2.json"))
    assert document["cases"] == repeated["cases"]
    for log in document["cases"]:
        assert log["error"] is None
        chosen = {result["criterion_name"]: result["granularity"]["name"] for result in log["criteria"]}
        assert chosen == LEVELS
        for result in log["criteria"]:
            assert result.keys() >= RESULT
            if result["evidence"]["citations"]:
                assert result["verdict"] == "PASS"
                assert 0.5 < result["confidence_score"] <= 1
            else:
                assert result["verdict"] == "UNSURE"
                assert "no_evidence" in result["reason_codes"]
        views = {view["granularity"]: view for view in log["aggregated_steps"]}
        assert views.keys() == set(LEVELS.values())
        for view in views.values():
            assert view.keys() == VIEW
        steps = [step for [step] in views["step_level"]["step_mapping"].values()]
        assert views["global_summary"]["step_mapping"] == {"global_trace": steps}
        phases = views["phase_level"]["step_mapping"].values()
        assert [step for phase in phases for step in phase] == steps
    return {
        reader: [log for log in document["cases"] if log["reader"].endswith(f"/{reader}")] for reader in logs
    }
