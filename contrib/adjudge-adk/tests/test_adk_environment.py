"""ADK's environment simulation: errors, fixed answers, latency and seeds from a file; tools that a model plays."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.models.llm_request import LlmRequest
from google.adk.models.registry import LLMRegistry
from scripted import Scripted, call, heard, turn

import adjudge
from adjudge import InputError

CONFIG = {"criteria": {"response_match_score": 1.0}}


def find_order(number: int) -> dict[str, Any]:
    """Says where an order is."""
    raise AssertionError("the real tool was called")


def count(number: int) -> dict[str, Any]:
    """Counts."""
    return {"status": "real"}


def reply(request: LlmRequest) -> Any:
    """Calls the tool that the user names as often as there are numbers, one after the other, and tells the answers."""
    said = [part for content in request.contents for part in content.parts or []]
    asked = [part.text for part in said if part.text and part.text.split()[0] in ("find_order", "count")][-1]
    name, *numbers = asked.split()
    since = [part.function_response.response for part in said if part.function_response is not None]
    if len(since) < len(numbers):
        return call(name, number=int(numbers[len(since)]))
    return " ".join(
        str(each.get("status") or each.get("error_message") or each.get("error_code")) for each in since
    )


def shop() -> LlmAgent:
    return LlmAgent(name="shop", model=Scripted(reply=reply), tools=[find_order, count])


def written(*tools: dict[str, Any], **more: Any) -> str:
    Path("simulation.json").write_text(json.dumps({"tool_simulation_configs": list(tools), **more}))
    return "simulation.json"


def simulated(path: Path, file: str, **options: Any) -> adjudge.RunResult:
    return adjudge.evaluate_sync(
        shop(), path, config=CONFIG, agent_options={"environment_simulation": file}, **options
    )


def answers(result: adjudge.RunResult) -> list[str]:
    assert [item.result.error for item in result.details() if item.result.error] == []
    return [item.actual.invocations[0].final_response.text for item in result.details()]


ERROR = {"injected_error": {"injected_http_error_code": 503, "error_message": "busy"}}
FIXED = {"injected_response": {"status": "found"}}


def test_tools_answer_what_the_file_says(eval_set: Callable[..., Path]) -> None:
    file = written(
        {
            "tool_name": "find_order",
            "injection_configs": [
                {**ERROR, "match_args": {"number": 7}},
                {**FIXED, "injected_latency_seconds": 0.01},
            ],
        }
    )
    path = eval_set(
        one=[turn("find_order 7", "busy")],
        two=[turn("find_order 8", "found")],
        real=[turn("count 1", "real")],
    )

    result = simulated(path, file)

    assert result.passed, answers(result)
    first, _, real = result.details()
    [told] = [step for step in first.actual.steps if step.results]
    assert told.extra["simulated"] == [told.results[0].call_id]
    assert not any("simulated" in (step.extra or {}) for step in real.actual.steps)


def test_the_same_seed_gives_the_same_run_and_other_repeats_other_numbers(
    eval_set: Callable[..., Path],
) -> None:
    tool = {
        "tool_name": "count",
        "injection_configs": [{**ERROR, "injection_probability": 0.5, "random_seed": 1}],
    }
    many = turn("count " + " ".join("1" * 12), "whatever")
    path = eval_set(one=[many], two=[many])

    runs = [answers(simulated(path, written(tool), num_runs=3, concurrency=n)) for n in (1, 4)]

    assert runs[0] == runs[1]
    one, two = runs[0][:3], runs[0][3:]
    assert one == two
    assert len(set(one)) == 3
    assert {"busy", "real"} == set(one[0].split())


def test_a_probability_without_a_seed_is_a_warning(eval_set: Callable[..., Path]) -> None:
    tool = {"tool_name": "count", "injection_configs": [{**FIXED, "injection_probability": 0.5}]}

    result = simulated(eval_set(one=[turn("count 1", "found")]), written(tool))

    [warning] = [each for each in result.warnings if "random_seed" in each]
    assert warning.startswith(
        "simulation.json: 'count' has an injection_probability of 0.5 and no random_seed"
    )


class Player(Scripted):
    """A model that plays tools: it opens and closes orders, and remembers nothing itself."""

    model: str = "player-1"
    reply: Callable[[LlmRequest], Any] = lambda request: played(heard(request))

    @classmethod
    def supported_models(cls) -> list[str]:
        return ["player-.*"]


ASKED: list[str] = []


def played(prompt: str) -> Any:
    ASKED.append(prompt)
    if "stateful_parameters" in prompt and "find_order" in prompt and "Output Format" in prompt:
        return json.dumps(
            {
                "stateful_parameters": [
                    {
                        "parameter_name": "number",
                        "creating_tools": ["count"],
                        "consuming_tools": ["find_order"],
                    }
                ]
            }
        )
    return json.dumps({"status": "played", "number": 4711})


@pytest.fixture
def player(monkeypatch: pytest.MonkeyPatch) -> None:
    LLMRegistry.register(Player)
    ASKED.clear()


def test_a_model_plays_tools_and_no_case_sees_the_state_of_another(
    eval_set: Callable[..., Path], player: None
) -> None:
    file = written(
        {"tool_name": "count", "mock_strategy_type": "MOCK_STRATEGY_TOOL_SPEC"},
        {"tool_name": "find_order", "mock_strategy_type": 1},
        simulation_model="player-1",
        environment_data='{"orders": [4711]}',
    )
    path = eval_set(one=[turn("count 1 2", "played played")], two=[turn("find_order 1", "played")])

    result = simulated(path, file, concurrency=1)

    assert result.passed, answers(result)
    last = ASKED[-1]
    assert "4711" in re.sub(r"\s", "", last.partition("environment_data>")[2])
    assert '"4711":' not in last  # what the first case created
    assert any('"4711":' in prompt for prompt in ASKED)


def test_a_tool_that_no_model_can_play_is_no_fault_of_the_agent(
    eval_set: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"):
        monkeypatch.delenv(name, raising=False)
    file = written({"tool_name": "count", "mock_strategy_type": "MOCK_STRATEGY_TOOL_SPEC"})

    [case] = simulated(eval_set(one=[turn("count 1", "real")]), file).cases()

    assert (case.status, case.error.code) == ("error", "simulation_failed")
    assert "the environment simulation could not answer the call of count" in case.error.message
    assert "No API key" in case.error.message
    assert case.error.retryable


@pytest.mark.parametrize(
    ("tools", "more", "path", "told"),
    [
        (
            [{"tool_name": "find_ordre", "injection_configs": [FIXED]}],
            {},
            "[0].tool_name",
            "Did you mean 'find_order'?",
        ),
        (
            [{"tool_name": "count", "injection_configs": [{**FIXED, "injection_probability": 1.5}]}],
            {},
            "[0].injection_configs[0].injection_probability",
            "a probability is from 0 to 1, found 1.5",
        ),
        (
            [{"tool_name": "count", "injection_configs": [{**FIXED, "injected_latency_seconds": -1}]}],
            {},
            "[0].injection_configs[0].injected_latency_seconds",
            "at least 0 seconds",
        ),
        (
            [{"tool_name": "count", "injection_configs": [{**FIXED, "injected_latency_seconds": 121}]}],
            {},
            "[0].injection_configs[0].injected_latency_seconds",
            "less than or equal to 120",
        ),
        (
            [{"tool_name": "count", "injection_configs": [{**FIXED, **ERROR}]}],
            {},
            "[0].injection_configs[0]",
            "Either injected_error or injected_response",
        ),
        (
            [{"tool_name": "count", "injection_config": []}],
            {},
            "[0].injection_config",
            "Did you mean 'injection_configs'?",
        ),
        ([{"tool_name": "count"}], {}, "[0]", "If injection_configs is empty"),
        ([{"tool_name": "count", "mock_strategy_type": "MOCK"}], {}, "[0].mock_strategy_type", ""),
        (
            [{"tool_name": "count", "mock_strategy_type": "MOCK_STRATEGY_TRACING"}],
            {},
            "[0].mock_strategy_type",
            "google-adk has not implemented MOCK_STRATEGY_TRACING",
        ),
        ([], {}, "", "tool_simulation_configs must be provided"),
        (
            [{"tool_name": "count", "mock_strategy_type": 1}],
            {"simulation_model": "no-such-model"},
            None,
            "no-such-model",
        ),
    ],
)
def test_what_is_wrong_with_the_file_is_said_before_the_run(
    eval_set: Callable[..., Path], tools: list[Any], more: dict[str, Any], path: str | None, told: str
) -> None:
    file = written(*tools, **more)

    with pytest.raises(InputError) as refused:
        simulated(eval_set(one=[turn("count 1", "real")]), file)

    problem = refused.value.problems[0]
    assert problem.file == "simulation.json"
    assert problem.path == ("$.simulation_model" if path is None else f"$.tool_simulation_configs{path}")
    assert told in str(problem)


def test_a_file_that_is_not_there_is_said_before_the_run(eval_set: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match=r"nowhere\.json"):
        simulated(eval_set(one=[turn("count 1", "real")]), "nowhere.json")


def test_a_run_is_not_resumed_with_another_simulation(
    eval_set: Callable[..., Path], home_agent: Path
) -> None:
    tool = {"tool_name": "get_device_info", "injection_configs": [FIXED]}
    options = {"environment_simulation": written(tool)}
    adjudge.evaluate_sync("home_automation_agent", "rooms", agent_options=options, run="simulated")
    written({**tool, "injection_configs": [ERROR]})

    with pytest.raises(adjudge.RunError, match="environment_simulation"):
        adjudge.resume_sync("simulated")
