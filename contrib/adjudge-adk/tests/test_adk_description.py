"""What an agent is told and can call, and scenarios that a model writes from it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from adjudge.cli import cli


class Writer(BaseHTTPRequestHandler):
    """Writes one scenario after another, in OpenAI's protocol."""

    asked: list[str]

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.asked.append(request["messages"][1]["content"])
        scenario = {"starting_prompt": f"Prompt {len(self.asked)}", "conversation_plan": "Ask for it."}
        said = {"role": "assistant", "content": json.dumps(scenario)}
        body = json.dumps(
            {"model": request["model"], "choices": [{"index": 0, "message": said, "finish_reason": "stop"}]}
        ).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What the writer, ``openai/writer``, was shown."""
    Writer.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Writer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    yield Writer.asked
    server.shutdown()
    thread.join()
    server.server_close()


def generate(agent: Path, **config: Any) -> Result:
    Path("generation.json").write_text(json.dumps({"count": 2, "model_name": "openai/writer", **config}))
    command = [
        "eval_set",
        "generate_eval_cases",
        str(agent),
        "made",
        "--user_simulation_config_file",
        "generation.json",
    ]
    return CliRunner().invoke(cli, command)


def test_scenarios_are_written_from_the_folder_of_an_agent(home_agent: Path, asked: list[str]) -> None:
    done = generate(
        home_agent, generation_instruction="what is refused", environment_context="There are 3 lamps."
    )

    assert done.exit_code == 0, done.output
    document = json.loads((home_agent / "made.evalset.json").read_text(encoding="utf-8"))
    prompts = [case["conversation_scenario"]["starting_prompt"] for case in document["eval_cases"]]
    assert prompts == ["Prompt 1", "Prompt 2"]
    shown = " ".join(asked[0].split())
    for words in ("set_device_info", "refused", "lamps"):
        assert words in shown


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"count": 0}, "greater than or equal to 1"),
        ({"cuont": 3}, "Did you mean 'count'"),
        ({"model_name": "nobody/x"}, "nobody"),
    ],
)
def test_a_configuration_that_is_wrong_writes_nothing(
    home_agent: Path, asked: list[str], config: dict[str, Any], message: str
) -> None:
    done = generate(home_agent, **config)

    assert done.exit_code == 2 or done.exception is not None
    assert message in (done.output + str(done.exception))
    assert asked == []
    assert not (home_agent / "made.evalset.json").exists()


def test_a_folder_without_an_agent_is_told_so(workspace: Path, asked: list[str]) -> None:
    (workspace / "empty").mkdir()
    done = generate(workspace / "empty")

    assert done.exception is not None
    assert "agent" in str(done.exception)
    assert asked == []
