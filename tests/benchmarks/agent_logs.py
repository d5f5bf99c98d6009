"""Logs of a made-up agent in the public shapes of several formats, of any length, written step by step.

The agent does errands in shops: errands of a dozen steps each, every fortieth step fails. All formats tell the same run.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TextIO

import scripted

TASK: Final = "Buy everything on the list in the cheapest shop, and say what it cost."

_ERRAND: Final = 12
_FAILING: Final = 40
_TOOLS: Final = ("click", "input", "scroll", "search", "open_page", "add_to_cart")
_VERSION: Final = "ATIF-v1.6"
_STARTED: Final = 1_700_000_000


@dataclass(frozen=True, slots=True)
class Move:
    """One step."""

    number: int
    looking_back: str
    thinking: str
    memory: str
    goal: str
    url: str
    tool: str
    arguments: dict[str, Any]
    result: str
    failed: bool

    @property
    def call_id(self) -> str:
        """The id of its call."""
        return f"call_{self.number}"


def moves(steps: int, *, seed: int = 4, result_words: int = 60) -> Iterator[Move]:
    """A run of so many steps; the same for the same seed."""
    chance = random.Random(seed)
    goal, shop = "", ""
    for number in range(1, steps + 1):
        if number % _ERRAND == 1:
            goal = f"Find the {scripted.sentence(chance, 4).rstrip('.').lower()}"
            shop = f"https://shop-{chance.randrange(500)}.example"
        failed = number % _FAILING == 0
        page = f"{shop}/{scripted.VOCABULARY[chance.randrange(300)]}/{chance.randrange(40)}"
        said = scripted.sentence(chance, result_words)
        yield Move(
            number=number,
            looking_back=f"{'Failed' if failed else 'Success'} - {scripted.sentence(chance, 10)}",
            thinking=scripted.sentence(chance, 35),
            memory=scripted.sentence(chance, 12),
            goal=f"{goal}: {scripted.sentence(chance, 5)}",
            url=page,
            tool=chance.choice(_TOOLS),
            arguments={"index": chance.randrange(200), "text": scripted.sentence(chance, 4)},
            result=f"Error: {said}" if failed else said,
            failed=failed,
        )


Writer = Callable[[TextIO, Iterator[Move]], None]


def write(path: Path, kind: str, steps: int, *, seed: int = 4) -> Path:
    """Write a run in the format of that name; a file that is there stays."""
    if not path.is_file():
        making = path.with_suffix(".part")
        with making.open("w", encoding="utf-8") as stream:
            FORMATS[kind](stream, moves(steps, seed=seed))
        making.replace(path)
    return path


def _listed(stream: TextIO, before: str, values: Iterator[Any], after: str) -> None:
    stream.write(before)
    for number, value in enumerate(values):
        stream.write(",\n" if number else "\n")
        stream.write(json.dumps(value))
    stream.write(f"\n{after}\n")


def history_log(stream: TextIO, run: Iterator[Move]) -> None:
    """A list of steps with claims, action and result."""
    _listed(stream, "[", map(history_step, run), "]")


def history_step(move: Move) -> dict[str, Any]:
    """One step of a history log."""
    arguments = ", ".join(f"{name}={json.dumps(value)}" for name, value in move.arguments.items())
    return {
        "step": move.number,
        "evaluation_previous_goal": move.looking_back,
        "thinking": move.thinking,
        "memory": move.memory,
        "next_goal": move.goal,
        "action": f"{move.tool}({arguments})",
        "url": move.url,
        **({"error": move.result} if move.failed else {"result": move.result}),
    }


def _openai_messages(stream: TextIO, run: Iterator[Move]) -> None:
    """Chat messages with tool calls, as tau-bench writes them."""
    _listed(stream, '{"messages": [', _messages(run), "]}")


def _messages(run: Iterator[Move]) -> Iterator[dict[str, Any]]:
    yield {"role": "system", "content": "You run errands."}
    yield {"role": "user", "content": TASK}
    for move in run:
        call = {"name": move.tool, "arguments": json.dumps({"url": move.url, **move.arguments})}
        calls = [{"id": move.call_id, "type": "function", "function": call}]
        yield {"role": "assistant", "content": move.thinking, "tool_calls": calls}
        yield {"role": "tool", "tool_call_id": move.call_id, "name": move.tool, "content": move.result}
    yield {"role": "assistant", "content": "Everything is bought."}


def _atif(stream: TextIO, run: Iterator[Move]) -> None:
    """The Agent Trajectory Interchange Format."""
    agent = json.dumps({"name": "errands", "version": "1.0", "model_name": "none"})
    before = f'{{"schema_version": "{_VERSION}", "session_id": "s1", "agent": {agent}, "steps": ['
    _listed(stream, before, _atif_steps(run), "]}")


def _atif_steps(run: Iterator[Move]) -> Iterator[dict[str, Any]]:
    yield {"step_id": 1, "source": "user", "message": TASK}
    for move in run:
        arguments = {"url": move.url, **move.arguments}
        call = {"tool_call_id": move.call_id, "function_name": move.tool, "arguments": arguments}
        yield {
            "step_id": move.number + 1,
            "source": "agent",
            "message": move.goal,
            "reasoning_content": move.thinking,
            "tool_calls": [call],
            "observation": {"results": [{"source_call_id": move.call_id, "content": move.result}]},
        }


def _otel_spans(stream: TextIO, run: Iterator[Move]) -> None:
    """OpenTelemetry GenAI spans: a call of the model and a run of a tool for every step.

    An input repeats the user's message and the last step. Instrumentations that repeat the whole conversation write files
    that grow with the square of the steps.
    """
    _listed(stream, "[", _spans(run), "]")


def _spans(run: Iterator[Move]) -> Iterator[dict[str, Any]]:
    told: list[dict[str, Any]] = []
    asked = {"role": "user", "parts": [{"type": "text", "content": TASK}]}
    for move in run:
        arguments = {"url": move.url, **move.arguments}
        call = {"type": "tool_call", "id": move.call_id, "name": move.tool, "arguments": arguments}
        parts = [{"type": "reasoning", "content": move.thinking}, call]
        answered = {"role": "assistant", "parts": parts, "finish_reason": "tool_call"}
        chat = {
            "gen_ai.operation.name": "chat",
            "gen_ai.agent.name": "errands",
            "gen_ai.input.messages": json.dumps([asked, *told]),
            "gen_ai.output.messages": json.dumps([answered]),
        }
        tool = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": move.tool,
            "gen_ai.tool.call.id": move.call_id,
            "gen_ai.tool.call.arguments": json.dumps(arguments),
            "gen_ai.tool.call.result": move.result,
        }
        yield _span(2 * move.number, "chat", chat)
        yield _span(2 * move.number + 1, f"execute_tool {move.tool}", tool)
        came = {"type": "tool_call_response", "id": move.call_id, "response": move.result}
        told = [{"role": "assistant", "parts": [call]}, {"role": "tool", "parts": [came]}]


def _span(number: int, name: str, attributes: dict[str, Any]) -> dict[str, Any]:
    began = (_STARTED + number) * 10**9
    return {
        "trace_id": f"{1:032x}",
        "span_id": f"{number:016x}",
        "parent_span_id": None,
        "name": name,
        "start_time": began,
        "end_time": began + 10**8,
        "attributes": attributes,
        "status": {"code": "OK"},
    }


def _adk_session(stream: TextIO, run: Iterator[Move]) -> None:
    """A session of google-adk with its events."""
    before = '{"id": "s1", "appName": "errands", "userId": "user", "state": {}, "events": ['
    _listed(stream, before, _events(run), f'], "lastUpdateTime": {_STARTED}}}')


def _events(run: Iterator[Move]) -> Iterator[dict[str, Any]]:
    yield _event(0, "user", [{"text": TASK}])
    for move in run:
        call = {"id": move.call_id, "name": move.tool, "args": {"url": move.url, **move.arguments}}
        yield _event(
            2 * move.number, "errands", [{"text": move.thinking, "thought": True}, {"functionCall": call}]
        )
        answer = {"id": move.call_id, "name": move.tool, "response": {"result": move.result}}
        yield _event(2 * move.number + 1, "errands", [{"functionResponse": answer}])


def _event(number: int, author: str, parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": f"e{number}",
        "invocationId": "i1",
        "author": author,
        "timestamp": _STARTED + number,
        "content": {"role": "user" if author == "user" else "model", "parts": parts},
        "actions": {"stateDelta": {}, "artifactDelta": {}},
    }


def _browser_use(stream: TextIO, run: Iterator[Move]) -> None:
    """A history of browser-use."""
    _listed(stream, '{"history": [', (browser_record(move) for move in run), "]}")


def browser_record(move: Move, screenshot: str | None = None) -> dict[str, Any]:
    """One record of browser-use's history, in the generation that has screenshots in the file."""
    outcome = {"error": move.result} if move.failed else {"extracted_content": move.result}
    claims = {
        "evaluation_previous_goal": move.looking_back,
        "memory": move.memory,
        "next_goal": move.goal,
    }
    state = {"url": move.url, "title": move.goal, "tabs": [], "interacted_element": [None]}
    return {
        "model_output": {"current_state": claims, "action": [{move.tool: move.arguments}]},
        "result": [{"is_done": False, "include_in_memory": True, **outcome}],
        "state": {**state, **({} if screenshot is None else {"screenshot": screenshot})},
        "metadata": {
            "step_start_time": _STARTED + move.number,
            "step_end_time": _STARTED + move.number + 0.5,
            "input_tokens": 3000,
            "step_number": move.number,
        },
    }


FORMATS: Final[dict[str, Writer]] = {
    "history log": history_log,
    "OpenAI messages": _openai_messages,
    "ATIF": _atif,
    "OpenTelemetry GenAI spans": _otel_spans,
    "ADK session": _adk_session,
    "browser-use": _browser_use,
}
"""What the reader of adjudge calls each, and how it is written."""
