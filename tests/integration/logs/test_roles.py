"""``--roles``: whose the messages of a role are, where the format of a chat does not say it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import adjudge as door
from adjudge import read_log
from adjudge.model import Observation, Text
from adjudge.plugin import InputError

TASK = "Buy the cheapest milk."
CHAT = [
    {"role": "user", "content": TASK},
    {"role": "planner", "content": "I look into the list."},
    {"role": "terminal", "content": "17: milk, 1.09."},
    {"role": "planner", "content": "Do you want 17?"},
    {"role": "human", "content": "Yes."},
    {"role": "planner", "content": "Bought."},
]
ROLES = {"planner": "agent", "terminal": "environment", "human": "user"}
GIVEN = [part for role, kind in ROLES.items() for part in ("--roles", f"{role}={kind}")]


def chat(folder: Path, content: Any = CHAT) -> Path:
    path = folder / "chat.json"
    path.write_text(json.dumps(content))
    return path


def test_roles_that_only_the_user_knows(adjudge: Callable[..., Any], tmp_path: Path) -> None:
    path = chat(tmp_path)
    refused = adjudge("logs", "show", path)
    assert refused.returncode == 2
    assert "$.messages[1].role: found 'planner'" in refused.stderr
    assert "--roles ROLE=user" in refused.stderr
    [run] = read_log(path, roles=ROLES)
    assert [turn.user_content.text for turn in run.invocations] == [TASK, "Yes."]
    assert [turn.final_response and turn.final_response.text for turn in run.invocations] == [
        "Do you want 17?",
        "Bought.",
    ]
    looks, seen, *_ = run.steps
    assert (looks.author, looks.text) == ("planner", CHAT[1]["content"])
    assert (seen.author, seen.items) == (None, (Observation(text=CHAT[2]["content"]),))
    shown = adjudge("logs", "show", path, *GIVEN)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "sees        17: milk, 1.09." in shown.stdout
    assert "2 turns" in shown.stdout


def test_what_is_converted_and_judged_is_read_in_the_same_way(
    adjudge: Callable[..., Any], tmp_path: Path
) -> None:
    path = chat(tmp_path)
    done = adjudge("logs", "convert", path, "--to", "history_log", *GIVEN)
    assert done.returncode == 0
    assert json.loads(done.stdout)[1]["observation"] == CHAT[2]["content"]
    report = tmp_path / "report.json"
    done = adjudge("judge", path, "--aggregate-only", *GIVEN, "--output", report)
    assert done.returncode == 0, done.stderr
    kept = json.loads(report.read_text())
    assert kept["run"]["logs"]["roles"] == ROLES
    assert "17: milk, 1.09." in report.read_text()


@pytest.mark.parametrize("name", ["user", "shell"])
def test_the_users_role_may_be_the_environments_after_the_task(tmp_path: Path, name: str) -> None:
    """The task stands under the same role as what the environment answers, also where the messages have a name."""
    named = {} if name == "user" else {"name": name}
    messages = [
        {"role": "user", "content": TASK, **named},
        {"role": "assistant", "content": "ls"},
        {"role": "user", "content": "milk.txt", **named},
    ]
    [run] = read_log(chat(tmp_path, messages), roles={name: "environment"})
    [turn] = run.invocations
    assert turn.user_content.text == TASK
    assert turn.steps[-1].items == (Observation(text="milk.txt"),)


def test_participants_of_a_chat_of_agents(tmp_path: Path) -> None:
    said = [
        ("boss", "Count."),
        ("coder", "Four."),
        ("lab", "It is 4."),
        ("ann", "And 3 + 3?"),
        ("coder", "Six."),
    ]
    path = chat(
        tmp_path, {"chat_history": [{"name": who, "role": "user", "content": text} for who, text in said]}
    )
    [run] = read_log(path, roles={"boss": "user", "lab": "environment", "ann": "user"})
    assert [turn.user_content.text for turn in run.invocations] == ["Count.", "And 3 + 3?"]
    assert [step.number for step in run.steps] == [2, 3, 5]
    assert run.steps[1].items == (Observation(text="It is 4."),)
    first, second = run.invocations
    assert first.final_response is None
    assert second.final_response is not None
    assert second.final_response.text == "Six."


def test_a_terminal_may_be_said_to_be_an_agent(shared_data: Path) -> None:
    path = shared_data / "who_and_when" / "runs.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    runs = list(read_log(path, roles={"Computer_terminal": "agent"}))
    said = [step for run in runs for step in run.steps if step.author == "Computer_terminal"]
    answered = [
        text
        for row, run in zip(rows, runs, strict=True)
        if row["history"][-1]["name"] == "Computer_terminal"
        for turn in run.invocations
        if turn.final_response is not None
        for text in [turn.final_response.text]
    ]
    assert all(isinstance(item, Text) for step in said for item in step.items)
    assert not any(step.observations for step in said)
    assert sum(bool(step.text) for step in said) + len(answered) == sum(
        message["name"] == "Computer_terminal" for row in rows for message in row["history"]
    )


def test_a_role_that_no_message_has_is_told(adjudge: Callable[..., Any], tmp_path: Path) -> None:
    path = chat(tmp_path, CHAT[:1])
    done = adjudge("logs", "show", path, "--roles", "termnal=environment")
    assert "the role 'termnal' that was mapped: no message has it; there are user" in done.stdout


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["terminal"], "for instance: terminal=environment"),
        (["terminal=robot"], "assigned to 'robot'; expected user, agent or environment"),
        (["a=user", "--roles", "a=agent"], "'a' is assigned to both 'user' and 'agent'"),
    ],
)
@pytest.mark.parametrize("command", [["logs", "show"], ["judge", "--aggregate-only"]])
def test_what_cannot_be_a_role_is_refused(
    adjudge: Callable[..., Any], tmp_path: Path, command: list[str], given: list[str], said: str
) -> None:
    done = adjudge(*command, chat(tmp_path), "--roles", *given)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())


def test_a_format_that_says_itself_who_spoke_has_no_roles_to_map(
    adjudge: Callable[..., Any], small_logs: dict[str, Path]
) -> None:
    for command in (["logs", "show"], ["judge", "--aggregate-only"]):
        done = adjudge(*command, small_logs["langfuse"], "--roles", "human=user")
        assert done.returncode == 2
        assert "langfuse reads a format that already identifies the author of every message" in done.stderr
        assert "openai_messages" in done.stderr
    with pytest.raises(InputError, match="assigned to 'robot'"):
        door.read_log(small_logs["openai_messages"], roles={"user": "robot"})
