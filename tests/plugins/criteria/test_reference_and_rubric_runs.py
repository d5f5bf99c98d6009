"""Runs that compare with references and decide rubrics, with a judge that is a program."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjudge import RunResult, evaluate_sync
from adjudge.errors import InputError
from adjudge.extension.loader import Extensions, discover
from adjudge.model import CriterionResult
from adjudge.plugin import JudgeBackendSpec, hookimpl
from adjudge.testing import FakeJudge, as_candidate, verdicts

DOCS = Path(__file__).parents[3] / "docs"

Label = Callable[[str, str], str]
"""What the judge is shown, and the text of an item, to the label."""
Evaluate = Callable[..., RunResult]

RESPONSE = "rubric_based_final_response_quality_v1"
TOOL_USE = "rubric_based_tool_use_quality_v1"
TRAJECTORY = "rubric_based_multi_turn_trajectory_quality_v1"


class Programmed:
    """The judge backend ``programmed``, with a function for a model."""

    def __init__(self, label: Label | str) -> None:
        def labelled(shown: str, item: str) -> str:
            return label if isinstance(label, str) else label(shown, item)

        self._judge = FakeJudge(
            lambda request: verdicts(request, lambda item: labelled(request.messages[1].text, item))
        )

    @hookimpl.judge_backends
    def judge_backends(self) -> list[JudgeBackendSpec]:
        return [
            JudgeBackendSpec(
                name="programmed", summary="A program.", factory=lambda config, host: self._judge
            )
        ]


@pytest.fixture
def evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evaluate:
    """Evaluate one case of turns, as it was recorded unless an agent is given."""
    monkeypatch.chdir(tmp_path)

    def evaluate(
        label: Label | str, criteria: dict[str, Any], *turns: dict[str, Any], agent: Any = None, **case: Any
    ) -> RunResult:
        path = tmp_path / "some.test.json"
        cases = [{"eval_id": "case", "conversation": list(turns), **case}]
        path.write_text(json.dumps({"eval_set_id": "some", "eval_cases": cases}), encoding="utf-8")
        return evaluate_sync(
            agent or f"recorded:{path}",
            path,
            config={"criteria": criteria},
            judge="programmed/any",
            use_cache=False,
            extensions=Extensions([*discover(), as_candidate("programmed", Programmed(label))]),
        )

    return evaluate


def only_criterion(result: RunResult) -> CriterionResult:
    [case] = result.cases()
    [criterion] = case.criteria
    return criterion


def rubric(name: str, kind: str | None = None) -> dict[str, Any]:
    found: dict[str, Any] = {"rubric_id": name, "rubric_content": {"text_property": f"It is {name}."}}
    return found if kind is None else {**found, "type": kind}


def turn(user: str = "Go.", answer: str | None = "Done.", **fields: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"user_content": {"parts": [{"text": user}]}, **fields}
    return found if answer is None else {**found, "final_response": {"parts": [{"text": answer}]}}


def test_a_case_is_the_mean_over_turns_of_the_mean_over_their_rubrics(evaluate: Evaluate) -> None:
    """Pooled, as google-adk does it, these four verdicts give 0.25."""
    result = evaluate(
        lambda _, item: "yes" if "kind" in item else "no",
        {RESPONSE: 0.5},
        turn(rubrics=[rubric("kind")]),
        turn(rubrics=[rubric("brief"), rubric("clear"), rubric("exact")]),
    )

    criterion = only_criterion(result)
    assert (criterion.score, criterion.status) == (0.5, "PASS")


def test_every_turn_is_judged_by_its_own_rubrics(evaluate: Evaluate) -> None:
    """google-adk reads all verdicts against the rubrics of the last turn, and passes this case with 1.0."""
    result = evaluate(
        lambda shown, _: "no" if "Rude." in shown and "Kind." not in shown else "yes",
        {RESPONSE: 1.0},
        turn(answer="Rude.", rubrics=[rubric("kind", "FINAL_RESPONSE_QUALITY")]),
        turn(answer="Kind.", rubrics=[rubric("brief", "FINAL_RESPONSE_QUALITY")]),
    )

    criterion = only_criterion(result)
    assert (criterion.status, criterion.score) == ("FAIL", 0.5)
    assert [
        {item.rubric_id: item.score for item in found.rubric_scores} for found in criterion.per_invocation
    ] == [{"kind": 0.0}, {"brief": 1.0}]


@pytest.mark.parametrize("name", [RESPONSE, TOOL_USE, TRAJECTORY])
def test_rubrics_without_a_type_apply(evaluate: Evaluate, name: str) -> None:
    result = evaluate("yes", {name: 1.0}, turn(), rubrics=[rubric("kind")])

    assert (result.status, only_criterion(result).scored) == ("PASS", 1)


@pytest.mark.parametrize(("label", "status"), [("unknown", "UNSURE"), ("not_applicable", "not_applicable")])
def test_what_a_judge_cannot_tell_and_what_does_not_apply_are_no_zero(
    evaluate: Evaluate, label: str, status: str
) -> None:
    result = evaluate(label, {RESPONSE: {"threshold": 0.5, "rubrics": [rubric("kind")]}}, turn())

    assert (only_criterion(result).status, only_criterion(result).score) == (status, None)


def test_one_id_in_the_case_and_the_turn_is_an_error_of_that_turn(evaluate: Evaluate) -> None:
    result = evaluate(
        "yes", {RESPONSE: 0.5}, turn(rubrics=[rubric("kind")]), turn(), rubrics=[rubric("kind")]
    )

    criterion = only_criterion(result)
    assert criterion.status == "error"
    assert [found.status for found in criterion.per_invocation] == ["error", "PASS"]
    assert criterion.error is not None
    assert "'kind' is given twice, in the case and in the turn" in criterion.error.message


def test_one_id_twice_in_the_configuration_stops_the_plan(evaluate: Evaluate) -> None:
    asked: list[str] = []
    twice = {RESPONSE: {"threshold": 0.5, "rubrics": [rubric("kind"), rubric("kind")]}}

    with pytest.raises(InputError, match="more than once: 'kind'"):
        evaluate("yes", twice, turn(), agent=asked.append)
    assert asked == []


def test_without_any_rubric_the_plan_stops(evaluate: Evaluate) -> None:
    with pytest.raises(InputError, match="rubrics"):
        evaluate("yes", {TOOL_USE: 0.5}, turn())


@pytest.mark.parametrize(
    "written",
    [
        {"rubric_id": "kind", "rubric_content": {"text_property": "It is kind."}, "type": "TONE"},
        {"rubricId": "kind", "rubricContent": {"textProperty": "It is kind."}, "description": "Tone."},
    ],
    ids=["snake_case", "camelCase"],
)
def test_rubrics_may_be_written_in_both_spellings_of_adk(evaluate: Evaluate, written: dict[str, Any]) -> None:
    criterion = only_criterion(evaluate("yes", {RESPONSE: {"threshold": 0.5, "rubrics": [written]}}, turn()))

    assert [item.rubric_id for item in criterion.per_invocation[0].rubric_scores] == ["kind"]


def test_a_missing_answer_fails_and_a_missing_reference_does_not_count(evaluate: Evaluate) -> None:
    answers = iter(["", "Hello."])
    result = evaluate(
        "valid",
        {"final_response_match_v2": 0.5},
        turn(answer="Good morning."),
        turn(answer=" "),
        agent=lambda _: next(answers),
    )

    criterion = only_criterion(result)
    assert (criterion.status, criterion.score) == ("FAIL", 0.0)
    assert [found.status for found in criterion.per_invocation] == ["FAIL", "not_applicable"]


@pytest.mark.parametrize("name", ["final_response_match_v2", RESPONSE])
def test_a_missing_answer_is_not_judged(evaluate: Evaluate, name: str) -> None:
    def never(shown: str, item: str) -> str:
        raise AssertionError("the judge was asked")

    result = evaluate(never, {name: 0.5}, turn(), rubrics=[rubric("kind")], agent=lambda _: "")
    assert (only_criterion(result).status, only_criterion(result).score) == ("FAIL", 0.0)


def test_a_turn_of_which_nothing_is_known_is_not_left_out(evaluate: Evaluate) -> None:
    """google-adk leaves it out of the mean, and passes the case with 1.0."""
    result = evaluate(
        lambda shown, _: "maybe" if "Perhaps." in shown else "valid",
        {"final_response_match_v2": 0.5},
        turn(answer="Good morning."),
        turn(answer="Perhaps."),
    )

    criterion = only_criterion(result)
    assert [found.status for found in criterion.per_invocation] == ["PASS", "error"]
    assert (criterion.score, criterion.scored, criterion.total) == (None, 1, 2)


def test_what_was_said_before_a_turn_is_shown_with_it(evaluate: Evaluate) -> None:
    result = evaluate(
        lambda shown, _: "yes" if "earlier turns" in shown else "no",
        {RESPONSE: {"threshold": 0.5, "rubrics": [rubric("kind")]}},
        turn("I am in Oslo."),
        turn("And there?"),
    )

    assert [found.score for found in only_criterion(result).per_invocation] == [0.0, 1.0]


def test_a_conversation_has_its_rubrics_beside_its_score(evaluate: Evaluate) -> None:
    calls = {"tool_uses": [{"name": "locate", "args": {"city": "Oslo"}}]}
    result = evaluate(
        lambda shown, item: "yes" if '"calls": "locate"' in shown and "kind" in item else "no",
        {TRAJECTORY: 0.5},
        turn(intermediate_data=calls),
        turn(rubrics=[rubric("brief", "TRAJECTORY_QUALITY")]),
        rubrics=[rubric("kind"), rubric("exact", "TOOL_USE_QUALITY")],
    )

    criterion = only_criterion(result)
    assert (criterion.status, criterion.score) == ("PASS", 0.5)
    assert [(item.rubric_id, item.score) for item in criterion.rubric_scores] == [
        ("kind", 1.0),
        ("brief", 0.0),
    ]


@pytest.mark.parametrize(
    ("page", "config", "eval_set", "good"),
    [
        ("final-response-match", "test_config", "museum", "valid"),
        ("rubrics", "test_config", "weather", "yes"),
        ("rubrics", "tool_use_config", "weather", "yes"),
        ("rubrics", "conversation_config", "weather", "yes"),
    ],
)
def test_the_example_of_a_page_of_the_documentation_is_judged(
    tmp_path: Path, page: str, config: str, eval_set: str, good: str
) -> None:
    text = (DOCS / "criteria" / f"{page}.md").read_text(encoding="utf-8")
    for name, block in re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```$', text, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(block, encoding="utf-8")

    result = evaluate_sync(
        runpy.run_path(str(tmp_path / f"{eval_set}.py"))["agent"],
        tmp_path / f"{eval_set}.test.json",
        config=tmp_path / f"{config}.json",
        judge="programmed/any",
        use_cache=False,
        extensions=Extensions([*discover(), as_candidate("programmed", Programmed(good))]),
    )
    assert (result.status, only_criterion(result).score) == ("PASS", 1.0)
    assert result.warnings == ()


def repaired(text: str) -> Any:
    """An example of the criteria page without its trailing commas and closing brackets too many."""
    value, _ = json.JSONDecoder().raw_decode(re.sub(r",(\s*[}\]])", r"\1", text).strip())
    return value


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [("final_response_match_v2", "valid", "invalid"), (RESPONSE, "yes", "no"), (TOOL_USE, "yes", "no")],
)
def test_the_judge_configurations_of_the_criteria_page_run_unchanged(
    evaluate: Evaluate, shared_data: Path, name: str, good: str, bad: str
) -> None:
    files = sorted((shared_data.parent / "seeds").glob("004_*.txt"))
    if not files:
        pytest.skip("the folder of seeds (../shared/seeds) is absent")
    printed = re.findall(r"```json\n(.*?)```", files[0].read_text(encoding="utf-8"), re.DOTALL)
    [config] = [found for found in map(repaired, printed) if name in found["criteria"]]
    said = turn("오늘 날씨는?", "맑습니다.")

    passed, failed = (only_criterion(evaluate(label, config["criteria"], said)) for label in (good, bad))
    assert (passed.status, passed.score) == ("PASS", 1.0)
    assert (failed.status, failed.score) == ("FAIL", 0.0)
    wanted = [item["rubric_id"] for item in config["criteria"][name].get("rubrics", [])]
    assert [item.rubric_id for item in passed.per_invocation[0].rubric_scores] == wanted
