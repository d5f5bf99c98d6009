"""``adjudge evalset create, add-cases, add-session, remove, edit, diff`` and ``adjudge eval_set``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from adjudge.cli import cli
from adjudge.errors import InputError

Evalset = Callable[..., Result]

SCENARIOS = {
    "scenarios": [
        {
            "starting_prompt": "Where is order 7?",
            "conversation_plan": "Find order 7.",
            "user_persona": "NOVICE",
        },
        {"starting_prompt": "Hello", "conversation_plan": "Say hello."},
    ]
}
SESSION = {"app_name": "shop", "user_id": "ann", "state": {"orders": 1}}
TURN = {
    "user_content": {"parts": [{"text": "Turn the light on."}]},
    "final_response": {"parts": [{"text": "The light is on."}]},
    "intermediate_data": {"tool_uses": [{"name": "set_light", "args": {"on": True, "level": 3}}]},
}
SET: dict[str, Any] = {
    "eval_cases": [
        {"eval_id": "a", "my_note": {"z": 1, "a": [1.5, None]}, "conversation": [TURN]},
        {
            "evalId": "b",
            "conversation": [{"userContent": {"parts": [{"text": "Off."}]}, "finalResponse": None}, TURN],
        },
    ],
    "eval_set_id": "lights",
    "owner": "ann",
}


@pytest.fixture
def evalset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evalset:
    monkeypatch.chdir(tmp_path)

    def run(*args: str) -> Result:
        command = args if args[0] == "eval_set" else ("evalset", *args)
        return CliRunner().invoke(cli, list(command), standalone_mode=False)

    return run


@pytest.fixture
def lights(tmp_path: Path) -> Path:
    return written(tmp_path / "lights.evalset.json", SET)


def written(path: Path, document: Any) -> Path:
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def read(path: Path | str) -> Any:
    return json.loads(Path(path).read_text(encoding="utf-8"))


# --- create, add-cases ------------------------------------------------------------------


def test_a_new_eval_set_takes_scenarios_each_once(evalset: Evalset, tmp_path: Path) -> None:
    written(tmp_path / "scenarios.json", SCENARIOS)
    written(tmp_path / "session.json", SESSION)
    assert evalset("create", "shop.evalset.json").exit_code == 0
    assert read("shop.evalset.json") == {"eval_set_id": "shop", "name": "shop", "eval_cases": []}

    add = (
        "add-cases",
        "shop.evalset.json",
        "--scenarios_file",
        "scenarios.json",
        "--session_input_file",
        "session.json",
    )
    assert "added d7" not in (first := evalset(*add)).output
    assert first.output.count("shop.evalset.json: added ") == 2
    cases = read("shop.evalset.json")["eval_cases"]
    assert [case["conversation_scenario"] for case in cases] == SCENARIOS["scenarios"]
    assert [case["session_input"] for case in cases] == [SESSION, SESSION]

    before = Path("shop.evalset.json").read_bytes()
    assert evalset(*add).output.count(" already") == 2
    assert Path("shop.evalset.json").read_bytes() == before


def test_the_id_of_a_scenario_is_the_one_that_adk_makes(evalset: Evalset, tmp_path: Path) -> None:
    # sha256 of json.dumps(ConversationScenario(...).model_dump(), sort_keys=True), as google-adk 2.13.0 computes it.
    written(tmp_path / "scenarios.json", {"scenarios": [SCENARIOS["scenarios"][1]]})
    evalset("create", "shop.evalset.json")
    evalset("add-cases", "shop.evalset.json", "--scenarios_file", "scenarios.json")

    import hashlib

    dumped = '{"conversation_plan": "Say hello.", "starting_prompt": "Hello", "user_persona": null}'
    [case] = read("shop.evalset.json")["eval_cases"]
    assert case["eval_id"] == hashlib.sha256(dumped.encode()).hexdigest()[:8]


@pytest.mark.parametrize(
    ("scenarios", "session", "message"),
    [
        ([1], SESSION, 'expected {"scenarios": [...]}'),
        ({"scenarios": [], "more": 1}, SESSION, 'expected {"scenarios": [...]}'),
        ({"scenarios": [{"starting_prompt": "x"}]}, SESSION, r"$.scenarios[0]"),
        (
            {"scenarios": [{**SCENARIOS["scenarios"][0], "user_persona": "NOVIC"}]},
            SESSION,
            "Did you mean 'NOVICE'",
        ),
        (SCENARIOS, {"app_name": 3}, "session.json"),
    ],
)
def test_what_is_no_scenario_or_session_adds_nothing(
    evalset: Evalset, tmp_path: Path, scenarios: Any, session: Any, message: str
) -> None:
    written(tmp_path / "scenarios.json", scenarios)
    written(tmp_path / "session.json", session)
    evalset("create", "shop.evalset.json")
    before = Path("shop.evalset.json").read_bytes()
    add = (
        "add-cases",
        "shop.evalset.json",
        "--scenarios_file",
        "scenarios.json",
        "--session_input_file",
        "session.json",
    )
    found = evalset(*add)

    assert isinstance(found.exception, InputError)
    assert message in str(found.exception)
    assert Path("shop.evalset.json").read_bytes() == before


@pytest.mark.parametrize("name", ["shop.json", "my shop.evalset.json", "shöp.evalset.json", ".evalset.json"])
def test_an_eval_set_has_a_name_that_adk_takes(evalset: Evalset, name: str) -> None:
    found = evalset("create", name)
    assert isinstance(found.exception, InputError)
    assert not Path(name).exists()


def test_an_eval_set_that_is_there_is_not_made_anew(evalset: Evalset, lights: Path) -> None:
    before = lights.read_bytes()
    found = evalset("create", lights.name)
    assert "the file exists" in str(found.exception)
    assert lights.read_bytes() == before


def test_adk_s_own_command_writes_to_the_folder_of_the_agent(evalset: Evalset, tmp_path: Path) -> None:
    written(tmp_path / "scenarios.json", SCENARIOS)
    written(tmp_path / "session.json", SESSION)
    (tmp_path / "my_agent").mkdir()
    assert evalset("eval_set", "create", "my_agent", "first_set").exit_code == 0
    files = ("--scenarios_file", "scenarios.json", "--session_input_file", "session.json")
    assert evalset("eval_set", "add_eval_case", "my_agent", "first_set", *files).exit_code == 0
    assert len(read("my_agent/first_set.evalset.json")["eval_cases"]) == 2

    for wrong in ("../first_set", "a/b", "", "a b"):
        assert isinstance(evalset("eval_set", "create", "my_agent", wrong).exception, InputError)
    assert isinstance(evalset("eval_set", "create", "no_agent", "first_set").exception, InputError)
    assert [path.name for path in (tmp_path / "my_agent").iterdir()] == ["first_set.evalset.json"]


# --- add-session ------------------------------------------------------------------------


def message(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


LOG = {
    "messages": [
        message("system", "You are a home."),
        message("user", "Turn the light on."),
        message(
            "assistant",
            None,
            tool_calls=[
                {
                    "id": "1",
                    "type": "function",
                    "function": {"name": "set_light", "arguments": '{"on": true}'},
                }
            ],
        ),
        message("tool", "ok", tool_call_id="1"),
        message("assistant", "The light is on."),
        message("user", "Thanks"),
        message("assistant", "You are welcome."),
    ]
}

AGENT = """
def agent(text):
    if text == "Thanks":
        return "You are welcome."
    call = {"name": "set_light", "args": {"on": True}}
    return {"intermediate_data": {"tool_uses": [call]}, "final_response": {"parts": [{"text": "The light is on."}]}}
"""


def test_a_run_of_a_log_becomes_a_case_that_such_a_run_passes(evalset: Evalset, tmp_path: Path) -> None:
    written(tmp_path / "light.json", LOG)
    (tmp_path / "home.py").write_text(AGENT)
    added = evalset("add-session", "golden.evalset.json", "light.json", "--id", "on")
    assert added.output == "golden.evalset.json: added on: 2 turns, 1 expected call\n"
    [case] = read("golden.evalset.json")["eval_cases"]
    assert case["conversation"][0]["intermediate_data"]["tool_uses"] == [
        {"id": "1", "args": {"on": True}, "name": "set_light"}
    ]

    done = CliRunner().invoke(cli, ["eval", "home:agent", "golden.evalset.json"])
    assert done.exit_code == 0, done.output
    assert "tool_trajectory_avg_score  1.00" in done.output


def test_a_log_with_several_runs_needs_a_number(evalset: Evalset, tmp_path: Path) -> None:
    (tmp_path / "light.jsonl").write_text(f"{json.dumps(LOG)}\n{json.dumps(LOG)}\n")
    found = evalset("add-session", "golden.evalset.json", "light.jsonl")
    assert "this log has 2 runs" in str(found.exception)
    assert "--run N" in str(found.exception)
    assert not Path("golden.evalset.json").exists()
    assert (
        evalset("add-session", "golden.evalset.json", "light.jsonl", "--run", "2", "--id", "x").exit_code == 0
    )
    twice = evalset("add-session", "golden.evalset.json", "light.jsonl", "--run", "1", "--id", "x")
    assert "there is a case 'x' already" in str(twice.exception)
    assert "there is no run 3" in str(
        evalset("add-session", "golden.evalset.json", "light.jsonl", "--run", "3").exception
    )


def test_thoughts_and_raw_events_of_a_run_are_no_expectation(evalset: Evalset, tmp_path: Path) -> None:
    session = {
        "id": "s1",
        "app_name": "shop",
        "user_id": "ann",
        "state": {"paid": True},
        "events": [
            {
                "id": "1",
                "invocation_id": "i",
                "author": "user",
                "content": {"role": "user", "parts": [{"text": "Pay."}]},
            },
            {
                "id": "2",
                "invocation_id": "i",
                "author": "teller",
                "content": {
                    "role": "model",
                    "parts": [
                        {"text": "hm", "thought": True},
                        {"function_call": {"id": "c", "name": "pay", "args": {"sum": 3}}},
                    ],
                },
            },
            {
                "id": "3",
                "invocation_id": "i",
                "author": "teller",
                "content": {
                    "role": "user",
                    "parts": [{"function_response": {"id": "c", "name": "pay", "response": {"ok": 1}}}],
                },
            },
            {
                "id": "4",
                "invocation_id": "i",
                "author": "teller",
                "content": {"role": "model", "parts": [{"text": "Paid."}]},
            },
        ],
    }
    written(tmp_path / "pay.session.json", session)
    assert evalset("add-session", "golden.evalset.json", "pay.session.json").exit_code == 0
    [case] = read("golden.evalset.json")["eval_cases"]

    assert case["eval_id"] == "s1"
    assert case["session_input"] == {"app_name": "shop", "user_id": "ann"}
    assert case["final_session_state"] == {"paid": True}
    [turn] = case["conversation"]
    assert turn["intermediate_data"] == {
        "tool_uses": [{"id": "c", "args": {"sum": 3}, "name": "pay"}],
        "tool_responses": [{"id": "c", "name": "pay", "response": {"ok": 1}}],
    }
    assert turn["final_response"]["parts"] == [{"text": "Paid."}]
    assert "hm" not in Path("golden.evalset.json").read_text()


def test_real_logs_become_cases(evalset: Evalset, shared_data: Path) -> None:
    log = str(shared_data / "tau_airline" / "runs.jsonl.gz")
    assert evalset("add-session", "tau.evalset.json", log, "--run", "3", "--id", "omar").exit_code == 0
    [case] = read("tau.evalset.json")["eval_cases"]
    names = [
        call["name"]
        for turn in case["conversation"]
        for call in turn.get("intermediate_data", {}).get("tool_uses", [])
    ]
    assert names.count("update_reservation_flights") == 2
    assert evalset("validate", "tau.evalset.json").exit_code == 0


# --- remove, edit, diff -----------------------------------------------------------------


def test_edit_changes_one_place_and_shows_it(evalset: Evalset, lights: Path) -> None:
    done = evalset(
        "edit",
        "lights.evalset.json:a",
        "--set",
        "conversation[0].final_response.parts[0].text=The light is off.",
        "--set",
        'conversation[0].intermediate_data.toolUses[1]={"name": "log"}',
        "--unset",
        "my_note.a[0]",
    )
    assert done.exit_code == 0, done.exception
    assert "- The light is [-on-].\n    + The light is {+off+}." in done.output
    after = read(lights)
    assert list(after) == list(SET)
    assert after["owner"] == "ann"
    assert after["eval_cases"][1] == SET["eval_cases"][1]
    first = after["eval_cases"][0]
    assert first["my_note"] == {"z": 1, "a": [None]}
    assert first["conversation"][0]["intermediate_data"]["tool_uses"][1] == {"name": "log"}


def test_a_dry_run_writes_nothing(evalset: Evalset, lights: Path) -> None:
    before = lights.read_bytes()
    done = evalset("edit", "lights.evalset.json:a", "--set", "eval_id=c", "--dry-run")
    assert "- a\n    + c" in done.output
    assert lights.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "eval_id=b"], "there is a case 'b' already"),
        (["--set", "eval_idd=b"], "Did you mean 'eval_id'"),
        (["--set", "conversation=[]x"], "--set"),
        (["--set", "conversation[7].final_response={}"], "there is no element [7] in a list of 1"),
        (["--set", "conversation[0].user_content.parts[0].text=7"], "text"),
        (["--set", "conversation"], "expected PATH=VALUE"),
        (["--unset", "nothing.here"], "there is no key 'nothing'"),
        (["--unset", "conversation"], "neither of 'conversation'"),
        (["--unset", "a..b"], "is no path into a case"),
    ],
)
def test_a_change_that_is_none_writes_nothing(
    evalset: Evalset, lights: Path, options: list[str], message: str
) -> None:
    before = lights.read_bytes()
    found = evalset("edit", "lights.evalset.json:a", *options)
    assert isinstance(found.exception, InputError)
    assert message in str(found.exception)
    assert lights.read_bytes() == before


def test_a_removed_case_is_the_only_difference(evalset: Evalset, lights: Path, tmp_path: Path) -> None:
    written(tmp_path / "before.evalset.json", SET)
    assert evalset("remove", "lights.evalset.json:b").output == "lights.evalset.json: removed b\n"
    assert read(lights) == {**SET, "eval_cases": SET["eval_cases"][:1]}
    compared = evalset("diff", "before.evalset.json", "lights.evalset.json", "--json")
    assert json.loads(compared.output) == {"added": [], "removed": ["b"], "changed": {}}
    assert "there is no case 'b'" in str(evalset("remove", "lights.evalset.json:b").exception)


def test_diff_shows_every_change_and_its_status_tells_whether_there_is_one(
    evalset: Evalset, lights: Path, tmp_path: Path, adjudge: Callable[..., Any]
) -> None:
    other = json.loads(json.dumps(SET).replace("level", "height"))
    other["eval_cases"][1]["conversation"].insert(0, TURN)
    written(tmp_path / "other.evalset.json", other)
    done = adjudge("evalset", "diff", lights.name, "other.evalset.json")
    assert done.returncode == 1
    assert (
        "changed  a\n  $.conversation[0].intermediate_data.tool_uses[0].args.level\n    - 3\n" in done.stdout
    )
    assert "$.conversation[0].intermediate_data.tool_uses[0].args.height\n    + 3\n" in done.stdout

    same = adjudge("evalset", "diff", lights.name, lights.name)
    assert (same.returncode, same.stdout) == (0, "no case differs\n")
    assert adjudge("evalset", "diff", lights.name, "missing.json").returncode == 2


def test_an_old_file_and_its_migration_do_not_differ(evalset: Evalset, tmp_path: Path) -> None:
    written(tmp_path / "hello.test.json", [{"query": "Hi", "expected_tool_use": [], "reference": "Hello"}])
    evalset("migrate", "hello.test.json", "hello.evalset.json")
    assert evalset("diff", "hello.test.json", "hello.evalset.json").output == "no case differs\n"
    found = evalset("edit", "hello.test.json:hello", "--set", "eval_id=x")
    assert "adjudge evalset migrate hello.test.json" in str(found.exception)


def test_a_file_that_is_changed_meanwhile_is_not_overwritten(lights: Path) -> None:
    from adjudge.kit.eval_sets import EvalSetDocument

    document = EvalSetDocument.opened(lights)
    written(lights, {**SET, "owner": "bob"})
    document.remove(["a"])
    with pytest.raises(InputError, match="the file was changed since it was opened"):
        document.save()
    assert read(lights)["owner"] == "bob"


def test_permissions_and_links_stay(evalset: Evalset, lights: Path, tmp_path: Path) -> None:
    lights.chmod(0o640)
    (tmp_path / "link.evalset.json").symlink_to(lights.name)
    assert evalset("remove", "link.evalset.json:a").exit_code == 0
    assert (tmp_path / "link.evalset.json").is_symlink()
    assert lights.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir() if "partial" in path.name] == []


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(notes=st.lists(_JSON, min_size=2, max_size=4), gone=st.integers(0, 3), value=_JSON)
def test_what_nobody_touched_stays_whatever_it_is(
    tmp_path_factory: pytest.TempPathFactory, notes: list[Any], gone: int, value: Any
) -> None:
    folder = tmp_path_factory.mktemp("any")
    cases = [{"eval_id": f"c{at}", "conversation": [TURN], "x_note": note} for at, note in enumerate(notes)]
    file = written(folder / "any.evalset.json", {"eval_set_id": "any", "eval_cases": cases, "x_top": value})
    before = written(folder / "before.evalset.json", read(file))
    name = f"c{gone % len(notes)}"
    CliRunner().invoke(
        cli, ["evalset", "remove", f"{file}:{name}"], standalone_mode=False, catch_exceptions=False
    )

    assert read(file) == {**read(before), "eval_cases": [case for case in cases if case["eval_id"] != name]}
    compared = CliRunner().invoke(
        cli, ["evalset", "diff", str(before), str(file), "--json"], standalone_mode=False
    )
    assert json.loads(compared.output) == {"added": [], "removed": [name], "changed": {}}
    edited = ["evalset", "edit", f"{before}:{name}", "--set", f"x_note={json.dumps([value])}"]
    CliRunner().invoke(cli, edited, standalone_mode=False, catch_exceptions=False)
    assert read(before)["eval_cases"] == [
        {**case, "x_note": [value]} if case["eval_id"] == name else case for case in cases
    ]
