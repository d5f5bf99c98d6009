"""What never happened: which verdicts may rest on words that stand nowhere in the log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge.model import Citation, Verdict
from adjudge.plugin import JudgeRequest

PAID = "In the end the milk is paid for."
NOTHING_DELETED = "Nothing is deleted in the end."


def nothing(_request: JudgeRequest) -> list[Citation]:
    """No citation."""
    return []


def judged(
    judging: Any, check: str, verdict: str, absent: str, *, forbids: str | None = None, **options: Any
) -> Any:
    """The one result of judging the usual log by one check, of which nothing is cited."""
    judging.verdict, judging.cite = verdict, nothing
    judging.notes["absent_words"] = absent
    judging.notes["forbids"] = forbids or ("yes" if check == NOTHING_DELETED else "no")
    steps = options.pop("steps", None)
    log = judging.log() if steps is None else judging.log(steps)
    about = options.pop("about", "outcome")
    criterion = {"name": "It", "description": "It is so.", "about": about, "checks": [check]}
    [of_log] = judging(log, criterion, use_cache=False, granularity="step_level", **options).logs
    [result] = of_log.results
    return result


def scans(result: Any) -> list[str]:
    """What the evidence says that was looked for."""
    return [item.scan.partition("contains ")[2] for item in result.evidence.absences]


def test_what_was_to_happen_and_did_not_fails_by_the_words_that_are_missing(judging: Any) -> None:
    result = judged(judging, PAID, "not_met", "paid")

    assert result.verdict == Verdict.FAIL
    assert scans(result) == ["'paid'"]


def test_nothing_is_reached_by_words_that_are_missing(judging: Any) -> None:
    for absent in ("banana", "paid"):
        result = judged(judging, PAID, "met", absent)

        assert result.verdict == Verdict.UNSURE
        assert result.reason_codes == ("no_evidence",)
        assert scans(result) == []


def test_what_was_not_to_happen_and_did_not_passes_by_the_words_that_are_missing(judging: Any) -> None:
    result = judged(judging, NOTHING_DELETED, "met", "delete")

    assert result.verdict == Verdict.PASS
    assert scans(result) == ["'delete'"]


def test_missing_words_have_to_be_of_the_statement_where_they_let_it_pass(judging: Any) -> None:
    result = judged(judging, NOTHING_DELETED, "met", "banana")

    assert result.verdict == Verdict.UNSURE
    assert result.reason_codes == ("no_evidence",)


def test_what_was_not_to_happen_and_did_is_shown_and_not_missing(judging: Any) -> None:
    assert judged(judging, NOTHING_DELETED, "not_met", "delete").verdict == Verdict.UNSURE


@pytest.mark.parametrize(
    ("check", "absent"),
    [
        ("最终没有删除任何文件。", "删除"),
        ("結果として何も削除しない。", "削除"),
        ("Deleting a file is out of bounds.", "deleted"),
        ("The agent stays clear of purchases.", "purchase"),
    ],
)
def test_that_a_statement_forbids_the_judge_says_and_no_list_of_words(
    judging: Any, check: str, absent: str
) -> None:
    assert judged(judging, check, "met", absent, forbids="yes").verdict == Verdict.PASS
    assert judged(judging, check, "not_met", absent, forbids="yes").verdict == Verdict.UNSURE


@pytest.mark.parametrize(
    "check",
    [
        "If no milk is there, oat milk is paid for.",
        "The milk is paid for without delay, and all of it.",
        "如果没有牛奶，最终付款买燕麦奶。",
    ],
)
def test_a_statement_with_a_no_in_it_asks_for_something_all_the_same(judging: Any, check: str) -> None:
    assert judged(judging, check, "not_met", "paid, 付款").verdict == Verdict.FAIL
    assert judged(judging, check, "met", "paid, 付款").verdict == Verdict.UNSURE


@pytest.mark.parametrize("forbids", ["", "perhaps", "because"])
def test_a_vote_that_does_not_say_what_is_asked_for_shows_nothing_by_an_absence(
    judging: Any, forbids: str
) -> None:
    assert judged(judging, PAID, "not_met", "paid", forbids=forbids or " ").reason_codes == ("no_evidence",)
    assert judged(judging, NOTHING_DELETED, "met", "delete", forbids=forbids or " ").verdict == Verdict.UNSURE


@pytest.mark.parametrize("check", ["Each tool call follows from what came back.", "每一步的推理都有依据。"])
def test_what_is_to_hold_for_each_step_fails_by_a_step_and_not_by_a_word(judging: Any, check: str) -> None:
    assert judged(judging, check, "not_met", "paid").reason_codes == ("no_evidence",)


def test_how_an_agent_went_about_it_is_looked_for_in_what_it_says_too(judging: Any) -> None:
    plans = "The agent plans before it acts."
    result = judged(judging, plans, "not_met", "planned", about="process")

    assert result.verdict == Verdict.FAIL
    [absence] = result.evidence.absences
    assert absence.scan == "nothing that was done, said or shown contains 'planned'"
    assert judged(judging, plans, "not_met", "I need a list", about="process").verdict == Verdict.UNSURE


def test_each_of_several_words_is_looked_for(judging: Any) -> None:
    assert scans(judged(judging, PAID, "not_met", "paid, 'the end'; 付款")) == ["'paid'", "'the end'"]
    for one_is_there in ("paid, in the cart", "item 17 / 1 item in the cart", "paid\nadd_to_cart"):
        assert judged(judging, PAID, "not_met", one_is_there).reason_codes == ("no_evidence",)


@pytest.mark.parametrize(
    "absent", ["", "x", "an", "a sentence that of course stands in no log at all", ", ;"]
)
def test_words_that_are_too_few_or_a_whole_sentence_show_nothing(judging: Any, absent: str) -> None:
    assert judged(judging, PAID, "not_met", absent).reason_codes == ("no_evidence",)


def test_one_part_of_a_long_run_cannot_say_that_the_run_lacks_what_another_part_has(judging: Any) -> None:
    page = "Lorem ipsum dolor sit amet. " * 400
    steps = [
        {"step": at, "action": f"click({at})", "observation": f"page {at}. {page}"} for at in range(1, 13)
    ]
    steps[-1]["observation"] = "The order is paid."
    result = judged(judging, PAID, "not_met", "paid", steps=steps, token_budget=8_000)

    assert len(judging.requests) > 1, "the run was judged in one part"
    assert result.verdict == Verdict.UNSURE
    assert result.reason_codes == ("no_evidence",)

    [whole] = judged(judging, PAID, "not_met", "milk", steps=steps, token_budget=8_000).evidence.absences
    assert whole.steps == (1, 12)


@pytest.mark.parametrize("absent", ["zzqx", "zzqx, banana", "付款", "4711", "aid"])
@pytest.mark.parametrize(("check", "verdict"), [(PAID, "not_met"), (NOTHING_DELETED, "met")])
def test_words_that_nobody_would_have_written_show_nothing(
    judging: Any, check: str, verdict: str, absent: str
) -> None:
    result = judged(judging, check, verdict, absent)

    assert result.verdict == Verdict.UNSURE
    assert result.reason_codes == ("no_evidence",)
    assert scans(result) == []


@pytest.mark.parametrize("absent", ["zzqx paid", "paid zzqx", "order paid"])
def test_a_word_that_nobody_would_have_written_hides_none_that_is_there(judging: Any, absent: str) -> None:
    there = [{"step": 1, "action": "pay()", "result": "The order is paid."}]
    assert judged(judging, PAID, "not_met", absent, steps=there).verdict == Verdict.UNSURE


def test_words_of_the_run_itself_can_be_missing_from_what_was_reached(judging: Any) -> None:
    steps = [
        {"step": 1, "thinking": "Then to the checkout, code 4711.", "action": "search(milk)", "result": "17"},
        {"step": 2, "thinking": "I go there now.", "action": "wait()", "result": "17"},
    ]
    for absent in ("checkout", "the checkout", "4711"):
        assert judged(judging, PAID, "not_met", absent, steps=steps).verdict == Verdict.FAIL, absent
    assert judged(judging, PAID, "not_met", "search", steps=steps).verdict == Verdict.UNSURE


def test_a_tool_that_was_declared_and_not_called_shows_that_something_did_not_happen(judging: Any) -> None:
    tools = [{"type": "function", "function": {"name": name}} for name in ("look_up", "remit_money")]
    called = {"id": "1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Buy milk."},
        {"role": "assistant", "content": None, "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "1", "content": "money: 5, look up: done"},
    ]
    Path("chat.json").write_text(json.dumps({"messages": messages, "tools": tools}))
    judging.verdict, judging.cite = "not_met", nothing
    judging.notes["forbids"] = "no"
    criterion = {"name": "It", "description": "It is so.", "checks": [PAID]}
    for absent, verdict in [
        ("remit_money", Verdict.FAIL),
        ("give_gold", Verdict.UNSURE),
        ("look_up", Verdict.UNSURE),
    ]:
        judging.notes["absent_words"] = absent
        [log] = judging("chat.json", criterion, use_cache=False, granularity="step_level").logs
        assert log.results[0].verdict == verdict, absent


@pytest.mark.parametrize("absent", ["cartoon", "itemized", "no cartoon", "milkshake"])
def test_a_word_that_begins_like_one_of_the_statement_hides_none_that_is_there(
    judging: Any, absent: str
) -> None:
    deed = [{"step": 1, "action": "add({})", "result": "1 item in the cart: milk"}]
    forbidden = "No item, be it milk or bread, is put into the cart."
    assert judged(judging, forbidden, "met", absent, steps=deed).verdict == Verdict.UNSURE


@pytest.mark.parametrize("absent", ["deleted", "deletion", "deletes", "deleting a file"])
def test_a_word_is_there_in_each_of_its_forms(judging: Any, absent: str) -> None:
    deed = [{"step": 1, "action": 'delete({"file": "a"})', "result": "ok"}]
    assert judged(judging, NOTHING_DELETED, "met", absent, steps=deed).verdict == Verdict.UNSURE
    assert judged(judging, NOTHING_DELETED, "met", absent).verdict == Verdict.PASS


def test_an_agent_that_says_it_in_its_last_call_does_not_hide_that_it_never_happened(judging: Any) -> None:
    steps = [
        {"step": 1, "action": "search(milk)", "observation": "17: milk, 1.09."},
        {"step": 2, "action": 'done({"text": "The milk is paid for.", "success": true})'},
    ]
    result = judged(judging, PAID, "not_met", "paid", steps=steps)

    assert result.verdict == Verdict.FAIL
    assert scans(result) == ["'paid'"]
