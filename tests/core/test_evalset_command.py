"""``adjudge evalset`` as a person uses it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from adjudge.cli import cli
from adjudge.cli.exits import run_cli


class Outcome(NamedTuple):
    status: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Outcome]:
    monkeypatch.chdir(tmp_path)

    def runner(*args: str | Path) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["adjudge", "evalset", *map(str, args)])
        with pytest.raises(SystemExit) as caught:
            run_cli(cli)
        out, err = capsys.readouterr()
        return Outcome(int(caught.value.code or 0), out, err)

    return runner


TURN = {
    "user_content": {"role": "user", "parts": [{"text": "Switch the lamp off.\nNow."}]},
    "final_response": {"role": "model", "parts": [{"text": "Done."}]},
    "intermediate_data": {
        "tool_uses": [{"name": "switch", "args": {"lamp": "居間", "on": False}}],
        "intermediate_responses": [["helper", [{"text": "Switching."}]]],
    },
}
SET = {
    "eval_set_id": "lights",
    "eval_cases": [
        {
            "eval_id": "off",
            "conversation": [TURN],
            "session_input": {"app_name": "home", "user_id": "u", "state": {"room": 1}},
            "rubrics": [{"rubric_id": "kind", "rubric_content": {"text_property": "It is kind."}}],
        },
        {
            "eval_id": "talk",
            "conversation_scenario": {"starting_prompt": "Hi", "conversation_plan": "Ask for light."},
        },
    ],
}
OLD = [{"query": "Hi", "expected_tool_use": [], "reference": "Hello"}]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sets" / "deep").mkdir(parents=True)
    (tmp_path / "sets" / "lights.evalset.json").write_text(json.dumps(SET), encoding="utf-8")
    (tmp_path / "sets" / "deep" / "old.test.json").write_text(json.dumps(OLD), encoding="utf-8")
    (tmp_path / "sets" / "test_config.json").write_text("not read", encoding="utf-8")
    return tmp_path / "sets"


def test_validate_finds_the_files_below_a_folder(run: Run, folder: Path) -> None:
    done = run("validate", "sets")
    assert done == (
        0,
        "ok   sets/deep/old.test.json: 1 case, 1 turn, old shape (a list of turns)\n"
        "ok   sets/lights.evalset.json: 2 cases, 1 turn, 1 scenario\n",
        "",
    )


def test_validate_checks_everything_before_it_fails(run: Run, folder: Path) -> None:
    (folder / "a.test.json").write_text("{]", encoding="utf-8")
    (folder / "b.test.json").write_text(json.dumps({**SET, "note": 1}), encoding="utf-8")
    done = run("validate", "sets", "nowhere.test.json")
    assert done.status == 2
    assert [line for line in done.out.splitlines() if not line.startswith(" ")] == [
        "bad  sets/a.test.json",
        "ok   sets/b.test.json: 2 cases, 1 turn, 1 scenario, 1 warning",
        "ok   sets/deep/old.test.json: 1 case, 1 turn, old shape (a list of turns)",
        "ok   sets/lights.evalset.json: 2 cases, 1 turn, 1 scenario",
        "bad  nowhere.test.json",
    ]
    assert "unknown key 'note' in EvalSet is kept" in done.out
    assert "sets/a.test.json:1:2: " in done.err
    assert "no such file" in done.err


def test_validate_shows_the_warnings_of_a_bad_file_too(run: Run, folder: Path) -> None:
    broken = {**SET, "note": 1, "descripton": "x"}
    (folder / "b.test.json").write_text(json.dumps(broken), encoding="utf-8")
    done = run("validate", "sets/b.test.json")
    assert done.status == 2
    assert "warning: sets/b.test.json, $: unknown key 'note' in EvalSet is kept" in done.err
    assert "Did you mean 'description'?" in done.err


def test_validate_says_that_a_folder_is_empty(run: Run, tmp_path: Path) -> None:
    done = run("validate", tmp_path)
    assert done.status == 2
    assert "*.test.json" in done.err


def test_list_says_what_cases_have(run: Run, folder: Path) -> None:
    done = run("list", "sets/lights.evalset.json")
    assert done.out == (
        "sets/lights.evalset.json (lights)\n"
        "  off: 1 turn, rubrics, initial state, intermediate responses\n"
        "  talk: scenario\n"
    )


def test_show_is_readable(run: Run, folder: Path) -> None:
    done = run("show", "sets/lights.evalset.json:off")
    assert done == (
        0,
        "off\n"
        "  session: app 'home', user 'u'\n"
        '  initial state: {"room": 1}\n'
        "  turn 1\n"
        "    user: Switch the lamp off.\n      Now.\n"
        '    call: switch(lamp="居間", on=false)\n'
        "    helper: Switching.\n"
        "    response: Done.\n"
        "  rubric kind: It is kind.\n",
        "",
    )


def test_show_gives_the_chosen_cases_as_json(run: Run, folder: Path) -> None:
    done = run("show", "sets/lights.evalset.json:talk,off", "--json")
    assert json.loads(done.out) == SET["eval_cases"]


def test_show_refuses_an_unknown_case(run: Run, folder: Path) -> None:
    done = run("show", "sets/lights.evalset.json:of")
    assert done.status == 2
    assert "there is no case 'of'" in done.err
    assert run("show", "sets/lights.evalset.json:").status == 2


def test_a_path_with_a_colon_is_a_path(run: Run, tmp_path: Path) -> None:
    data = {"eval_set_id": "x", "eval_cases": [{"eval_id": "a:b", "conversation": [TURN]}]}
    (tmp_path / "at 12:30.test.json").write_text(json.dumps(data), encoding="utf-8")
    assert run("show", "at 12:30.test.json").status == 0
    assert run("show", "at 12:30.test.json:a:b").out.startswith("a:b\n")


def test_migrate_writes_a_file_that_validates(run: Run, folder: Path, tmp_path: Path) -> None:
    session = tmp_path / "session.json"
    session.write_text('{"app_name": "home", "user_id": "u", "state": {"k": 1}}', encoding="utf-8")
    done = run("migrate", "sets/deep/old.test.json", "new.test.json", "--initial_session_file", session)
    assert (done.status, done.out) == (0, "new.test.json: 1 case\n")
    assert run("list", "new.test.json").out == "new.test.json (old)\n  old: 1 turn, initial state\n"


def test_migrate_says_what_nothing_reads_in_the_session(run: Run, folder: Path, tmp_path: Path) -> None:
    session = tmp_path / "session.json"
    session.write_text('{"app_name": "home", "user_id": "u", "values": {"k": 1}}', encoding="utf-8")
    done = run("migrate", "sets/deep/old.test.json", "new.test.json", "--initial_session_file", session)
    assert "session.json: $: unknown key 'values' in initial session is kept; nothing reads it" in done.err


def test_migrate_says_what_becomes_of_arguments(run: Run, tmp_path: Path) -> None:
    def old(**call: object) -> None:
        turn = {"query": "Roll", "expected_tool_use": [{"tool_name": "roll", **call}]}
        (tmp_path / "old.test.json").write_text(json.dumps([turn]), encoding="utf-8")

    old(tool_args={"sides": 6}, mock_tool_output=3)
    done = run("migrate", "old.test.json", "new.test.json")
    assert "'tool_args' in expected_tool_use is read as 'tool_input'" in done.err
    assert "'mock_tool_output' in expected_tool_use is not read, and migrating drops it" in done.err
    assert "call: roll(sides=6)" in run("show", "new.test.json").out

    old(inputs={"sides": 6})
    refused = run("migrate", "old.test.json", "other.test.json")
    assert refused.status == 2
    assert "no 'tool_input'; it has tool_name, inputs" in refused.err
    assert not (tmp_path / "other.test.json").exists()


def test_migrate_replaces_nothing_unasked(run: Run, folder: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.json"
    new.write_text("precious", encoding="utf-8")
    refused = run("migrate", "sets/deep/old.test.json", new)
    assert (refused.status, new.read_text(encoding="utf-8")) == (2, "precious")
    assert "--force" in refused.err
    assert run("migrate", "sets/deep/old.test.json", new, "--force").status == 0
    assert run("validate", new).status == 0


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("sets/lights.evalset.json", "new.json", "nothing to migrate"),
        ("sets/absent.json", "new.json", "no such file"),
        ("sets/deep/old.test.json", "nowhere/new.json", "cannot be written"),
    ],
)
def test_migrate_leaves_no_half_written_file(
    run: Run, folder: Path, tmp_path: Path, old: str, new: str, words: str
) -> None:
    before = sorted(tmp_path.rglob("*"))
    done = run("migrate", old, new)
    assert done.status == 2
    assert words in done.err
    assert sorted(tmp_path.rglob("*")) == before


def test_every_real_file_is_valid(run: Run, shared_data: Path) -> None:
    done = run("validate", shared_data / "adk_eval_files")
    assert done.status == 0
    assert done.out.count("ok  ") == 11
