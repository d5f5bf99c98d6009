"""What is asked besides the votes: once for all criteria, and only where an answer can change or add something."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from adjudge.model import JsonObject
from adjudge.plugin import JudgeReply, JudgeRequest
from adjudge.testing import verdicts

SHORT: list[JsonObject] = [
    {
        "step": number,
        "thinking": "I look at the next page.",
        "action": f"open_page({number})",
        "observation": f"Page {number}. Milk and bread.",
    }
    for number in range(1, 61)
]
LONG = [{**step, "observation": f"{step['observation']} {'Oat milk. ' * 200}"} for step in SHORT]
"""Several times the budget of a request."""

BREAD: list[JsonObject] = [
    {"name": f"Bread {number}", "description": f"It is about bread {number}.", "about": "process",
     "checks": [f"There is bread {number}."]}
    for number in range(1, 6)
]  # fmt: skip
"""Criteria of which no rule knows the granularity."""

OPTIONS: dict[str, Any] = {"num_samples": 1}


def chooses(request: JudgeRequest) -> bool:
    """Whether the answers are granularities."""
    return "global_summary" in json.dumps(request.schema_)


@pytest.fixture
def asked_of(
    judging: Any, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, list[JsonObject], str], list[JudgeRequest]]:
    """What is asked to judge a log where nothing has been asked before; the granularity is the run as a whole."""

    def asked(log: str, criteria: list[JsonObject], label: str) -> list[JudgeRequest]:
        monkeypatch.setenv("ADJUDGE_HOME", str(judging.folder / f"{len(criteria)} {label}"))
        judging.answer = lambda request: _answer(judging, request, label)
        judging.requests.clear()
        assert judging(log, *criteria, **OPTIONS).errors == ()
        return list(judging.requests)

    return asked


def _answer(judging: Any, request: JudgeRequest, label: str) -> str:
    if chooses(request):
        return verdicts(request, "global_summary", notes={"rationale": "It is seen at the end."})
    cited = [] if label == "cannot_tell" else judging.cite(request)
    return verdicts(request, label, notes=judging.notes, citations=cited)


def test_nobody_is_asked_for_a_granularity_where_the_run_is_shown_whole(judging: Any) -> None:
    judged = judging(judging.log(SHORT[:5]), *BREAD, num_samples=1)

    assert len(judging.requests) == 1
    for result in judged.logs[0].results:
        assert (result.used_granularity, result.granularity.chosen_by) == ("global_summary", "rules")
        assert result.granularity.reason == (
            "the criterion contains no strategy's keyword; the run fits into one request, which shows the same "
            "steps at every granularity; the widest view comes first"
        )


def test_one_question_is_about_the_granularity_of_all_criteria_and_all_runs(judging: Any) -> None:
    def answer(request: JudgeRequest) -> Any:
        if chooses(request):
            labels = {"bread 2": "phase_level"}
            return verdicts(
                request,
                lambda text: next((labels[word] for word in labels if word in text), "global_summary"),
                notes={"rationale": "It is seen there."},
            )
        return verdicts(request, "met", notes=judging.notes, citations=judging.cite(request))

    judging.answer = answer
    judged = judging(
        [judging.log(LONG), judging.log(LONG[:50], "other.json"), judging.log(SHORT[:5], "short.json")],
        *BREAD,
        *[
            {**BREAD[0], "name": "Overall Strategy"},
            {**BREAD[0], "name": "Named", "granularity": "phase_level"},
        ],
        **OPTIONS,
    )

    [request] = filter(chooses, judging.requests)
    asked = "\n".join(message.text for message in request.messages)
    assert all(f"Bread {number}: It is about bread {number}." in asked for number in range(1, 6))
    assert "Overall Strategy" not in asked and "Named" not in asked, "rules and authors have decided those"
    for log, by in (("log.json", "judge"), ("other.json", "judge"), ("short.json", "rules")):
        [found] = [each for each in judged.logs if each.source.endswith(log)]
        results = {each.criterion_name: each.granularity for each in found.results}
        assert {results[f"Bread {number}"].chosen_by for number in range(1, 6)} == {by}
        assert results["Bread 2"].name == ("phase_level" if by == "judge" else "global_summary")
        assert (results["Overall Strategy"].chosen_by, results["Named"].chosen_by) == ("rules", "criterion")


def test_a_judge_that_does_not_choose_leaves_the_widest_view_to_all(judging: Any) -> None:
    def answer(request: JudgeRequest) -> JudgeReply | str:
        if chooses(request):
            return JudgeReply(text="I would rather not.")
        return verdicts(request, "met", notes=judging.notes, citations=judging.cite(request))

    judging.answer = answer
    judged = judging(judging.log(LONG), *BREAD[:2], **OPTIONS)

    for result in judged.logs[0].results:
        assert (result.granularity.name, result.granularity.chosen_by) == ("global_summary", "rules")
        assert "the judge did not decide" in result.granularity.reason


@pytest.mark.parametrize("label", ["met", "not_met", "cannot_tell"])
def test_a_closer_look_costs_five_criteria_what_it_costs_one(
    judging: Any, of_logs: Any, asked_of: Any, label: str
) -> None:
    log = judging.log(LONG)
    one = asked_of(log, BREAD[:1], label)
    five = asked_of(log, BREAD, label)

    assert [sum(map(chooses, asked)) for asked in (one, five)] == [1, 1]
    items = [
        len((request.schema_ or {})["properties"])
        for request in five
        if of_logs.is_question(request) and not chooses(request)
    ]
    assert set(items) == {len(BREAD)}, "what is asked of one is asked of all"
    assert (len(items) > 1) == (label != "met"), "a pass is final"
    # Five statements leave a request a little less room for steps than one does.
    assert len(five) <= 1.25 * len(one)


@pytest.mark.parametrize("label", ["not_met", "cannot_tell"])
def test_no_closer_look_follows_where_the_judge_has_seen_everything(
    judging: Any, asked_of: Any, label: str
) -> None:
    assert len(asked_of(judging.log(SHORT[:5]), BREAD, label)) == 1


def test_aggregating_for_criteria_asks_once_for_all_of_them(judging: Any) -> None:
    judging.answer = lambda request: _answer(judging, request, "met")
    judged = judging(judging.log(SHORT[:5]), *BREAD, aggregate_only=True, num_samples=1)

    assert judged.errors == ()
    assert [len((request.schema_ or {})["properties"]) for request in filter(chooses, judging.requests)] == [
        5
    ]
