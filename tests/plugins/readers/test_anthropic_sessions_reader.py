"""Sessions of Anthropic's managed agents: events alone, and beside the calls of the SDK."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge import read_log
from adjudge.model import ErrorItem
from adjudge.plugin import InputError

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "logs" / "anthropic_sessions.jsonl"


def test_a_page_of_the_api_is_read_as_lines_are(tmp_path: Path) -> None:
    events = [json.loads(line) for line in EXAMPLE.read_text().splitlines()]
    error = {"type": "session.error", "error": {"type": "overloaded", "message": "later"}}
    (tmp_path / "page.json").write_text(json.dumps({"data": [*events, error]}))
    [page] = read_log(tmp_path / "page.json")
    [lines] = read_log(EXAMPLE)
    assert [step.items for step in page.steps[:-1]] == [step.items for step in lines.steps]
    assert page.steps[-1].errors == (ErrorItem(message="later", code="overloaded"),)
    assert page.steps[0].usage is not None
    assert page.steps[0].usage.input_tokens == 100


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"type": "note"}')
    with pytest.raises(InputError, match="no event of a session"):
        list(read_log(tmp_path / "x.jsonl", reader="anthropic_sessions"))


def test_real_sessions(shared_data: Path) -> None:
    paths = sorted((shared_data / "more_logs" / "langsmith").glob("*.jsonl"))
    assert paths
    for path in paths:
        rows: list[Any] = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
        session = next(body for called, body in rows if called.endswith("sessions.create"))
        events = [body for called, body in rows if called.endswith("events.stream")]
        [run] = read_log(path)

        def words(event: dict[str, Any]) -> str:
            return "\n".join(part["text"] for part in event["content"])

        said = [words(event) for event in events if event["type"] == "user.message"]
        assert [turn.user_content.text for turn in run.invocations] == said
        uses = [event for event in events if event["type"].endswith("tool_use")]
        assert [(call.id, call.name, call.args) for step in run.steps for call in step.calls] == [
            (event["id"], event["name"], event["input"]) for event in uses
        ]
        assert [result.value for step in run.steps for result in step.results] == [
            words(event) for event in events if event["type"].endswith("tool_result")
        ]
        answers = [words(event) for event in events if event["type"] == "agent.message"]
        assert run.invocations[-1].final_response is not None
        assert run.invocations[-1].final_response.text == answers[-1]
        assert {step.author for step in run.steps} == {session["agent"]["name"]}
        assert {step.model for step in run.steps} == {session["agent"]["model"]["id"]}
        assert run.session_id == session["id"]
