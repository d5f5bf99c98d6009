"""What is counted by code: loops, errors, empty claims and steps."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.model import (
    Absence,
    Blob,
    Claim,
    Content,
    ConversationScenario,
    ErrorItem,
    EvalCase,
    Invocation,
    Item,
    Observation,
    Opaque,
    Step,
    Text,
    ToolCall,
    ToolResult,
    numbered,
)
from adjudge.plugin import (
    CaseUnderTest,
    Measurement,
    Outcome,
    Trajectory,
)
from adjudge.testing import manager
from adjudge_plugins.ai_judge.evidence import Places
from adjudge_plugins.criteria.trace import (
    action_cycles,
    action_repeats,
    claim_without_observation,
    done_without_action,
    failed_recoveries,
    invalid_arguments,
    repeated_errors,
    unknown_tools,
)
from adjudge_plugins.criteria.trace.action_cycles import longest_stretch
from adjudge_plugins.criteria.usage import step_count

ALL = (
    action_cycles,
    action_repeats,
    claim_without_observation,
    done_without_action,
    failed_recoveries,
    invalid_arguments,
    repeated_errors,
    step_count,
    unknown_tools,
)

Measure = Callable[..., Measurement]


def run_of(*turns: tuple[list[list[Item]], str | None]) -> Trajectory:
    """A run: per turn the items of every step, and the answer."""
    invocations = [
        Invocation(
            user_content=Content.of_text("do it", "user"),
            steps=tuple(Step(number=1, items=tuple(items)) for items in steps),
            final_response=None if answer is None else Content.of_text(answer, "model"),
        )
        for steps, answer in turns
    ]
    return Trajectory(invocations=numbered(invocations))


def case_of(run: Trajectory) -> CaseUnderTest:
    scenario = ConversationScenario(starting_prompt="do it", conversation_plan="ask")
    return CaseUnderTest(case=EvalCase(eval_id="case", conversation_scenario=scenario), actual=run)


@pytest.fixture
def outcome(measure: Measure) -> Callable[..., Outcome]:
    """The outcome of a criterion for a run of one turn; its citations stand in the run."""

    def outcome(plugin: ModuleType, *steps: list[Item], answer: str | None = None) -> Outcome:
        run = run_of((list(steps), answer))
        found = measure(plugin, case_of(run))
        assert found.per_invocation == ()
        assert found.overall is not None
        assert_holds(found.overall, run)
        return found.overall

    return outcome


def assert_holds(outcome: Outcome, run: Trajectory) -> None:
    places = Places(run)
    for citation in outcome.evidence.citations if outcome.evidence else ():
        assert places.problem(citation, "process") is None, citation


def call(name: str = "click", raw: str | None = None, **args: Any) -> ToolCall:
    return ToolCall(name=name, args=None if raw is not None else args, raw_args=raw)


def cited(outcome: Outcome) -> list[tuple[int, str]]:
    assert outcome.evidence is not None
    return [(citation.step, citation.field) for citation in outcome.evidence.citations]


@pytest.mark.parametrize("plugin", ALL, ids=lambda plugin: plugin.__name__.rpartition(".")[2])
def test_a_criterion_by_code_needs_nothing_and_gates_only_where_asked(plugin: ModuleType) -> None:
    [registered] = manager(plugin).criteria
    spec = registered.spec

    assert spec.name == plugin.__name__.rpartition(".")[2]
    assert (spec.lower_is_better, spec.default_threshold, spec.simulated_conversations) == (True, None, True)
    assert (spec.needs, spec.problems()) == (frozenset(), [])


# --- the same action ---------------------------------------------------------------------


def test_the_most_repeated_action_is_counted_wherever_it_occurs(outcome: Callable[..., Outcome]) -> None:
    found = outcome(
        action_repeats,
        [call(index=1, tab=2)],
        [call(index=2)],
        [call(tab=2, index=1)],
        [call("hover"), call(index=1, tab=2)],
        [call("hover")],
    )

    assert found.score == 3.0
    assert found.reasoning == "click with the same arguments occurs 3 times: steps 1, 3 and 4"
    assert found.details == {"steps": [1, 3, 4], "repeated_actions": 2}
    assert cited(found) == [(1, "action"), (3, "action"), (4, "action")]


def test_the_same_action_with_another_outcome_is_another_one(outcome: Callable[..., Outcome]) -> None:
    def tried(*outcomes: str) -> Outcome:
        steps = [[call("run_tests"), ToolResult(name="run_tests", value=text)] for text in outcomes]
        return outcome(action_repeats, *steps, [call("stop")])

    assert tried("2 failed", "1 failed", "0 failed").score == 1.0
    found = tried("2 failed in 0x7f00aa", "2  failed in 0x7f00bb", "1 failed")
    assert found.score == 2.0
    assert (
        found.reasoning
        == "run_tests with the same arguments, with the same outcome, occurs 2 times: steps 1 and 2"
    )


def test_an_empty_result_of_a_thought_is_no_part_of_an_outcome(outcome: Callable[..., Outcome]) -> None:
    failed = [call("book"), ToolResult(name="book", value="does not add up")]
    thought = [call("think", thought="Again."), ToolResult(name="think", value="")]

    found = outcome(action_repeats, failed, failed, failed, thought, [call("stop")])

    assert found.details["steps"] == [1, 2, 3]


def test_the_same_button_on_another_page_is_another_one(outcome: Callable[..., Outcome]) -> None:
    pages = [[Observation(text=f"page {number}"), call(index=3)] for number in range(4)]

    assert outcome(action_repeats, *pages, [Observation(text="the end")]).score == 1.0
    assert outcome(action_cycles, *pages, [Observation(text="the end")]).score == 0.0


def test_the_result_of_a_call_is_told_from_those_of_its_neighbours(outcome: Callable[..., Outcome]) -> None:
    def both(first: str, second: str, at: int) -> list[Item]:
        ids = (f"a{at}", f"b{at}")
        return [
            ToolCall(name="look", id=ids[0]),
            ToolCall(name="read", id=ids[1]),
            ToolResult(value=second, call_id=ids[1]),
            ToolResult(value=first, call_id=ids[0]),
        ]

    found = outcome(action_repeats, both("same", "one", 1), both("same", "two", 2))

    assert found.score == 2.0
    assert found.reasoning.startswith("look with the same arguments")


@pytest.mark.parametrize(
    "again",
    [
        call("scroll", direction="down"),
        call("scrollDown"),
        call("wait", seconds=5),
        call("computer", action="scroll", x=1),
        call("press", raw="'PageDown'"),
        call("next_page"),
        call("noop"),
        call("think", thought="I should look at the page once more."),
        Text(text="Scroll down", extra={"key": "action"}),
    ],
)
def test_what_is_meant_to_be_done_again_is_no_repeat(again: Item, outcome: Callable[..., Outcome]) -> None:
    assert outcome(action_repeats, [call()], [again], [again], [again]).score == 1.0


def test_a_speaker_who_says_the_same_again_is_counted(outcome: Callable[..., Outcome]) -> None:
    said = Text(text="Let us verify the total of the invoice once more.")
    found = outcome(action_repeats, [said], [Text(text="I have no access to it, sorry.")], [said])

    assert found.score == 2.0
    assert found.reasoning == "a message occurs 2 times: steps 1 and 3"
    assert outcome(action_repeats, [said]).state == "not_applicable"


def test_a_chat_without_actions_is_measured_by_its_messages(outcome: Callable[..., Outcome]) -> None:
    chat = [
        [Text(text="The invoice adds up to 1,200 dollars.")],
        [Text(text="It is due on the first of May.")],
    ]

    assert outcome(action_repeats, *chat).reasoning == "nothing occurs twice: 2 messages"
    assert (
        outcome(action_repeats, *chat, [call()]).reasoning == "nothing occurs twice: 1 action and 2 messages"
    )
    assert outcome(action_cycles, *chat).score == 0.0
    assert outcome(action_repeats, [call("scroll")], [call("wait")]).state == "not_applicable"


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (ToolCall(name="a"), ToolCall(name="a", args={}), True),
        (call("a", raw="'147'"), call("a", raw=" '147' "), True),
        (call("a", raw="'147'"), call("a", raw="'148'"), False),
        (call("a", x=1), call("a", x="1"), False),
        (call("a", x=[1, 2]), call("a", x=[2, 1]), False),
        (call("a", x={"b": 1, "c": 2}), call("a", x={"c": 2, "b": 1}), True),
        (call("a"), call("b"), False),
        (
            Text(text="Open  it", extra={"key": "action"}),
            Text(text="Open it", extra={"key": "action"}),
            True,
        ),
    ],
)
def test_actions_are_the_same_by_name_and_arguments(
    first: Item, second: Item, same: bool, outcome: Callable[..., Outcome]
) -> None:
    assert outcome(action_repeats, [first], [second]).score == (2.0 if same else 1.0)


def test_words_that_are_no_action_are_none(outcome: Callable[..., Outcome]) -> None:
    found = outcome(action_repeats, [Text(text="Hello.")], [Text(text="Hello.")])

    reason = "the run has no action and fewer than two messages of at least 20 characters, so nothing can be repeated"
    assert (found.state, found.reasoning) == ("not_applicable", reason)


@pytest.mark.parametrize("plugin", [one for one in ALL if one is not done_without_action])
@pytest.mark.parametrize("steps", [[], [[]], [[Text(text="I have a plan.")]]], ids=["none", "empty", "words"])
def test_what_was_not_recorded_is_not_counted_as_none(
    plugin: ModuleType, steps: list[list[Item]], outcome: Callable[..., Outcome]
) -> None:
    found = outcome(plugin, *steps)

    if plugin is step_count and steps:
        assert found.score == 1.0
    else:
        assert (found.state, found.score) == ("not_applicable", None)


def test_an_error_without_an_action_is_counted(outcome: Callable[..., Outcome]) -> None:
    error = ErrorItem(message="The page is gone")

    assert outcome(repeated_errors, [error]).score == 0.0
    assert outcome(repeated_errors, [error], [error]).score == 1.0


def test_where_nothing_is_repeated_the_evidence_is_the_scan(outcome: Callable[..., Outcome]) -> None:
    found = outcome(action_repeats, [call(index=1)], [call(index=2)])

    assert found.evidence is not None
    assert found.evidence.absences == (Absence(steps=(1, 2), scan="no action or message occurs twice"),)


# --- cycles ------------------------------------------------------------------------------


def test_a_cycle_is_found_with_its_actions(outcome: Callable[..., Outcome]) -> None:
    there, back = call("goto", url="b"), call("back")
    found = outcome(action_cycles, [call("start")], [there], [back], [there], [back], [there], [call("end")])

    assert found.score == 5.0
    assert found.reasoning == "a sequence of 2 actions occurs 2 times in a row: steps 2 to 6"
    assert found.details == {"steps": [2, 3, 4, 5, 6], "cycle": ["goto", "back"], "rounds": 2}
    assert cited(found) == [(step, "action") for step in (2, 3, 4, 5, 6)]


def test_the_same_action_again_is_the_shortest_cycle(outcome: Callable[..., Outcome]) -> None:
    found = outcome(action_cycles, [call("press")], [call("press")], [call("press")], [call("look")])

    assert (found.score, found.details["cycle"], found.details["rounds"]) == (3.0, ["press"], 3)


def test_what_comes_back_later_is_no_cycle(outcome: Callable[..., Outcome]) -> None:
    assert (
        outcome(action_cycles, [call("a")], [call("b")], [call("c")], [call("a")], [call("b")]).score == 0.0
    )


@given(st.lists(st.sampled_from("abc"), max_size=14))
def test_the_longest_stretch_is_that_of_the_definition(actions: list[str]) -> None:
    keys = [(name, "") for name in actions]
    stretches = [
        (length, -cycle, -start)
        for start in range(len(keys))
        for length in range(2, len(keys) - start + 1)
        for cycle in range(1, length // 2 + 1)
        if all(keys[at] == keys[at + cycle] for at in range(start, start + length - cycle))
    ]
    found = longest_stretch(keys)

    if not stretches:
        assert found is None
        return
    length, cycle, start = max(stretches)
    assert found == (-start, length, -cycle)


# --- errors ------------------------------------------------------------------------------


def test_an_error_that_comes_again_is_counted_in_all_forms(outcome: Callable[..., Outcome]) -> None:
    found = outcome(
        repeated_errors,
        [call(), ErrorItem(message="Element 12 not found at 2026-01-02T10:00:00Z")],
        [call(), ToolResult(value="all is well")],
        [call(), ToolResult(value={"error": "element 12 not found  at 2026-01-02T10:00:09Z"})],
        [call(), ToolResult(value="Error: no such page")],
        [call(), ErrorItem(message="Element 13 not found at 2026-01-02T10:00:00Z")],
    )

    assert found.score == 1.0
    assert found.reasoning == "1 error occurred again, 1 time in total: steps 1 and 3"
    assert found.details["errors"][0]["steps"] == [1, 3]
    assert cited(found) == [(1, "error"), (3, "result")]


def test_an_error_that_one_step_tells_twice_is_one(outcome: Callable[..., Outcome]) -> None:
    found = outcome(repeated_errors, [call(), ToolResult(value="Error: x"), ErrorItem(message="Error: x")])

    assert (found.score, found.reasoning) == (0.0, "no error occurs twice (1 error)")


def test_every_return_of_every_error_counts(outcome: Callable[..., Outcome]) -> None:
    x, y = ErrorItem(message="page gone"), ErrorItem(message="time is up")

    assert outcome(repeated_errors, [x], [y], [x], [x, y]).score == 3.0


def test_the_words_of_an_error_inside_json_are_found_where_they_are_escaped(
    outcome: Callable[..., Outcome],
) -> None:
    failed = ToolResult(value={"status": 1, "error": 'no "key"\nin line 2'})
    nested = ToolResult(value={"error": {"code": 3, "why": ["a", "b"]}})

    assert cited(outcome(repeated_errors, [failed], [failed])) == [(1, "result"), (2, "result")]
    assert cited(outcome(repeated_errors, [nested], [nested])) == [(1, "result"), (2, "result")]


def test_the_same_move_that_fails_again_is_a_failed_recovery(outcome: Callable[..., Outcome]) -> None:
    failed = ErrorItem(message="not clickable")
    found = outcome(
        failed_recoveries,
        [call(index=1), failed],
        [call(index=1), failed],
        [call(index=1), ErrorItem(message="still not")],
        [call(index=1)],
        [call(index=1), failed],
    )

    assert found.score == 2.0
    assert found.details == {"pairs": [[1, 2], [2, 3]]}
    assert cited(found)[:4] == [(1, "action"), (1, "error"), (2, "action"), (2, "error")]


@pytest.mark.parametrize(
    "second",
    [
        [[call(index=2), ErrorItem(message="not clickable")]],
        [[call(index=1), ToolResult(value="clicked")]],
        [[call("look")], [call(index=1), ErrorItem(message="not clickable")]],
    ],
    ids=["another move", "it worked", "a look in between"],
)
def test_what_is_no_failed_recovery(second: list[list[Item]], outcome: Callable[..., Outcome]) -> None:
    first: list[Item] = [call(index=1), ErrorItem(message="not clickable")]

    assert outcome(failed_recoveries, first, *second).score == 0.0


def test_of_several_calls_the_one_that_failed_is_known_by_its_id(outcome: Callable[..., Outcome]) -> None:
    def step(number: int, other: str, *, names: bool) -> list[Item]:
        return [
            ToolCall(name="pay", args={"amount": 3}, id=f"p{number}"),
            ToolCall(name=other, id=f"o{number}"),
            ToolResult(value="Error: refused", call_id=f"p{number}" if names else None),
        ]

    assert outcome(failed_recoveries, step(1, "look", names=True), step(2, "list", names=True)).score == 1.0
    assert outcome(failed_recoveries, step(1, "look", names=False), step(2, "list", names=False)).score == 0.0
    assert outcome(failed_recoveries, step(1, "look", names=False), step(2, "look", names=False)).score == 1.0


def test_a_result_in_a_step_of_its_own_belongs_to_the_move_before_it(
    outcome: Callable[..., Outcome],
) -> None:
    failed: list[Item] = [ToolResult(value="Error: refused")]

    assert outcome(failed_recoveries, [call("pay")], failed, [call("pay")], failed).score == 1.0


def test_a_new_message_of_the_user_begins_anew(measure: Measure) -> None:
    failing: list[list[Item]] = [[call("pay"), ErrorItem(message="refused")]]
    found = measure(failed_recoveries, case_of(run_of((failing, "Sorry."), (failing, "Sorry."))))

    assert found.overall is not None
    assert found.overall.score == 0.0


# --- claims ------------------------------------------------------------------------------


def evaluation(text: str) -> Claim:
    return Claim(field="evaluation_previous_goal", text=text)


def test_a_claim_about_a_step_from_which_nothing_came_back_is_counted(
    outcome: Callable[..., Outcome],
) -> None:
    found = outcome(
        claim_without_observation,
        [evaluation("Unknown - nothing yet"), call("search"), ToolResult(value="3 hits")],
        [evaluation("Success - found 3 hits"), call("buy")],
        [evaluation("Success - bought it"), call("pay")],
        [evaluation("Unclear whether it was paid"), call("look")],
    )

    assert found.score == 1.0
    assert found.details == {"claims": 2, "steps": [3], "judged_steps": [2]}
    assert cited(found) == [(3, "evaluation_previous_goal")]


@pytest.mark.parametrize(
    ("after", "before"),
    [
        ([Observation(text="the page")], []),
        ([ErrorItem(message="refused")], []),
        ([Blob(mime_type="image/png")], []),
        ([Opaque(name="file", value=1)], []),
        ([], [Observation(text="the new page", source="url")]),
    ],
    ids=["observation", "error", "screenshot", "opaque", "the page that the next step begins with"],
)
def test_whatever_came_back_is_something(
    after: list[Item], before: list[Item], outcome: Callable[..., Outcome]
) -> None:
    found = outcome(
        claim_without_observation,
        [call("start"), ToolResult(value="started")],
        [call("buy"), *after],
        [*before, evaluation("Success"), call("pay")],
    )

    assert found.score == 0.0


def test_what_the_judging_step_sees_later_is_no_ground_for_its_claim(
    outcome: Callable[..., Outcome],
) -> None:
    found = outcome(
        claim_without_observation, [call("buy")], [evaluation("Success"), call("pay"), ToolResult(value="ok")]
    )

    assert found.score == 1.0


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ([[call("buy")], [evaluation("Success"), call("pay")]], "the log records no results"),
        ([[call("buy"), ToolResult(value=1)], [call("pay")]], "no step evaluates the step before it"),
        ([[evaluation("Success"), call("pay"), ToolResult(value=1)]], "no step evaluates"),
    ],
)
def test_where_nothing_can_be_said_of_claims_it_does_not_apply(
    steps: list[list[Item]], reason: str, outcome: Callable[..., Outcome]
) -> None:
    found = outcome(claim_without_observation, *steps)

    assert found.state == "not_applicable"
    assert found.reasoning is not None
    assert found.reasoning.startswith(reason)


@pytest.mark.parametrize(
    "answer",
    [
        "I have booked your flight.",
        "Good news! I've successfully cancelled the order.",
        "I\u2019ve now sent the email.",
        "Your seat has been successfully reserved.",
        "我已经为您预订了航班。",
    ],
)
def test_an_answer_that_claims_a_deed_in_a_run_without_any_is_found(
    answer: str, outcome: Callable[..., Outcome]
) -> None:
    found = outcome(done_without_action, answer=answer)

    assert found.score == 1.0
    assert cited(found) == [(0, "final_response")]


@pytest.mark.parametrize(
    "answer",
    [
        "Paris is the capital of France.",
        "I have written the poem below.",
        "I will book the flight for you.",
        "I have not booked anything.",
        "Once I have booked it, I will tell you.",
        "Shall I send the email?",
        "Have I booked it? No.",
    ],
)
def test_an_answer_that_claims_no_deed_is_none(answer: str, outcome: Callable[..., Outcome]) -> None:
    assert outcome(done_without_action, answer=answer).score == 0.0


@pytest.mark.parametrize(
    "deed",
    [call("book"), Text(text="Book it", extra={"key": "action"}), ToolResult(value=1), Opaque(name="code")],
    ids=lambda deed: deed.kind,
)
def test_whoever_did_anything_is_not_found(deed: Item, outcome: Callable[..., Outcome]) -> None:
    found = outcome(done_without_action, [deed], answer="I have booked your flight.")

    assert (found.score, found.reasoning) == (0.0, "the agent did something: step 1")


def test_a_call_that_ends_the_run_is_an_answer_and_no_deed(outcome: Callable[..., Outcome]) -> None:
    claimed = outcome(done_without_action, [call("done", text="It is 4.", success=True)])
    modest = outcome(done_without_action, [call("done", text="It is 4.", success=False)])
    told = outcome(done_without_action, [call("send_msg_to_user", raw="'I have sent the email.'")])

    assert [found.score for found in (claimed, modest, told)] == [1.0, 0.0, 1.0]
    assert cited(claimed) == cited(told) == [(1, "action")]


def test_a_run_without_an_answer_claims_nothing(outcome: Callable[..., Outcome]) -> None:
    assert outcome(done_without_action, [Claim(text="I have booked it.")]).state == "not_applicable"


# --- steps -------------------------------------------------------------------------------


def test_steps_of_all_turns_are_counted(measure: Measure) -> None:
    found = measure(step_count, case_of(run_of(([[call()], [call()]], "a"), ([[call()]], "b"))))

    assert found.overall is not None
    assert (found.overall.score, found.overall.reasoning) == (3.0, "steps 1 to 3")
    assert found.overall.details == {"first": 1, "last": 3, "per_turn": [2, 1]}


# --- any run -----------------------------------------------------------------------------

words = st.text(max_size=12) | st.sampled_from(
    ["Error: gone", "I have booked it", "Success", "\u200b\u200b\u200b", "\ufeffok", "a\r\nb"]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(words | st.just("error"), inner, max_size=2),
    max_leaves=4,
)
ids = st.none() | st.sampled_from(["1", "2"])
names = st.sampled_from(["a", "b", "done"]) | st.text(max_size=2)
any_item = st.one_of(
    st.builds(Claim, text=words, field=st.sampled_from(["thinking", "evaluation_previous_goal"])),
    st.builds(ToolCall, name=names, args=st.none() | st.dictionaries(words, values, max_size=2), id=ids),
    st.builds(ToolCall, name=names, raw_args=words, id=ids),
    st.builds(ToolResult, value=values, call_id=ids),
    st.builds(Observation, text=words),
    st.builds(Text, text=words, extra=st.sampled_from([None, {"key": "action"}])),
    st.builds(ErrorItem, message=words, code=st.none() | words),
    st.builds(Opaque, name=words, value=values),
)
any_turn = st.tuples(st.lists(st.lists(any_item, max_size=4), max_size=5), st.none() | words)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(st.lists(any_turn, max_size=3))
def test_whatever_is_cited_of_any_run_stands_in_it(
    measure: Measure, turns: list[tuple[list[list[Item]], str | None]]
) -> None:
    run = run_of(*turns)
    for plugin in ALL:
        found = measure(plugin, case_of(run)).overall
        assert found is not None
        assert found.state in {"scored", "not_applicable"}
        assert_holds(found, run)
