"""Logs that are too long for a request: what is fetched stays the same, and what is not shown is said."""

from __future__ import annotations

import json
from typing import Any

import pytest

import adjudge
from adjudge.errors import InputError
from adjudge.model import Citation, JsonObject
from adjudge.plugin import JudgeRequest
from adjudge.testing import verdicts

STEPS: list[JsonObject] = [
    {
        "step": number,
        "thinking": "I look at the next page.",
        "action": f"open_page({number})",
        "observation": f"Page {number}. "
        + "Milk and bread. " * 60
        + (" It is sold out. " if number == 40 else ""),
    }
    for number in range(1, 81)
]

CHECK = {"name": "Care", "description": "x", "checks": ["Each tool call finds something."]}

LONG = {"token_budget": 8_000, "granularity": "global_summary"}


@pytest.fixture
def careful(judging: Any, of_logs: Any) -> Any:
    """A judge that wants to see step 40, and then sees it."""

    def answer(request: JudgeRequest) -> str:
        material = request.messages[1].text
        if not of_logs.is_question(request):
            return verdicts(request, "", notes={"rationale": "It is so."})
        if "It is sold out." in material:
            seen = Citation(step=40, field="observation", quote="It is sold out.")
            return verdicts(request, "not_met", notes=judging.notes, citations=[seen])
        notes = {**judging.notes, "steps_wanted": "40"}
        return verdicts(request, "cannot_tell", notes=notes, citations=[])

    judging.answer = answer
    return judging


def questions(judging: Any, of_logs: Any) -> list[JudgeRequest]:
    return [request for request in judging.requests if of_logs.is_question(request)]


def test_a_step_that_votes_ask_for_is_shown_and_decides(careful: Any, of_logs: Any) -> None:
    judged = careful(careful.log(STEPS), CHECK, outputs=["out.json"], **LONG)
    [result] = judged.logs[0].results
    [check] = result.checks

    assert result.verdict == "FAIL"
    assert [citation.step for citation in result.evidence.citations] == [40]
    assert check.steps_fetched == (40,)
    assert result.reason_codes == (), "the step alone decides it"
    first, second = (
        [
            request
            for request in questions(careful, of_logs)
            if ("sold out" in request.messages[1].text) == found
        ]
        for found in (False, True)
    )
    assert first and second
    assert {request.key for request in first}.isdisjoint(request.key for request in second)

    row = json.loads((careful.folder / "out.json").read_text())["cases"][0]["criteria"][0]["checks"][0]
    assert (row["steps_fetched"], row["steps_not_shown"]) == ([40], check.steps_not_shown)
    assert check.steps_not_shown > 0


def test_the_same_steps_are_fetched_again_from_the_cache_and_from_a_recording(
    careful: Any, of_logs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = careful.log(STEPS)
    first = careful(log, CHECK, record="calls.rec", **LONG)
    asked = len(careful.requests)

    assert careful(log, CHECK, **LONG).logs == first.logs
    monkeypatch.setenv("ADJUDGE_HOME", str(careful.folder / "elsewhere"))
    assert careful(log, CHECK, judge="replay:calls.rec", **LONG).logs == first.logs
    assert len(careful.requests) == asked


def test_a_verdict_that_rests_on_a_part_of_the_steps_says_so(judging: Any, of_logs: Any, capsys: Any) -> None:
    judged = judging(judging.log(STEPS), CHECK, **LONG)
    [result] = judged.logs[0].results

    assert (result.verdict, result.reason_codes) == ("PASS", ("steps_not_shown",))
    assert 0 < result.checks[0].steps_not_shown < len(STEPS)
    short = judging(judging.log(STEPS[:5]), CHECK, **LONG).logs[0].results[0]
    assert (short.reason_codes, short.checks[0].steps_not_shown) == ((), 0)


def test_nobody_is_asked_for_steps_where_all_are_shown(judging: Any, of_logs: Any) -> None:
    judging(judging.log(STEPS[:5]), CHECK)
    judging(judging.log(STEPS), CHECK, granularity="step_level", token_budget=8_000)
    asked = questions(judging, of_logs)

    assert len(asked) > 5
    assert not any("steps_wanted" in request.messages[0].text for request in asked)


@pytest.mark.parametrize(
    ("criterion", "what"),
    [
        ({**CHECK, "checks": ["Fine.", "Each call is right. " * 900]}, "check 2 has about"),
        ({**CHECK, "description": "Each call is right. " * 900}, "the description has about"),
        ({**CHECK, "name": "name " * 3_000}, "the name has about"),
    ],
)
def test_a_criterion_that_leaves_no_room_is_told_before_the_first_call(
    judging: Any, of_logs: Any, criterion: JsonObject, what: str
) -> None:
    with pytest.raises(InputError, match=f"{what} .* of a request of 24000 tokens it may take at most 3000"):
        judging(judging.log(), criterion)
    assert judging.requests == []
    if "name" not in what:
        assert judging(judging.log(), criterion, token_budget=100_000).errors == ()


def test_in_a_live_evaluation_too(judging: Any, of_logs: Any) -> None:
    case = {"eval_id": "milk", "conversation": [{"user_content": {"parts": [{"text": "Buy milk."}]}}]}
    (judging.folder / "shop.evalset.json").write_text(json.dumps({"eval_set_id": "s", "eval_cases": [case]}))
    (judging.folder / "quiet.py").write_text("def agent(text):\n    return 'ok'\n")
    criterion = {"criterion": "ai_judge", "description": "Each call is right. " * 900}
    with pytest.raises(InputError, match="the description has about"):
        adjudge.evaluate_sync(
            "quiet:agent",
            "shop.evalset.json",
            config={"criteria": {"care": criterion}},
            judge="fake/m",
            extensions=judging.extensions(),
        )
