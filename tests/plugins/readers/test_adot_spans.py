"""Spans as AWS's distribution exports them, under ``spans``, with a kind beside the attributes, and nested."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from adjudge import read_log
from adjudge.model import Trajectory

SPAN: dict[str, Any] = {
    "name": "llm",
    "start_time": "2026-01-05T10:00:00+00:00",
    "end_time": "2026-01-05T10:00:01+00:00",
}
NESTED = {
    "llm": {
        "model_name": "m",
        "token_count": {"prompt": 3},
        "input_messages": [{"message": {"role": "user", "content": "Go."}}],
        "output_messages": [{"message": {"role": "assistant", "content": "Done."}}],
    }
}
FLAT = {
    "llm.model_name": "m",
    "llm.token_count.prompt": "3",
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": "Go.",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "Done.",
}
IDS = {"trace_id": "t", "span_id": "s"}


@pytest.mark.parametrize(
    "document",
    [
        [{**SPAN, **IDS, "span_kind": "LLM", "attributes": NESTED}],
        [{**SPAN, "context": IDS, "kind": "llm", "attributes": FLAT}],
        {
            "session_id": "x",
            "spans": [{**SPAN, **IDS, "attributes": {"openinference.span.kind": "LLM", **FLAT}}],
        },
        [
            {
                **SPAN,
                "context.trace_id": "t",
                "context.span_id": "s",
                "span_kind": "LLM",
                **{f"attributes.{key}": value for key, value in FLAT.items()},
            }
        ],
    ],
    ids=["phoenix", "kind", "spans", "table"],
)
def test_forms_of_spans(tmp_path: Path, document: Any) -> None:
    (tmp_path / "spans.json").write_text(json.dumps(document))
    [run] = read_log(tmp_path / "spans.json")
    [step] = run.steps
    assert (run.goal, step.model) == ("Go.", "m")
    assert step.usage is not None
    assert step.usage.input_tokens == 3
    assert run.invocations[0].final_response is not None


def results(run: Trajectory) -> list[Any]:
    return [result.value for step in run.steps for result in step.results]


def test_a_real_session_whose_agent_tells_all_that_it_said(shared_data: Path) -> None:
    path = shared_data / "more_logs" / "adot_spans" / "claude_adot_spans.json"
    spans = json.loads(path.read_text())["spans"]
    [asked] = [
        span["attributes"]
        for span in spans
        if "input.value" in span["attributes"] and span["attributes"]["openinference.span.kind"] == "AGENT"
    ]
    tools = [
        span["attributes"] for span in spans if span["attributes"].get("openinference.span.kind") == "TOOL"
    ]
    [run] = read_log(path)
    assert run.goal == asked["input.value"]
    assert run.invocations[0].final_response is not None
    assert run.invocations[0].final_response.text == asked["output.value"]
    made = {call.id: (call.name, call.args) for step in run.steps for call in step.calls}
    assert made == {tool["tool.id"]: (tool["tool.name"], json.loads(tool["input.value"])) for tool in tools}
    assert sorted(results(run)) == sorted(tool["output.value"] for tool in tools)
    said = {
        value
        for name, value in asked.items()
        if name.endswith((".message.content.0", "message_content.text"))
    }
    told = {text for step in run.steps for text in (step.thinking, step.text) if text}
    assert told | {run.invocations[0].final_response.text} == said


def test_real_spans_whose_content_is_in_bodies(shared_data: Path) -> None:
    path = shared_data / "more_logs" / "adot_spans" / "openinference_adot_spans.json"
    runs = {run.eval_id: run for run in read_log(path)}
    traces: dict[str, list[tuple[Any, Any]]] = {}
    for span in json.loads(path.read_text()):
        body = span["span_events"][0]["body"]
        given, gave = (body[end]["messages"][-1]["content"] for end in ("input", "output"))
        traces.setdefault(span["trace_id"], []).append(
            (given, json.loads(gave) if gave.startswith("{") else gave)
        )
    assert runs.keys() == traces.keys()
    for trace, spans in traces.items():
        run = runs[trace]
        answers = [(given, gave["generations"][0][0]) for given, gave in spans if "generations" in gave]
        tools = [
            (given, gave) for given, gave in spans if isinstance(gave, dict) and gave.get("type") == "tool"
        ]
        assert run.goal == answers[0][0]
        assert len(run.steps) == len(answers)
        assert [(call.id, call.name, call.args) for step in run.steps for call in step.calls] == [
            (call["id"], call["name"], call["args"])
            for _, gave in answers
            for call in gave.get("message", {}).get("tool_calls", [])
        ]
        assert results(run) == [gave["content"] for _, gave in tools]
        assert [call.args for step in run.steps for call in step.calls] == [
            ast.literal_eval(given) for given, _ in tools
        ]
        assert run.invocations[0].final_response is not None
        assert run.invocations[0].final_response.text == answers[-1][1]["text"]


def test_real_spans_of_several_agents(shared_data: Path) -> None:
    path = shared_data / "more_logs" / "adot_spans" / "openai_agents_openinference_adot_spans.json"
    spans = [span["attributes"] for span in json.loads(path.read_text())]
    models = [found for found in spans if found.get("openinference.span.kind") == "LLM"]
    [run] = read_log(path)
    assert len([step for step in run.steps if step.model]) == len(models)
    wanted = [
        value
        for found in models
        for name, value in found.items()
        if name.startswith("llm.output_messages") and name.endswith("tool_call.function.name")
    ]
    assert sorted(call.name for step in run.steps for call in step.calls) == sorted(wanted)
    assert len(results(run)) == len(wanted)
    assert len({step.author for step in run.steps}) == 2
    said = [
        value
        for found in models
        for name, value in found.items()
        if name == "llm.output_messages.0.message.content"
    ]
    assert run.invocations[0].final_response is not None
    assert [run.invocations[0].final_response.text] == said
