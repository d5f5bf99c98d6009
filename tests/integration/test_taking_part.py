"""Everything of a plugin that took part in a run is in its result, with its distribution and version."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from adjudge.testing import fake_distribution

Cli = Callable[..., CompletedProcess[str]]

OBSERVER = """
from adjudge.plugin import hookimpl

@hookimpl.case_finished
def look(event):
    pass
"""

COMPONENTS = """
import re

from adjudge.model import Citation
from adjudge.plugin import (
    AggregatedSteps,
    CriterionSpec,
    GranularityStrategySpec,
    JudgeBackendSpec,
    Measurement,
    Outcome,
    ReporterSpec,
    TraceReaderSpec,
    hookimpl,
)
from adjudge.testing import FakeJudge, verdicts

class Always:
    async def score(self, case):
        return Measurement(overall=Outcome.scored(1.0))

class AtOnce:
    async def aggregate(self, trajectory, context):
        steps = tuple(step.number for step in trajectory.steps)
        return AggregatedSteps(granularity="at_once", aggregated_content="all", step_mapping={"all": steps})

class Never:
    def sniff(self, head, path):
        return False

    def read(self, source, options):
        yield from ()

class Notes:
    def write(self, report, stream):
        stream.write(b"done")

def answer(request):
    shown = re.findall(r"^\\w+# step (\\d+) (\\w+)\\n\\w+\\| .*(milk, 1.09)", str(request.messages[-1].text), re.MULTILINE)
    seen = [Citation(step=int(step), field=field, quote=quote) for step, field, quote in shown]
    return verdicts(request, "met", notes={"absent_words": ""}, citations=seen)

@hookimpl.criteria
def criteria():
    for name in ("always", "unused"):
        yield CriterionSpec(name=name, summary="Always 1.0", version=4, factory=lambda *_: Always())

@hookimpl.judge_backends
def judge_backends():
    for name in ("program", "other"):
        yield JudgeBackendSpec(
            name=name, summary="A program", version=2, factory=lambda *_: FakeJudge(answer), prices=""
        )

@hookimpl.granularity_strategies
def granularity_strategies():
    yield GranularityStrategySpec(
        name="at_once", summary="All", version=3, factory=lambda *_: AtOnce(), when_to_use="never"
    )

@hookimpl.trace_readers
def trace_readers():
    yield TraceReaderSpec(name="never", summary="Knows nothing", factory=lambda *_: Never())

@hookimpl.reporters
def reporters():
    yield ReporterSpec(name="notes", summary="Notes", factory=lambda *_: Notes(), suffixes=(".notes",))
"""

AGENT = """
import os, pathlib, signal

def agent(text):
    if text == "question 1" and pathlib.Path("deadly").exists():
        os.kill(os.getpid(), signal.SIGKILL)
    return "milk, 1.09"
"""

CRITERIA: dict[str, Any] = {
    "safety_v1": {"threshold": 0.5, "delegate": "always"},
    "response_match_score": 0.5,
    "words": {
        "criterion": "ai_judge",
        "description": "Milk is found.",
        "checks": ["The answer names milk."],
        "granularity": "at_once",
        "judge_model_options": {"judge_model": "program/m", "num_samples": 1},
    },
}


def install(folder: Path, name: str, source: str, version: str = "1.2.3") -> str:
    """A site folder in which a distribution is installed; its plugin is called as its module."""
    module = name.removeprefix("adjudge-")
    site = folder / f"site-{module}-{version}"
    fake_distribution(site, name, version=version, entry_points={module: module}, modules={module: source})
    return str(site)


@pytest.fixture
def components(tmp_path: Path) -> str:
    return install(tmp_path, "adjudge-acme", COMPONENTS)


@pytest.fixture
def observer(tmp_path: Path) -> str:
    return install(tmp_path, "adjudge-onlooker", OBSERVER, "7.0")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cases = [
        {
            "eval_id": f"case-{number}",
            "conversation": [
                {
                    "user_content": {"parts": [{"text": f"question {number}"}]},
                    "final_response": {"parts": [{"text": "milk, 1.09"}]},
                }
            ],
        }
        for number in range(2)
    ]
    (tmp_path / "bot.py").write_text(AGENT)
    (tmp_path / "set.test.json").write_text(json.dumps({"eval_set_id": "s", "eval_cases": cases}))
    (tmp_path / "test_config.json").write_text(json.dumps({"criteria": CRITERIA}))
    step = {"step": 1, "thinking": "Look.", "action": "search(milk)", "observation": "17: milk, 1.09."}
    (tmp_path / "log.json").write_text(json.dumps([step]))
    return tmp_path


def on_path(*sites: str) -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join(sites)}


def evaluate(adjudge: Cli, *sites: str, outputs: tuple[str, ...] = ("result.json",)) -> CompletedProcess[str]:
    named = [part for output in outputs for part in ("--output", output)]
    return adjudge(
        "eval", "bot:agent", "set.test.json", "--run", "r", "--concurrency", "1", *named, **on_path(*sites)
    )


def foreign(plugins: list[dict[str, Any]]) -> list[tuple[str, str, int | None, str, str]]:
    """What did not come with adjudge."""
    return [
        (
            item["kind"],
            item["component"],
            item["version"],
            item["distribution"],
            item["distribution_version"],
        )
        for item in plugins
        if item["distribution"] != "adjudge"
    ]


def own(plugins: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(item["kind"], item["component"]) for item in plugins if item["distribution"] == "adjudge"]


ACME = [
    ("criterion", "acme/always", 4, "adjudge-acme", "1.2.3"),
    ("granularity strategy", "acme/at_once", 3, "adjudge-acme", "1.2.3"),
    ("judge backend", "acme/program", 2, "adjudge-acme", "1.2.3"),
]
NOTES = ("reporter", "acme/notes", 1, "adjudge-acme", "1.2.3")
ONLOOKER = ("observer", "onlooker", None, "adjudge-onlooker", "7.0")


def test_everything_that_took_part_in_an_evaluation_is_in_its_result(
    adjudge: Cli, folder: Path, components: str, observer: str
) -> None:
    done = evaluate(adjudge, components, observer, outputs=("a.notes", "result.json"))

    assert done.returncode == 0, done.stdout + done.stderr
    plugins = json.loads((folder / "result.json").read_text())["run"]["plugins"]
    assert foreign(plugins) == [*ACME[:2], ACME[2], ONLOOKER, NOTES]
    assert own(plugins) == [
        ("agent adapter", "python-agent/python"),
        ("criterion", "ai-judge/ai_judge"),
        ("criterion", "response-match/response_match_score"),
        ("criterion", "safety/safety_v1"),
        ("reporter", "json-reporter/json"),
    ]


def test_everything_that_took_part_in_judging_logs_is_in_their_result(
    adjudge: Cli, folder: Path, components: str, observer: str
) -> None:
    words = {"name": "Milk", "description": "x", "checks": ["Milk is found."], "granularity": "at_once"}
    (folder / "criteria.json").write_text(
        json.dumps([words, {"name": "Steps", "criterion": "step_count", "maximum": 9}])
    )

    done = adjudge(
        *("judge", "log.json", "--criteria", "criteria.json", "--judge", "program/m"),
        *("--task", "Find milk.", "--output", "verdicts.json", "--output", "a.notes"),
        **on_path(components, observer),
    )

    assert done.returncode == 0, done.stdout + done.stderr
    plugins = json.loads((folder / "verdicts.json").read_text())["run"]["plugins"]
    assert foreign(plugins) == [*ACME[1:], ONLOOKER, NOTES]
    assert own(plugins) == [
        ("criterion", "ai-judge/ai_judge"),
        ("criterion", "step-count/step_count"),
        ("reporter", "json-reporter/json"),
        ("trace reader", "history-log-reader/history_log"),
    ]


def test_the_reader_of_a_recording_took_part(adjudge: Cli, folder: Path, components: str) -> None:
    (folder / "test_config.json").write_text(json.dumps({"criteria": {"response_match_score": 0.5}}))
    said = [
        [{"role": "user", "content": f"question {number}"}, {"role": "assistant", "content": "milk, 1.09"}]
        for number in range(2)
    ]
    lines = [json.dumps({"eval_id": f"case-{n}", "messages": chat}) for n, chat in enumerate(said)]
    (folder / "chats.jsonl").write_text("\n".join(lines))

    done = adjudge(
        *("eval", "recorded:chats.jsonl", "set.test.json", "--output", "result.json"), **on_path(components)
    )

    plugins = json.loads((folder / "result.json").read_text())["run"]["plugins"]
    assert [item for item in own(plugins) if item[0] == "trace reader"] == [
        ("trace reader", "openai-messages-reader/openai_messages")
    ], done.stdout + done.stderr


def test_what_took_part_before_a_run_was_killed_is_in_its_journal(
    adjudge: Cli, folder: Path, components: str, observer: str
) -> None:
    (folder / "deadly").touch()
    assert evaluate(adjudge, components, observer, outputs=()).returncode == -9

    # Neither observers nor reporters decide results, so that nothing depends on them.
    shown = adjudge("runs", "show", "r", "--output", "killed.json")

    assert shown.returncode == 3, shown.stderr
    killed = json.loads((folder / "killed.json").read_text())["run"]["plugins"]
    assert ONLOOKER in foreign(killed)
    assert ACME[0] in foreign(killed)


def test_a_resumption_adds_what_took_part_in_it(
    adjudge: Cli, folder: Path, components: str, observer: str
) -> None:
    (folder / "deadly").touch()
    assert evaluate(adjudge, components, outputs=()).returncode == -9
    (folder / "deadly").unlink()

    resumed = adjudge("resume", "r", "--output", "b.notes", **on_path(components, observer))

    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert adjudge("runs", "show", "r", "--output", "result.json").returncode == 0
    plugins = json.loads((folder / "result.json").read_text())["run"]["plugins"]
    assert foreign(plugins) == [*ACME, ONLOOKER, NOTES]


def test_a_run_whose_delegate_was_upgraded_is_not_resumed(
    adjudge: Cli, folder: Path, components: str
) -> None:
    (folder / "deadly").touch()
    assert evaluate(adjudge, components, outputs=()).returncode == -9
    (folder / "deadly").unlink()
    upgraded = install(folder, "adjudge-acme", COMPONENTS, "2.0")

    resumed = adjudge("resume", "r", **on_path(upgraded))

    assert resumed.returncode == 2
    assert "criteria.safety_v1.delegates: was" in resumed.stderr
    assert "'adjudge-acme 2.0'" in resumed.stderr
