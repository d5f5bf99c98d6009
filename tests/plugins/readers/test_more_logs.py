"""Real logs of many makers: what a person sees in the raw file, the reader gives."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from adjudge import read_log


@dataclass(frozen=True)
class Seen:
    """What stands in a file, by reading it."""

    task: str
    """How the first words of the user begin."""
    speakers: tuple[str | None, ...]
    """Who made the steps of the first run, in order."""
    calls: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    """How what came back begins."""
    answer: str | None = None
    """How the last answer begins."""
    told: str | None = None
    """How the agent's instructions begin."""


LANGFUSE = {
    "autogen-2025-06-06": Seen(
        "Say 'Hello World!'",
        (None,),
        answer="Hello World!",
        told="You are a helpful AI assistant. Solve tasks",
    ),
    "claude-agent-2025-12-22": Seen(
        "What's the weather like in Berlin and New York?",
        (None, None, None, None),
        ("mcp__weather__get_weather", "mcp__weather__get_weather"),
        ("Weather in Berlin: Cloudy", "Weather in New York: Sunny"),
        "Great! Here's the current weather",
        "You are a friendly travel assistant",
    ),
    "crewai-2025-07-11": Seen(
        "\nCurrent Task: Define the HTML",
        (None,),
        answer="I now can give a great answer",
        told="You are Software developer.",
    ),
    "google-adk-2025-08-28": Seen(
        "hi",
        ("hello_agent", "hello_agent", "hello_agent"),
        ("say_hello",),
        ('{"greeting": "Hello Langfuse',),
        "Hello Langfuse",
        "Always greet using the say_hello tool.",
    ),
    "langgraph-python-2025-08-22": Seen(
        "Search the web for 'example'",
        ("agent", "agent"),
        ("Web-Search",),
        ('[{"url": "https://example.com"',),
        'The search for "example"',
        "Be helpful!",
    ),
    "llamaindex-2025-06-05": Seen("What is Langfuse?", (None,), answer="Langfuse is a tool"),
}
LANGSMITH = {
    "anthropic_managed_builtin_tools.jsonl": Seen(
        "Call 'date' to get the current date time",
        ("Coding Assistant", "Coding Assistant"),
        ("bash",),
        ("Mon Jul  6 16:26:37 UTC 2026",),
        "The current date and time is:",
        "You are a helpful coding assistant.",
    ),
    "anthropic_managed_custom_tools.jsonl": Seen(
        "What's the weather in Prague?",
        ("Coding Assistant", "Coding Assistant"),
        ("get_weather",),
        ("It's 23°C and sunny in Prague.",),
        "It's currently **23°C and sunny**",
        "You are a helpful coding assistant.",
    ),
    "langsmith_py_wrap_openai_.json": Seen("howdy", (None,), answer="Howdy! How can I assist"),
    "langsmith_py_wrap_openai_reasoning.json": Seen(
        "Write a bash script", (None,), answer="Certainly! Below is a **Bash script**"
    ),
}
SPANS = {
    "claude_adot_spans.json": Seen(
        "What is 42 * 7, and how many miles",
        (*["ClaudeAgentSDK.query"] * 3, "Agent", "Agent", "ClaudeAgentSDK.query"),
        ("Agent", "Agent", "Bash", "Bash"),
        ('{"status": "completed"', '{"status": "completed"', '{"stdout": "294"', '{"stdout": "Configuration'),
        "Here are your results:",
    ),
    "openai_agents_openinference_adot_spans.json": Seen(
        "What is 42 * 7, and what's the weather",
        ("coordinator", "math_specialist", "math_specialist"),
        ("transfer_to_math_specialist", "transfer_to_research_specialist", "multiply_numbers"),
        ("Multiple handoffs detected", '{"assistant": "math_specialist"}', "294.0"),
        "The product of",
        "You are a coordinator agent.",
    ),
}  # fmt: skip
OPENHANDS = {
    "wrong_initial_state.json": Seen(
        "Please rename game_2048.py to 2048.py",
        ("assistant",) * 4,
        ("str_replace_editor", "execute_bash", "str_replace_editor", "finish"),
        ("Here's the files", "", "Here's the files"),
        "The file has been successfully renamed",
    )
}
FILES = {
    **{f"langfuse/{name}.trace.json": seen for name, seen in LANGFUSE.items()},
    **{f"langsmith/{name}": seen for name, seen in LANGSMITH.items()},
    **{f"adot_spans/{name}": seen for name, seen in SPANS.items()},
    **{f"openhands/{name}": seen for name, seen in OPENHANDS.items()},
}


@pytest.mark.parametrize("name", FILES)
def test_what_a_person_sees_in_a_file(shared_data: Path, name: str) -> None:
    seen = FILES[name]
    run = next(iter(read_log(shared_data / "more_logs" / name)))
    results = [
        result.value if isinstance(result.value, str) else json.dumps(result.value)
        for step in run.steps
        for result in step.results
    ]

    assert run.invocations[0].user_content.text.startswith(seen.task)
    assert tuple(step.author for step in run.steps) == seen.speakers
    assert tuple(call.name for step in run.steps for call in step.calls) == seen.calls
    assert len(results) == len(seen.results)
    for result, beginning in zip(results, seen.results, strict=True):
        assert result.startswith(beginning)
    answer = run.invocations[-1].final_response
    assert (answer is None) == (seen.answer is None)
    assert answer is None or answer.text.startswith(seen.answer or "")
    agents = run.invocations[0].app_details.agent_details.values() if run.invocations[0].app_details else ()
    told = [agent.instructions for agent in agents if agent.instructions]
    assert (not told) == (seen.told is None)
    assert seen.told is None or told[0].startswith(seen.told)
