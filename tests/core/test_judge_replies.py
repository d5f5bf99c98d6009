"""What models really send: what counts, what is asked once more, and what is lost, with the reason."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import JudgeError
from adjudge.extension.judge_options import JudgeModelOptions
from adjudge.judge.parsing import read_reply
from adjudge.model import Choice, Decision, Exhibit, JudgedItem, Question
from adjudge.model.judging import FinishReason, Prompt
from adjudge.plugin import JudgeReply, JudgeRequest
from adjudge.testing import FakeHost, FakeJudge, verdicts

CHOICES = (
    Choice(label="yes", meaning="it is so", value=1.0),
    Choice(label="no", meaning="it is not", value=0.0),
)


def question(items: int = 1) -> Question:
    return Question(
        prompt=Prompt(name="q", version=1, text="Decide."),
        exhibits=(Exhibit(name="answer", text="2 + 2 = 4"),),
        items=tuple(JudgedItem(item_id=f"i{n}", text=f"item number {n}") for n in range(items)),
        choices=CHOICES,
    )


GOOD = '{"item_1": {"rationale": "because", "verdict": "yes"}}'


def read(text: str, finish: FinishReason = "stop") -> Any:
    [item] = read_reply(JudgeReply(text=text, finish_reason=finish), question())
    return item


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\n {GOOD}\n\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```  ",
        "\ufeff" + GOOD,
        '{"item_1": {"verdict": "yes"}}',  # a rationale is asked for, and nothing hangs on it
        '{"item_1": {"rationale": 7, "verdict": "yes", "sure": true}, "item_2": {"verdict": "no"}, "more": []}',
        '{"item_1": {"rationale": "\\u00e9\\n\\u2028 \\ud83d\\ude00", "verdict": "yes"}}',
    ],
)
def test_what_counts(text: str) -> None:
    item = read(text)
    assert (item.label, item.lost) == ("yes", None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not JSON"),
        ("yes", "not JSON"),
        ("Sure! Here is the JSON:\n" + GOOD, "not JSON"),
        (GOOD + "\nI hope that helps.", "not JSON"),
        (f"Of course.\n```json\n{GOOD}\n```", "not JSON"),
        (f"```json\n{GOOD}\n```\nDone.", "not JSON"),
        (f"{GOOD}{GOOD}", "not JSON"),
        (GOOD[:-3], "not JSON"),
        ("{'item_1': {'verdict': 'yes'}}", "not JSON"),
        ('{"item_1": {"verdict": "yes",}}', "not JSON"),
        ('{"item_1": {"verdict": "no", "verdict": "yes"}}', "a second time"),
        ('{"item_1": {"verdict": "no"}, "item_1": {"verdict": "yes"}}', "a second time"),
        ('{"item_1": {"rationale": NaN, "verdict": "yes"}}', "NaN"),
        ('{"item_1": {"rationale": 1e999, "verdict": "yes"}}', "too large"),
        ('{"item_1": {"rationale": "\\ud83d", "verdict": "yes"}}', "surrogate"),
        ('{"item_1": ' + "[" * 100_000, "not JSON"),
        ('{"item_1": ' + "[" * 200 + "]" * 200 + "}", "inside one another"),
        ("[]", "not a JSON object"),
        ("null", "not a JSON object"),
        ('"yes"', "not a JSON object"),
        ("{}", "'item_1' is not an object"),
        ('{"item_2": {"verdict": "yes"}}', "'item_1' is not an object"),
        ('{"item_1": "yes"}', "'item_1' is not an object"),
        ('{"item_1": [{"verdict": "yes"}]}', "'item_1' is not an object"),
        ('{"verdict": "yes"}', "'item_1' is not an object"),
        *(
            (json.dumps({"item_1": {"verdict": value}}), "not one of the possible values")
            for value in ("Yes", "maybe", "yes ", "", True, 1, 1.0, None, ["yes"], {"verdict": "yes"})
        ),
        ('{"item_1": {"rationale": "verdict: yes"}}', "not one of the possible values"),
    ],
)  # fmt: skip
def test_what_is_lost_and_why(text: str, reason: str) -> None:
    item = read(text)
    assert item.label is None
    assert reason in item.lost
    assert len(item.lost) < 300


def test_an_answer_that_was_cut_off_says_so() -> None:
    assert "was cut off" in read(GOOD[:-3], "length").lost
    assert read(GOOD, "length").label == "yes"


@given(st.text())
def test_no_text_is_a_vote_by_accident(text: str) -> None:
    item = read(text)
    assert item.label is None
    assert item.lost


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["yes", "no"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["item_1", "verdict", "rationale"]) | st.text(), inner, max_size=4
            )
        ),
        max_leaves=12,
    )
)
def test_a_vote_stands_in_one_place_only(value: Any) -> None:
    item = read(json.dumps(value))
    entry = value.get("item_1") if isinstance(value, dict) else None
    said = entry.get("verdict") if isinstance(entry, dict) else None
    if item.label is not None:
        assert item.label == said
    elif said in ("yes", "no"):
        assert "not JSON" in (item.lost or ""), "only JSON that is none may lose it: NaN, for instance"


# --- one repair round, and no more ------------------------------------------------------

Answer = Callable[[JudgeRequest], Any]


def decide(
    folder: Path, answer: Answer, *, items: int = 1, votes: int = 1
) -> tuple[list[Decision], FakeJudge]:
    judge = FakeJudge(answer)
    asked = FakeHost(folder, judge=judge).judge(JudgeModelOptions(num_samples=votes))
    return list(asyncio.run(asked.decide(question(items)))), judge


def is_repair(request: JudgeRequest) -> bool:
    return len(request.messages) > 2


def test_an_answer_that_cannot_be_read_is_asked_for_once_more(tmp_path: Path) -> None:
    [decision], judge = decide(
        tmp_path, lambda request: verdicts(request, "yes") if is_repair(request) else "Yes, it is!"
    )
    first, second = judge.requests
    assert (decision.state, decision.value, decision.tally) == ("decided", 1.0, {"yes": 1})
    assert second.messages[:2] == first.messages
    assert [message.role for message in second.messages[2:]] == ["assistant", "user"]
    assert second.messages[2].text == "Yes, it is!"
    assert "it is not JSON" in second.messages[3].text
    assert second.schema_ == first.schema_
    assert second.key != first.key


def test_the_complaint_repeats_nothing_of_the_answer(tmp_path: Path) -> None:
    """The answer may repeat what an agent said; behind the complaint stands this program."""
    twice = '{"OBEY ME": 1, "OBEY ME": 2}'
    [decision], judge = decide(tmp_path, lambda request: twice)
    assert "OBEY" not in judge.requests[1].messages[3].text
    assert "OBEY ME" in str(decision.votes[0].lost)


def test_there_is_one_repair_and_no_more(tmp_path: Path) -> None:
    [decision], judge = decide(tmp_path, lambda request: "no JSON", votes=3)
    assert len(judge.requests) == 6
    assert decision.state == "error"
    assert decision.error is not None
    assert (decision.error.code, decision.error.retryable, decision.error.origin) == (
        "judge_unreadable", False, "fake/judge"
    )  # fmt: skip
    assert "not JSON" in decision.error.message
    assert decision.tally == {"lost": 3}


def test_a_lost_vote_voids_nothing(tmp_path: Path) -> None:
    def answer(request: JudgeRequest) -> str:
        return "?" if request.sample == 1 else verdicts(request, "yes")

    [decision], judge = decide(tmp_path, answer, votes=5)
    assert (decision.state, decision.value) == ("decided", 1.0)
    assert decision.tally == {"yes": 3, "lost": 1}
    assert [vote.label for vote in decision.votes] == ["yes", None, "yes", "yes"]
    assert sum(map(is_repair, judge.requests)) == 1


def test_the_items_that_could_be_read_stay(tmp_path: Path) -> None:
    def answer(request: JudgeRequest) -> str:
        said = json.loads(verdicts(request, "no" if is_repair(request) else "yes"))
        if not is_repair(request):
            said["item_2"]["verdict"] = "perhaps"
        return json.dumps(said)

    decisions, judge = decide(tmp_path, answer, items=3)
    assert [decision.label for decision in decisions] == ["yes", "no", "yes"]
    assert len(judge.requests) == 2


@pytest.mark.parametrize(
    ("code", "error", "retryable"),
    [("context_too_long", "judge_unreadable", False), ("not_recorded", "judge_not_recorded", False)],
)
def test_a_repair_that_fails_costs_only_the_items_it_was_for(
    tmp_path: Path, code: Any, error: str, retryable: bool
) -> None:
    def answer(request: JudgeRequest) -> Any:
        if is_repair(request):
            return JudgeError("no", code=code)
        return json.dumps({"item_1": {"verdict": "yes"}, "item_2": {"verdict": "eh"}})

    (fine, lost), _ = decide(tmp_path, answer, items=2)
    assert (fine.state, fine.value) == ("decided", 1.0)
    assert lost.error is not None
    assert (lost.state, lost.error.code, lost.error.retryable) == ("error", error, retryable)


@pytest.mark.parametrize(
    ("finish", "said"), [("refusal", "refused to answer"), ("safety", "blocked the answer")]
)
def test_refusals_and_blocks_are_not_repaired(tmp_path: Path, finish: FinishReason, said: str) -> None:
    # Even a text that looks like a vote is none: the provider says that it is no answer.
    [decision], judge = decide(tmp_path, lambda request: JudgeReply(text=GOOD, finish_reason=finish), votes=3)
    assert len(judge.requests) == 3
    assert decision.error is not None
    assert (decision.state, decision.error.code) == ("error", "judge_refused")
    assert said in decision.error.message
    assert decision.value is None


def test_a_vote_is_counted_as_lost_for_its_own_reason(tmp_path: Path) -> None:
    said = ["?", '{"item_1": {"verdict": "eh"}}', ""]
    [decision], _ = decide(tmp_path, lambda request: said[request.sample], votes=3)
    reasons = [vote.lost or "" for vote in decision.votes]
    assert "not JSON" in reasons[0]
    assert "possible values" in reasons[1]
    assert "not JSON" in reasons[2]


def test_a_backend_that_raises_what_it_should_not_is_an_error_with_its_name(tmp_path: Path) -> None:
    [decision], judge = decide(tmp_path, lambda request: ZeroDivisionError("oops"), votes=5)
    assert decision.error is not None
    assert (decision.state, decision.error.code) == ("error", "judge_raised")
    assert "ZeroDivisionError: oops" in decision.error.message
    assert len(judge.requests) == 3
