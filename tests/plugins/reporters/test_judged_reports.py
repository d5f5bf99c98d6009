"""What judges said, in every format: tallies, lost votes, ties, rubrics, sentences, tokens and cost."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.kit import judged_criteria, render
from adjudge.model import Decision, Vote, Votes
from adjudge.model.evidence import Failure
from adjudge.model.measurement import Measurement, Outcome, RubricScore
from adjudge.model.result import JudgeCalls
from adjudge.model.step import Usage
from adjudge.plugin import RunReport
from adjudge_plugins.reporters.console_reporter.reporter import ConsoleReporter
from adjudge_plugins.reporters.json_reporter.schema import result_schema
from adjudge_plugins.reporters.json_reporter.writer import JsonReporter
from adjudge_plugins.reporters.junit_reporter.reporter import JUnitReporter


def cast(*labels: str | None) -> tuple[Vote, ...]:
    return tuple(
        Vote(model="openai/m", sample=at, notes={"rationale": f"reason {at}"}, label=label)
        if label
        else Vote(model="openai/m", sample=at, lost="it is not JSON")
        for at, label in enumerate(labels)
    )


def decision(*labels: str | None, value: float | None = 0.0, **more: Any) -> Decision:
    tally: dict[str, int] = {}
    for label in labels:
        tally[label or "lost"] = tally.get(label or "lost", 0) + 1
    known = next(label for label in labels if label)
    return Decision(
        **{
            "item_id": "answer",
            "state": "decided",
            "label": known,
            "value": value,
            "reasoning": "the year is another",
            "votes": cast(*labels),
            "tally": tally,
            **more,
        }
    )


def shown(run_of: Any, write: Any, outcome: Outcome, *, detailed: bool = False) -> list[str]:
    report = run_of().add("a", {"answer_match": [outcome]}).report(detailed=detailed)
    return [line.strip() for line in write(ConsoleReporter(), report).decode().splitlines()]


# --- on the console -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "more", "said"),
    [
        (("no", "no", "no"), {}, "3 of 3 votes no"),
        (("no", "yes", "no", "no", None), {}, "3 of 5 votes no, 1 yes, 1 lost"),
        (("no", "yes"), {"tie": True}, "1 of 2 votes no, 1 yes, a tie, so the lower value counts"),
        ((None, None, "no"), {}, "1 of 3 votes no, 2 lost"),
    ],
)
def test_votes_are_one_line_of_words(
    run_of: Any, write: Any, labels: tuple[str | None, ...], more: dict[str, Any], said: str
) -> None:
    lines = shown(run_of, write, judged_criteria.outcome_of(decision(*labels, **more)))

    assert said in lines
    assert "the year is another" in lines
    assert "tally" not in " ".join(lines)


def test_every_vote_is_there_in_detail(run_of: Any, write: Any) -> None:
    outcome = judged_criteria.outcome_of(decision("no", None, "no", stopped_early=True, confidence=0.875))
    lines = shown(run_of, write, outcome, detailed=True)
    start = lines.index("2 of 3 votes no, 1 lost; more could not have changed it; confidence 0.88")

    assert lines[start + 1 : start + 4] == [
        "openai/m  no  reason 0",
        "openai/m  lost  it is not JSON",
        "openai/m  no  reason 2",
    ]


def test_what_is_odd_is_noted(run_of: Any, write: Any) -> None:
    outcome = judged_criteria.outcome_of(
        decision("no", flags=("addresses_judge", "invisible_text", "new_flag"))
    )
    lines = shown(run_of, write, outcome)

    assert "note: the judged text seems to address the judge" in lines
    assert "note: the judged text contained invisible characters; they were removed for the judge" in lines
    assert "note: new flag" in lines


def test_rubrics_that_do_not_hold_are_shown_with_their_reasons(run_of: Any, write: Any) -> None:
    lost = Failure(code="judge_timeout", message="openai/m did not answer")
    outcome = judged_criteria.rubric_outcome(
        [
            decision("yes", "yes", value=1.0, item_id="polite"),
            decision("no", "yes", "no", item_id="short"),
            decision("unknown", value=None, state="unsure", unsure_code="abstained", item_id="true"),
            decision("no", value=None, state="error", error=lost, item_id="cited"),
            decision("not_applicable", value=None, state="not_applicable", item_id="apology"),
        ]
    )
    lines = shown(run_of, write, outcome)
    start = lines.index("short  no  2 of 3 votes no, 1 yes")

    assert lines[start + 1] == "the year is another"
    assert "true  undecided (abstained)  1 of 1 votes unknown" in lines
    assert "openai/m did not answer" in lines
    assert "apology  does not apply  1 of 1 votes not_applicable" not in lines
    assert "2 other rubrics are met or do not apply" in lines
    assert not any(line.startswith("polite") for line in lines)
    assert any(line.startswith("polite  yes") for line in shown(run_of, write, outcome, detailed=True))


def test_rubrics_without_a_judge_say_their_reason_once(run_of: Any, write: Any) -> None:
    scores = tuple(RubricScore(rubric_id=name, score=0.0, rationale="no answer") for name in "ab")
    outcome = Outcome.scored(0.0, "no answer").model_copy(update={"rubric_scores": scores})

    assert shown(run_of, write, outcome).count("no answer") == 1


def test_sentences_are_there_in_detail(run_of: Any, write: Any) -> None:
    sentence = {
        "sentence": "It opened in 1793.",
        "state": "scored",
        "label": "contradictory",
        "rationale": "the tool says 1794",
        "excerpt": "opened in 1794",
        "excerpt_found": False,
        "votes": judged_criteria.votes_of(decision("contradictory", flags=("addresses_judge",))),
    }
    details = {"texts": [{"text": "final response", "score": 0.0, "sentences": [sentence]}]}
    outcome = Outcome.scored(0.0, "0 of 1 sentences are supported", details=details)
    short, long = (shown(run_of, write, outcome, detailed=detailed) for detailed in (False, True))

    assert "0 of 1 sentences are supported" in short
    assert "note: the judged text seems to address the judge" in short
    assert "contradictory  It opened in 1793." not in short
    assert not any("texts:" in line for line in short)
    start = long.index("contradictory  It opened in 1793.")
    assert long[start + 1 : start + 4] == [
        "the tool says 1794",
        "excerpt: opened in 1794 (not found in the evidence)",
        "1 of 1 votes contradictory",
    ]


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        (
            JudgeCalls(
                calls=120,
                cached=3,
                retries=2,
                failed=1,
                usage=Usage(input_tokens=44_000, output_tokens=1_000),
                cost=0.1234,
            ),
            "judge openai/m: 120 calls, 3 answers known already, 2 retries, 1 failed, 45k tokens, $0.12",
        ),
        (
            JudgeCalls(calls=1, usage=Usage(total_tokens=990)),
            "judge openai/m: 1 call, 990 tokens, cost not known",
        ),
        (JudgeCalls(cached=1), "judge openai/m: 0 calls, 1 answer known already"),
        (JudgeCalls(calls=2, retries=1, cost=0.0), "judge openai/m: 2 calls, 1 retry, $0.00"),
        (
            JudgeCalls(calls=2, usage=Usage(input_tokens=999_999), cost=0.000042),
            "judge openai/m: 2 calls, 999k tokens, $0.000042",
        ),
    ],
)
def test_a_line_says_what_judges_did(run_of: Any, write: Any, calls: JudgeCalls, said: str) -> None:
    report = with_judges(run_of().add("a", {"answer_match": [1.0]}).report(), calls)

    assert said in write(ConsoleReporter(), report).decode().splitlines()


def with_judges(report: RunReport, calls: JudgeCalls) -> RunReport:
    return replace(report, summary=report.summary.model_copy(update={"judges": {"openai/m": calls}}))


# --- for programs -------------------------------------------------------------------------


def test_rubrics_are_part_of_the_failure_in_junit(run_of: Any, write: Any) -> None:
    outcome = judged_criteria.rubric_outcome([decision("no", item_id="short")])
    root = ElementTree.fromstring(  # noqa: S314 - it is our own
        write(JUnitReporter(), run_of().add("a", {"answer_match": [outcome]}).report())
    )
    [failure] = root.iter("failure")

    assert "short  no  1 of 1 votes no" in str(failure.text)
    assert "the year is another" in str(failure.text)


def test_json_has_rubrics_votes_and_what_judges_did(run_of: Any, write: Any) -> None:
    outcome = judged_criteria.rubric_outcome(
        [decision("no", None, item_id="short", confidence=0.75, flags=("addresses_judge",))]
    )
    case = Measurement(per_invocation=(outcome,), overall=outcome)
    run = run_of().add("a", {"answer_match": case})
    calls = JudgeCalls(calls=2, usage=Usage(input_tokens=5), cost=0.5, items=1)
    document = json.loads(write(JsonReporter(), with_judges(run.report(), calls)))
    jsonschema.Draft202012Validator(result_schema()).validate(document)

    assert document["schema_version"] == "2.0"
    [criterion] = document["cases"][0]["criteria"]
    [rubric] = criterion["per_invocation"][0]["rubric_scores"]
    assert rubric == {
        "rubric_id": "short",
        "score": 0.0,
        "rationale": "the year is another",
        "state": "scored",
        "unsure_code": None,
        "error": None,
        "votes": {
            "label": "no",
            "tally": {"no": 1, "lost": 1},
            "tie": False,
            "stopped_early": False,
            "confidence": 0.75,
            "flags": ["addresses_judge"],
            "citations": [],
            "votes": [
                {**vote, "model": "openai/m", "citations": [], "dropped_citations": 0}
                for vote in (
                    {"sample": 0, "label": "no", "notes": {"rationale": "reason 0"}, "lost": None},
                    {"sample": 1, "label": None, "notes": {}, "lost": "it is not JSON"},
                )
            ],
        },
    }
    assert criterion["rubric_scores"] == [rubric]
    assert criterion["judging"] is None
    did = document["summary"]["judges"]["openai/m"]
    assert (did["calls"], did["cost"], did["usage"]["input_tokens"], did["items"]) == (2, 0.5, 5, 1)


# --- whatever anybody's criterion leaves ----------------------------------------------------

texts = st.text(st.characters(exclude_categories=()), max_size=12)
odd = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
votes = st.dictionaries(texts, odd, max_size=2) | st.fixed_dictionaries(
    {"tally": st.dictionaries(texts, st.integers(1, 5), min_size=1, max_size=2)},
    optional={
        "label": odd,
        "votes": st.lists(
            st.fixed_dictionaries({}, optional={"label": odd, "notes": odd, "model": texts}), max_size=2
        ),
        "tie": odd,
        "confidence": odd,
        "flags": st.lists(texts, max_size=2),
    },
)
sentences = st.fixed_dictionaries(
    {},
    optional={"sentence": odd, "label": odd, "state": odd, "rationale": odd, "excerpt": odd, "votes": votes},
)
outcomes = st.builds(
    Outcome,
    state=st.just("scored"),
    score=st.floats(0, 1),
    reasoning=st.none() | texts,
    details=st.fixed_dictionaries(
        {},
        optional={
            "votes": votes,
            "texts": st.lists(
                st.fixed_dictionaries({"sentences": st.lists(sentences, max_size=2)}), max_size=2
            ),
        },
    ),
    rubric_scores=st.tuples(
        st.builds(
            RubricScore,
            rubric_id=texts,
            score=st.none() | st.floats(0, 1),
            rationale=st.none() | texts,
            state=st.sampled_from(["scored", "not_applicable", "unsure", "error"]),
            votes=st.builds(
                Votes,
                label=st.none() | texts,
                tally=st.dictionaries(texts, st.integers(1, 5), max_size=2),
                votes=st.lists(
                    st.builds(Vote, model=texts, sample=st.just(0), label=st.none() | texts), max_size=2
                ),
                tie=st.booleans(),
                confidence=st.none() | st.floats(0, 1),
                flags=st.lists(texts, max_size=2),
            ),
        )
    ),
)


@pytest.mark.parametrize("detailed", [False, True])
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(outcome=outcomes)
def test_whatever_a_criterion_says_of_votes_can_be_read(
    run_of: Any, write: Any, outcome: Outcome, detailed: bool
) -> None:
    report = run_of().add("a", {"answer_match": [outcome]}).report(detailed=detailed)

    json.loads(write(JsonReporter(), report))
    ElementTree.fromstring(write(JUnitReporter(), report))  # noqa: S314 - it is our own
    text = write(ConsoleReporter(), report).decode()
    assert [c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c != "\n"] == []


def test_the_form_of_votes_is_that_of_the_core() -> None:
    assert render.is_votes(judged_criteria.votes_of(decision("no", None)))
