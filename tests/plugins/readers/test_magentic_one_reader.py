"""Magentic-One: speakers, whom the orchestrator told what, the answer, and labels that no judge may see."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge import read_log
from adjudge.model import ErrorItem
from adjudge.plugin import InputError

HISTORY = [
    {"role": "human", "content": "Count."},
    {"role": "Orchestrator (thought)", "content": "A plan."},
    {"role": "Orchestrator (-> ComputerTerminal)", "content": "Run it."},
    {
        "role": "ComputerTerminal",
        "content": "The script ran, then exited with Unix exit code: 2\nIts output was: no",
    },
    {"role": "Orchestrator (termination condition)", "content": "Max rounds."},
]


def test_events_one_a_line_are_one_run(tmp_path: Path) -> None:
    events = [
        {
            "source": row["role"],
            "message": row["content"],
            "type": "OrchestrationEvent",
            "timestamp": "2026-01-05T10:00:00Z",
        }
        for row in HISTORY
    ]
    events.insert(2, {"type": "LLMCallEvent", "prompt_tokens": 3})
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, events)))
    [run] = read_log(tmp_path / "log.jsonl")
    assert [step.author for step in run.steps] == [
        "Orchestrator",
        "Orchestrator",
        "ComputerTerminal",
        "Orchestrator",
    ]
    assert run.steps[1].extra == {"to": "ComputerTerminal"}
    assert run.steps[2].errors == (ErrorItem(message=HISTORY[3]["content"], code="2"),)
    assert run.invocations[0].final_response is None
    assert "events of type 'LLMCallEvent'" in run.lost


def test_a_run_that_stopped_in_mid_work_has_no_answer(tmp_path: Path) -> None:
    history = [*HISTORY[:2], {"role": "WebSurfer", "content": "I clicked 'x'."}]
    (tmp_path / "log.json").write_text(json.dumps({"history": history}))
    [run] = read_log(tmp_path / "log.json")
    assert run.invocations[0].final_response is None
    assert run.steps[-1].text == "I clicked 'x'."


def test_what_file_surfer_shows_is_observed(tmp_path: Path) -> None:
    shown = "Address: file:///a.txt\nViewport position: Showing page 1 of 1.\n=====================\nmilk"
    history = [*HISTORY[:2], {"role": "FileSurfer", "content": shown}]
    (tmp_path / "log.json").write_text(json.dumps({"history": history}))
    [run] = read_log(tmp_path / "log.json")
    assert [item.text for item in run.steps[-1].observations] == [shown]


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text('{"a": 1}')
    with pytest.raises(InputError, match="found no run"):
        list(read_log(tmp_path / "log.json", reader="magentic_one"))


def rows(folder: Path) -> list[tuple[Path, dict[str, Any]]]:
    paths = sorted((folder / "more_logs" / "magentic_one").glob("*.json"))
    assert paths
    return [(path, json.loads(path.read_text())) for path in paths]


def test_real_runs(shared_data: Path) -> None:
    for path, row in rows(shared_data):
        [run] = read_log(path)
        history = row["history"]
        assert run.task == row["question"]
        assert run.invocations[0].user_content.text == history[0]["content"]
        assert len(run.steps) == len(history) - 1
        for step, message in zip(run.steps, history[1:], strict=True):
            assert step.author == message["role"].split(" (")[0]
            told = [step.thinking, step.text, *(item.text for item in step.observations)]
            assert message["content"] == "\n\n".join(filter(None, told))
            assert bool(step.thinking) == message["role"].endswith("(thought)")
            assert any(item.source == "page" for item in step.observations) == (step.author == "WebSurfer")
        answers = [line for line in history[-1]["content"].splitlines() if line.startswith("FINAL ANSWER: ")]
        answer = run.invocations[0].final_response
        assert (answer.text if answer else None) == (
            answers[0].removeprefix("FINAL ANSWER: ") if answers else None
        )


def test_labels_say_which_agent_took_the_step_that_they_name(shared_data: Path) -> None:
    for path, row in rows(shared_data):
        [run] = read_log(path)
        labelled = [
            step
            for step in run.steps
            if (step.source_ref or "").endswith(f"$.history[{row['mistake_step']}]")
        ]
        assert [(step.author, step.number) for step in labelled] == [
            (row["mistake_agent"], int(row["mistake_step"]) + 1)
        ]
        assert row["mistake_reason"] not in run.model_dump_json()
