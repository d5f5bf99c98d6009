"""Criteria that ask a judge, from the configuration to the verdict; the model is a program."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.extension.loader import Extensions, discover
from adjudge.model import CriterionResult
from adjudge.plugin import (
    CriterionSpec,
    InputError,
    JudgeBackendSpec,
    JudgeRequest,
    Measurement,
    Outcome,
    hookimpl,
)
from adjudge.testing import FakeJudge, as_candidate, verdicts

DOCS = Path(__file__).parents[2] / "docs" / "criteria"
TITLED = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)

Answer = Callable[[JudgeRequest], str]


class Program:
    """A judge backend whose model is a function."""

    def __init__(self, answer: Answer) -> None:
        self.judge = FakeJudge(answer)

    @hookimpl.judge_backends
    def judge_backends(self) -> Iterable[JudgeBackendSpec]:
        yield JudgeBackendSpec(
            name="program", summary="Answers from a function", factory=lambda config, host: self.judge
        )


class Service:
    """A criterion that another package brings."""

    @hookimpl.criteria
    def criteria(self) -> Iterable[CriterionSpec]:
        yield CriterionSpec(
            name="opinion", summary="Finds everything half good", factory=lambda config, host: self
        )

    async def score(self, case: Any) -> Measurement:
        return Measurement(per_invocation=tuple(Outcome.scored(0.5) for _ in case.actual.invocations))


def evaluated(agent: object, eval_set: Path, config: Any, answer: Answer | None = None) -> adjudge.RunResult:
    """Evaluate with the answers of a program, or without any judge."""
    plugins = [as_candidate("service", Service())]
    if answer is not None:
        plugins.append(as_candidate("program", Program(answer)))
    return asyncio.run(
        adjudge.evaluate(
            agent,
            eval_set,
            config=config,
            judge="program/x" if answer is not None else (),
            use_cache=False,
            extensions=Extensions([*discover(), *plugins]),
        )
    )


def always(label: str) -> Answer:
    return lambda request: verdicts(request, label)


def scores(result: adjudge.RunResult) -> dict[str, float | None]:
    return {name: criterion.score for name, criterion in criteria_of(result).items()}


def criteria_of(result: adjudge.RunResult) -> dict[str, CriterionResult]:
    [case] = result.cases()
    return {criterion.criterion_name: criterion for criterion in case.criteria}


@pytest.fixture
def one_turn(tmp_path: Path) -> Path:
    """An eval set of one turn without anything expected."""
    path = tmp_path / "one.test.json"
    turn = {"user_content": {"parts": [{"text": "Go."}]}}
    cases = [{"eval_id": "one", "conversation": [turn]}]
    path.write_text(json.dumps({"eval_set_id": "one", "eval_cases": cases}), encoding="utf-8")
    return path


# --- the pages of the documentation -----------------------------------------------------


def reading(request: JudgeRequest) -> str:
    """What a judge that reads the examples of the pages well answers."""
    material = request.messages[1].text
    labels = {
        "Hello!": "not_applicable",
        "Shall I look further?": "not_applicable",
        "Tomorrow it will rain.": "unsupported",
        "How coherent is the agent response?": "4",
        "Is the agent response safe or unsafe?": "unsafe" if "letter box" in material else "safe",
    }
    statements = '"yes"' in request.messages[0].text

    def label(item: str) -> str:
        if item.startswith("The agent called every tool"):
            return "no"
        return labels.get(item, "yes" if statements else "supported")

    return verdicts(request, label)


@pytest.mark.parametrize(
    ("page", "agent", "expected", "verdict"),
    [
        ("hallucinations", "weather", {"hallucinations_v1": 0.875}, "PASS"),
        ("safety", "locksmith", {"safety_v1": 0.5}, "FAIL"),
        ("response-evaluation", "sky", {"response_evaluation_score": 4.0}, "PASS"),
        (
            "multi-turn",
            "seats",
            {
                "multi_turn_task_success_v1": 1.0,
                "multi_turn_trajectory_quality_v1": 1.0,
                "multi_turn_tool_use_quality_v1": pytest.approx(2 / 3),
            },
            "PASS",
        ),
    ],
)
def test_the_example_of_a_page_gets_the_scores_that_the_page_says(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    page: str,
    agent: str,
    expected: dict[str, float],
    verdict: str,
) -> None:
    for name, text in TITLED.findall((DOCS / f"{page}.md").read_text(encoding="utf-8")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, agent, raising=False)

    result = evaluated(
        f"{agent}:agent", tmp_path / f"{agent}.test.json", tmp_path / "test_config.json", reading
    )

    assert scores(result) == expected
    assert result.verdict == verdict


# --- the configurations of seed 004 -----------------------------------------------------


def printed(shared_data: Path, seed: str) -> list[Any]:
    """The JSON examples of a seed, without the comments and trailing commas that JSON does not have."""
    files = sorted((shared_data.parent / "seeds").glob(f"{seed}_*.txt"))
    if not files:
        pytest.skip("the folder of seeds (../shared/seeds) is absent")
    found: list[Any] = []
    for block in re.findall(r"```json\n(.*?)```", files[0].read_text(encoding="utf-8"), re.DOTALL):
        text = re.sub(r'("(?:[^"\\]|\\.)*")|#[^\n]*', lambda match: match[1] or "", block)
        text = re.sub(r",(\s*[}\]])", r"\1", text).strip()
        found.append(json.JSONDecoder().raw_decode(text)[0])
    return found


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [("hallucinations_v1", "supported", "contradictory"), ("safety_v1", "safe", "unsafe")],
)
def test_a_configuration_of_the_criteria_page_gives_a_verdict(
    shared_data: Path, tmp_path: Path, name: str, good: str, bad: str
) -> None:
    [config] = [config for config in printed(shared_data, "004") if name in config["criteria"]]
    path = tmp_path / "set.evalset.json"
    path.write_text(json.dumps(printed(shared_data, "001")[0]), encoding="utf-8")

    passing = evaluated(f"recorded:{path}", path, config, always(good))
    failing = evaluated(f"recorded:{path}", path, config, always(bad))

    assert (passing.verdict, scores(passing)) == ("PASS", {name: 1.0})
    assert (failing.verdict, scores(failing)) == ("FAIL", {name: 0.0})


# --- verdicts ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "status"), [(1, "error"), (2, "FAIL")], ids=["it may still pass", "it fails all the same"]
)
def test_a_sentence_that_is_not_judged_leaves_a_verdict_only_where_it_cannot_change_it(
    one_turn: Path, wrong: int, status: str
) -> None:
    labels = {"One.": "nonsense"} | dict.fromkeys(["Two.", "Three."][:wrong], "unsupported")
    config = {"criteria": {"hallucinations_v1": 0.7}}

    result = evaluated(
        lambda _: "One. Two. Three. Four.",
        one_turn,
        config,
        lambda request: verdicts(request, lambda text: labels.get(text, "supported")),
    )

    assert result.status == status
    assert criteria_of(result)["hallucinations_v1"].best_possible == pytest.approx((4 - wrong) / 4)


def test_details_of_sentences_are_in_the_result(one_turn: Path) -> None:
    result = evaluated(
        lambda _: "It is late. It is early.",
        one_turn,
        {"criteria": {"hallucinations_v1": 0.5}},
        lambda request: verdicts(request, "disputed", notes={"excerpt": "noon", "rationale": "Both."}),
    )

    [turn] = criteria_of(result)["hallucinations_v1"].per_invocation
    [text] = turn.details["texts"]
    assert [
        (entry["sentence"], entry["label"], entry["excerpt"], entry["rationale"])
        for entry in text["sentences"]
    ] == [("It is late.", "disputed", "noon", "Both."), ("It is early.", "disputed", "noon", "Both.")]


# --- delegates --------------------------------------------------------------------------


def test_a_delegate_needs_no_judge(one_turn: Path) -> None:
    config = {"criteria": {"safety_v1": {"threshold": 0.5, "delegate": "service/opinion"}}}

    result = evaluated(lambda _: "Hello.", one_turn, config)

    assert (result.verdict, scores(result)) == ("PASS", {"safety_v1": 0.5})


def test_a_delegate_that_is_not_installed_stops_the_run(one_turn: Path) -> None:
    called: list[str] = []
    config = {"criteria": {"safety_v1": {"threshold": 0.5, "delegate": "service/opinions"}}}

    with pytest.raises(InputError, match="service/opinions"):
        evaluated(called.append, one_turn, config)

    assert called == []


def test_a_delegate_with_another_scale_is_an_error_and_no_score(one_turn: Path) -> None:
    config = {"criteria": {"response_evaluation_score": {"threshold": 3, "delegate": "opinion"}}}

    result = evaluated(lambda _: "Hello.", one_turn, config)

    assert (result.status, scores(result)) == ("error", {"response_evaluation_score": None})
