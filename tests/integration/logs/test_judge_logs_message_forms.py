"""Messages in the forms of several providers: calls and results are found wherever a form has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.model import Verdict
from adjudge.plugin import ReadOptions, Source, Trajectory
from adjudge.testing.log_runs import JudgedLog, JudgedLogs, judged_sync
from adjudge_plugins.readers import openai_messages_reader

ERRORS = {"criterion": "repeated_errors", "maximum": 0}
REPEATS = {"criterion": "action_repeats", "maximum": 2}
ASKED = {"role": "user", "content": "Buy milk"}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADJUDGE_JUDGE", raising=False)
    monkeypatch.chdir(tmp_path)


def judged(content: Any, *criteria: dict[str, Any]) -> JudgedLogs:
    Path("run.json").write_text(json.dumps(content))
    return judged_sync("run.json", criteria or [ERRORS, REPEATS])


def only(content: Any, *criteria: dict[str, Any]) -> JudgedLog:
    found = judged(content, *criteria)
    assert found.errors == ()
    [log] = found.logs
    return log


def read(content: Any) -> Trajectory:
    Path("run.json").write_text(json.dumps(content))
    [spec] = openai_messages_reader.trace_readers()
    reader = spec.factory(spec.config(), None)  # type: ignore[arg-type]
    [trajectory] = reader.read(Source(Path("run.json")), ReadOptions())
    return trajectory


def use(number: int) -> dict[str, Any]:
    block = {"type": "tool_use", "id": f"t{number}", "name": "buy", "input": {"what": "milk"}}
    return {"role": "assistant", "content": [block]}


def gave(number: int, content: Any, **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": f"t{number}", "content": content, **more}
    return {"role": "user", "content": [block]}


FIVE_TIMES = range(5)


def test_an_agent_of_anthropic_that_fails_five_times_fails() -> None:
    run = [message for n in FIVE_TIMES for message in (use(n), gave(n, "The shop is closed.", is_error=True))]
    log = only({"messages": [ASKED, *run]})

    assert log.steps == 5
    assert [result.verdict for result in log.results] == [Verdict.FAIL, Verdict.FAIL]
    assert {(cited.step, cited.field) for cited in log.results[0].evidence.citations} == {
        (number, "error") for number in range(1, 6)
    }


@pytest.mark.parametrize(
    "failed",
    [
        {"role": "tool", "content": [{"type": "text", "text": "Error: closed"}]},
        {"role": "tool", "content": "The shop is closed.", "status": "error"},
        {"role": "tool", "content": {"isError": True, "content": [{"type": "text", "text": "closed"}]}},
    ],
    ids=["parts", "status", "mcp"],
)
def test_results_that_a_form_marks_as_failed_are_errors(failed: dict[str, Any]) -> None:
    call = {"type": "function", "function": {"name": "buy", "arguments": "{}"}}
    run = [
        message
        for n in FIVE_TIMES
        for message in (
            {"role": "assistant", "tool_calls": [{"id": f"c{n}", **call}]},
            {**failed, "tool_call_id": f"c{n}"},
        )
    ]
    log = only({"messages": [ASKED, *run]}, ERRORS)
    assert [result.verdict for result in log.results] == [Verdict.FAIL]


def test_blocks_become_what_they_are() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    trajectory = read(
        {
            "system": [{"type": "text", "text": "Be brief."}],
            "tools": [{"name": "look", "input_schema": {"type": "object"}}],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "see"}, {"type": "image", "source": source}]},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "hmm", "signature": "abc"},
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "t1", "name": "look", "input": {}},
                    {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "milk"}},
                    {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
                    {"type": "hologram", "shape": "cube"},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "blue"}]},
                    {"type": "text", "text": "And now?"},
                ]},
                {"role": "assistant", "content": [{"type": "text", "text": "Blue."}]},
            ],
        }
    )  # fmt: skip
    first, second = trajectory.invocations
    assert [item.kind for item in first.user_content.items] == ["text", "blob"]
    assert (first.user_content.text, second.user_content.text) == ("see", "And now?")
    [step] = first.steps
    assert [item.kind for item in step.items] == ["claim", "call", "call", "result", "result"]
    assert first.final_response is not None
    assert [item.kind for item in first.final_response.items] == ["text", "opaque"]
    assert step.thinking == "hmm"
    assert [(result.call_id, result.value) for result in step.results] == [("s1", []), ("t1", "blue")]
    assert second.final_response is not None
    assert second.final_response.text == "Blue."
    assert "what the agent said as 'hologram': it is kept, and no criterion reads it" in trajectory.lost
    assert first.app_details is not None
    assert first.app_details.agent_details["assistant"].instructions == "Be brief."


def item(number: int) -> list[dict[str, Any]]:
    call = {"type": "function_call", "call_id": f"c{number}", "name": "buy", "arguments": '{"what": "milk"}'}
    return [call, {"type": "function_call_output", "call_id": f"c{number}", "output": "Error: closed"}]


@pytest.mark.parametrize("under_a_key", [False, True])
def test_items_of_the_responses_api_are_read(under_a_key: bool) -> None:
    thought = {"type": "reasoning", "id": "r1", "summary": [{"type": "summary_text", "text": "I buy."}]}
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "No milk."}]}
    items = [ASKED, thought, *(one for n in FIVE_TIMES for one in item(n)), said]
    log = only({"messages": items} if under_a_key else items)
    assert [result.verdict for result in log.results] == [Verdict.FAIL, Verdict.FAIL]

    trajectory = read(items)
    [turn] = trajectory.invocations
    assert [result.call_id for result in turn.tool_results] == [call.id for call in turn.tool_calls]
    assert trajectory.steps[0].thinking == "I buy."
    assert turn.final_response is not None
    assert turn.final_response.text == "No milk."


def test_tools_that_the_provider_runs_have_call_and_result_in_one_item() -> None:
    search = {"type": "web_search_call", "id": "w1", "status": "completed", "action": {"query": "milk"}}
    mcp = {"type": "mcp_call", "id": "m1", "name": "pay", "arguments": "{}", "error": "declined"}
    searched, paid = read([ASKED, search, mcp]).steps
    assert [(call.name, call.args) for call in searched.calls] == [("web_search", {"query": "milk"})]
    assert [(result.call_id, result.value) for result in paid.results] == [("m1", {"error": "declined"})]


def test_an_item_of_no_known_kind_is_refused_by_its_place() -> None:
    with pytest.raises(adjudge.AdjudgeError) as caught:
        read([ASKED, {"type": "handoff", "to": "b"}])
    assert "run.json:1, $[1]: found no message among messages" in str(caught.value)


@pytest.mark.parametrize("last", ["finish", "terminate", "done"])
def test_a_call_that_only_ends_the_run_needs_no_declaration(last: str) -> None:
    ends = {"id": "c1", "function": {"name": last, "arguments": '{"success": false}'}}
    run = {"messages": [ASKED, {"role": "assistant", "tool_calls": [ends]}], "tools": [{"name": "look"}]}
    log = only(run, {"criterion": "unknown_tools", "maximum": 0})
    assert [result.verdict for result in log.results] == [Verdict.PASS]

    Path("run.json").write_text(json.dumps(run))
    [log] = judged_sync("run.json", aggregate_only=True, granularity="global_summary").logs
    [summary] = log.aggregated_steps
    assert "fail" in summary.aggregated_content


# --- the answer beside the messages ------------------------------------------------------

CALL = {"id": "c1", "type": "function", "function": {"name": "write", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("response", {"choices": [{"message": {"role": "assistant", "tool_calls": [CALL]}}], "model": "m"}),
        ("raw_response", {"choices": [{"message": {"tool_calls": [CALL]}}], "model": "m"}),
        ("response", {"role": "assistant", "model": "m", "content": [{**use(1)["content"][0], "name": "write"}]}),
        ("response", {"output": [{"type": "function_call", "call_id": "c1", "name": "write", "arguments": "{}"}]}),
    ],
)  # fmt: skip
def test_the_answer_to_the_messages_is_read_where_it_stands_beside_them(key: str, answer: Any) -> None:
    trajectory = read({"messages": [ASKED], key: answer, "cost": 0.1})
    [step] = trajectory.steps
    assert [call.name for call in step.calls] == ["write"]
    assert step.source_ref is not None
    assert step.source_ref.startswith(f"run.json:1 $.{key}")
    assert step.model == ("m" if "model" in answer else None)


def test_an_answer_that_is_among_the_messages_is_not_read_twice() -> None:
    said = {"role": "assistant", "content": "Done."}
    trajectory = read({"messages": [ASKED, said], "response": {"choices": [{"message": said}]}})
    assert len(trajectory.steps) == 1


def test_an_answer_of_an_unknown_form_is_named_among_what_is_lost() -> None:
    trajectory = read({"messages": [ASKED], "response": {"text": "Done."}})
    assert trajectory.lost == ("the answer in 'response', which has a form that is not known",)


def test_logs_of_single_calls_of_openhands(shared_data: Path) -> None:
    logs = sorted((shared_data / "more_logs" / "openhands_sdk").glob("litellm_proxy__*.json"))
    found = judged_sync(list(map(str, logs)), [REPEATS])
    assert [log.steps for log in found.logs] == [1, 1]
    assert found.errors == ()
