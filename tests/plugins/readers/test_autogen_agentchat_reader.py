"""AutoGen 0.4: messages of AgentChat, contexts of models, states of teams."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge import read_log
from adjudge.model import ErrorItem, Observation, Trajectory
from adjudge.plugin import InputError


def message(kind: str, content: Any, source: str | None = "writer", **others: Any) -> dict[str, Any]:
    return {"type": kind, "content": content, **({"source": source} if source else {}), **others}


def read(folder: Path, document: Any) -> Trajectory:
    (folder / "chat.json").write_text(json.dumps(document))
    [run] = read_log(folder / "chat.json")
    return run


ASKED = message("TextMessage", "Write.", "user")
SAID = message("TextMessage", "Written.")


@pytest.mark.parametrize(
    "document",
    [
        {"messages": [ASKED, SAID], "stop_reason": None},
        [ASKED, SAID],
        {"type": "TeamState", "agent_states": {"manager": {"message_thread": [ASKED, SAID]}}},
        {
            "type": "TeamState",
            "agent_states": {"manager": {"agent_state": {"message_thread": [ASKED, SAID]}}},
        },
        {
            "llm_context": {
                "messages": [
                    message("UserMessage", "Write.", "boss"),
                    message("AssistantMessage", "Written."),
                ]
            }
        },
    ],
    ids=["result", "list", "team", "team_of_0.4", "context"],
)
def test_where_messages_are(tmp_path: Path, document: Any) -> None:
    run = read(tmp_path, document)
    [turn] = run.invocations
    assert turn.user_content.text == "Write."
    assert turn.final_response is not None
    assert turn.final_response.text == "Written."
    assert [step.author for step in run.steps] == ["writer"]


def test_messages_one_a_line_are_one_chat(tmp_path: Path) -> None:
    (tmp_path / "chat.jsonl").write_text("\n".join(map(json.dumps, [ASKED, SAID])))
    [run] = read_log(tmp_path / "chat.jsonl")
    assert (run.eval_id, run.goal, len(run.steps)) == ("chat", "Write.", 1)


def test_code_that_failed_is_an_error_and_terminate_is_no_answer(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        [
            ASKED,
            SAID,
            message("CodeExecutionEvent", "", "coder", result={"exit_code": 1, "output": "NameError"}),
            message("CodeExecutionEvent", "", "coder", result={"exit_code": 0, "output": "4"}),
            message("TextMessage", "TERMINATE", "critic"),
            message("UserInputRequestedEvent", "", "user"),
        ],
    )
    assert [item for step in run.steps for item in step.errors] == [ErrorItem(message="NameError", code="1")]
    assert [item for step in run.steps for item in step.observations] == [
        Observation(text="4", source="execution"),
        Observation(text="TERMINATE", source="critic"),
    ]
    assert run.invocations[0].final_response is not None
    assert run.invocations[0].final_response.text == "Written."
    assert "messages of type 'UserInputRequestedEvent'" in run.lost


def test_a_message_of_another_kind_is_refused_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "chat.json").write_text(json.dumps([ASKED, {"role": "user", "content": "x"}]))
    with pytest.raises(InputError, match=r"\$\[1\]"):
        list(read_log(tmp_path / "chat.json"))


def test_a_real_chat(shared_data: Path) -> None:
    paths = sorted((shared_data / "more_logs" / "autogen").glob("*.json"))
    assert paths
    for path in paths:
        rows = json.loads(path.read_text())["messages"]
        [run] = read_log(path)
        parts = [part for row in rows if isinstance(row["content"], list) for part in row["content"]]
        assert [call.id for step in run.steps for call in step.calls] == [
            part["id"] for part in parts if "arguments" in part
        ]
        assert [(item.call_id, item.value) for step in run.steps for item in step.results] == [
            (part["call_id"], part["content"]) for part in parts if "call_id" in part
        ]
        assert [step.author for step in run.steps] == [
            row["source"] for row in rows if row["type"] == "AssistantMessage"
        ]
        assert [turn.user_content.text for turn in run.invocations] == [
            row["content"] for row in rows if row["type"] == "UserMessage"
        ]
        said = [
            row["content"]
            for row in rows
            if row["type"] == "AssistantMessage" and isinstance(row["content"], str)
        ]
        assert [turn.final_response.text for turn in run.invocations if turn.final_response] == said
