"""A simulated user and an agent of google-adk: the conversation that google-adk's own user simulator has."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import adjudge

AGENT = '''
from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from google.genai import types


def said(part):
    return LlmResponse(content=types.Content(role="model", parts=[part]), model_version="scripted")


class Shop(BaseLlm):
    model: str = "shop"

    async def generate_content_async(self, llm_request, stream=False):
        last = llm_request.contents[-1].parts[-1]
        if last.function_response is not None:
            yield said(types.Part(text="Order 7 is cancelled."))
        elif "ancel" in last.text:
            yield said(types.Part(function_call=types.FunctionCall(name="cancel", args={"order": 7})))
        else:
            yield said(types.Part(text="Order 7 ships tomorrow. Anything else?"))


class Player(BaseLlm):
    """Plays the user for google-adk, and judges it."""

    @classmethod
    def supported_models(cls):
        return ["player-.*"]

    async def generate_content_async(self, llm_request, stream=False):
        asked = llm_request.contents[-1].parts[-1].text
        if "is_valid" in asked:
            yield said(types.Part(text='{"criteria": [], "is_valid": true}'))
        else:
            yield said(types.Part(text="</finished>" if "is cancelled" in asked else "Cancel order 7."))


LLMRegistry.register(Player)


def cancel(order: int) -> dict:
    """Cancels an order."""
    return {"ok": True}


root_agent = LlmAgent(name="shop", model=Shop(), tools=[cancel], instruction="Sell things.")
'''

SCENARIO = {
    "starting_prompt": "Where is order 7?",
    "conversation_plan": "Find order 7, then have it cancelled.",
    "user_persona": "EXPERT",
}
CONVERSATION = [
    ("Where is order 7?", "Order 7 ships tomorrow. Anything else?"),
    ("Cancel order 7.", "Order 7 is cancelled."),
]
QUALITY = "per_turn_user_simulator_quality_v1"


class Player(BaseHTTPRequestHandler):
    """Plays the same user for adjudge, and judges it, in OpenAI's protocol."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        wanted = asked["response_format"]["json_schema"]["schema"]["properties"]
        answer: dict[str, Any] = {}
        if "message" in wanted:
            over = "is cancelled" in asked["messages"][1]["content"]
            answer = {"thought": "so", "message": "</finished>" if over else "Cancel order 7."}
        for name, item in wanted.items():
            if "properties" in item:
                answer[name] = {key: each.get("enum", ["so"])[0] for key, each in item["properties"].items()}
        said = {"role": "assistant", "content": json.dumps(answer)}
        choice = {"index": 0, "message": said, "finish_reason": "stop"}
        body = json.dumps({"model": asked["model"], "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@pytest.fixture
def player(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """``openai/player-1`` is the player."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Player)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    yield
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def shop(workspace: Path) -> Path:
    """The folder of the agent, with its eval set beside it."""
    folder = workspace / "shop_agent"
    folder.mkdir()
    (folder / "__init__.py").write_text("from . import agent\n")
    (folder / "agent.py").write_text(AGENT)
    case = {"eval_id": "cancel", "conversation_scenario": SCENARIO}
    case["session_input"] = {"app_name": "shop_agent", "user_id": "u"}
    (workspace / "orders.evalset.json").write_text(
        json.dumps({"eval_set_id": "orders", "eval_cases": [case]})
    )
    return folder


def config(model: str) -> dict[str, Any]:
    judge = {"judge_model": model, "num_samples": 1}
    return {
        "criteria": {QUALITY: {"threshold": 1.0, "judge_model_options": judge}},
        "user_simulator_config": {"type": "llm_backed", "model": model},
    }


def of_adjudge() -> tuple[list[tuple[str, str]], float | None]:
    [case] = adjudge.evaluate_sync(
        "shop_agent", "orders.evalset.json", config=config("openai/player-1")
    ).details()
    assert case.result.status == "PASS", case.result
    assert case.result.simulation is not None
    assert case.result.simulation.stop_reason == "stop_signal"
    turns = [
        (turn.user_content.text, turn.final_response.text if turn.final_response else "")
        for turn in case.actual.invocations
    ]
    return turns, case.result.criteria[0].score


@pytest.mark.usefixtures("player", "shop")
def test_a_simulated_user_talks_to_an_agent_of_adk() -> None:
    assert of_adjudge() == (CONVERSATION, 1.0)


@pytest.mark.usefixtures("player")
def test_google_adk_has_the_same_conversation_and_its_record_can_be_scored(shop: Path) -> None:
    python = os.environ.get("ADJUDGE_ADK_PYTHON")
    if not python:
        pytest.skip("ADJUDGE_ADK_PYTHON names no interpreter that has google-adk[eval]")
    (shop.parent / "adk.json").write_text(json.dumps(config("player-1")))
    command = [Path(python).with_name("adk"), "eval", "shop_agent", "orders.evalset.json"]
    done = subprocess.run(
        [*map(str, command), "--config_file_path", "adk.json"],
        cwd=shop.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    [record] = (shop / ".adk" / "eval_history").glob("*.evalset_result.json")
    [case] = json.loads(record.read_text())["eval_case_results"]
    turns = [turn["actual_invocation"] for turn in case["eval_metric_result_per_invocation"]]
    found = [
        (turn["user_content"]["parts"][0]["text"], turn["final_response"]["parts"][0]["text"])
        for turn in turns
    ]
    scores = {item["metric_name"]: item["score"] for item in case["overall_eval_metric_results"]}
    assert (found, scores[QUALITY]) == of_adjudge()

    criteria = {"criteria": {"tool_call_count_v1": {"maximum": 3}}}
    [again] = adjudge.evaluate_sync(f"recorded:{record}", "orders.evalset.json", config=criteria).details()
    assert again.result.status == "PASS"
    assert [turn.user_content.text for turn in again.actual.invocations] == [said for said, _ in CONVERSATION]
