"""Binary data in logs: what is proven to be some is left out, and no note about it decides a verdict."""

from __future__ import annotations

import base64
import hashlib
import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from adjudge.model import EvaluationResult, ToolResult, Verdict
from adjudge.testing.log_runs import judged_sync

PNG = b"\x89PNG\r\n\x1a\n"


def picture(seed: int) -> str:
    """A picture of its own for every seed, as base64."""
    return base64.b64encode(PNG + bytes([seed]) * 9_000).decode()


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write a log, and measure it by one criterion."""
    monkeypatch.chdir(tmp_path)

    def measure(log: object, criterion: str, maximum: int) -> EvaluationResult:
        (tmp_path / "log.json").write_text(json.dumps(log))
        judged = judged_sync("log.json", [{"name": "It", "criterion": criterion, "maximum": maximum}])
        assert judged.errors == ()
        return judged.logs[0].results[0]

    return measure


@pytest.mark.parametrize("as_text", [False, True])
def test_calls_with_different_pictures_are_different_calls(measured: Any, as_text: bool) -> None:
    def call(seed: int) -> object:
        arguments = {"image": picture(seed)}
        return {"name": "draw", "args": json.dumps(arguments) if as_text else arguments}

    steps = [{"step": number, "thinking": "on", "action": call(number)} for number in (1, 2, 3, 4)]
    assert measured(steps, "action_repeats", 2).verdict is Verdict.PASS

    same = [{"step": number, "thinking": "on", "action": call(1)} for number in (1, 2, 3, 4)]
    assert measured(same, "action_repeats", 2).verdict is Verdict.FAIL


@pytest.mark.parametrize("length", [40_000, 900])
@pytest.mark.parametrize("words", ["x", picture(7)])
def test_a_long_argument_is_validated_as_the_log_has_it(measured: Any, length: int, words: str) -> None:
    argument = (words * length)[:length]
    log = {
        "messages": [
            {"role": "user", "content": "Keep it short."},
            {"role": "assistant", "tool_calls": [call("note", {"text": argument})]},
            {"role": "tool", "tool_call_id": "c1", "content": "kept"},
        ],
        "tools": [{"name": "note", "parameters": {"properties": {"text": {"maxLength": 1000}}}}],
    }
    result = measured(log, "invalid_arguments", 0)
    assert result.verdict is (Verdict.FAIL if length > 1000 else Verdict.PASS)

    spans = measured(otel_spans("note", {"text": argument}, log["tools"]), "invalid_arguments", 0)
    assert spans.verdict is result.verdict, "whatever wrote the log"


def call(name: str, arguments: object) -> dict[str, object]:
    return {
        "id": "c1",
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(arguments)},
    }


def otel_spans(name: str, arguments: object, tools: object) -> list[dict[str, object]]:
    part = {"type": "tool_call", "id": "c1", "name": name, "arguments": arguments}
    asked = {"role": "user", "parts": [{"type": "text", "content": "Keep it short."}]}
    return [
        {
            "trace_id": "t",
            "span_id": "s",
            "name": "chat",
            "attributes": {
                "gen_ai.operation.name": "chat",
                "gen_ai.input.messages": json.dumps([asked]),
                "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [part]}]),
                "gen_ai.tool.definitions": json.dumps(tools),
            },
        }
    ]


UUIDS = "\n".join(str(uuid.UUID(int=number)) for number in range(120))
WORDS = "word\n" * 2_000
TEXTS = [
    pytest.param(UUIDS, id="identifiers"),
    pytest.param(WORDS, id="one word a line"),
    pytest.param("A" * 5_000, id="one letter"),
    pytest.param(f"data:image/png;base64,{'A' * 5_000} and this is why", id="no data URI to its end"),
    pytest.param(picture(1) + " the picture", id="words behind a picture"),
]


@pytest.mark.parametrize("text", TEXTS)
def test_ordinary_text_is_no_binary_data(readings: Any, text: str) -> None:
    for trajectory in readings(result=text):
        assert result_of(trajectory) == text, trajectory.source
        assert not any("base64" in lost for lost in trajectory.lost), trajectory.source


def test_errors_with_one_long_head_are_told_apart(measured: Any) -> None:
    def failing(*errors: str) -> list[dict[str, object]]:
        head = "frame\n" * 2_000
        return [
            {"step": number, "action": {"name": "build", "args": {"try": number}}, "error": head + error}
            for number, error in enumerate(errors, 1)
        ]

    assert (
        measured(failing("disk full", "no memory", "no access"), "repeated_errors", 1).verdict is Verdict.PASS
    )
    assert (
        measured(failing("disk full", "disk full", "disk full"), "repeated_errors", 1).verdict is Verdict.FAIL
    )


def test_what_an_agent_says_is_kept_whatever_it_is(readings: Any) -> None:
    """A note in place of the answer would be compared with the reference."""
    for trajectory in readings(answer=picture(3)):
        assert trajectory.invocations[-1].final_response.text == picture(3), trajectory.source


def test_a_picture_that_came_back_is_a_note_with_its_digest(readings: Any) -> None:
    content = base64.b64decode(picture(5))
    digest = hashlib.sha256(content).hexdigest()
    for written in (picture(5), f"data:image/png;base64,{picture(5)}", in_lines(picture(5))):
        for trajectory in readings(result=written):
            note = result_of(trajectory)
            assert note.startswith("[image/png, "), trajectory.source
            assert note.endswith(f" characters of base64, sha256 {digest[:16]}, left out]")
            assert "image/png in base64" in trajectory.lost


def result_of(trajectory: Any) -> Any:
    """What the one call gave; ADK wraps it in an object."""
    [value] = [item.value for step in trajectory.steps for item in step.items if isinstance(item, ToolResult)]
    return value["r"] if isinstance(value, dict) else value


def in_lines(text: str) -> str:
    return "\n".join(text[at : at + 76] for at in range(0, len(text), 76))


@pytest.fixture
def readings(tmp_path: Path) -> Any:
    """The same run as several formats have it: a call of ``look``, what it gave, and the answer."""
    from adjudge.extension.candidates import OWN_DISTRIBUTION
    from adjudge.extension.loader import Extensions, discover
    from adjudge.plugin import ReadOptions, Source
    from adjudge.testing import FakeHost

    own = [candidate for candidate in discover() if candidate.distribution == OWN_DISTRIBUTION]
    readers = Extensions(own).trace_readers
    host = FakeHost(tmp_path)

    def read(result: str = "seen", answer: str = "Done.") -> list[Any]:
        trajectories: list[Any] = []
        for name, log in _logs(result, answer).items():
            path = tmp_path / f"{name}.json"
            path.write_text(json.dumps(log))
            spec = readers.resolve(name).spec
            trajectories += spec.factory(spec.config(), host).read(Source(path), ReadOptions())
        assert len(trajectories) == 7
        return trajectories

    return read


def _logs(result: str, answer: str) -> dict[str, object]:
    event = {"author": "agent", "invocation_id": "i"}
    agent = {"name": "a", "version": "1"}
    result_part = {"type": "tool_call_response", "id": "c1", "response": result}
    spans = otel_spans("look", {}, [])
    attributes: Any = spans[0]["attributes"]
    given = json.loads(attributes["gen_ai.input.messages"]) + json.loads(attributes["gen_ai.output.messages"])
    second = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.dumps([*given, {"role": "tool", "parts": [result_part]}]),
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": answer}]}]),
    }  # fmt: skip
    inference = {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Look.",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": answer,
    }
    tool = {"openinference.span.kind": "TOOL", "tool.name": "look", "output.value": result}
    return {
        "history_log": {
            "steps": [{"step": 1, "thinking": "look", "action": "look()", "result": result}],
            "final_answer": answer,
        },
        "atif": {
            "schema_version": "ATIF-v1.6",
            "agent": agent,
            "steps": [
                {"step_id": 1, "source": "user", "message": "Look."},
                {
                    "step_id": 2, "source": "agent", "message": answer,
                    "tool_calls": [{"tool_call_id": "c1", "function_name": "look", "arguments": {}}],
                    "observation": {"results": [{"source_call_id": "c1", "content": result}]},
                },
            ],
        },
        "autogen_chat": {
            "chat_history": [
                {"name": "a", "role": "assistant", "content": "", "tool_calls": [call("look", {})]},
                {"name": "b", "role": "tool", "content": result, "tool_call_id": "c1"},
                {"name": "a", "role": "assistant", "content": answer},
            ]
        },
        "adk_session": {
            "app_name": "a", "user_id": "u",
            "events": [
                {**event, "author": "user", "content": {"parts": [{"text": "Look."}]}},
                {**event, "content": {"parts": [{"function_call": {"name": "look", "id": "c1"}}]}},
                {**event, "content": {"parts": [{"function_response": {"name": "look", "id": "c1", "response": {"r": result}}}]}},
                {**event, "content": {"parts": [{"text": answer}]}},
            ],
        },
        "openai_messages": {
            "messages": [
                {"role": "assistant", "tool_calls": [call("look", {})]},
                {"role": "tool", "tool_call_id": "c1", "content": result},
                {"role": "assistant", "content": answer},
            ]
        },
        "otel_genai": [*spans, {**spans[0], "span_id": "s2", "attributes": second}],
        "openinference": [
            {"trace_id": "t", "span_id": "0", "name": "look", "attributes": tool},
            {"trace_id": "t", "span_id": "1", "name": "llm", "attributes": inference},
        ],
    }  # fmt: skip
