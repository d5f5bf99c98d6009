"""The two shapes from before ADK's schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge.errors import InputError
from adjudge.kit.adk import dump_eval_set, load_eval_set, migrate_eval_set, open_eval_set
from adjudge.model.items import Text

TURNS: list[dict[str, Any]] = [
    {
        "query": "Roll a die twice",
        "expected_tool_use": [
            {"tool_name": "roll", "tool_input": {"sides": 6}, "mock_tool_output": 3},
            {"tool_name": "roll", "tool_input": None},
        ],
        "expected_intermediate_agent_responses": [{"author": "dice", "text": "rolling"}],
        "reference": "3 and 4",
    },
    {"query": "Thanks"},
]


def write(folder: Path, name: str, data: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_a_list_of_turns_is_one_case_named_after_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, "dice.test.json", TURNS)
    eval_set = load_eval_set(path)
    assert eval_set == load_eval_set(path)
    (case,) = eval_set.eval_cases
    assert (eval_set.eval_set_id, case.eval_id) == ("dice", "dice")
    assert case.conversation is not None
    first, second = case.conversation
    assert (first.user_content.role, first.user_content.text) == ("user", "Roll a die twice")
    assert [(call.name, call.args) for call in first.tool_calls] == [("roll", {"sides": 6}), ("roll", None)]
    assert first.intermediate_texts == (("dice", "rolling"),)
    assert first.final_response is not None
    assert first.final_response.items == (Text(text="3 and 4"),)
    assert second.final_response is None
    assert [step.number for step in first.steps] == [1, 2, 3]


def test_a_list_of_named_cases_keeps_the_initial_session(tmp_path: Path) -> None:
    data = [
        {
            "name": "a",
            "data": TURNS,
            "initial_session": {"state": {"k": None}, "app_name": "dice", "user_id": "u"},
        },
        {"name": "b", "data": TURNS[1:], "initial_session": {}, "initial_state": 1},
    ]
    file = open_eval_set(write(tmp_path, "dice.evalset.json", data))
    first, second = list(file)
    assert (file.shape, file.eval_set_id) == ("old_cases", "dice")
    assert first.session_input is not None
    assert (first.session_input.app_name, first.session_input.state) == ("dice", {"k": None})
    assert second.session_input is None
    assert second.extra == {"initial_state": 1}
    assert any("initial_state" in warning for warning in file.warnings)
    assert any("mock_tool_output" in warning for warning in file.warnings)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([{"querry": "x", "reference": "y"}], ["Did you mean 'query'?", "no 'query'"]),
        ([{"query": 7}], ["'query' must be a string"]),
        *(
            (
                [{"query": "x", "reference": "y", key: [{"tool_name": "t", "tool_input": {}}]}],
                [f"$[0]: unknown key {key!r} in turn of the old shape", "Name it 'expected_tool_use'"],
            )
            for key in (
                "tool_uses",
                "expected_tool_calls",
                "tools",
                "toolCalls",
                "expectedTools",
                "trajectory",
            )
        ),
        *(
            (
                [{"query": "x", key: "y"}],
                [f"$[0]: unknown key {key!r} in turn of the old shape", "Name it 'reference'"],
            )
            for key in ("expected_response", "expected", "final_response", "answer", "expectedAnswer")
        ),
        (
            [{"query": "x", "expected_tool_use": [{"tool_input": {}}]}],
            ["no 'tool_name'", "expected_tool_use[0]"],
        ),
        (
            [{"query": "x", "expected_tool_use": [{"tool_name": "roll", "inputs": {"sides": 6}}]}],
            ["$[0].expected_tool_use[0]", "no 'tool_input'; it has tool_name, inputs", '"tool_input": {}'],
        ),
        (
            [{"query": "x", "expected_tool_use": [{"tool_name": "roll"}]}],
            ["$[0].expected_tool_use[0]", "no 'tool_input'; it has tool_name"],
        ),
        (
            [
                {
                    "query": "x",
                    "expected_tool_use": [{"tool_name": "r", "tool_input": {}, "tool_args": {"a": 1}}],
                }
            ],
            ["the arguments are given more than once: tool_input, tool_args"],
        ),
        (
            [{"query": "x", "expected_tool_use": [{"tool_name": "roll", "tool_args": [6]}]}],
            ["'tool_args' must be an object, found a list"],
        ),
        ([{"query": "x"}, "y"], ["$[1]", "must be an object"]),
        ([{"name": "a", "data": []}, {"name": "a", "data": []}], ["a second case with this id"]),
        ([{"data": []}], ["no 'name'"]),
        ([{"name": "a"}], ["no 'data'"]),
    ],
)
def test_what_is_wrong_in_an_old_file_is_said(tmp_path: Path, data: Any, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        open_eval_set(write(tmp_path, "old.test.json", data))
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("name", ["tool_input", "toolInput", "tool_parameters", "tool_args"])
def test_arguments_under_a_name_of_their_own_are_read_and_migrated(tmp_path: Path, name: str) -> None:
    turn = {"query": "Roll", "expected_tool_use": [{"tool_name": "roll", name: {"sides": 6}}]}
    path = write(tmp_path, "dice.test.json", [turn])
    migrated = tmp_path / "new.evalset.json"
    migrated.write_text(dump_eval_set(migrate_eval_set(path)), encoding="utf-8")
    for file in (path, migrated):
        (case,) = open_eval_set(file)
        assert case.conversation is not None
        assert [call.args for call in case.conversation[0].tool_calls] == [{"sides": 6}]
    is_foreign = name in ("tool_parameters", "tool_args")
    assert [
        f"{name!r} in expected_tool_use is read as 'tool_input'" in it for it in open_eval_set(path).warnings
    ] == ([True] if is_foreign else [])


def test_what_migrating_drops_is_not_said_to_be_kept(tmp_path: Path) -> None:
    warnings = open_eval_set(write(tmp_path, "dice.test.json", TURNS)).warnings
    assert [it for it in warnings if "mock_tool_output" in it] == [
        "$[0].expected_tool_use[0]: unknown key 'mock_tool_output' in expected_tool_use is not read, "
        "and migrating drops it"
    ]


def test_migrating_keeps_what_the_file_means(tmp_path: Path) -> None:
    session = write(
        tmp_path, "session.json", {"id": "s", "app_name": "dice", "user_id": "u", "state": {"k": 1}}
    )
    eval_set = migrate_eval_set(write(tmp_path, "dice.test.json", TURNS), initial_session=session)
    new = tmp_path / "dice.evalset.json"
    new.write_text(dump_eval_set(eval_set), encoding="utf-8")
    (case,) = load_eval_set(new).eval_cases
    (before,) = eval_set.eval_cases
    assert case.session_input is not None
    assert (case.session_input.app_name, case.session_input.state) == ("dice", {"k": 1})
    assert case.conversation is not None and before.conversation is not None
    assert [turn.tool_calls[:1] for turn in case.conversation] == [
        tuple(call.model_copy(update={"extra": None}) for call in turn.tool_calls[:1])
        for turn in before.conversation
    ]
    assert [turn.final_response for turn in case.conversation] == [
        turn.final_response for turn in before.conversation
    ]


def test_a_session_of_its_own_wins_over_the_file(tmp_path: Path) -> None:
    session = write(tmp_path, "session.json", {"state": {"from": "file"}})
    data = [
        {"name": "own", "data": TURNS, "initial_session": {"state": {"from": "case"}}},
        {"name": "none", "data": TURNS},
    ]
    cases = migrate_eval_set(write(tmp_path, "x.evalset.json", data), initial_session=session).eval_cases
    assert [case.session_input and case.session_input.state for case in cases] == [
        {"from": "case"},
        {"from": "file"},
    ]


def test_a_new_file_has_nothing_to_migrate(tmp_path: Path) -> None:
    path = tmp_path / "new.test.json"
    path.write_text(dump_eval_set(load_eval_set(write(tmp_path, "old.test.json", TURNS))), encoding="utf-8")
    with pytest.raises(InputError, match="nothing to migrate"):
        migrate_eval_set(path)


def test_the_real_old_files_migrate(shared_data: Path, tmp_path: Path) -> None:
    migrated = 0
    for path in sorted((shared_data / "adk_eval_files").rglob("*.json")):
        if not isinstance(json.loads(path.read_text(encoding="utf-8")), list):
            continue
        new = tmp_path / "new.evalset.json"
        new.write_text(dump_eval_set(migrate_eval_set(path)), encoding="utf-8")
        before, after = open_eval_set(path), open_eval_set(new)
        assert [(entry.eval_id, entry.turns) for entry in after.entries] == [
            (entry.eval_id, entry.turns) for entry in before.entries
        ]
        migrated += 1
    assert migrated == 5
