"""Logs with an odd value in one place, and logs that unpack or nest without end."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from adjudge.testing.log_runs import judged_sync

STEPS = {"name": "Steps", "criterion": "step_count", "maximum": 99}

# What every built-in reader takes, with a place for a value.
SPAN = '[{"trace_id": "t", "span_id": "s", "name": "chat", "attributes": {"$kind", "unheard": @}}]'
LOGS = {
    "history_log": '[{"step": 1, "thinking": "t", "action": "a()", "result": @}]',
    "browser_use": '{"history": [{"model_output": {"action": []}, "result": [{"metadata": @}], "state": {}}]}',
    "swe_agent": '{"trajectory": [{"action": "ls", "observation": "o", "thought": "t", "more": @}]}',
    "atif": '{"schema_version": "ATIF-v1.6", "steps": [{"step_id": 1, "source": "agent", "message": "m", "more": @}]}',
    "autogen_chat": '{"chat_history": [{"name": "a", "role": "assistant", "content": "c", "more": @}]}',
    "adk_session": '{"app_name": "a", "user_id": "u", "events": [{"author": "a", "content": {"parts": [{"text": "t"}]}, "output": @}]}',
    "openai_messages": '{"messages": [{"role": "assistant", "content": "c", "more": @}]}',
    "otel_genai": SPAN.replace('"$kind"', '"gen_ai.operation.name": "chat"'),
    "openinference": SPAN.replace('"$kind"', '"openinference.span.kind": "LLM"'),
}

ODD = [
    ("NaN", "NaN, which is no number of JSON: kept as a text"),
    ("[-Infinity, -Infinity]", "-Infinity, which is no number of JSON: kept as a text (2 times)"),
    ("1e400", "a number that is too large: kept as a text"),
    ("9" * 5_000, "a whole number of more than 4300 digits: kept as a text"),
    ('"\\ud83d!"', "half of a surrogate pair, which is no character: replaced by U+FFFD"),
    ('{"\\udc00": 1}', "half of a surrogate pair, which is no character: replaced by U+FFFD"),
    ('{"a": 1, "a": 2}', "a value whose key comes again in one object: the last one is kept"),
    ('"\udce9"', "bytes that are not UTF-8: replaced by U+FFFD"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("value", "lost"), ODD)
def test_one_odd_value_does_not_refuse_a_log(folder: Path, value: str, lost: str) -> None:
    for name, log in LOGS.items():
        (folder / f"{name}.json").write_bytes(log.replace("@", value).encode(errors="surrogateescape"))
    judged = judged_sync(".", [STEPS])
    assert judged.errors == ()
    assert {log.reader.rpartition("/")[2] for log in judged.logs if lost in log.lost} == set(LOGS)


def test_what_was_mended_is_said_of_the_run_that_it_stands_in(folder: Path) -> None:
    step = '{"step": 1, "thinking": "t", "action": "a()", "result": @}'
    lines = [f'{{"steps": [{step.replace("@", value)}]}}' for value in ("1", "NaN", "2")]
    (folder / "runs.jsonl").write_text("\n".join(lines))
    one = LOGS["otel_genai"].strip("[]")
    spans = [one.replace("@", value).replace('"t"', f'"{value}"') for value in ("1", "NaN", "2")]
    (folder / "spans.jsonl").write_text("\n".join(spans))

    judged = judged_sync(["runs.jsonl", "spans.jsonl"], [STEPS])
    assert [any("NaN" in lost for lost in log.lost) for log in judged.logs] == [False, True, False] * 2


@pytest.mark.parametrize("key", ["gen_ai.output.messages", "gcp.vertex.agent.llm_response"])
def test_an_odd_value_does_not_lose_the_messages_of_a_span(folder: Path, key: str) -> None:
    said = {"role": "assistant", "parts": [{"type": "text", "content": "Done.", "score": float("nan")}]}
    told: dict[str, Any] = {"gen_ai.output.messages": [said]}
    if key not in told:
        told = {key: {"content": {"role": "model", "parts": [{"text": "Done."}]}, "score": float("nan")}}
    attributes = {
        "gen_ai.operation.name": "chat",
        **{name: json.dumps(value) for name, value in told.items()},
    }
    span = {"trace_id": "t", "span_id": "s", "name": "chat", "attributes": attributes}
    (folder / "spans.json").write_text(json.dumps([span]))

    [log] = judged_sync("spans.json", [STEPS]).logs
    assert log.lost == ("NaN, which is no number of JSON: kept as a text",)


def test_a_log_that_unpacks_without_end_is_refused(folder: Path) -> None:
    """Two hundred kilobytes that stand for two hundred megabytes of nothing."""
    with gzip.open(folder / "bomb.json", "wb", compresslevel=1) as file:
        file.write(b'[{"step": 1, "thinking": "t", "action": "a()"},')
        for _ in range(200):
            file.write(b" " * 1_000_000)
        file.write(b'{"step": 2, "thinking": "t", "action": "b()"}]')
    (folder / "log.json").write_text(LOGS["history_log"].replace("@", "1"))

    judged = judged_sync(["bomb.json", "log.json"], [STEPS])
    [error] = judged.errors
    assert (error.source, error.error.code) == ("bomb.json", "log_unreadable")
    assert error.error.message == (
        "bomb.json: unpacked it is larger than 64 MiB, which is more than 50 times its size\n"
        "  Where you trust it, unpack it with gunzip first."
    )
    assert [log.source for log in judged.logs] == ["log.json"], "the others are judged"
    assert judged.exit_status == 3


def test_values_that_nest_too_deeply_are_refused(folder: Path) -> None:
    (folder / "deep.json").write_text(LOGS["history_log"].replace("@", "[" * 5_000 + "]" * 5_000))
    (folder / "log.json").write_text(LOGS["history_log"].replace("@", "1"))

    [error] = judged_sync(["deep.json", "log.json"], [STEPS]).errors
    assert error.source == "deep.json"
    assert "more than 100 lists and objects inside one another" in error.error.message


def test_names_that_nest_without_end_are_read(folder: Path) -> None:
    name = "llm.input_messages" + ".0.message.contents" * 5_000
    log = LOGS["openinference"].replace(
        '"unheard": @', f'"{name}": 1, "llm.output_messages.0.message.role": "user"'
    )
    (folder / "spans.json").write_text(log)

    judged = judged_sync("spans.json", [STEPS])
    assert judged.errors == ()


def test_spans_that_nest_without_end_are_read(folder: Path) -> None:
    """A chain of spans that say nothing, with model calls at its end, and one that goes in a circle."""

    def span(number: int, parent: int, **attributes: str) -> dict[str, Any]:
        place = {"trace_id": "t", "span_id": str(number), "parent_span_id": str(parent), "name": "x"}
        return {**place, "start_time": number, "attributes": attributes}

    depth = 2_000
    chain = [span(number, number - 1) for number in range(1, depth)]
    calls = [span(depth + number, depth - 1, **{"gen_ai.operation.name": "chat"}) for number in range(depth)]
    circle = [span(9 * depth + number, 9 * depth + (number + 1) % depth) for number in range(depth)]
    agent = span(0, -1, **{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "deep"})
    (folder / "spans.json").write_text(json.dumps([agent, *chain, *circle, *calls]))

    [log] = judged_sync("spans.json", [STEPS]).logs
    assert (log.agent, log.steps) == ("deep", depth)


def test_many_calls_without_ids_are_paired(folder: Path) -> None:
    """Thousands of equal calls and spans of their tool: every span goes to the next call."""
    part = {"type": "tool_call", "name": "look", "arguments": {"at": 1}}
    gave = json.dumps([{"role": "assistant", "parts": [part]}])
    calls: list[dict[str, str]] = [{"gen_ai.operation.name": "chat", "gen_ai.output.messages": gave}] * 1_000
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look",
        "gen_ai.tool.call.arguments": '{"at": 1}',
    }
    runs = [{**tool, "gen_ai.tool.call.result": str(number)} for number in range(1_000)]
    spans = [
        {"trace_id": "t", "span_id": str(at), "name": "x", "start_time": at, "attributes": attributes}
        for at, attributes in enumerate(calls + runs)
    ]
    (folder / "spans.json").write_text(json.dumps(spans))

    [log] = judged_sync("spans.json", [STEPS]).logs
    assert log.steps == 1_000
    assert log.lost[0].endswith("name and arguments and order had to do (999 times)")
