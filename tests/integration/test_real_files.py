"""Other people's files, from the file to the verdict."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import adjudge
from adjudge.cli import cli
from adjudge.testing import fake_distribution


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], standalone_mode=False)


def eval_sets(shared_data: Path) -> list[Path]:
    folder = shared_data / "adk_eval_files"
    return sorted([*folder.rglob("*.test.json"), *folder.rglob("*.evalset.json")])


def test_every_file_is_evaluated_and_what_it_expects_passes(shared_data: Path) -> None:
    files = eval_sets(shared_data)
    assert len(files) == 11
    for file in files:
        # The conversation that a file expects, taken as what the agent did, is right by definition.
        done = adjudge.evaluate_sync(f"recorded:{file}", file)
        assert done.passed, file
        for case in done.cases():
            assert {item.score for item in case.criteria} <= {1.0}, (file, case.criteria)


def test_an_agent_that_says_and_does_nothing_fails_where_something_is_expected(shared_data: Path) -> None:
    for file in eval_sets(shared_data):
        done = adjudge.evaluate_sync(lambda text: "…", file)
        assert done.verdict == "FAIL", file


def test_every_old_file_migrates_and_means_the_same(shared_data: Path, tmp_path: Path) -> None:
    migrated = 0
    for file in eval_sets(shared_data):
        if not isinstance(json.loads(file.read_text(encoding="utf-8")), list):
            continue
        new = tmp_path / f"{migrated}.test.json"
        assert run("evalset", "migrate", file, new).exception is None
        config = file.parent / "test_config.json"
        done = adjudge.evaluate_sync(f"recorded:{new}", new, config=config if config.exists() else None)
        assert done.passed, file
        migrated += 1
    assert migrated == 5


def test_an_initial_session_reaches_the_agent(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "adk_eval_files" / "trip_planner"
    new = tmp_path / "trip.test.json"
    session = folder / "initial.session.json"
    assert run(
        "evalset", "migrate", folder / "trip_inquiry.test.json", new, "--initial_session_file", session
    )
    origins: list[str] = []

    def agent(text: str, session: Any) -> str:
        origins.append(session.state["origin"])
        return "…"

    adjudge.evaluate_sync(agent, new, config={"criteria": {"response_match_score": 0.01}})
    assert origins == ["San Francisco", "San Francisco"]


def repaired(text: str) -> Any:
    """An example of the seeds without the comments and trailing commas that it mentions itself."""
    without_comments = re.sub(r'("(?:[^"\\]|\\.)*")|#[^\n]*', lambda match: match[1] or "", text)
    value, _ = json.JSONDecoder().raw_decode(re.sub(r",(\s*[}\]])", r"\1", without_comments).strip())
    return value


def examples(shared_data: Path, seed: str) -> list[Any]:
    files = sorted((shared_data.parent / "seeds").glob(f"{seed}_*.txt"))
    if not files:
        pytest.skip("the folder of seeds (../shared/seeds) is absent")
    return [
        repaired(block)
        for block in re.findall(r"```json\n(.*?)```", files[0].read_text(encoding="utf-8"), re.DOTALL)
    ]


def test_the_eval_sets_of_the_overview_run(shared_data: Path, tmp_path: Path) -> None:
    for number, example in enumerate(examples(shared_data, "001")):
        path = tmp_path / f"{number}.evalset.json"
        path.write_text(json.dumps(example), encoding="utf-8")
        done = adjudge.evaluate_sync(f"recorded:{path}", path)
        assert done.passed, [case.model_dump() for case in done.cases()]


def test_the_trajectory_configurations_of_the_criteria_page_mean_what_the_page_says(
    shared_data: Path, tmp_path: Path
) -> None:
    """One call that nobody expected: EXACT fails, IN_ORDER and ANY_ORDER pass."""
    (example, *_) = examples(shared_data, "001")
    path = tmp_path / "set.evalset.json"
    path.write_text(json.dumps(example), encoding="utf-8")
    (expected,) = example["eval_cases"][0]["conversation"]

    def one_call_more(text: str) -> Any:
        calls = [*expected["intermediate_data"]["tool_uses"], {"name": "log", "args": {}}]
        return {**expected, "intermediate_data": {"tool_uses": calls}}

    verdicts = {
        str(config["criteria"]["tool_trajectory_avg_score"]): adjudge.evaluate_sync(
            one_call_more, path, config=config
        ).verdict
        for config in examples(shared_data, "004")
        if "tool_trajectory_avg_score" in config["criteria"]
    }
    assert verdicts == {
        "1.0": "FAIL",
        "{'threshold': 1.0, 'match_type': 'EXACT'}": "FAIL",
        "{'threshold': 1.0, 'match_type': 'IN_ORDER'}": "PASS",
        "{'threshold': 1.0, 'match_type': 'ANY_ORDER'}": "PASS",
    }


def judged_configurations(shared_data: Path) -> list[Any]:
    measured_by_code = ("tool_trajectory_avg_score", "response_match_score")
    found = [
        config
        for config in examples(shared_data, "004")
        if not any(name in config["criteria"] for name in measured_by_code)
    ]
    assert len(found) >= 5
    return found


def test_a_configuration_that_needs_a_judge_says_so_before_anything_runs(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "ADJUDGE_JUDGE"):
        monkeypatch.delenv(name, raising=False)
    (example, *_) = examples(shared_data, "001")
    path = tmp_path / "set.evalset.json"
    path.write_text(json.dumps(example), encoding="utf-8")
    called: list[str] = []
    for config in judged_configurations(shared_data):
        with pytest.raises(adjudge.AdjudgeError, match="GEMINI_API_KEY"):
            adjudge.evaluate_sync(called.append, path, config=config)
    assert called == []


PROGRAM = """
from adjudge.plugin import JudgeBackendSpec, hookimpl
from adjudge.testing import FakeJudge, verdicts


def best(request):
    entry = next(iter(request.schema_["properties"].values()))
    menu = entry["properties"]["verdict"]["enum"]
    return verdicts(request, max(menu) if menu[0].isdigit() else menu[0])


@hookimpl.judge_backends
def judge_backends():
    return [JudgeBackendSpec(name="program", summary="Likes all", factory=lambda *_: FakeJudge(best))]
"""


def test_the_judged_configurations_of_the_criteria_page_give_verdicts(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_distribution(
        tmp_path / "installed",
        "adjudge-program",
        "1.0",
        entry_points={"program": "program_judge"},
        modules={"program_judge": PROGRAM},
    )
    monkeypatch.syspath_prepend(tmp_path / "installed")
    (example, *_) = examples(shared_data, "001")
    path = tmp_path / "set.evalset.json"
    path.write_text(json.dumps(example), encoding="utf-8")
    verdicts: dict[str, str] = {}
    for config in judged_configurations(shared_data):
        done = adjudge.evaluate_sync(f"recorded:{path}", path, config=config, judge="program/m")
        for case in done.cases():
            verdicts |= {item.criterion_name: item.status for item in case.criteria}
        assert done.summary.judges["program/m"].calls + done.summary.judges["program/m"].cached > 0, config
    assert set(verdicts.values()) == {"PASS"}, verdicts
