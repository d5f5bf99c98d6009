"""Every built-in keeps what is asked of a stranger's plugin. A new one is covered by its entry point."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pytest_httpserver import HTTPServer

from adjudge.cli import cli
from adjudge.extension.candidates import OWN_DISTRIBUTION, Candidate
from adjudge.extension.loader import Extensions, PluginState, discover
from adjudge.model import Content, Invocation
from adjudge.model.trajectory import Trajectory
from adjudge.plugin import Host
from adjudge.testing import (
    AgentAdapterConformance,
    CriterionConformance,
    FakeHost,
    GranularityStrategyConformance,
    JudgeBackendConformance,
    ReporterConformance,
    TraceReaderConformance,
    UserSimulatorConformance,
)
from adjudge.testing.conformance import ComponentConformance

PLUGINS = [candidate for candidate in discover() if candidate.distribution == OWN_DISTRIBUTION]

CLASSES: dict[str, type[ComponentConformance[Any]]] = {
    "criteria": CriterionConformance,
    "judge_backends": JudgeBackendConformance,
    "granularity_strategies": GranularityStrategyConformance,
    "agent_adapters": AgentAdapterConformance,
    "trace_readers": TraceReaderConformance,
    "reporters": ReporterConformance,
    "user_simulators": UserSimulatorConformance,
}

METRIC = """
def metric(eval_metric, actual_invocations, expected_invocations, conversation_scenario):
    class Result: ...
    result = Result()
    result.overall_score, result.overall_eval_status = 0.5, None
    result.per_invocation_results = []
    return result
"""


def custom_metric_options(self: object, folder: Path) -> Mapping[str, Any]:
    (folder / "conformance_metric.py").write_text(METRIC, encoding="utf-8")
    return {"function": "conformance_metric.metric"}


def recorded_host(self: object, folder: Path) -> Host:
    (folder / "log.json").touch()
    turn = Invocation(user_content=Content.of_text("hello"), final_response=Content.of_text("hi"))
    log = Trajectory(
        eval_id="conformance", invocations=(turn,), final_session_state={"conformance": "recorded"}
    )
    return FakeHost(folder, logs={"log.json": [log]})


EVAL_SET = {
    "eval_set_id": "set",
    "eval_cases": [
        {
            "eval_id": "case",
            "conversation": [
                {
                    "invocation_id": "i",
                    "user_content": {"role": "user", "parts": [{"text": "hi"}]},
                    "final_response": {"role": "model", "parts": [{"text": "hello"}]},
                    "intermediate_data": {"tool_uses": [{"name": "search", "args": {"q": "hi"}}]},
                }
            ],
        }
    ],
}
MESSAGES = {
    "messages": [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        ]},
        {"role": "tool", "tool_call_id": "c1", "content": "nothing"},
        {"role": "assistant", "content": "hello"},
    ]
}  # fmt: skip
ATIF = {
    "schema_version": "ATIF-v1.7",
    "session_id": "s",
    "agent": {"name": "coder", "version": "1"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "hi"},
        {"step_id": 2, "source": "agent", "message": "hello"},
    ],
}
BROWSER_USE = {
    "history": [
        {
            "model_output": {
                "memory": "m",
                "next_goal": "g",
                "action": [{"done": {"text": "Hi.", "success": True}}],
            },
            "result": [{"is_done": True, "success": True, "extracted_content": "Hi."}],
            "state": {"url": "about:blank", "title": "", "tabs": [], "interacted_element": [None]},
            "metadata": {"step_number": 2, "step_start_time": 1.0, "step_end_time": 2.5},
        }
    ]
}
SWE_AGENT = {
    "trajectory": [{"action": "ls", "observation": "a.py", "thought": "Look.", "response": "Look. ls"}],
    "history": [{"role": "user", "content": "Fix it.", "agent": "main"}],
    "info": {"submission": "a patch"},
}
AUTOGEN_CHAT = {
    "chat_history": [{"name": "planner", "role": "assistant", "content": "Count the eggs."}],
    "summary": "Four.",
}
HISTORY_LOG = [{"step": 1, "thinking": "Find it.", "action": "click(Search)", "next_goal": "Read."}]
ADK_RESULT = {
    "eval_set_result_id": "home_1",
    "eval_set_id": "home",
    "eval_case_results": [
        {
            "eval_id": "a",
            "eval_metric_result_per_invocation": [
                {
                    "actual_invocation": {
                        "user_content": {"role": "user", "parts": [{"text": "hi"}]},
                        "intermediate_data": {"tool_uses": [{"name": "greet", "args": {}}]},
                    }
                }
            ],
        }
    ],
}
ADK_SESSION = {
    "id": "s",
    "appName": "home",
    "userId": "ann",
    "state": {},
    "events": [
        {"author": "user", "invocationId": "i", "content": {"role": "user", "parts": [{"text": "hi"}]}},
        {"author": "root", "invocationId": "i", "content": {"role": "model", "parts": [{"text": "hello"}]}},
    ],
}
SPAN = {
    "trace_id": "t",
    "span_id": "s",
    "parent_span_id": None,
    "name": "model",
    "start_time": 1,
    "end_time": 2,
}
GENAI_SPANS = [
    SPAN
    | {
        "attributes": {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": "hi"}]}],
            "gen_ai.output.messages": [
                {"role": "assistant", "parts": [{"type": "text", "content": "hello"}]}
            ],
        }
    }
]
OPENINFERENCE_SPANS = [
    SPAN
    | {
        "attributes": {
            "openinference.span.kind": "LLM",
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.content": "hi",
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.content": "hello",
        }
    }
]

CLAUDE_CODE = {
    "type": "assistant",
    "uuid": "u",
    "parentUuid": None,
    "sessionId": "s",
    "isSidechain": False,
    "timestamp": "2026-01-05T10:00:00Z",
    "message": {
        "id": "m",
        "role": "assistant",
        "model": "claude",
        "content": [
            {"type": "text", "text": "hello"},
            {"type": "tool_use", "id": "t", "name": "f", "input": {}},
        ],
        "usage": {"input_tokens": 1, "output_tokens": 1},
    },
}
CODEX = {
    "timestamp": "2026-01-05T10:00:00Z",
    "type": "response_item",
    "payload": {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "hello"}],
    },
}

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "logs"


def _lines(name: str) -> list[Any]:
    return [json.loads(line) for line in (EXAMPLES / name).read_text().splitlines()]


CHAT: dict[str, str] = {}
"""Where the chat endpoint listens while these tests run."""


@pytest.fixture(scope="module", autouse=True)
def chat_endpoint() -> Iterator[None]:
    answer = {"choices": [{"message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}]}
    with HTTPServer() as server:
        server.expect_request("/v1/chat/completions").respond_with_json(answer)
        CHAT["target"] = server.url_for("/v1")
        yield
        CHAT.clear()


def http_options(self: object, folder: Path) -> Mapping[str, Any]:
    return {**CHAT, "model": "test"}


# What a component cannot be made without. Everything else is tested as it is by default.
SAMPLES: dict[str, dict[str, Any]] = {
    "ai-judge/ai_judge": {"config": {"description": "The user gets what was asked for."}},
    "custom-metric/custom_metric": {"options": custom_metric_options},
    "trajectory-single-tool-use/trajectory_single_tool_use": {"config": {"tool_name": "search"}},
    "http-agent/http": {"options": http_options},
    "isolated-agent/isolated": {"config": {"target": "textwrap:dedent"}},
    "python-agent/python": {"config": {"target": "textwrap:dedent"}},
    "recorded-agent/recorded": {"config": {"target": "log.json"}, "host": recorded_host, "replays": True},
    "adk-result-reader/adk_result": {"sample": json.dumps(ADK_RESULT).encode()},
    "adk-session-reader/adk_session": {"sample": json.dumps(ADK_SESSION).encode()},
    "claude-code-reader/claude_code": {"sample": json.dumps(CLAUDE_CODE).encode()},
    "codex-reader/codex": {"sample": json.dumps(CODEX).encode()},
    "eval-set-reader/eval_set": {"sample": json.dumps(EVAL_SET).encode()},
    "atif-reader/atif": {"sample": json.dumps(ATIF).encode()},
    "autogen-chat-reader/autogen_chat": {"sample": json.dumps(AUTOGEN_CHAT).encode()},
    "browser-use-reader/browser_use": {"sample": json.dumps(BROWSER_USE).encode()},
    "history-log-reader/history_log": {"sample": json.dumps(HISTORY_LOG).encode()},
    "openai-messages-reader/openai_messages": {"sample": json.dumps(MESSAGES).encode()},
    "openinference-reader/openinference": {"sample": json.dumps(OPENINFERENCE_SPANS).encode()},
    "otel-genai-reader/otel_genai": {"sample": json.dumps(GENAI_SPANS).encode()},
    "autogen-agentchat-reader/autogen_agentchat": {
        "sample": (EXAMPLES / "autogen_agentchat.json").read_bytes()
    },
    "magentic-one-reader/magentic_one": {"sample": (EXAMPLES / "magentic_one.json").read_bytes()},
    "openai-run-state-reader/openai_run_state": {"sample": (EXAMPLES / "openai_run_state.json").read_bytes()},
    "openhands-reader/openhands": {"sample": (EXAMPLES / "openhands.json").read_bytes()},
    "inspect-reader/inspect": {"sample": (EXAMPLES / "inspect.json").read_bytes()},
    "langfuse-reader/langfuse": {"sample": (EXAMPLES / "langfuse.json").read_bytes()},
    "langsmith-reader/langsmith": {"sample": json.dumps(_lines("langsmith.jsonl")).encode()},
    "anthropic-sessions-reader/anthropic_sessions": {
        "sample": (EXAMPLES / "anthropic_sessions.jsonl").read_bytes()
    },
    "tau2-reader/tau2": {"sample": (EXAMPLES / "tau2.json").read_bytes()},
    "swe-agent-reader/swe_agent": {"sample": json.dumps(SWE_AGENT).encode()},
}


def contracts() -> list[Any]:
    """Every component of every plugin that loads, with every test of its kind."""
    found: list[Any] = []
    for candidate in PLUGINS:
        for component in Extensions([candidate]).records[0].components:
            kind, _, name = component.partition(": ")
            identity = f"{candidate.name}/{name}"
            members = {"component": identity, **SAMPLES.get(identity, {})}
            conformance = type("Conformance", (CLASSES[kind],), members)
            found += [
                pytest.param(conformance, test, id=f"{identity}-{test.removeprefix('test_')}")
                for test in dir(conformance)
                if test.startswith("test_")
            ]
    return found


@pytest.mark.parametrize(("conformance", "test"), contracts())
def test_a_built_in_keeps_the_contract_of_its_kind(
    conformance: type[ComponentConformance[Any]],
    test: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    method = getattr(conformance(), test)

    method(**({"tmp_path": tmp_path} if "tmp_path" in inspect.signature(method).parameters else {}))


@pytest.mark.parametrize("candidate", PLUGINS, ids=lambda candidate: candidate.name)
def test_a_built_in_loads_alone(candidate: Candidate) -> None:
    extensions = Extensions([candidate])

    [record] = extensions.records
    assert record.state is PluginState.ACTIVE, record.reason
    assert record.components, "a built-in that offers nothing"
    assert extensions.warnings == ()


@pytest.mark.parametrize("candidate", PLUGINS, ids=lambda candidate: candidate.name)
def test_listings_work_without_a_built_in(candidate: Candidate) -> None:
    for listing in ("plugins", "criteria", "agents"):
        done = CliRunner().invoke(cli, ["--no-plugin", candidate.name, listing, "--json"])

        assert done.exit_code == 0, done.output
        listed = json.loads(done.stdout)
        if listing == "plugins":
            states = {plugin["name"]: plugin["state"] for plugin in listed}
            assert states.pop(candidate.name) == "disabled"
            assert set(states.values()) <= {"active"}
        else:
            assert candidate.name not in {component["plugin"] for component in listed}


def test_the_framework_works_with_every_built_in_disabled() -> None:
    for listing in ("criteria", "agents"):
        done = CliRunner().invoke(cli, ["--no-plugin", OWN_DISTRIBUTION, listing, "--json"])

        assert (done.exit_code, json.loads(done.stdout)) == (0, [])


def test_samples_belong_to_components_that_exist() -> None:
    installed = {item.id for hook in CLASSES for item in getattr(Extensions(PLUGINS), hook)}

    assert set(SAMPLES) <= installed


@pytest.mark.parametrize("identity", [identity for identity, given in SAMPLES.items() if "sample" in given])
def test_a_sample_of_one_format_is_recognised_by_no_other_reader(identity: str, tmp_path: Path) -> None:
    head: bytes = SAMPLES[identity]["sample"]
    takers = [
        found.id
        for found in Extensions(PLUGINS).trace_readers
        if found.spec.factory(found.spec.config(), FakeHost(tmp_path)).sniff(head, tmp_path / "log.json")
    ]
    assert takers == [identity]
