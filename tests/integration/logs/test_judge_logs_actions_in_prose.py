"""Actions that stand in words: read where a format marks them, and said to be in words where it does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge.model import Verdict
from adjudge.plugin import ReadOptions, Source, Trajectory
from adjudge.testing.log_runs import judged_sync
from adjudge_plugins.readers import openai_messages_reader

REPEATS = {"criterion": "action_repeats", "maximum": 2}
SYSTEM = {"role": "system", "content": "You can interact with a computer."}
ASKED = {"role": "user", "content": "Mend the bug."}
NO_CALLS = "actions: the log records no calls, and actions in the agent's text are not extracted"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADJUDGE_JUDGE", raising=False)
    monkeypatch.chdir(tmp_path)


def read(content: Any) -> Trajectory:
    Path("run.json").write_text(json.dumps(content))
    [spec] = openai_messages_reader.trace_readers()
    reader = spec.factory(spec.config(), None)  # type: ignore[arg-type]
    [trajectory] = reader.read(Source(Path("run.json")), ReadOptions())
    return trajectory


def ran(command: str, block: str = "mswea_bash_command") -> dict[str, Any]:
    return {"role": "assistant", "content": f"I look.\n\n```{block}\n{command}\n```"}


def gave(output: str, code: int = 0) -> dict[str, Any]:
    return {"role": "user", "content": f"<returncode>{code}</returncode>\n<output>\n{output}\n</output>"}


def test_commands_of_mini_swe_agent_are_calls_and_the_shells_answers_results() -> None:
    trajectory = read(
        [SYSTEM, ASKED, ran("ls"), gave("a.py"), ran("echo DONE"), {"role": "user", "content": ""}]
    )
    [turn] = trajectory.invocations
    assert turn.user_content.text == "Mend the bug."
    assert [(call.name, call.args) for call in turn.tool_calls] == [
        ("bash", {"command": "ls"}),
        ("bash", {"command": "echo DONE"}),
    ]
    assert [result.value for result in turn.tool_results] == [gave("a.py")["content"], ""]
    assert [step.text for step in turn.steps] == ["I look.", ""]
    assert turn.final_response is not None
    assert turn.final_response.text == "I look."
    assert trajectory.lost == ()


def test_a_run_that_names_the_format_may_have_blocks_of_bash_and_an_exit() -> None:
    messages = [
        SYSTEM, ASKED, ran("ls", "bash"), gave("a.py"),
        {"role": "assistant", "content": "I forgot the command."},
        {"role": "user", "content": "Please always provide EXACTLY ONE action in triple backticks."},
        ran("rm x", "bash"),
        {"role": "user", "content": "No! Not x."},
        {"role": "exit", "content": "diff --git"},
    ]  # fmt: skip
    trajectory = read({"trajectory_format": "mini-swe-agent-1.1", "messages": messages})
    [turn] = trajectory.invocations
    assert [call.args for call in turn.tool_calls] == [{"command": "ls"}, {"command": "rm x"}]
    assert [observed.text for step in turn.steps for observed in step.observations] == [
        "Please always provide EXACTLY ONE action in triple backticks.",
        "diff --git",
    ]
    guessed = "who wrote the messages of the user after the first: they are taken for the environment's"
    assert any(lost.startswith(guessed) for lost in trajectory.lost)


def test_a_command_that_is_repeated_fails() -> None:
    run = [message for _ in range(4) for message in (ran("ls"), gave("a.py"))]
    Path("run.traj.json").write_text(json.dumps([SYSTEM, ASKED, *run]))
    [log] = judged_sync("run.traj.json", [REPEATS]).logs
    assert [result.verdict for result in log.results] == [Verdict.FAIL]


def test_people_who_talk_about_code_keep_their_turns() -> None:
    talks = [ASKED, {"role": "assistant", "content": "Try ```bash\nls\n```"}, gave("a.py")]
    assert len(read(talks).invocations) == 2


CHAT = [{"name": "coder", "role": "user", "content": "```python\nprint(4)\n```"},
        {"name": "planner", "role": "user", "content": "Good."}]  # fmt: skip
SPAN: dict[str, Any] = {
    "trace_id": "t", "span_id": "s", "name": "llm", "start_time": 1,
    "attributes": {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "Count.",
    },
}  # fmt: skip


def said(number: int, text: str) -> dict[str, Any]:
    names = {"llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": text}
    return {
        **SPAN,
        "span_id": str(number),
        "start_time": number,
        "attributes": {**SPAN["attributes"], **names},
    }


@pytest.mark.parametrize(
    "content",
    [
        {"messages": [ASKED, ran("ls", "bash"), {"role": "assistant", "content": "Done."}]},
        {"messages": [ASKED, {"role": "assistant", "content": "<function=ls>"}, ASKED, {"role": "assistant", "content": "Done."}]},
        {"chat_history": CHAT},
        {"schema_version": "ATIF-v1.5", "agent": {"name": "a"}, "steps": [
            {"step_id": 1, "source": "user", "message": "Count."},
            {"step_id": 2, "source": "agent", "message": "Thought: hm\nAction: count[4]"},
            {"step_id": 3, "source": "agent", "message": "Done."}]},
        [said(1, "```tool_code\nls\n```"), said(2, "Done.")],
    ],
    ids=["messages", "tags", "autogen", "atif", "spans"],
)  # fmt: skip
def test_a_log_without_calls_whose_words_act_says_so(content: Any) -> None:
    Path("run.json").write_text(json.dumps(content))
    [log] = judged_sync("run.json", aggregate_only=True).logs
    assert NO_CALLS in log.lost


def test_a_log_of_plain_talk_does_not_say_it() -> None:
    run = {"messages": [ASKED, {"role": "assistant", "content": "```python\nprint(4)\n```"}]}
    Path("run.json").write_text(json.dumps(run))
    [log] = judged_sync("run.json", aggregate_only=True).logs
    assert log.lost == ()
