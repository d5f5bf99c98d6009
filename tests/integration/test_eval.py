"""Evaluating an agent: the command line and the Python API, from files to verdicts."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

import adjudge as package
from adjudge.errors import AdjudgeError
from adjudge.extension.hooks import CaseFinished
from adjudge.extension.loader import Extensions, discover
from adjudge.model import Content, EvalCase, EvalSet, Invocation, Step, ToolCall
from adjudge.plugin import (
    AgentAdapterSpec,
    ComponentConfig,
    SessionRequest,
    hookimpl,
)
from adjudge.testing import as_candidate

Cli = Callable[..., CompletedProcess[str]]

AGENT = """
import re

def weather(text, session):
    city = re.search(r"in (\\w+)", text)
    if city is None:
        return "Which city?"
    session.state["cities"] = [*session.state.get("cities", []), city[1]]
    return {
        "intermediate_data": {"tool_uses": [{"name": "get_weather", "args": {"city": city[1]}}]},
        "final_response": {"parts": [{"text": f"It is sunny in {city[1]}."}]},
    }

def broken(text):
    raise ConnectionError("the model is away")

async def slow(text):
    import asyncio
    await asyncio.sleep(3600)
"""


def turn(prompt: str, answer: str | None, *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return {
        "user_content": {"role": "user", "parts": [{"text": prompt}]},
        "final_response": None if answer is None else {"role": "model", "parts": [{"text": answer}]},
        "intermediate_data": {"tool_uses": [{"name": name, "args": args} for name, args in calls]},
    }


def eval_set(*cases: dict[str, Any], eval_set_id: str = "weather") -> dict[str, Any]:
    return {"eval_set_id": eval_set_id, "eval_cases": list(cases)}


def case(eval_id: str, *turns: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"eval_id": eval_id, "conversation": list(turns), **more}


PARIS = turn("Weather in Paris?", "It is sunny in Paris.", ("get_weather", {"city": "Paris"}))
ROME = turn("And in Rome?", "It is sunny in Rome.", ("get_weather", {"city": "Rome"}))
WRONG = turn("Weather in Oslo?", "It is sunny in Oslo.", ("get_weather", {"city": "Bergen"}))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sky.py").write_text(AGENT)
    write(tmp_path / "good.test.json", eval_set(case("paris", PARIS, ROME)))
    write(tmp_path / "mixed.test.json", eval_set(case("paris", PARIS), case("oslo", WRONG)))
    return tmp_path


def write(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value))
    return path


def results(path: Path) -> Any:
    return json.loads(path.read_text())


# --- verdicts and exit status ---------------------------------------------------------


def test_an_agent_that_does_what_is_expected_passes(folder: Path, adjudge: Cli) -> None:
    done = adjudge("eval", "sky:weather", "good.test.json", "--output", "out.json")
    assert done.returncode == 0, done.stderr
    assert "PASS" in done.stdout
    report = results(folder / "out.json")
    (row,) = report["cases"]
    assert (row["eval_id"], row["repeat"], row["verdict"]) == ("paris", 1, "PASS")
    assert {item["criterion_name"]: item["score"] for item in row["criteria"]} == {
        "tool_trajectory_avg_score": 1.0,
        "response_match_score": 1.0,
    }
    assert [item["threshold"] for item in row["criteria"]] == [1.0, 0.8]
    assert report["summary"]["exit_status"] == 0


def test_a_wrong_call_fails_and_is_explained(folder: Path, adjudge: Cli) -> None:
    done = adjudge("eval", "sky:weather", "mixed.test.json")
    assert done.returncode == 1
    assert "oslo" in done.stdout
    assert "Bergen" in done.stdout
    assert "Oslo" in done.stdout
    assert "Traceback" not in done.stderr


def test_an_agent_that_raises_is_an_error_and_never_a_verdict(folder: Path, adjudge: Cli) -> None:
    done = adjudge("eval", "sky:broken", "good.test.json", "--output", "out.json")
    assert done.returncode == 3
    (row,) = results(folder / "out.json")["cases"]
    assert row["verdict"] is None
    assert row["status"] == "error"
    assert "the model is away" in row["error"]["message"]
    assert row["criteria"] == []
    assert "the model is away" in done.stdout


def test_a_case_that_takes_too_long_is_an_error_and_the_command_ends(folder: Path, adjudge: Cli) -> None:
    # The agent sleeps for an hour; the fixture waits two minutes for the command.
    done = adjudge("eval", "sky:slow", "good.test.json", "--timeout", "0.2", "--output", "out.json")
    assert done.returncode == 3
    assert results(folder / "out.json")["cases"][0]["error"]["code"] == "timeout"


def test_selected_cases_alone_are_run(folder: Path, adjudge: Cli) -> None:
    done = adjudge("eval", "sky:weather", "mixed.test.json:paris", "--output", "out.json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [row["eval_id"] for row in results(folder / "out.json")["cases"]] == ["paris"]


def test_a_folder_is_every_test_file_below_it_each_with_its_own_configuration(
    folder: Path, adjudge: Cli
) -> None:
    deeper = folder / "sets" / "deeper"
    deeper.mkdir(parents=True)
    write(folder / "sets" / "a.test.json", eval_set(case("a", PARIS)))
    write(deeper / "b.test.json", eval_set(case("b", WRONG)))
    write(deeper / "ignored.json", {"not": "an eval set"})
    write(deeper / "test_config.json", {"criteria": {"response_match_score": 0.5}})
    done = adjudge("eval", "sky:weather", "sets", "--output", "out.json")
    assert done.returncode == 0, done.stdout
    rows = results(folder / "out.json")["cases"]
    assert [(row["eval_id"], len(row["criteria"])) for row in rows] == [("a", 2), ("b", 1)]


def test_eval_sets_in_a_folder_that_are_no_test_files_are_told(folder: Path, adjudge: Cli) -> None:
    (folder / "sets").mkdir()
    write(folder / "sets" / "a.test.json", eval_set(case("a", PARIS)))
    write(folder / "sets" / "b.evalset.json", eval_set(case("b", WRONG)))
    done = adjudge("eval", "sky:weather", "sets")
    assert done.returncode == 0, done.stdout
    assert "not sets/b.evalset.json; to evaluate such a file, name it" in " ".join(done.stdout.split())


def test_an_expected_state_that_nothing_measures_is_told(folder: Path, adjudge: Cli) -> None:
    write(folder / "state.test.json", eval_set(case("a", PARIS, final_session_state={"cart": ["milk"]})))
    done = adjudge("eval", "sky:weather", "state.test.json")
    assert done.returncode == 0, done.stdout
    said = " ".join(done.stdout.split())
    assert "state.test.json: case 'a' has a final_session_state, and no criterion measures it" in said
    write(folder / "test_config.json", {"criteria": {"session_state_match": 0.5}})
    assert "no criterion measures it" not in adjudge("eval", "sky:weather", "state.test.json").stdout


def test_what_an_agent_raises_ends_its_case_whatever_its_text(folder: Path, adjudge: Cli) -> None:
    (folder / "odd.py").write_text(
        "def agent(text):\n    if 'Paris' in text:\n        raise ValueError(b'caf\\xe9'.decode('utf-8', 'surrogateescape'))\n"
        "    return 'fine'\n"
    )
    done = adjudge("eval", "odd:agent", "mixed.test.json", "--output", "out.json")
    assert done.returncode == 1, done.stderr
    rows = {row["eval_id"]: row for row in results(folder / "out.json")["cases"]}
    assert "caf\\udce9" in rows["paris"]["error"]["message"]
    assert rows["oslo"]["verdict"] == "FAIL"


def test_a_file_whose_name_is_not_utf_8_is_a_problem(folder: Path, adjudge: Cli) -> None:
    odd = os.fsdecode(b"caf\xe9.test.json")
    try:
        write(folder / odd, eval_set(case("a", PARIS)))
    except OSError:
        pytest.skip("this file system takes no such name")
    for arguments in (["eval", "sky:weather", odd], ["judge", odd, "--aggregate-only"]):
        done = adjudge(*arguments)
        assert done.returncode == 2
        assert "the name of this file is not UTF-8" in done.stderr
        assert "caf\\udce9.test.json" in done.stderr


def test_the_named_configuration_holds_for_every_file(folder: Path, adjudge: Cli) -> None:
    write(
        folder / "strict.json",
        {"criteria": {"answers": {"criterion": "response_match_score", "threshold": 1}}},
    )
    done = adjudge(
        "eval", "sky:weather", "good.test.json", "--config_file_path=strict.json", "--output", "o.json"
    )
    assert done.returncode == 0, done.stderr
    (criterion,) = results(folder / "o.json")["cases"][0]["criteria"]
    assert criterion["criterion_name"] == "answers"
    assert criterion["criterion"].endswith("/response_match_score")


def test_a_turn_without_a_reference_leaves_the_denominator(folder: Path, adjudge: Cli) -> None:
    no_reference = {**PARIS, "final_response": None}
    write(folder / "half.test.json", eval_set(case("half", no_reference, ROME)))
    done = adjudge("eval", "sky:weather", "half.test.json", "--output", "out.json")
    assert done.returncode == 0, done.stdout
    by_name = {item["criterion_name"]: item for item in results(folder / "out.json")["cases"][0]["criteria"]}
    match = by_name["response_match_score"]
    assert (match["score"], match["scored"], match["total"]) == (1.0, 1, 1)
    assert [item["status"] for item in match["per_invocation"]] == ["not_applicable", "PASS"]


def test_repeats_are_judged_by_their_mean(folder: Path) -> None:
    counter = iter(range(100))

    def every_other_time(text: str) -> str:
        return "It is sunny in Paris." if next(counter) % 2 else "No."

    done = package.evaluate_sync(
        every_other_time,
        write(folder / "once.test.json", eval_set(case("paris", {**PARIS, "intermediate_data": None}))),
        config={"criteria": {"response_match_score": 0.5}},
        num_runs=4,
        concurrency=1,
    )
    (repeated,) = done.summary.repeated
    assert repeated.criteria[0].mean == 0.5
    assert repeated.criteria[0].standard_deviation == pytest.approx(0.5773502691896257)
    assert repeated.verdict == "PASS"
    assert sorted(str(item.verdict) for item in done.cases()) == ["FAIL", "FAIL", "PASS", "PASS"]


def test_state_starts_as_the_case_says_and_stays_over_its_turns_only(folder: Path) -> None:
    seen: list[list[str]] = []

    def agent(text: str, session: Any) -> str:
        session.state.setdefault("said", []).append(text)
        seen.append(list(session.state["said"]))
        return "ok"

    start = {"session_input": {"app_name": "a", "user_id": "u", "state": {"said": ["before"]}}}
    cases = [case(name, PARIS, ROME, **start) for name in ("one", "two")]
    path = write(folder / "state.test.json", eval_set(*cases))
    config = {"criteria": {"response_match_score": 0.01}}
    package.evaluate_sync(agent, path, config=config, concurrency=1)
    both = ["before", "Weather in Paris?", "And in Rome?"]
    assert seen == [both[:2], both, both[:2], both]


# --- concurrency ----------------------------------------------------------------------


def test_blocking_agents_run_side_by_side_up_to_the_limit(folder: Path) -> None:
    together = threading.Barrier(3, timeout=120)

    def waits_for_two_others(text: str) -> str:
        together.wait()
        return "It is sunny in Paris."

    path = write(folder / "six.test.json", eval_set(*(case(str(n), PARIS) for n in range(6))))
    done = package.evaluate_sync(
        waits_for_two_others, path, config={"criteria": {"response_match_score": 0.01}}, concurrency=3
    )
    assert done.passed


def test_no_more_sessions_are_open_than_the_limit_says(folder: Path) -> None:
    open_now = 0
    most = 0
    four = asyncio.Event()

    async def agent(text: str) -> str:
        nonlocal open_now, most
        open_now += 1
        most = max(most, open_now)
        if most == 4:
            four.set()
        await four.wait()
        await asyncio.sleep(0.005)  # for one too many to come
        open_now -= 1
        return "ok"

    path = write(folder / "many.test.json", eval_set(*(case(str(n), PARIS) for n in range(20))))
    package.evaluate_sync(agent, path, config={"criteria": {"response_match_score": 0.01}}, concurrency=4)
    assert most == 4


def test_events_and_results_come_while_the_run_goes_on(folder: Path) -> None:
    release = asyncio.Event()
    finished: list[str] = []

    async def agent(text: str, session: Any) -> str:
        if session.eval_id == "last":
            await release.wait()
        return "ok"

    def watch(event: object) -> None:
        if isinstance(event, CaseFinished):
            finished.append(event.result.eval_id)
            release.set()

    path = write(folder / "two.test.json", eval_set(case("last", PARIS), case("first", PARIS)))
    package.evaluate_sync(agent, path, config={"criteria": {"response_match_score": 0.01}}, watch=watch)
    assert finished == ["first", "last"]
    # Whatever finished first, results are in the order of the plan.
    done = package.evaluate_sync("sky:weather", path, run="again")
    assert [item.eval_id for item in done.cases()] == ["last", "first"]


# --- the plan: all problems at once, before any call ----------------------------------


def problems(*args: Any, **options: Any) -> str:
    called: list[str] = []

    def agent(text: str) -> str:
        called.append(text)
        return "ok"

    with pytest.raises(AdjudgeError) as caught:
        package.evaluate_sync(options.pop("agent", agent), *args, **options)
    assert not called, "the agent was called although the plan cannot work"
    return str(caught.value)


def test_every_problem_is_named_at_once(folder: Path) -> None:
    write(
        folder / "bad.json",
        {
            "criteria": {
                "tool_trajectory_avg_scor": 1.0,
                "response_match_score": 1.5,
                "trajectory_single_tool_use": {"threshold": 1, "tool_nam": "x"},
            }
        },
    )
    said = problems(["good.test.json", "absent.test.json", "mixed.test.json:osl"], config="bad.json")
    assert "Did you mean 'tool_trajectory_avg_score'?" in said
    assert "the threshold 1.5 is outside the value range 0.0 to 1.0" in said
    assert "Did you mean 'tool_name'?" in said
    assert "absent.test.json" in said
    assert "osl" in said
    assert "'oslo'" in said


def test_a_broken_configuration_is_told_beside_a_broken_eval_set(folder: Path) -> None:
    write(folder / "empty.test.json", eval_set())
    said = problems("empty.test.json", config="missing.json")
    assert "no cases" in said
    assert "missing.json" in said


def test_a_criterion_of_the_state_needs_an_agent_that_shows_it(folder: Path) -> None:
    class Silent:
        @hookimpl.agent_adapters
        def agent_adapters(self) -> list[AgentAdapterSpec]:
            return [
                AgentAdapterSpec(
                    name="silent",
                    summary="Shows no state.",
                    factory=lambda config, host: object(),
                    config=Target,
                    shows_state=False,
                )
            ]

    class Target(ComponentConfig):
        target: str

    path = write(folder / "state.test.json", eval_set(case("a", PARIS, final_session_state={"x": 1})))
    said = problems(
        path,
        agent="silent:x",
        config={"criteria": {"session_state_match": 1.0}},
        extensions=Extensions([*discover(), as_candidate("silent", Silent())]),
    )
    assert "'session_state_match' needs the session state" in said


def test_a_named_configuration_is_never_replaced_by_a_default(folder: Path) -> None:
    assert "missing.json" in problems("good.test.json", config="missing.json")


def test_a_criterion_that_applies_to_no_case_is_a_problem(folder: Path) -> None:
    write(folder / "blank.test.json", eval_set(case("a", {**PARIS, "final_response": None})))
    said = problems("blank.test.json")
    assert "'response_match_score' applies to none of the selected cases" in said
    assert "the default criterion" in said
    assert "none of the selected cases: the case lacks what it needs: a reference answer" in said
    assert "Choose others in such a file" in said


def test_a_configuration_without_any_threshold_decides_nothing(folder: Path) -> None:
    said = problems("good.test.json", config={"criteria": {"tool_call_count_v1": {}}})
    assert "no criterion has a threshold" in said


SCENARIO = {"starting_prompt": "Hi", "conversation_plan": "Ask."}
STATIC = {"type": "static", "messages": ["And in Paris?"]}


def test_scenarios_that_no_criterion_measures_are_a_problem(folder: Path) -> None:
    path = write(folder / "s.test.json", eval_set({"eval_id": "sim", "conversation_scenario": SCENARIO}))
    said = problems(path)
    assert "'tool_trajectory_avg_score' applies to none of the selected cases" in said
    assert "a reference, and in a conversation with a simulated user nothing is expected turn by turn" in said


@pytest.mark.parametrize("repeats", [1, 2])
def test_a_scenario_that_nothing_measures_is_not_simulated_and_the_rest_of_its_file_runs(
    folder: Path, repeats: int, adjudge: Cli
) -> None:
    simulated = {"eval_id": "sim", "conversation_scenario": SCENARIO}
    write(folder / "s.test.json", eval_set(simulated, case("paris", PARIS)))
    outputs = ("--output", "out.json", "--output", "out.xml")
    done = adjudge("eval", "sky:weather", "s.test.json", *outputs, "--num_runs", str(repeats), "--run", "one")
    assert done.returncode == 3, done.stderr
    rows = results(folder / "out.json")["cases"]
    assert {row["eval_id"]: row["status"] for row in rows} == {"sim": "error", "paris": "PASS"}
    assert {row["error"]["code"] for row in rows if row["eval_id"] == "sim"} == {"nothing_measured"}
    assert adjudge("resume", "one").returncode == 3

    write(folder / "s.test.json", eval_set(simulated, case("oslo", WRONG)))
    assert adjudge("eval", "sky:weather", "s.test.json").returncode == 1


def test_a_criterion_that_needs_a_reference_says_so_of_a_simulated_conversation(folder: Path) -> None:
    simulated = {"eval_id": "sim", "conversation_scenario": SCENARIO}
    path = write(folder / "s.test.json", eval_set(simulated, case("paris", PARIS)))
    criteria = {"response_match_score": 0.8, "trajectory_single_tool_use": {"threshold": 0, "tool_name": "x"}}
    criteria["invocation_duration_v1"] = {"maximum": 1000}
    config = {"criteria": criteria, "user_simulator_config": STATIC}
    result = package.evaluate_sync("sky:weather", path, config=config)
    sim, paris = result.cases()
    assert (sim.status, paris.status) == ("PASS", "PASS")
    match = sim.criteria[0]
    assert match.status == "not_applicable"
    assert "a reference, and in a conversation with a simulated user nothing is expected" in match.reasoning
    assert sim.simulation.stop_reason == "no_more_messages"


def test_a_criterion_that_measures_scenarios_alone_is_covered_by_one(folder: Path) -> None:
    asks = {"final_session_state": {"k": 1}, "eval_id": "sim", "conversation_scenario": SCENARIO}
    path = write(folder / "s.test.json", eval_set(asks, case("paris", PARIS)))
    criteria = {"session_state_match": 1.0, "response_match_score": 0.8}
    config = {"criteria": criteria, "user_simulator_config": STATIC}
    result = package.evaluate_sync("sky:weather", path, config=config)
    sim, paris = result.cases()
    assert [item.status for item in sim.criteria] == ["FAIL", "not_applicable"]
    assert [item.status for item in paris.criteria] == ["not_applicable", "PASS"]


def test_outputs_are_checked_before_the_run(folder: Path) -> None:
    said = problems("good.test.json", outputs=["out.docx", "nowhere/out.json"])
    assert "out.docx" in said
    assert ".json" in said
    assert "nowhere" in said


@pytest.mark.parametrize("name", ["../escape", "", "a/b", ".hidden", "x" * 101])
def test_a_run_name_cannot_leave_its_folder(folder: Path, name: str) -> None:
    if name:
        assert "cannot name a run" in problems("good.test.json", run=name)


def test_an_unknown_kind_of_agent_lists_the_kinds(folder: Path) -> None:
    said = problems("good.test.json", agent="gopher://x y")
    assert "python:" in said
    assert "recorded:" in said


def test_a_module_that_cannot_be_imported_is_named(folder: Path) -> None:
    assert "no_such_module" in problems("good.test.json", agent="no_such_module:agent")


def test_an_existing_run_name_is_refused_before_any_call(folder: Path) -> None:
    package.evaluate_sync("sky:weather", "good.test.json", run="mine")
    assert "a run named 'mine' exists" in problems("good.test.json", run="mine")


def test_usage_and_configuration_exit_with_2_and_no_traceback(folder: Path, adjudge: Cli) -> None:
    for arguments in (
        ["eval", "sky:weather", "absent.test.json"],
        ["eval", "sky:weather"],
        ["eval", "sky:weather", "good.test.json", "--num_runs", "0"],
        ["eval", "sky:nothing", "good.test.json"],
        ["evil"],
        ["resume", "never-ran"],
        ["runs", "show", "never-ran"],
    ):
        done = adjudge(*arguments)
        assert done.returncode == 2, (arguments, done.stdout, done.stderr)
        assert done.stderr.strip()
        assert "Traceback" not in done.stderr, arguments


# --- misbehaving parts ----------------------------------------------------------------


def test_an_answer_that_is_not_json_is_an_error_of_its_case_alone(folder: Path) -> None:
    def agent(text: str, session: Any) -> Any:
        if session.eval_id == "odd":
            return {"intermediate_data": {"tool_uses": [{"name": "f", "args": {"when": object()}}]}}
        return "It is sunny in Paris."

    path = write(folder / "odd.test.json", eval_set(case("odd", PARIS), case("fine", PARIS)))
    done = package.evaluate_sync(agent, path, config={"criteria": {"response_match_score": 1.0}})
    assert [(item.eval_id, item.status) for item in done.cases()] == [("odd", "error"), ("fine", "PASS")]


def test_an_adapter_that_answers_with_something_else_is_an_error(folder: Path) -> None:
    class Session:
        state = None

        async def send(self, content: object) -> Any:
            return "not an invocation"

        async def aclose(self) -> None:
            return None

    class Agent:
        async def open_session(self, request: SessionRequest, emit: object) -> Session:
            return Session()

    done = package.evaluate_sync(Agent(), "good.test.json")
    (item,) = done.cases()
    assert item.status in ("error", "FAIL")
    assert not done.passed


def test_what_a_failed_agent_did_before_is_kept(folder: Path) -> None:
    def agent(text: str, session: Any) -> str:
        if "Rome" in text:
            raise RuntimeError("lost")
        return "It is sunny in Paris."

    done = package.evaluate_sync(agent, "good.test.json")
    (item,) = done.details()
    assert item.result.status == "error"
    assert item.result.criteria == ()
    kept: tuple[Invocation, ...] = item.actual.invocations
    assert [turn.final_response.text for turn in kept if turn.final_response] == ["It is sunny in Paris."]


# --- what a person sees ---------------------------------------------------------------


def test_progress_is_shown_on_a_terminal_and_nowhere_else(
    folder: Path, adjudge: Cli, on_a_terminal: Callable[..., tuple[int, list[str]]]
) -> None:
    assert adjudge("eval", "sky:weather", "mixed.test.json").stderr == ""
    status, shown = on_a_terminal("eval", "sky:weather", "mixed.test.json")
    assert status == 1
    assert any("2/2" in line for line in shown)
    assert any("1 passed, 1 failed" in line for line in shown)


def test_without_the_console_reporter_the_verdict_is_still_told(folder: Path, adjudge: Cli) -> None:
    done = adjudge("--no-plugin", "console-reporter", "eval", "sky:weather", "good.test.json")
    assert done.returncode == 0
    assert done.stdout.startswith("PASS")
    assert "console-reporter" in done.stderr


def test_detailed_results_show_every_turn(folder: Path, adjudge: Cli) -> None:
    done = adjudge("eval", "sky:weather", "good.test.json", "--print_detailed_results")
    for part in ("Weather in Paris?", "And in Rome?", "It is sunny in Rome.", "get_weather", "1.00"):
        assert part in done.stdout


def test_an_eval_set_made_in_python_runs_and_can_be_resumed(folder: Path) -> None:
    made = EvalSet(
        eval_set_id="made",
        eval_cases=(
            EvalCase(
                eval_id="a",
                conversation=(
                    Invocation(
                        user_content=Content.of_text("Weather in Paris?"),
                        steps=(
                            Step(number=1, items=(ToolCall(name="get_weather", args={"city": "Paris"}),)),
                        ),
                        final_response=Content.of_text("It is sunny in Paris."),
                    ),
                ),
            ),
        ),
    )
    done = package.evaluate_sync("sky:weather", [made, "good.test.json"], run="made")
    assert [(item.eval_set_id, item.eval_id, item.verdict) for item in done.cases()] == [
        ("made", "a", "PASS"),
        ("weather", "paris", "PASS"),
    ]
    assert package.resume_sync("made").passed


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ((), r"\$\.eval_cases: the eval set has no cases"),
        (({"eval_id": "a"},), r"case 'a', \$\.eval_cases\[0\]: the case has neither of 'conversation'"),
        (
            ({"eval_id": "a", "conversation": [{"user_content": {}}]},) * 2,
            "case 'a', .* a second case with this id",
        ),
        (({"eval_id": "a", "creation_timestamp": float("nan")},), "NaN. JSON has finite numbers only"),
    ],
)
def test_an_eval_set_made_in_python_is_checked_as_a_file_is(
    folder: Path, cases: tuple[Any, ...], message: str
) -> None:
    made = EvalSet(eval_set_id="made", eval_cases=tuple(EvalCase.model_validate(case) for case in cases))
    with pytest.raises(package.InputError, match=message):
        package.evaluate_sync("sky:weather", made)
