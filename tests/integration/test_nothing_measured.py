"""A criterion that decides, and that applies to nothing, is an error: what measured nothing never passes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

Cli = Callable[..., subprocess.CompletedProcess[str]]

TURN = {
    "user_content": {"parts": [{"text": "Greet."}]},
    "final_response": {"parts": [{"text": "Good morning"}]},
}
BLANK = {"user_content": {"parts": [{"text": "Greet."}]}}
ROUGE = "response_match_score"


def eval_set(path: Path, *cases: dict[str, Any], **more: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    eval_cases = [
        {"eval_id": f"case_{number}", "conversation": [turn], **more} for number, turn in enumerate(cases)
    ]
    path.write_text(json.dumps({"eval_set_id": path.parent.name, "eval_cases": eval_cases}))


@pytest.fixture
def agent(tmp_path: Path) -> str:
    (tmp_path / "greeter_of_sets.py").write_text("def agent(text):\n    return 'Good morning'\n")
    return "greeter_of_sets:agent"


def told(done: subprocess.CompletedProcess[str]) -> str:
    """What it printed, lines that are folded put together again."""
    return " ".join(done.stdout.split())


def config(folder: Path, **criteria: Any) -> None:
    (folder / "test_config.json").write_text(json.dumps({"criteria": criteria}))


@pytest.mark.parametrize("repeats", ["1", "2"])
def test_a_criterion_that_applied_to_no_case_is_an_error_in_every_report(
    tmp_path: Path, adjudge_here: Cli, agent: str, repeats: str
) -> None:
    eval_set(tmp_path / "some" / "a.test.json", TURN, TURN)
    config(tmp_path / "some", token_usage_v1={"maximum": 10}, response_match_score=0.8)
    outputs = ("--output", "out.json", "--output", "out.xml", "--run", "one", "--num_runs", repeats)
    done = adjudge_here("eval", agent, "some", *outputs)

    assert done.returncode == 3, done.stderr
    said = (
        "error: the criterion 'token_usage_v1' measured nothing: it applies to none of the 2 cases of some/a"
    )
    assert said in told(done)
    assert "(no step reports its token usage)" in told(done)
    assert done.stdout.splitlines()[-3].startswith("ERROR  1 criterion measured nothing, 2 passed")
    summary = json.loads((tmp_path / "out.json").read_text())["summary"]
    assert (summary["status"], summary["verdict"], summary["exit_status"]) == ("error", None, 3)
    assert summary["counts"] == {"PASS": 2}
    errors = {item["criterion_name"]: item["error"] for item in summary["criteria"]}
    assert errors[ROUGE] is None
    assert errors["token_usage_v1"]["code"] == "nothing_measured"
    root = ElementTree.parse(tmp_path / "out.xml").getroot()  # noqa: S314 - it is our own
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "0", "1")
    [error] = root.iter("error")
    assert error.get("type") == "nothing_measured"
    assert "token_usage_v1" in str(error.get("message"))
    assert adjudge_here("runs", "show", "one").returncode == 3


def test_a_failure_decides_before_it(tmp_path: Path, adjudge_here: Cli, agent: str) -> None:
    other = {**TURN, "final_response": {"parts": [{"text": "Nothing of the kind"}]}}
    eval_set(tmp_path / "some" / "a.test.json", other)
    config(tmp_path / "some", token_usage_v1={"maximum": 10}, response_match_score=0.8)
    done = adjudge_here("eval", agent, "some")

    assert done.returncode == 1
    assert "error: the criterion 'token_usage_v1' measured nothing: it does not apply to the only case" in (
        told(done)
    )


def test_a_criterion_that_decides_nothing_may_measure_nothing(
    tmp_path: Path, adjudge_here: Cli, agent: str
) -> None:
    eval_set(tmp_path / "some" / "a.test.json", TURN)
    config(tmp_path / "some", token_usage_v1={}, response_match_score=0.8)
    assert adjudge_here("eval", agent, "some").returncode == 0


def test_one_case_is_enough(tmp_path: Path, adjudge_here: Cli, agent: str) -> None:
    eval_set(tmp_path / "some" / "a.test.json", BLANK, TURN)
    config(tmp_path / "some", tool_trajectory_avg_score=1.0, response_match_score=0.8)
    assert adjudge_here("eval", agent, "some").returncode == 0


def test_every_eval_set_is_held_to_it(tmp_path: Path, adjudge_here: Cli, agent: str) -> None:
    for name, asked in (("one", "Act."), ("two", "Greet.")):
        eval_set(tmp_path / name / "a.test.json", {**TURN, "user_content": {"parts": [{"text": asked}]}})
        config(tmp_path / name, token_usage_v1={"maximum": 10}, response_match_score=0.8)
    (tmp_path / "telling_in_one.py").write_text(
        "from adjudge.model import Content, Invocation, Step, Usage\n"
        "def agent(text):\n"
        "    usage = Usage(total_tokens=5) if text == 'Act.' else None\n"
        "    return Invocation(\n"
        "        user_content=Content.of_text(text, role='user'),\n"
        "        steps=(Step(number=1, usage=usage),),\n"
        "        final_response=Content.of_text('Good morning', role='model'),\n"
        "    )\n"
    )
    done = adjudge_here("eval", "telling_in_one:agent", "one", "two")

    assert done.returncode == 3, done.stdout + done.stderr
    assert "'token_usage_v1' measured nothing: it does not apply to the only case of two/a.test.json" in (
        told(done)
    )


@pytest.mark.parametrize("given", [False, True])
def test_a_set_without_references_beside_others_is_told_before_anything_runs(
    tmp_path: Path, adjudge_here: Cli, agent: str, given: bool
) -> None:
    eval_set(tmp_path / "some" / "full.test.json", TURN)
    eval_set(tmp_path / "some" / "noref.test.json", BLANK, BLANK)
    if given:
        config(tmp_path / "some", response_match_score=0.8)
    done = adjudge_here("eval", agent, "some")

    assert done.returncode == 2
    kind = "criterion" if given else "the default criterion"
    said = f"error: some/noref.test.json: {kind} 'response_match_score' applies to none of the selected cases"
    assert said in done.stderr
    assert "a reference answer ('final_response')" in done.stderr
    assert "full.test.json" not in done.stderr
    assert ("no test_config.json beside this eval set" in done.stderr) is not given


CHAT = [{"role": "user", "content": "Greet."}, {"role": "assistant", "content": "Good morning"}]
ACTING = [
    CHAT[0],
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "1", "content": "It is morning."},
    CHAT[1],
]


@pytest.mark.parametrize("runs", [1, 2])
def test_a_criterion_that_applies_to_no_log_is_an_error(tmp_path: Path, adjudge_here: Cli, runs: int) -> None:
    for number in range(runs):
        (tmp_path / f"{number}.chat.json").write_text(json.dumps(CHAT))
    criteria = "- {criterion: action_repeats, maximum: 3}\n- {criterion: step_count, maximum: 9}\n"
    (tmp_path / "c.yaml").write_text(criteria)
    outputs = ("--output", "out.json", "--output", "out.xml")
    done = adjudge_here("judge", "*.chat.json", "--criteria", "c.yaml", *outputs)

    assert done.returncode == 3, done.stdout + done.stderr
    runs_in_words = "does not apply to the only run" if runs == 1 else "applies to none of the 2 runs"
    message = f"error: the criterion 'action_repeats' measured nothing: it {runs_in_words} (the run has"
    assert message in told(done)
    repeats, count = json.loads((tmp_path / "out.json").read_text())["summary"]["criteria"]
    assert (repeats["criterion_name"], repeats["error"]["code"]) == ("action_repeats", "nothing_measured")
    assert count["error"] is None
    root = ElementTree.parse(tmp_path / "out.xml").getroot()  # noqa: S314 - it is our own
    assert [item.get("type") for item in root.iter("error")] == ["nothing_measured"]

    (tmp_path / "more.chat.json").write_text(json.dumps(ACTING))
    assert adjudge_here("judge", "*.chat.json", "--criteria", "c.yaml").returncode == 0


def test_a_figure_says_its_reason(tmp_path: Path, adjudge_here: Cli) -> None:
    (tmp_path / "a.chat.json").write_text(json.dumps(ACTING))
    (tmp_path / "c.yaml").write_text("- {criterion: tool_call_count_v1, maximum: 9}\n")
    done = adjudge_here("judge", "a.chat.json", "--criteria", "c.yaml")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 tool call: look." in done.stdout
