"""Langfuse and LangSmith: what their trees of calls tell, and the samples counted from their raw JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge import read_log
from adjudge.model import Observation, Trajectory
from adjudge.plugin import InputError

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples" / "logs"


def read(folder: Path, document: Any, name: str = "log.json") -> list[Trajectory]:
    (folder / name).write_text(json.dumps(document))
    return list(read_log(folder / name))


def calls(run: Trajectory) -> list[tuple[str, Any]]:
    return [(call.name, call.args) for step in run.steps for call in step.calls]


def results(run: Trajectory) -> list[Any]:
    return [result.value for step in run.steps for result in step.results]


def observation(identity: str, kind: str, name: str = "x", **others: Any) -> dict[str, Any]:
    start = f"2026-01-05T10:00:{len(others):02d}Z"
    return {"id": identity, "traceId": "t", "type": kind, "name": name, "startTime": start, **others}


def test_a_trace_of_langfuse_in_every_form_of_export() -> None:
    [run] = read_log(EXAMPLES / "langfuse.json")
    assert run.session_id == "session-1"
    assert {step.author for step in run.steps} == {"buyer"}
    assert [step.usage.input_tokens for step in run.steps if step.usage] == [100, 130, 150]
    assert [(step.extra or {}).get("cost") for step in run.steps] == [0.001] * 3


@pytest.mark.parametrize("form", ["api", "list", "observations"])
def test_where_observations_of_langfuse_are(tmp_path: Path, form: str) -> None:
    document = json.loads((EXAMPLES / "langfuse.json").read_text())
    api = {**document["trace"], "projectId": "p", "observations": document["observations"]}
    told = {"api": api, "list": [api], "observations": document["observations"]}[form]
    [run] = read(tmp_path, told)
    assert calls(run) == [("search", {"query": "milk"}), ("add_to_cart", {"item": 17})]
    assert run.goal == "Buy the cheapest milk."


def test_what_failed_and_what_was_retrieved(tmp_path: Path) -> None:
    trace = {
        "trace": {"id": "t", "input": "Go.", "scores": [{"name": "good", "value": 1}]},
        "observations": [
            observation("1", "RETRIEVER", "index", output=["milk"]),
            observation("2", "GENERATION", input="Go.", output="", level="ERROR", statusMessage="overloaded"),
        ],
    }
    [run] = read(tmp_path, trace)
    assert [item for step in run.steps for item in step.observations] == [
        Observation(text='["milk"]', source="index")
    ]
    assert [item.message for step in run.steps for item in step.errors] == ["overloaded"]
    assert "scores of the trace" in run.lost


def test_gemini_and_plain_words_are_messages(tmp_path: Path) -> None:
    asked = {
        "config": {"system_instruction": "Be kind."},
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
    }
    gave = {"content": {"role": "model", "parts": [{"function_call": {"name": "greet", "args": {}}}]}}
    trace = {"trace": {"id": "t"}, "observations": [observation("1", "GENERATION", input=asked, output=gave)]}
    [run] = read(tmp_path, trace)
    assert (run.goal, calls(run)) == ("hi", [("greet", {})])
    details = run.invocations[0].app_details
    assert details is not None
    assert [agent.instructions for agent in details.agent_details.values()] == ["Be kind."]
    words = {
        "trace": {"id": "t"},
        "observations": [
            observation("1", "GENERATION", input="system: Be kind.\nuser: hi\nthere", output="Hello")
        ],
    }
    [run] = read(tmp_path, words)
    assert run.goal == "hi\nthere"


def test_runs_of_langsmith_nested_and_in_batches(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (EXAMPLES / "langsmith.jsonl").read_text().splitlines()]
    nested = {**rows[0], "child_runs": rows[1:]}
    batches = {
        "post": [{**row, "outputs": {}} for row in rows],
        "patch": [{"id": row["id"], "trace_id": row["trace_id"], "outputs": row["outputs"]} for row in rows],
    }
    for document in (nested, batches):
        [run] = read(tmp_path, document)
        assert calls(run) == [("search", {"query": "milk"}), ("add_to_cart", {"item": 17})]
        assert run.session_id == "thread-1"
        assert [step.usage.input_tokens for step in run.steps if step.usage] == [100, 130, 150]


def test_a_run_that_failed(tmp_path: Path) -> None:
    run = {
        "id": "1",
        "trace_id": "1",
        "run_type": "llm",
        "name": "m",
        "inputs": {"prompt": "Go."},
        "outputs": None,
        "error": "Traceback\nValueError: no",
    }
    [read_run] = read(tmp_path, run)
    assert [item.message for step in read_run.steps for item in step.errors] == ["ValueError: no"]
    assert read_run.goal == "Go."


@pytest.mark.parametrize("reader", ["langfuse", "langsmith"])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, reader: str) -> None:
    (tmp_path / "x.json").write_text('{"a": 1}')
    with pytest.raises(InputError, match="found no"):
        list(read_log(tmp_path / "x.json", reader=reader))


def parsed(value: Any) -> Any:
    while isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            break
    return value


def asked_for(output: Any) -> list[str]:
    """The names of the functions that a raw output of a generation calls, whatever its framework."""
    found: list[str] = []
    if isinstance(output, dict):
        if output.get("type") == "tool_use":
            found.append(output["name"])
        if isinstance(output.get("function_call"), dict):
            found.append(output["function_call"]["name"])
        found += [call["function"]["name"] for call in output.get("tool_calls") or []]
        found += [name for key, value in output.items() if key != "tool_calls" for name in asked_for(value)]
    elif isinstance(output, list):
        found += [name for value in output for name in asked_for(value)]
    return found


def test_real_traces_of_langfuse(shared_data: Path) -> None:
    paths = sorted((shared_data / "more_logs" / "langfuse").glob("*.json"))
    assert paths
    for path in paths:
        rows = sorted(json.loads(path.read_text())["observations"], key=lambda row: row["startTime"])
        generations = [row for row in rows if row["type"] == "GENERATION"]
        [run] = read_log(path)
        made = [step for step in run.steps if step.model]
        assert [step.model for step in made] == [row["model"] for row in generations]
        assert [step.usage.total_tokens for step in made if step.usage] == [
            row["usageDetails"]["total"] for row in generations
        ]
        wanted = [name for row in generations for name in asked_for(parsed(row["output"]))]
        assert [name for name, _ in calls(run)] == wanted
        assert len(results(run)) == len(wanted)
        answer = run.invocations[-1].final_response
        assert answer is not None
        assert json.dumps(answer.text.strip())[1:-1] in json.dumps(parsed(generations[-1]["output"]))
        told = json.dumps([parsed(row["input"]) for row in generations])
        assert json.dumps(run.goal.split("\n", 1)[-1])[1:-1] in told
        assert run.goal


def test_real_runs_of_langsmith(shared_data: Path) -> None:
    paths = sorted((shared_data / "more_logs" / "langsmith").glob("langsmith*.json"))
    assert paths
    for path in paths:
        document = json.loads(path.read_text())
        [begun], [ended] = document["post"], document["patch"]
        [run] = read_log(path)
        assert run.goal == begun["inputs"]["messages"][-1]["content"]
        answer = run.invocations[0].final_response
        assert answer is not None
        assert answer.text == ended["outputs"]["choices"][0]["message"]["content"]
        [step] = run.steps
        assert step.model == ended["outputs"]["model"]
        assert step.usage is not None
        assert step.usage.total_tokens == ended["outputs"]["usage_metadata"]["total_tokens"]
