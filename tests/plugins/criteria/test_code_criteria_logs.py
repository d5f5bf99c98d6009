"""What code counts in logs of real agents, and how its loops agree with what people call a loop."""

from __future__ import annotations

import asyncio
import csv
import importlib.util
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from adjudge.extension.candidates import OWN_DISTRIBUTION
from adjudge.extension.loader import Extensions, discover
from adjudge.kit.logs import open_log
from adjudge.model import EvalCase
from adjudge.plugin import CaseUnderTest, Criterion, Outcome, ReadOptions, Source, Trajectory
from adjudge.testing import FakeHost
from adjudge_plugins.agreement.statistics.confusion import Confusion, kappa, precision, true_positive_rate
from adjudge_plugins.ai_judge.evidence import Places

PAGE = Path(__file__).parents[3] / "docs" / "criteria" / "code.md"
ROW = re.compile(
    r"^\| `(action_\w+)` at least (\d+) \| (\S+) \| (\S+) \| (\S+) \| (\d+) of (\d+) \|$", re.MULTILINE
)
ALARM = re.compile(r"^\| `(\w+)` at least (\d+) \| (\d+) of (\d+) \| (\d+) of (\d+) \|$", re.MULTILINE)
NAMES = (
    "action_cycles",
    "action_repeats",
    "claim_without_observation",
    "done_without_action",
    "failed_recoveries",
    "invalid_arguments",
    "repeated_errors",
    "step_count",
    "unknown_tools",
)


@pytest.fixture(scope="module")
def own() -> Extensions:
    return Extensions([candidate for candidate in discover() if candidate.distribution == OWN_DISTRIBUTION])


@pytest.fixture(scope="module")
def criteria(own: Extensions, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Criterion]:
    host = FakeHost(tmp_path_factory.mktemp("host"))
    specs = {found.spec.name: found.spec for found in own.criteria}
    return {name: specs[name].factory(specs[name].config(), host) for name in NAMES}


def runs_in(path: Path, own: Extensions) -> Iterator[Trajectory]:
    """The runs of a log; nothing where no reader takes it."""
    host, source = FakeHost(path.parent), Source(path)
    with open_log(source) as file:
        head = file.read(64 * 1024)
    for found in own.trace_readers:
        reader = found.spec.factory(found.spec.config(), host)
        if reader.sniff(head, path):
            yield from reader.read(source, ReadOptions())
            return


def measured(criterion: Criterion, run: Trajectory) -> Outcome:
    case = CaseUnderTest(case=EvalCase(eval_id="run", conversation=run.invocations), actual=run)
    found = asyncio.run(criterion.score(case)).overall
    assert found is not None
    return found


def test_whatever_is_counted_in_real_logs_stands_in_them(
    shared_data: Path, own: Extensions, criteria: dict[str, Criterion]
) -> None:
    logs = [path for path in sorted(shared_data.rglob("*")) if path.suffix in {".json", ".gz", ".traj"}]
    scored = dict.fromkeys(NAMES, 0)
    for path in logs:
        for run in runs_in(path, own):
            places = Places(run)
            for name, criterion in criteria.items():
                found = measured(criterion, run)
                assert found.state in {"scored", "not_applicable"}, (path, name)
                if found.state == "not_applicable":
                    continue
                scored[name] += 1
                for citation in found.evidence.citations if found.evidence else ():
                    assert places.problem(citation, "process") is None, (path, name, citation)

    assert min(scored.values()) > 0, scored


def test_a_browser_agent_that_sees_every_page_claims_nothing_unseen(
    shared_data: Path, own: Extensions, criteria: dict[str, Criterion]
) -> None:
    [run] = runs_in(shared_data / "browser_use_history" / "history_0_1_nested.json", own)

    assert measured(criteria["claim_without_observation"], run).score == 0.0
    assert measured(criteria["step_count"], run).score == len(run.steps)


def test_the_same_refusal_again_and_again_is_seen_in_tau_bench(
    shared_data: Path, own: Extensions, criteria: dict[str, Criterion]
) -> None:
    runs = list(runs_in(shared_data / "tau_airline" / "runs.jsonl.gz", own))
    found = [measured(criteria["repeated_errors"], run) for run in runs]
    worst = max(found, key=lambda outcome: outcome.score or 0)

    assert len(runs) == 100
    assert sum(bool(outcome.score) for outcome in found) == 11
    assert worst.score == 4.0
    assert worst.evidence is not None
    assert {citation.field for citation in worst.evidence.citations} == {"result"}


def test_the_false_alarms_in_successful_runs_are_those_of_the_page(
    shared_data: Path, own: Extensions, criteria: dict[str, Criterion]
) -> None:
    runs = list(runs_in(shared_data / "tau_airline" / "runs.jsonl.gz", own))
    succeeded = [(run.extra or {})["reward"] == 1 for run in runs]
    rows = ALARM.findall(PAGE.read_text(encoding="utf-8"))
    assert len(rows) == 4
    for name, least, *said in rows:
        fires = [(measured(criteria[name], run).score or 0) >= int(least) for run in runs]
        pairs = list(zip(fires, succeeded, strict=True))
        wanted = [
            pairs.count((True, True)),
            sum(succeeded),
            pairs.count((True, False)),
            len(runs) - sum(succeeded),
        ]
        assert list(map(int, said)) == wanted, (name, least)


# --- what people call a loop -------------------------------------------------------------


RunKey = tuple[str, str, str]


def labels_of_people() -> tuple[dict[RunKey, list[bool]], set[RunKey]]:
    """Benchmark, agent and task to whether each annotator says that the run loops; and the runs that all call good.

    Skips where they are absent.
    """
    package = importlib.util.find_spec("agent_reward_bench")
    if package is None or package.origin is None:
        pytest.skip("the package agent-reward-bench==0.1.2, which has the labels, is not installed")
    found: dict[RunKey, list[bool]] = {}
    good: dict[RunKey, bool] = {}
    with (Path(package.origin).parent / "data" / "annotations.csv").open(
        newline="", encoding="utf-8"
    ) as file:
        for row in csv.DictReader(file):
            run = (row["benchmark"], row["model_name"], row["task_id"])
            found.setdefault(run, []).append(row["trajectory_looping"] == "Yes")
            succeeds = row["trajectory_success"] == "Successful"
            good[run] = good.get(run, True) and succeeds and row["trajectory_looping"] != "Yes"
    return found, {run for run, is_good in good.items() if is_good}


def agreement(found: Sequence[bool], labels: Sequence[bool]) -> list[float | None]:
    pairs = list(zip(found, labels, strict=True))
    counts = Confusion(
        true_pass=pairs.count((True, True)),
        false_pass=pairs.count((True, False)),
        false_fail=pairs.count((False, True)),
        true_fail=pairs.count((False, False)),
    )
    return [precision(counts), true_positive_rate(counts), kappa(counts)]


def test_the_figures_for_human_looping_labels_are_those_of_the_page(
    shared_data: Path, own: Extensions, criteria: dict[str, Criterion]
) -> None:
    people, good = labels_of_people()
    runs = list(runs_in(shared_data / "web_agent_runs" / "runs.jsonl.gz", own))
    about = [run.extra or {} for run in runs]
    keys = [(key["benchmark"], key["agent"], key["task_id"]) for key in about]
    said_of = [people[key] for key in keys]
    assert all(len(set(said)) == 1 for said in said_of), "annotators of these runs agree"
    labels = [said[0] for said in said_of]
    assert {key["split"] for key in about} == {"dev"}
    assert (len(labels), sum(labels)) == (146, 67)

    page = PAGE.read_text(encoding="utf-8")
    rows = ROW.findall(page)
    assert len(rows) >= 4
    scores = {
        name: [measured(criteria[name], run).score or 0 for run in runs]
        for name in ("action_repeats", "action_cycles")
    }
    for name, least, *said in rows:
        fires = [score >= int(least) for score in scores[name]]
        figures = [f"{figure:.3f}" for figure in agreement(fires, labels) if figure is not None]
        on_good = [fired for fired, key in zip(fires, keys, strict=True) if key in good]
        assert [*figures, str(sum(on_good)), str(len(on_good))] == said, (name, least)

    told = re.search(
        r"^\| the run was cut off at its limit \| (\S+) \| (\S+) \| (\S+) \| \|$", page, re.MULTILINE
    )
    assert told is not None
    cap = agreement([bool(key["truncated"]) for key in about], labels)
    assert [f"{figure:.3f}" for figure in cap if figure is not None] == list(told.groups())

    pairs = [said for said in people.values() if len(said) == 2]
    _, _, human = agreement([first for first, _ in pairs], [second for _, second in pairs])
    assert f"with a kappa of {human:.2f} in this benchmark" in page


# --- live runs and the command line ------------------------------------------------------

AGENT = """
def agent(text):
    calls = [{"name": "click", "args": {"index": 3}}] * 3
    return {
        "intermediate_data": {"tool_uses": calls},
        "final_response": {"parts": [{"text": "I have booked it."}]},
    }

def talker(text):
    return "I have booked it."
"""
CASES = {
    "eval_set_id": "set",
    "eval_cases": [{"eval_id": "one", "conversation": [{"user_content": {"parts": [{"text": "Book it."}]}}]}],
}


@pytest.mark.parametrize(
    ("agent", "failed"), [("agent", {"action_repeats", "step_count"}), ("talker", {"done_without_action"})]
)
def test_a_live_run_is_counted_as_a_log_is(
    agent: str, failed: set[str], tmp_path: Path, adjudge: Callable[..., CompletedProcess[str]]
) -> None:
    (tmp_path / "shop.py").write_text(AGENT, encoding="utf-8")
    (tmp_path / "set.test.json").write_text(json.dumps(CASES), encoding="utf-8")
    maxima = {"action_repeats": 2, "done_without_action": 0, "step_count": 2, "repeated_errors": 0}
    config = {"criteria": {name: {"maximum": maximum} for name, maximum in maxima.items()}}
    (tmp_path / "test_config.json").write_text(json.dumps(config), encoding="utf-8")

    live = adjudge("eval", f"shop:{agent}", "set.test.json", "--output", "result.json")

    assert live.returncode == 1, live.stdout + live.stderr
    [case] = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))["cases"]
    verdicts = {criterion["criterion_name"]: criterion["verdict"] for criterion in case["criteria"]}
    assert {name for name, verdict in verdicts.items() if verdict == "FAIL"} == failed
    # Who only talks has no action that could be counted.
    measured = set(maxima) if agent == "agent" else failed
    assert {name for name, verdict in verdicts.items() if verdict == "PASS"} == measured - failed
