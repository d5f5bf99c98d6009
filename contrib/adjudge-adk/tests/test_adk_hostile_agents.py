"""Agents that do what no agent should: every case ends with a verdict, or with an error that has a code."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.tools.base_toolset import BaseToolset
from google.genai import types
from scripted import Scripted, expected_call, heard, turn

import adjudge

CONFIG = {"criteria": {"response_match_score": 1.0}}


def status_of(
    eval_set: Callable[..., Path], misdeed: Callable[[], Any], **options: Any
) -> dict[str, tuple[str, str | None]]:
    """What becomes of a case in which the model misbehaves, between two in which it does not."""

    def reply(request: Any) -> Any:
        return misdeed() if heard(request) == "Now." else "fine"

    agent = LlmAgent(name="hostile", model=Scripted(reply=reply))
    fine = [turn("Hello.", "fine")]
    path = eval_set(before=fine, during=[turn("Now.", "fine")], after=fine)
    result = adjudge.evaluate_sync(agent, path, config=CONFIG, concurrency=1, **options)
    return {case.eval_id: (case.status, case.error and case.error.code) for case in result.cases()}


def raises(error: BaseException) -> Callable[[], Any]:
    def misdeed() -> Any:
        raise error

    return misdeed


class Late(Scripted):
    """A model that takes its time."""

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        if heard(llm_request) == "Now.":
            await asyncio.sleep(60)
        async for each in super().generate_content_async(llm_request, stream):
            yield each


@pytest.mark.parametrize(
    ("misdeed", "status", "code"),
    [
        (raises(ValueError("boom")), "error", "agent_raised"),
        (raises(SystemExit(3)), "error", "agent_raised"),
        (raises(asyncio.CancelledError()), "error", "no_answer"),
        (raises(GeneratorExit()), "error", "agent_raised"),
        (lambda: "x" * 10_000_000, "FAIL", None),
        (lambda: types.Part(function_call=types.FunctionCall(name="", args=None)), "PASS", None),
        (lambda: "\ud800", None, None),
        (lambda: (sys.stdout.write("noise"), "fine")[1], "PASS", None),
    ],
    ids=["raises", "exits", "cancels", "ends its generator", "10 MB", "broken call", "no Unicode", "prints"],
)
def test_a_case_ends_whatever_its_agent_does(
    eval_set: Callable[..., Path], misdeed: Callable[[], Any], status: str | None, code: str | None
) -> None:
    found = status_of(eval_set, misdeed)

    assert (found["before"], found["after"]) == (("PASS", None), ("PASS", None))
    if status is None:
        assert found["during"][0] == "FAIL" or found["during"][1]
    else:
        assert found["during"] == (status, code)


def test_an_agent_that_hangs_ends_with_its_time(eval_set: Callable[..., Path]) -> None:
    agent = LlmAgent(name="late", model=Late(reply=lambda _: "fine"))
    path = eval_set(hangs=[turn("Hello.", "fine"), turn("Now.", "fine")], after=[turn("Hello.", "fine")])

    result = adjudge.evaluate_sync(agent, path, config=CONFIG, timeout=15)

    hanging, after = result.details()
    assert (hanging.result.status, hanging.result.error.code) == ("error", "timeout")
    assert len(hanging.actual.invocations) == 1
    assert after.result.status == "PASS"


def test_what_was_done_before_a_turn_failed_is_kept(workspace: Path) -> None:
    from zoo_files import written

    folder = written("raising", workspace)

    result = adjudge.evaluate_sync(str(folder), f"{folder / 'cases.evalset.json'}:tool_raises")

    [item] = result.details()
    assert [len(each.tool_calls) for each in item.actual.invocations] == [0, 1]
    assert "ZeroDivisionError: division by zero" in str(item.result.error)
    assert item.result.error.place.startswith("raising/agent.py:")
    assert "agent.py" not in item.result.error.message


def test_a_variable_that_no_case_gives_is_told_with_where_to_give_it(eval_set: Callable[..., Path]) -> None:
    model = Scripted(reply=lambda _: "fine")
    agent = LlmAgent(name="shop", model=model, instruction="You serve {user_name}.")

    [case] = adjudge.evaluate_sync(agent, eval_set(one=[turn("Hello.", "fine")]), config=CONFIG).cases()

    assert case.error.code == "agent_raised"
    assert "user_name" in case.error.message
    assert "session_input.state" in case.error.message
    assert ".py:" not in case.error.message


BLOCKING = """
import time
from scripted import Scripted, heard
from google.adk.agents import LlmAgent

def reply(request):
    {deed}
    return "fine"

root_agent = LlmAgent(name="agent_under_test", model=Scripted(reply=reply))
"""


ADJUDGE = [sys.executable, "-m", "adjudge"]
EVAL = ("eval", "agent_under_test", "cases")


def write_agent(workspace: Path, code: str, cases: dict[str, list[Any]]) -> Path:
    """The folder of an agent, with its cases."""
    folder = workspace / "agent_under_test"
    folder.mkdir()
    (folder / "__init__.py").write_text("from . import agent\n")
    (folder / "agent.py").write_text(code)
    written = [{"eval_id": name, "conversation": turns} for name, turns in cases.items()]
    (folder / "cases.evalset.json").write_text(json.dumps({"eval_set_id": "x", "eval_cases": written}))
    return folder


def environment() -> dict[str, str]:
    """In which the scripted model can be imported."""
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}


def command(workspace: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in the working folder."""
    return subprocess.run(
        [*ADJUDGE, *arguments],
        cwd=workspace,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def in_a_process(workspace: Path, deed: str, *options: str) -> subprocess.CompletedProcess[str]:
    write_agent(workspace, BLOCKING.format(deed=deed), {"one": [turn("Hello.", "fine")]})
    return command(workspace, *EVAL, *options)


def test_a_model_that_blocks_its_loop_does_not_hold_up_the_end(workspace: Path) -> None:
    began = time.monotonic()

    done = in_a_process(workspace, "time.sleep(100)", "--timeout", "15")

    assert done.returncode == 3, done.stdout + done.stderr
    told = " ".join(done.stdout.split())
    assert "the case took longer than 15 s" in told
    assert "blocks the event loop, cannot be stopped, and was left running" in told
    assert time.monotonic() - began < 90


def test_a_process_that_is_ended_by_its_agent_is_never_a_pass(workspace: Path) -> None:
    done = in_a_process(workspace, "import os; os._exit(0)", "--run", "ended")
    shown = command(workspace, "runs", "show", "ended")

    assert "PASS" not in done.stdout
    assert shown.returncode != 0
    assert "INCOMPLETE" in shown.stdout
    assert "adjudge resume ended" in shown.stdout


def test_an_agent_that_changes_the_working_folder_changes_no_report(workspace: Path) -> None:
    done = in_a_process(workspace, "import os; os.chdir('/')", "--output", "result.json")

    assert done.returncode == 0, done.stdout + done.stderr
    assert (workspace / "result.json").is_file()


def test_an_agent_that_raises_is_told_without_a_traceback(workspace: Path) -> None:
    done = in_a_process(workspace, "raise ValueError('no such device')")

    assert done.returncode == 3
    assert "ValueError: no such device" in done.stdout
    assert "agent_under_test/agent.py:7" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_a_model_without_a_key_tells_where_to_put_it(
    eval_set: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"):
        monkeypatch.delenv(name, raising=False)
    agent = LlmAgent(name="keyless", model="gemini-2.5-flash")

    [case] = adjudge.evaluate_sync(agent, eval_set(one=[turn("Hello.", "fine")]), config=CONFIG).cases()

    assert (case.status, case.error.code) == ("error", "agent_raised")
    assert "Put GOOGLE_API_KEY into the environment, or into the .env file" in case.error.message
    assert case.error.retryable


class Unreachable(BaseToolset):
    """Tools of a server that does not answer."""

    async def get_tools(self, readonly_context: Any = None) -> list[Any]:
        raise ConnectionError("no server on port 1")

    async def close(self) -> None:
        pass


def test_an_agent_that_ran_without_its_tools_was_not_measured(eval_set: Callable[..., Path]) -> None:
    agent = LlmAgent(name="shop", model=Scripted(reply=lambda _: "fine"), tools=[Unreachable()])

    [case] = adjudge.evaluate_sync(agent, eval_set(one=[turn("Hello.", "fine")]), config=CONFIG).cases()

    assert (case.status, case.error.code) == ("error", "tools_not_loaded")
    assert case.error.message == (
        "agent shop ran without the tools of Unreachable, which failed to load: ConnectionError: no server on port 1"
    )
    assert case.error.retryable


def test_a_run_that_is_interrupted_goes_on_with_what_is_left(workspace: Path) -> None:
    deed = "time.sleep(0 if pathlib.Path('go').exists() or heard(request) == 'Quick.' else 100)"
    cases = {"quick": [turn("Quick.", "fine")], "slow": [turn("Slow.", "fine")]}
    write_agent(workspace, "import pathlib\n" + BLOCKING.format(deed=deed), cases)
    running = subprocess.Popen(
        [*ADJUDGE, *EVAL, "--run", "stopped", "--concurrency", "1"],
        cwd=workspace,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # A test run in the background of a shell ignores Ctrl-C, and so would this.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    wait_until(lambda: "1 passed" in command(workspace, "runs", "show", "stopped").stdout)
    running.send_signal(signal.SIGINT)
    told, _ = running.communicate(timeout=60)

    assert running.returncode == 130, told
    assert "Traceback" not in told
    assert "adjudge resume stopped" in told

    (workspace / "go").touch()
    resumed = command(workspace, "resume", "stopped")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert "2 cases passed" in resumed.stdout


def wait_until(reached: Callable[[], bool]) -> None:
    for _ in range(240):
        if reached():
            return
        time.sleep(0.5)
    pytest.fail("what was waited for did not come in 120 s")


SERVER = """
from mcp.server.fastmcp import FastMCP

server = FastMCP("prices", log_level="ERROR")


@server.tool()
def price(item: str) -> str:
    return f"{item} costs {len(item)} EUR"


server.run()
"""

CUSTOMER_OF_THE_SERVER = """
import sys
from pathlib import Path

from google.adk.agents import LlmAgent
from google.adk.tools.mcp_tool.mcp_session_manager import StdioConnectionParams
from google.adk.tools.mcp_tool.mcp_toolset import McpToolset
from mcp import StdioServerParameters
from scripted import Scripted, call, heard


def reply(request):
    if heard(request) != "=price":
        return call("price", item=heard(request))
    [result] = [part.function_response for part in request.contents[-1].parts if part.function_response]
    return result.response["content"][0]["text"]


server = StdioServerParameters(command=sys.executable, args=[str(Path(__file__).with_name("server.py"))])
tools = McpToolset(connection_params=StdioConnectionParams(server_params=server, timeout=60))
root_agent = LlmAgent(name="agent_under_test", model=Scripted(reply=reply), tools=[tools])
"""


def test_cases_that_run_side_by_side_share_the_tools_of_a_server(workspace: Path) -> None:
    items = ["pen", "book", "lamp", "chair", "table", "curtain", "mirror", "shelf"]
    cases = {
        item: [
            turn(item, f"{item} costs {len(item)} EUR", expected_call("price", item=item)),
            turn("sofa", "sofa costs 4 EUR", expected_call("price", item="sofa")),
        ]
        for item in items
    }
    folder = write_agent(workspace, CUSTOMER_OF_THE_SERVER, cases)
    (folder / "server.py").write_text(SERVER)

    done = command(workspace, *EVAL, "--concurrency", "8")

    assert done.returncode == 0, done.stdout + done.stderr
    assert f"PASS  {len(items)} cases passed" in done.stdout
    assert "Traceback" not in done.stderr
