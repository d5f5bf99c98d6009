"""What criteria in words would ask is seen before a run, can be edited, and is what the run asks then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.plugin import InputError, JudgeRequest
from adjudge.testing import verdicts

WORDS = {"name": "Purchase", "description": "The milk is bought, and the user hears of it."}
WRITTEN = "- outcome: The milk is in the cart.\n- answer: It names the milk."


@pytest.fixture
def compiling(judging: Any, of_logs: Any) -> Any:
    def answer(request: JudgeRequest) -> str:
        cited = of_logs.quotes(request)[:1]
        return verdicts(request, "met", notes={**judging.notes, "checks": WRITTEN}, citations=lambda _: cited)

    judging.answer = answer
    return judging


def asked_to_write(judging: Any) -> int:
    return sum("checks" in (request.schema_ or {}).get("properties", {}) for request in judging.requests)


def test_the_checks_of_a_criterion_are_seen_before_a_run_and_are_those_of_the_run(compiling: Any) -> None:
    prepared = adjudge.prepare_criteria_sync([WORDS], judge="fake/m", extensions=compiling.extensions())

    assert adjudge.list_runs() == []
    assert [(check["about"], check["text"]) for check in prepared["Purchase"]["checks"]] == [
        ("outcome", "The milk is in the cart."),
        ("answer", "It names the milk."),
    ]
    assert prepared["Purchase"]["compiled_by"] == "fake/m"
    assert (asked_to_write(compiling), len(compiling.requests)) == (1, 1)
    result = compiling.run(compiling.log(), WORDS)
    with result.report() as report:
        assert report.run.prepared == prepared
    assert asked_to_write(compiling) == 1


def test_checks_of_an_author_are_shown_without_asking_anybody(compiling: Any) -> None:
    Path("criteria.yaml").write_text(
        "- name: Purchase\n  description: The milk is bought.\n  checks:\n  - answer: It names the milk.\n"
        "- name: No loops\n  criterion: action_repeats\n  maximum: 1\n"
    )
    prepared = adjudge.prepare_criteria_sync(
        "criteria.yaml", judge="fake/m", extensions=compiling.extensions()
    )

    assert list(prepared) == ["Purchase"]
    assert [(check["about"], check["text"]) for check in prepared["Purchase"]["checks"]] == [
        ("answer", "It names the milk.")
    ]
    assert prepared["Purchase"]["compiled_by"] == "author"
    assert compiling.requests == []


def test_every_problem_of_criteria_is_told_before_the_judge_is_asked(compiling: Any) -> None:
    with pytest.raises(InputError) as raised:
        adjudge.prepare_criteria_sync(
            [{"name": "a", "description": " "}, {"name": "b", "descripton": "x"}],
            judge="fake/m",
            extensions=compiling.extensions(),
        )
    assert len(raised.value.problems) >= 2
    assert compiling.requests == []
    with pytest.raises(InputError, match="nobody"):
        adjudge.prepare_criteria_sync([WORDS], judge="nobody/m", extensions=compiling.extensions())
