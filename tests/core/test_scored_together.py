"""A criterion whose instances measure a case in one call: each keeps its own result, error and place in the journal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adjudge import evaluate_sync
from adjudge.model import CaseResult, JsonObject
from adjudge.plugin import (
    CaseUnderTest,
    ComponentConfig,
    Criterion,
    CriterionSpec,
    Host,
    Measurement,
    Outcome,
    hookimpl,
)


class LengthConfig(ComponentConfig):
    """Which answers are long enough."""

    least: int = 1


class Plugin:
    def __init__(self) -> None:
        self.calls: list[list[int]] = []
        self.prepared: list[int] = []
        self.broken: Any = None

    @hookimpl.criteria
    def criteria(self) -> list[CriterionSpec]:
        def make(config: LengthConfig, _: Host) -> Criterion:
            return _Length(config, self)

        return [CriterionSpec(name="length", summary="Long enough", factory=make, config=LengthConfig)]


class _Length:
    def __init__(self, config: LengthConfig, plugin: Plugin) -> None:
        self.least = config.least
        self._plugin = plugin

    async def prepare(self) -> JsonObject:
        self._plugin.prepared.append(self.least)
        return {"least": self.least}

    async def score(self, case: CaseUnderTest) -> Measurement:
        [measurement] = await self.score_together([self], case)
        return measurement

    async def score_together(self, instances: Sequence[Any], case: CaseUnderTest) -> list[Any]:
        self._plugin.calls.append([item.least for item in instances])
        if self._plugin.broken == "raises":
            raise RuntimeError("no ruler")
        answer = case.actual.invocations[0].final_response
        length = len(answer.text) if answer else 0
        measured: list[Any] = [
            Measurement(overall=Outcome.scored(float(length >= item.least))) for item in instances
        ]
        if self._plugin.broken == "one":
            measured[0] = "long"
        return measured[:1] if self._plugin.broken == "few" else measured


CONFIG = {
    "criteria": {
        "short": {"criterion": "length", "least": 2, "threshold": 1},
        "long": {"criterion": "length", "least": 9, "threshold": 1},
    }
}


def agent(_: str) -> str:
    return "Hello."


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    said = {"user_content": {"parts": [{"text": "hi"}]}, "final_response": {"parts": [{"text": "x"}]}}
    path = tmp_path / "set.test.json"
    path.write_text(
        json.dumps({"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation": [said]}]})
    )
    return path


def statuses(case: CaseResult) -> dict[str, str]:
    return {item.criterion_name: item.status for item in case.criteria}


def test_one_call_and_a_result_for_each(cases: Path, beside_built_ins: Any) -> None:
    plugin = Plugin()
    run = evaluate_sync(agent, cases, config=CONFIG, extensions=beside_built_ins(plugin))
    [case] = run.cases()
    assert plugin.calls == [[2, 9]]
    assert statuses(case) == {"short": "PASS", "long": "FAIL"}


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        ("raises", {"short": "error", "long": "error"}),
        ("few", {"short": "error", "long": "error"}),
        ("one", {"short": "error", "long": "FAIL"}),
    ],
)
def test_what_breaks_is_an_error_of_whom_it_concerns(
    cases: Path, beside_built_ins: Any, broken: str, found: Any
) -> None:
    plugin = Plugin()
    plugin.broken = broken
    [case] = evaluate_sync(agent, cases, config=CONFIG, extensions=beside_built_ins(plugin)).cases()
    assert statuses(case) == found


def test_what_is_prepared_is_prepared_once_for_all_files_and_shown(
    cases: Path, beside_built_ins: Any
) -> None:
    plugin = Plugin()
    other = cases.with_name("other.test.json")
    other.write_text(cases.read_text().replace('"s"', '"t"'))
    run = evaluate_sync(agent, [cases, other], config=CONFIG, extensions=beside_built_ins(plugin))
    assert sorted(plugin.prepared) == [2, 9]
    assert plugin.calls == [[2, 9], [2, 9]]
    with run.report() as report:
        assert report.run.prepared == {"short": {"least": 2}, "long": {"least": 9}}


def test_namesakes_of_two_configurations_are_shown_beside_one_another(
    cases: Path, beside_built_ins: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(cases.parent)
    files: list[str] = []
    for folder, least in (("one", 2), ("other", 3)):
        Path(folder).mkdir()
        files.append(f"{folder}/set.test.json")
        Path(files[-1]).write_text(cases.read_text())
        criteria = {"short": {"criterion": "length", "least": least, "threshold": 1}}
        Path(folder, "test_config.json").write_text(json.dumps({"criteria": criteria}))
    with evaluate_sync(agent, files, extensions=beside_built_ins(Plugin())).report() as report:
        assert report.run.prepared == {
            "short": {"least": 2},
            "short (other/test_config.json)": {"least": 3},
        }
