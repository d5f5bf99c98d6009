"""Agents that do what no agent should: every case ends with a verdict, or with an error that has a code."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.genai import types
from scripted import Scripted, heard, turn

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


def in_a_process(workspace: Path, deed: str, *options: str) -> subprocess.CompletedProcess[str]:
    folder = workspace / "agent_under_test"
    folder.mkdir()
    (folder / "__init__.py").write_text("from . import agent\n")
    (folder / "agent.py").write_text(BLOCKING.format(deed=deed))
    cases = [{"eval_id": "one", "conversation": [turn("Hello.", "fine")]}]
    (folder / "cases.evalset.json").write_text(json.dumps({"eval_set_id": "x", "eval_cases": cases}))
    return subprocess.run(
        [sys.executable, "-m", "adjudge", "eval", "agent_under_test", "cases", *options],
        cwd=workspace,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


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
    shown = subprocess.run(
        [sys.executable, "-m", "adjudge", "runs", "show", "ended"],
        capture_output=True,
        text=True,
        check=False,
    )

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
