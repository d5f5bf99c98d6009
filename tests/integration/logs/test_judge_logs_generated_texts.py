"""What code writes about a run for a judge, overviews and facts, says no more than the log does."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

BOOKING = [
    {"role": "user", "content": "Book the flight."},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "think", "arguments": '{"thought": "It is cheap."}'}},
        {"id": "2", "type": "function", "function": {"name": "book", "arguments": '{"flight": "HAT1"}'}},
    ]},
    {"role": "tool", "tool_call_id": "1", "content": ""},
    {"role": "tool", "tool_call_id": "2", "content": "reserved: R7"},
    {"role": "assistant", "content": "It is booked: R7."},
    {"role": "user", "content": "Thank you. ###STOP###"},
]  # fmt: skip


def shown(judging: Any, log: str, task: str | None = None, **options: Any) -> dict[str, str]:
    """The exhibits of the only request by the first word of their names, without marks."""
    judging.requests.clear()
    criterion = {"name": "x", "description": "It is booked.", "checks": ["It is booked."], "about": "outcome"}
    judging(log, {**criterion, **options}, task=task, use_cache=False, num_samples=1)
    found = re.findall(r"<<<BEGIN (.+) \w{12}>>>\n((?:.*\n)*?)<<<END", judging.requests[0].messages[1].text)
    return {name: "\n".join(line.partition(" ")[2] for line in text.splitlines()) for name, text in found}


def overview(judging: Any, log: str, level: str, task: str | None = None) -> str:
    found = shown(judging, log, task, granularity=level)
    [text] = [text for name, text in found.items() if name.startswith("overview")]
    return text


def facts(judging: Any, log: str) -> list[str]:
    [text] = [text for name, text in shown(judging, log).items() if name.startswith("facts")]
    return text.splitlines()


def written(name: str, document: object) -> str:
    Path(name).write_text(json.dumps(document))
    return name


def chat() -> str:
    return written("chat.json", {"messages": BOOKING})


def test_a_wish_to_open_a_page_is_not_told_as_where_the_click_before_it_led(
    judging: Any, of_logs: Any
) -> None:
    steps = [
        {"step": 1, "action": 'goto({"url": "https://first.example"})'},
        {"step": 2, "action": 'click({"id": 87})'},
        {"step": 3, "action": 'goto({"url": "https://second.example"})'},
    ]
    assert "now at" not in overview(judging, judging.log(steps), "step_level")


def test_a_conversation_ends_with_its_last_answer_though_the_user_thanks_for_it(judging: Any) -> None:
    text = overview(judging, chat(), "global_summary")
    assert text.endswith("Its final answer was: It is booked: R7.")


def test_the_overview_marks_what_was_hidden_from_the_agent(judging: Any) -> None:
    text = overview(judging, chat(), "global_summary", "You are Mia. Accept nothing but HAT1.")
    assert text.startswith(
        "The task was: Book the flight. What the user wanted, hidden from the agent: You are Mia."
    )


def test_a_thinking_tool_is_not_counted_among_the_calls(judging: Any) -> None:
    for level in ("phase_level", "global_summary"):
        assert "think" not in overview(judging, chat(), level)
    assert "[It is cheap.] -> [book(flight=HAT1)] -> [reserved: R7]" in overview(
        judging, chat(), "step_level"
    )


@pytest.mark.parametrize(
    ("last", "told"),
    [
        ({"action": 'send_msg_to_user({"text": "It is 7."})'}, "It ended by calling send_msg_to_user("),
        ({"action": 'click({"id": 3})'}, "Its last step was step 2: [-] -> [click(id=3)] -> [-]."),
        (
            {"action": "pay({})", "result": "paid"},
            "Its last step was step 2: [-] -> [pay()] -> [paid].",
        ),
    ],
)
def test_the_end_is_told_as_the_log_has_it_whatever_empty_steps_follow(
    judging: Any, of_logs: Any, last: dict[str, str], told: str
) -> None:
    steps = [of_logs.STEPS[0] | {"step": 1}, {"step": 2, **last}, {"step": 3, "action": None}]
    text = overview(judging, judging.log(steps), "global_summary")
    assert told in text
    assert "names no result" not in text


def test_facts_say_how_steps_are_numbered_and_how_many_are_empty(judging: Any, of_logs: Any) -> None:
    assert facts(judging, judging.log())[0] == "steps: 2, numbered 2 to 3"
    steps = [{"step": 1, "action": "look({})"}, {"step": 2, "action": None}]
    assert facts(judging, judging.log(steps))[0] == "steps: 2, 1 of them empty"


@pytest.mark.parametrize(
    ("last", "told"),
    [
        (
            {"action": "submit({})", "result": "diff"},
            "with an action of the agent: submit; no answer of the agent follows",
        ),
        ({"action": 'done({"text": "7"})'}, "with a call of the agent that answers: done"),
        ({"observation": "exitcode: 0"}, "with what came back; no answer of the agent follows"),
        ({"thinking": "Enough."}, "with a thought of the agent; no answer follows"),
        ({"action": "pay({})", "error": "declined"}, "with an error; no answer of the agent follows"),
    ],
)
def test_facts_say_how_the_log_ends_and_not_why(
    judging: Any, of_logs: Any, last: dict[str, str], told: str
) -> None:
    steps = [of_logs.STEPS[0] | {"step": 1}, {"step": 2, **last}]
    assert f"how it ended: {told}" in facts(judging, judging.log(steps))


def test_facts_have_what_swe_agent_says_of_the_end(judging: Any) -> None:
    log = written(
        "run.traj",
        {
            "environment": "main",
            "trajectory": [
                {"action": "ls", "observation": "a.py", "response": "", "thought": "look", "state": "{}"}
            ],
            "history": [{"role": "user", "content": "Mend it.", "agent": "main"}],
            "info": {"exit_status": "exit_cost", "submission": None},
        },
    )
    assert "the log says exit_status: exit_cost" in facts(judging, log)
