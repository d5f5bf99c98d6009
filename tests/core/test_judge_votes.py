"""The early stop of votes is exact: proved over every sequence of votes, not sampled."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from adjudge.errors import JudgeError
from adjudge.extension.judge_options import JudgeModelOptions
from adjudge.judge.tally import ABSTAINED, NOT_APPLICABLE, Stand, VoteRule
from adjudge.judge.voting import Ballot, ballots_on, votes_wanted
from adjudge.model import Choice, Decision, Exhibit, JudgedItem, Question, Vote
from adjudge.model.judging import Prompt, VoteRuleName
from adjudge.plugin import JudgeReply, JudgeRequest
from adjudge.testing import FakeHost, FakeJudge, verdicts

MOST = 7
SHARES = (None, 0.6, 0.8, 1.0)

VALUES: list[tuple[Stand, ...]] = [(1.0, 0.0), (1.0, 2.0, 3.0), (5.0, 4.0, 3.0, 2.0, 1.0)]
MENUS: list[tuple[Stand, ...]] = [
    *VALUES,
    (1.0, 0.0, NOT_APPLICABLE),
    (1.0, 0.0, ABSTAINED),
    (ABSTAINED, 1.0, 0.0, NOT_APPLICABLE),
    (1.0, 0.5, 0.0, NOT_APPLICABLE, ABSTAINED),
    (1.0, ABSTAINED),
    (NOT_APPLICABLE, 0.0),
]
RULES = [
    pytest.param(VoteRule(kind, menu, share), id=f"{kind}-{len(menu)}-{position}-{share}")
    for kind, menus in (("majority", MENUS), ("majority_or_unsure", MENUS), ("median", VALUES))
    for position, menu in enumerate(menus)
    for share in SHARES
]

Counts = tuple[int, ...]
"""Votes for every stand of the menu."""


class Everything:
    """Every completion of every tally, one vote after the other."""

    def __init__(self, rule: VoteRule) -> None:
        self.rule = rule
        self.verdicts = cache(self._verdicts)
        self.fewest = cache(self._fewest)

    def tally(self, counts: Counts) -> Counter[Stand]:
        return Counter({s: count for s, count in zip(self.rule.stands, counts, strict=True) if count})

    def verdict(self, counts: Counts) -> object:
        """What the votes decide, without the stop and in exact numbers."""
        total = sum(counts)
        if not total:
            return None
        votes = [stand for stand, count in zip(self.rule.stands, counts, strict=True) for _ in range(count)]
        if self.rule.kind == "median":
            holds: Stand = sorted(stand for stand in votes if isinstance(stand, float))[(total - 1) // 2]
        else:
            most = max(counts)
            tied = [s for s, count in zip(self.rule.stands, counts, strict=True) if count == most]
            values = [stand for stand in tied if isinstance(stand, float)]
            holds = min(values) if values else NOT_APPLICABLE if NOT_APPLICABLE in tied else ABSTAINED
            if self.rule.kind == "majority_or_unsure" and 2 * most <= total:
                return "split"
        below = self.rule.unsure_below
        share = Fraction(votes.count(holds), total)
        if holds is not ABSTAINED and below is not None and share < Fraction(str(below)):
            return "split"
        return holds

    def further(self, counts: Counts) -> Iterator[Counts]:
        for at in range(len(counts)):
            yield (*counts[:at], counts[at] + 1, *counts[at + 1 :])

    def _verdicts(self, counts: Counts, remaining: int) -> frozenset[object]:
        if not remaining:
            return frozenset({self.verdict(counts)})
        lost = self.verdicts(counts, remaining - 1)
        return lost.union(*(self.verdicts(more, remaining - 1) for more in self.further(counts)))

    def _fewest(self, counts: Counts, remaining: int) -> int:
        """The shortest sequence of votes after which nothing can change any more."""
        if len(self.verdicts(counts, remaining)) == 1:
            return 0
        return 1 + min(self.fewest(more, remaining - 1) for more in self.further(counts))


def tallies(rule: VoteRule, most: int) -> Iterator[Counts]:
    for counts in itertools.product(range(most + 1), repeat=len(rule.stands)):
        if sum(counts) <= most:
            yield counts


@pytest.mark.parametrize("rule", RULES)
def test_the_stop_is_made_exactly_when_nothing_can_change_and_never_asks_for_too_many(rule: VoteRule) -> None:
    everything = Everything(rule)
    most = MOST if len(rule.stands) < 5 else MOST - 1

    for counts in tallies(rule, most):
        tally = everything.tally(counts)
        for remaining in range(most - sum(counts) + 1):
            can_be = everything.verdicts(counts, remaining)
            assert rule.decided(tally, remaining) == (len(can_be) == 1), (counts, remaining, can_be)
            assert rule.fewest(tally, remaining) == everything.fewest(counts, remaining), (counts, remaining)


@pytest.mark.parametrize("rule", RULES)
def test_a_missing_vote_may_have_gone_any_way(rule: VoteRule) -> None:
    everything = Everything(rule)

    for counts in tallies(rule, 4):
        for missing, remaining in itertools.product(range(3), range(3)):
            more = rule.fewest(everything.tally(counts), remaining, missing)
            if not more:
                # Decided already, or not to be decided by any vote that can be had.
                after = [counts]
                for _ in range(remaining):
                    after = list({found for one in after for found in everything.further(one)})
                    assert len(everything.verdicts(counts, remaining + missing)) == 1 or all(
                        len(everything.verdicts(one, remaining - sum(one) + sum(counts) + missing)) > 1
                        for one in after
                    ), (counts, missing, remaining)


LABELS = ("yes", "no", "not_applicable", "cannot_tell")
CHOICES = (
    Choice(label="yes", meaning="it is so", value=1.0),
    Choice(label="no", meaning="it is not", value=0.0),
    Choice(label="not_applicable", meaning="it does not apply"),
    Choice(label="cannot_tell", meaning="it cannot be told", abstains=True),
)
GRADES = tuple(Choice(label=str(grade), meaning=f"grade {grade}", value=float(grade)) for grade in (1, 2, 3))


def question(
    choices: Sequence[Choice] = CHOICES,
    rule: VoteRuleName = "majority",
    items: int = 1,
) -> Question:
    return Question(
        prompt=Prompt(name="q", version=1, text="Decide."),
        exhibits=(Exhibit(name="answer", text="2 + 2 = 4"),),
        items=tuple(JudgedItem(item_id=f"i{n}", text=f"item number {n}") for n in range(items)),
        choices=tuple(choices),
        rule=rule,
    )


def cast(ballot: Ballot, labels: Iterable[str | None]) -> None:
    """Let a model vote so; ``None`` is a lost vote."""
    for label in labels:
        lost = None if label else "unreadable"
        ballot.add(Vote(model="m", sample=ballot.asked, label=label, lost=lost))


def polled(asked: Question, share: float | None, sequence: Sequence[str | None], allowed: int) -> Ballot:
    """The ballot after a poll whose votes come in this order."""
    [ballot] = ballots_on(asked, "m", allowed, share)
    while wanted := votes_wanted([ballot]):
        cast(ballot, sequence[ballot.asked : ballot.asked + wanted[0]])
    return ballot


def seen(decision: Decision) -> tuple[object, ...]:
    return decision.state, decision.value, decision.unsure_code


@pytest.mark.parametrize(
    ("choices", "kind"),
    [
        (CHOICES[:3], "majority"),
        (CHOICES[:2] + CHOICES[3:], "majority"),
        (CHOICES[:2] + CHOICES[3:], "majority_or_unsure"),
        (GRADES, "median"),
    ],
)
@pytest.mark.parametrize("share", SHARES)
def test_polling_gives_what_counting_all_votes_gives(
    choices: Sequence[Choice], kind: VoteRuleName, share: float | None
) -> None:
    asked = question(choices, kind)
    for allowed in range(1, 5):
        for sequence in itertools.product((*(choice.label for choice in choices), None), repeat=allowed):
            ballot = polled(asked, share, sequence, allowed)
            early = ballot.decision("i", ())
            [all_of_them] = ballots_on(asked, "m", allowed, share)
            cast(all_of_them, sequence)
            assert seen(early) == seen(all_of_them.decision("i", ())), sequence
            assert early.stopped_early == (ballot.asked < allowed), sequence


def expected_calls(rule: VoteRule, probabilities: Mapping[Stand, Fraction], allowed: int) -> Fraction:
    """The mean number of votes that are asked for, over all sequences, in exact numbers."""

    def further(votes: tuple[Stand, ...], remaining: int) -> Fraction:
        more = rule.fewest(Counter(votes), remaining)
        if not more:
            return Fraction(0)
        mean = Fraction(more)
        for batch in itertools.product(probabilities, repeat=more):
            weight = Fraction(1)
            for vote in batch:
                weight *= probabilities[vote]
            mean += weight * further((*votes, *batch), remaining - more)
        return mean

    return further((), allowed)


@pytest.mark.parametrize(
    ("agreement", "calls"),
    [
        (Fraction(1), Fraction(3)),
        (Fraction(9, 10), Fraction(16593, 5000)),
        (Fraction(8, 10), Fraction(2271, 625)),
    ],
)
def test_what_five_votes_cost_at_an_agreement(agreement: Fraction, calls: Fraction) -> None:
    rule = VoteRule("majority", (1.0, 0.0))
    odds: dict[Stand, Fraction] = {1.0: agreement, 0.0: 1 - agreement}
    assert expected_calls(rule, odds, 5) == calls


@pytest.mark.parametrize(
    ("yes", "no", "confidence"), [(3, 0, 0.9375), (4, 0, 0.96875), (5, 1, 0.9375), (1, 0, 0.75), (1, 1, 0.5)]
)
def test_confidence_is_the_posterior_of_a_majority(yes: int, no: int, confidence: float) -> None:
    assert VoteRule("majority", (1.0, 0.0)).confidence(Counter({1.0: yes, 0.0: no}), 1.0) == confidence


# --- through the judge itself -----------------------------------------------------------


def decide_with(
    folder: Path, answers: Any, asked: Question | None = None, **options: Any
) -> tuple[Decision, FakeJudge]:
    judge = FakeJudge(answers)
    [decision] = asyncio.run(
        FakeHost(folder, judge=judge).judge(JudgeModelOptions(**options)).decide(asked or question())
    )
    return decision, judge


def test_the_fewest_that_can_decide_are_asked_first_and_then_only_what_is_needed(tmp_path: Path) -> None:
    decision, judge = decide_with(tmp_path, lambda request: verdicts(request, "yes"))
    assert len(judge.requests) == 3
    assert (decision.state, decision.value, decision.tally) == ("decided", 1.0, {"yes": 3})
    assert decision.stopped_early
    assert decision.confidence == 0.9375

    split = ["yes", "no", "yes", "no", "yes"]
    decision, judge = decide_with(tmp_path, lambda request: verdicts(request, split[request.sample]))
    assert [request.sample for request in judge.requests] == [0, 1, 2, 3, 4]
    assert (decision.value, decision.stopped_early) == (1.0, False)


def test_a_tie_gives_the_lower_value_and_says_so(tmp_path: Path) -> None:
    said = ["yes", "no"]
    decision, _ = decide_with(
        tmp_path, lambda request: verdicts(request, said[request.sample]), num_samples=2
    )
    assert (decision.value, decision.tie) == (0.0, True)


def test_where_a_tie_is_unsure_nothing_is_decided_by_it(tmp_path: Path) -> None:
    said = ["yes", "no"]
    decision, _ = decide_with(
        tmp_path,
        lambda request: verdicts(request, said[request.sample]),
        question(rule="majority_or_unsure"),
        num_samples=2,
    )
    assert (decision.state, decision.unsure_code, decision.value) == ("unsure", "split_votes", None)
    assert decision.tie


def test_a_share_that_is_too_small_is_unsure_and_stops_as_soon_as_that_is_certain(tmp_path: Path) -> None:
    said = ["yes", "no", "yes", "yes", "yes"]
    decision, judge = decide_with(
        tmp_path, lambda request: verdicts(request, said[request.sample]), unsure_below=1.0
    )
    assert (decision.state, decision.unsure_code, decision.value) == ("unsure", "split_votes", None)
    assert len(judge.requests) == 3  # fewer could not decide on this menu, more would not change it


def test_every_item_of_a_question_is_decided_and_the_longest_one_sets_the_pace(tmp_path: Path) -> None:
    def answer(request: JudgeRequest) -> str:
        return verdicts(request, lambda text: "yes" if text.endswith("0") or request.sample % 2 else "no")

    judge = FakeJudge(answer)
    sure, open_ = asyncio.run(
        FakeHost(tmp_path, judge=judge).judge(JudgeModelOptions()).decide(question(items=2))
    )
    assert len(judge.requests) == 5
    assert (sure.value, open_.value) == (1.0, 0.0)
    assert open_.tally == {"no": 3, "yes": 2}


def failing(*codes: str | None, label: str = "yes") -> Any:
    """The vote of each sample, or the class of its failure."""

    def answer(request: JudgeRequest) -> Any:
        code = codes[request.sample]
        return verdicts(request, label) if code is None else JudgeError("no", code=code)  # type: ignore[arg-type]

    return answer


def test_a_vote_that_could_not_be_had_never_decides(tmp_path: Path) -> None:
    """It may have gone any way: what it could change is an error, and what it could not is decided."""
    fine, judge = decide_with(tmp_path, failing(None, "not_recorded", None, None, None))
    assert (fine.state, fine.value) == ("decided", 1.0)
    assert len(judge.requests) == 4

    said = ["yes", None, "no", "yes", "no"]

    def answer(request: JudgeRequest) -> Any:
        label = said[request.sample]
        return JudgeError("gone", code="not_recorded") if label is None else verdicts(request, label)

    decision, _ = decide_with(tmp_path, answer)
    assert decision.state == "error"
    assert decision.error is not None
    assert decision.error.code == "judge_not_recorded"


def test_nothing_more_is_asked_where_no_vote_can_decide_any_more(tmp_path: Path) -> None:
    decision, judge = decide_with(tmp_path, failing(*["not_recorded"] * 5))
    assert len(judge.requests) == 3
    assert decision.state == "error"


@pytest.mark.parametrize("code", ["context_too_long", "schema_rejected", "bad_request"])
def test_what_every_vote_would_meet_is_not_asked_again(tmp_path: Path, code: str) -> None:
    decision, judge = decide_with(tmp_path, failing(*[code] * 5))
    assert len(judge.requests) == 3
    assert decision.error is not None
    assert (decision.error.code, decision.error.retryable) == (f"judge_{code}", False)
    assert decision.error.origin == "fake/judge"


# --- panels -----------------------------------------------------------------------------


class Panel:
    """One backend in several names; what each says, or ``None`` where it cannot be asked."""

    def __init__(self, said: Mapping[str, str | None]) -> None:
        self.said = said

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        label = self.said[request.model]
        if label is None:
            raise JudgeError("away", code="bad_request")
        return JudgeReply(text=verdicts(request, label))


def panel(
    folder: Path,
    rule: str,
    *said: str | None,
    choices: Sequence[Choice] = CHOICES,
    ties: VoteRuleName = "majority",
) -> Decision:
    backend = Panel({f"m{at}": label for at, label in enumerate(said)})
    options = JudgeModelOptions(judges=tuple(f"x/m{at}" for at in range(len(said))), panel_rule=rule)  # type: ignore[arg-type]
    judge = FakeHost(folder, judge=backend).judge(options)
    [decision] = asyncio.run(judge.decide(question(choices, ties)))
    return decision


@pytest.mark.parametrize(
    ("rule", "said", "outcome"),
    [
        ("majority", ("yes", "yes", "no"), 1.0),
        ("majority", ("yes", "no", None), 0.0),  # a tie of those that spoke
        ("majority", ("yes", None, None), 1.0),  # a model that is away is a lost vote
        ("majority", ("yes", "cannot_tell", "cannot_tell"), "unsure"),
        ("majority", ("yes", "cannot_tell"), 1.0),
        ("majority", ("yes", "not_applicable", "not_applicable"), "not_applicable"),
        ("majority", (None, None), "error"),
        ("all", ("yes", "yes"), 1.0),
        ("all", ("yes", "no"), 0.0),
        ("all", ("yes", None), "error"),
        ("all", ("no", None), 0.0),
        ("all", ("yes", "cannot_tell"), "unsure"),
        ("all", ("yes", "cannot_tell", None), "error"),
        ("all", ("no", "cannot_tell"), 0.0),
        ("all", ("yes", "not_applicable"), 1.0),
        ("all", ("not_applicable", "not_applicable"), "not_applicable"),
        ("all", ("not_applicable", None), "error"),
        ("any", ("yes", "no"), 1.0),
        ("any", ("no", "no"), 0.0),
        ("any", ("no", None), "error"),
        ("any", ("yes", None), 1.0),
        ("any", ("no", "cannot_tell"), "unsure"),
        ("any", ("yes", "cannot_tell"), 1.0),
    ],
)
def test_what_a_panel_decides(tmp_path: Path, rule: str, said: Sequence[str | None], outcome: object) -> None:
    decision = panel(tmp_path, rule, *said)
    assert (decision.value if decision.state == "decided" else decision.state) == outcome
    assert (decision.error is not None) == (outcome == "error")
    assert sum(decision.tally.values()) == len(decision.votes) == 3 * sum(label is not None for label in said)


@pytest.mark.parametrize(
    ("rule", "said", "outcome"),
    [
        ("majority", ("yes", "no"), "unsure"),
        ("majority", ("yes", "cannot_tell"), "unsure"),
        ("majority", ("not_applicable", "no"), "unsure"),
        ("majority", ("yes", "yes", "no"), 1.0),
        ("majority", ("no", "no", "yes", "not_applicable", "cannot_tell"), "unsure"),
        ("majority", ("no", "no", "no", "not_applicable", "cannot_tell"), 0.0),
        ("majority", ("not_applicable", "not_applicable", "yes", "no"), "unsure"),
        ("majority", ("yes", None), 1.0),
        ("majority", (None, None), "error"),
        ("all", ("yes", "no"), 0.0),
        ("any", ("yes", "no"), 1.0),
    ],
)
def test_a_panel_that_is_divided_can_be_unsure(
    tmp_path: Path, rule: str, said: Sequence[str | None], outcome: object
) -> None:
    decision = panel(tmp_path, rule, *said, ties="majority_or_unsure")
    assert (decision.value if decision.state == "decided" else decision.state) == outcome
    if outcome == "unsure":
        assert decision.unsure_code in ("split_votes", "abstained")
        assert decision.value is None


@pytest.mark.parametrize(("rule", "value"), [("all", 2.0), ("any", 2.0)])
def test_on_a_scale_a_missing_model_leaves_open_what_it_could_change(
    tmp_path: Path, rule: str, value: float
) -> None:
    assert panel(tmp_path, rule, "2", "2", choices=GRADES).value == value
    assert panel(tmp_path, rule, "2", None, choices=GRADES).state == "error"
    decisive = {"all": "1", "any": "3"}[rule]
    assert panel(tmp_path, rule, decisive, None, choices=GRADES).value == float(decisive)


def test_the_votes_of_every_model_are_shown(tmp_path: Path) -> None:
    decision = panel(tmp_path, "majority", "yes", "no", "yes")
    assert {vote.model for vote in decision.votes} == {"x/m0", "x/m1", "x/m2"}
    assert decision.tally == {"yes": 6, "no": 3}
    assert json.loads(decision.model_dump_json())["value"] == 1.0
