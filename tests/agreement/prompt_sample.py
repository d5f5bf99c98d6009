"""Small cases with a label, for trying the prompts of the judged criteria: pairs of a good one and a bad one.

Written by hand, short, in English, and about nothing that needs an expert. The four criteria of ``docs/examples/judge_labels``
take rows from there; the others have their own here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from adjudge import CaseToScore
from adjudge.kit.adk import invocation_from_adk
from adjudge.model import ConversationScenario, EvalCase, Invocation, Simulation
from adjudge.plugin import CaseUnderTest, Trajectory

LABELLED = Path(__file__).parents[2] / "docs" / "examples" / "judge_labels"
_OF_THE_EXAMPLES = ("reference_match", "rubric", "groundedness", "safety")
_CHOSEN = ("easy-1", "hard-1", "hard-2")
_AT_ZERO = {"judge_model_options": {"judge_model_config": {"temperature": 0}}}

Label = Literal["PASS", "FAIL"]
Call = tuple[str, dict[str, object], object]
"""A tool, its arguments and what it gave back."""


@dataclass(frozen=True)
class LabelledCase:
    """What an agent or a simulated user did, and what a criterion should find."""

    case_id: str
    criterion: str
    case: CaseUnderTest
    label: Label
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    statements: Mapping[str, bool] = field(default_factory=dict[str, bool])
    """Of a criterion with several statements: those that certainly hold, or certainly do not."""

    def to_score(self) -> CaseToScore:
        return CaseToScore(case=self.case, criterion=self.criterion, options={**self.options, **_AT_ZERO})


def labelled_cases() -> list[LabelledCase]:
    """The whole sample, always in the same order."""
    return [*_examples(), *_tool_rubrics(), *_conversations(), *_checklists(), *_writing(), *_users()]


def turn(user: str, *calls: Call, says: str | None, told: str = "") -> Invocation:
    """One turn: the user's words, the calls of the agent with their responses, its answer, and its instructions."""
    uses = [
        {"id": f"c{at}", "name": name, "args": arguments} for at, (name, arguments, _) in enumerate(calls)
    ]
    responses = [
        {
            "id": f"c{at}",
            "name": name,
            "response": response if isinstance(response, dict) else {"result": response},
        }
        for at, (name, _, response) in enumerate(calls)
    ]
    data: dict[str, Any] = {
        "user_content": {"role": "user", "parts": [{"text": user}]},
        "intermediate_data": {"tool_uses": uses, "tool_responses": responses, "intermediate_responses": []},
    }
    if says is not None:
        data["final_response"] = {"role": "model", "parts": [{"text": says}]}
    if told:
        data["app_details"] = {
            "agent_details": {"agent": {"name": "agent", "instructions": told, "tool_declarations": []}}
        }
    return invocation_from_adk(data)


def conversation(name: str, *turns: Invocation) -> CaseUnderTest:
    """What an agent did in a case that expects nothing."""
    asked = tuple(Invocation(user_content=each.user_content) for each in turns)
    return CaseUnderTest(
        case=EvalCase(eval_id=name, conversation=asked), actual=Trajectory(eval_id=name, invocations=turns)
    )


def _examples() -> Iterator[LabelledCase]:
    for name in _OF_THE_EXAMPLES:
        for line in (LABELLED / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["id"].rpartition("-")[0] not in [f"{name}-en-{chosen}" for chosen in _CHOSEN]:
                continue
            case = CaseUnderTest(
                case=EvalCase(eval_id=row["id"], conversation=(invocation_from_adk(row["expected"]),)),
                actual=Trajectory(eval_id=row["id"], invocations=(invocation_from_adk(row["actual"]),)),
            )
            yield LabelledCase(row["id"], row["criterion"], case, row["label"], row["options"])


def _rubric(text: str) -> dict[str, Any]:
    return {"rubrics": [{"rubric_id": "r1", "rubric_content": {"text_property": text}}]}


def _tool_rubrics() -> Iterator[LabelledCase]:
    """One property of the tool calls of one turn."""
    geocode: Call = ("geocode", {"city": "Oslo"}, {"lat": 59.91, "lon": 10.75})
    weather: Call = ("get_weather", {"lat": 59.91, "lon": 10.75}, {"sky": "rain", "celsius": 6})
    elsewhere: Call = ("get_weather", {"lat": 59.91, "lon": 10.57}, {"sky": "rain", "celsius": 5})
    cancel: Call = ("cancel_order", {"order": 7}, {"status": "cancelled"})
    asks, rain = "What is the weather in Oslo?", "It rains in Oslo."
    order, done = "Cancel order 7.", "Order 7 is cancelled."
    rows: tuple[tuple[str, Label, str, Invocation], ...] = (
        (
            "tools-order",
            "PASS",
            "The agent calls geocode before it calls get_weather.",
            turn(asks, geocode, weather, says=rain),
        ),
        (
            "tools-order",
            "FAIL",
            "The agent calls geocode before it calls get_weather.",
            turn(asks, weather, geocode, says=rain),
        ),
        (
            "tools-values",
            "PASS",
            "get_weather is called with the coordinates that geocode gave back.",
            turn(asks, geocode, weather, says=rain),
        ),
        (
            "tools-values",
            "FAIL",
            "get_weather is called with the coordinates that geocode gave back.",
            turn(asks, geocode, elsewhere, says=rain),
        ),
        ("tools-once", "PASS", "The agent calls cancel_order exactly once.", turn(order, cancel, says=done)),
        (
            "tools-once",
            "FAIL",
            "The agent calls cancel_order exactly once.",
            turn(order, says="I have called cancel_order: order 7 is cancelled."),
        ),
    )
    for name, label, text, said in rows:
        case_id = f"{name}-{label.lower()}"
        yield LabelledCase(
            case_id, "rubric_based_tool_use_quality_v1", conversation(case_id, said), label, _rubric(text)
        )


_CANCELS: Call = ("cancel_order", {"order": 7}, {"status": "cancelled"})
_LOOKS: Call = ("find_order", {"order": 7}, {"status": "not sent yet", "item": "lamp"})


def _conversations() -> Iterator[LabelledCase]:
    """One property of a conversation of several turns."""
    first = turn("I do not want order 7 any more.", says="Shall I cancel order 7?")
    rows: tuple[tuple[str, Label, str, tuple[Invocation, ...]], ...] = (
        (
            "talk-confirm",
            "PASS",
            "The agent asks the user to confirm before it cancels anything.",
            (first, turn("Yes, please.", _CANCELS, says="Order 7 is cancelled.")),
        ),
        (
            "talk-confirm",
            "FAIL",
            "The agent asks the user to confirm before it cancels anything.",
            (
                turn("Where is order 7?", _CANCELS, says="It was not sent yet, so I cancelled it."),
                turn("Oh. Fine.", says="You are welcome."),
            ),
        ),
        (
            "talk-budget",
            "PASS",
            "The agent keeps to the budget that the user named.",
            (
                turn("I have 100 euros for a hotel in Rome.", says="For which night?"),
                turn(
                    "3 May.",
                    ("book_hotel", {"name": "Alba", "night": "3 May"}, {"booked": True, "euros": 95}),
                    says="Alba is booked for 95 euros.",
                ),
            ),
        ),
        (
            "talk-budget",
            "FAIL",
            "The agent keeps to the budget that the user named.",
            (
                turn("I have 100 euros for a hotel in Rome.", says="For which night?"),
                turn(
                    "3 May.",
                    ("book_hotel", {"name": "Alba", "night": "3 May"}, {"booked": True, "euros": 130}),
                    says="Alba is booked for 130 euros.",
                ),
            ),
        ),
        (
            "talk-look",
            "PASS",
            "The agent looks an order up with find_order before it says anything about it.",
            (
                turn("Hello!", says="Hello! How can I help?"),
                turn("What is in order 7?", _LOOKS, says="A lamp."),
            ),
        ),
        (
            "talk-look",
            "FAIL",
            "The agent looks an order up with find_order before it says anything about it.",
            (
                turn("What is in order 7?", says="Order 7 is a lamp."),
                turn("Are you sure?", _LOOKS, says="Yes: a lamp."),
            ),
        ),
    )
    for name, label, text, turns in rows:
        case_id = f"{name}-{label.lower()}"
        yield LabelledCase(
            case_id,
            "rubric_based_multi_turn_trajectory_quality_v1",
            conversation(case_id, *turns),
            label,
            _rubric(text),
        )


def _checklists() -> Iterator[LabelledCase]:
    """The fixed statements about a whole conversation."""
    asked = turn("Where is order 7?", _LOOKS, says="Order 7, a lamp, was not sent yet.")
    cancelled = turn("Then cancel it, please.", _CANCELS, says="Order 7 is cancelled.")
    claimed = turn("Then cancel it, please.", says="Order 7 is cancelled.")
    window: Call = ("book_seat", {"seat": "12A", "kind": "window"}, {"booked": "12A"})
    aisle: Call = ("book_seat", {"seat": "12C", "kind": "aisle"}, {"booked": "12C"})
    seat = "Book me a window seat on flight 12."
    reached = {"goals_reached": True, "as_asked": True, "shown": True}
    task = "multi_turn_task_success_v1"
    yield LabelledCase(
        "success-cancel-pass",
        task,
        conversation("success-cancel-pass", asked, cancelled),
        "PASS",
        statements=reached,
    )
    yield LabelledCase(
        "success-cancel-fail",
        task,
        conversation("success-cancel-fail", asked, claimed),
        "FAIL",
        statements={"goals_reached": False, "shown": False},
    )
    yield LabelledCase(
        "success-seat-pass",
        task,
        conversation("success-seat-pass", turn(seat, window, says="Window seat 12A is booked.")),
        "PASS",
        statements=reached,
    )
    yield LabelledCase(
        "success-seat-fail",
        task,
        conversation("success-seat-fail", turn(seat, aisle, says="Seat 12C is booked.")),
        "FAIL",
        statements={"goals_reached": False, "as_asked": False},
    )

    way = "multi_turn_trajectory_quality_v1"
    refused: Call = ("find_order", {"order": 17}, {"error": "there is no order 17"})
    yield LabelledCase(
        "way-short-pass",
        way,
        conversation("way-short-pass", asked, cancelled),
        "PASS",
        statements={"sensible": True, "efficient": True, "remembers": True, "harmless": True},
    )
    yield LabelledCase(
        "way-short-fail",
        way,
        conversation(
            "way-short-fail",
            turn("Where is order 7?", _LOOKS, _LOOKS, _LOOKS, says="It was not sent yet."),
            turn("Thanks.", _CANCELS, says="You are welcome. I have cancelled it."),
        ),
        "FAIL",
        statements={"efficient": False, "harmless": False},
    )
    yield LabelledCase(
        "way-error-pass",
        way,
        conversation(
            "way-error-pass",
            turn("Where is order 17?", refused, says="There is no order 17. Is the number right?"),
            turn("Sorry, it is order 7.", _LOOKS, says="Order 7 was not sent yet."),
        ),
        "PASS",
        statements={"recovers": True, "harmless": True},
    )
    yield LabelledCase(
        "way-error-fail",
        way,
        conversation(
            "way-error-fail",
            turn("Where is order 17?", refused, says="Order 17 arrives tomorrow."),
            turn("Sorry, I meant order 7.", says="What is the number of your order?"),
        ),
        "FAIL",
        statements={"recovers": False, "remembers": False},
    )

    tools = "multi_turn_tool_use_quality_v1"
    used = {"right_tools": True, "right_arguments": True, "results_used": True}
    other: Call = ("cancel_order", {"order": 70}, {"status": "cancelled"})
    failed: Call = ("cancel_order", {"order": 7}, {"error": "the order was sent already"})
    yield LabelledCase(
        "tools-cancel-pass",
        tools,
        conversation("tools-cancel-pass", asked, cancelled),
        "PASS",
        statements=used,
    )
    yield LabelledCase(
        "tools-cancel-fail",
        tools,
        conversation(
            "tools-cancel-fail", asked, turn("Then cancel it, please.", other, says="It is cancelled.")
        ),
        "FAIL",
        statements={"right_arguments": False},
    )
    yield LabelledCase(
        "tools-error-pass",
        tools,
        conversation(
            "tools-error-pass",
            turn("Cancel order 7.", failed, says="I could not cancel it: it was sent already."),
        ),
        "PASS",
        statements=used,
    )
    yield LabelledCase(
        "tools-error-fail",
        tools,
        conversation("tools-error-fail", turn("Cancel order 7.", failed, says="Order 7 is cancelled.")),
        "FAIL",
        statements={"results_used": False},
    )


def _writing() -> Iterator[LabelledCase]:
    """How coherent an answer is: PASS from grade 4 on."""
    rows: tuple[tuple[str, Label, str, str], ...] = (
        (
            "writing-steps",
            "PASS",
            "How do I boil an egg?",
            "Bring water to the boil. Put the egg in with a spoon. After eight minutes take it out and cool it in cold water.",
        ),
        (
            "writing-steps",
            "FAIL",
            "How do I boil an egg?",
            "After that cool it. Boats need wind. It is therefore eight, so the spoon was first. Eggs, however, because water.",
        ),
        ("writing-answer", "PASS", "Which day is the market?", "The market is on Thursday."),
        (
            "writing-answer",
            "FAIL",
            "Which day is the market?",
            "My cousin sings. Tyres should be changed before winter. Blue is calmer than red.",
        ),
        (
            "writing-contradiction",
            "PASS",
            "Should I take the train or the bus?",
            "Take the train. It is faster than the bus, and the station is closer to you.",
        ),
        (
            "writing-contradiction",
            "FAIL",
            "Should I take the train or the bus?",
            "Take the train, never the train. The bus is faster because it is slower. So the other one is better, which it is not.",
        ),
    )
    for name, label, asked, said in rows:
        case_id = f"{name}-{label.lower()}"
        yield LabelledCase(
            case_id,
            "response_evaluation_score",
            conversation(case_id, turn(asked, says=said)),
            label,
            {"threshold": 4.0},
        )


def _users() -> Iterator[LabelledCase]:
    """A message of a simulated user, or the end of its conversation."""
    where, sent = "Where is order 7?", "Order 7 was not sent yet."
    plan = "Find out where order 7 is. If it was not sent yet, have it cancelled. That is all the user knows."
    rows: tuple[tuple[str, Label, str, tuple[tuple[str, str], ...], str], ...] = (
        (
            "user-next",
            "PASS",
            plan,
            ((where, sent), ("Then please cancel it.", "It is cancelled.")),
            "turn_limit",
        ),
        (
            "user-next",
            "FAIL",
            plan,
            ((where, sent), ("Then book me a flight to Rome.", "I cannot book flights.")),
            "turn_limit",
        ),
        (
            "user-invents",
            "PASS",
            plan,
            (
                (where, "What is the email address of your account?"),
                ("I do not know which address I used.", "Then I cannot look."),
            ),
            "turn_limit",
        ),
        (
            "user-invents",
            "FAIL",
            plan,
            (
                (where, "What is the email address of your account?"),
                ("It is anna.berg@example.com.", "Thanks."),
            ),
            "turn_limit",
        ),
        (
            "user-end",
            "PASS",
            "Find out where order 7 is. Nothing else.",
            ((where, "Order 7 arrives tomorrow."),),
            "stop_signal",
        ),
        ("user-end", "FAIL", plan, ((where, sent),), "stop_signal"),
    )
    for name, label, wanted, turns, ended in rows:
        case_id = f"{name}-{label.lower()}"
        scenario = ConversationScenario(starting_prompt=where, conversation_plan=wanted)
        said = tuple(turn(user, says=answer) for user, answer in turns)
        case = CaseUnderTest(
            case=EvalCase(eval_id=case_id, conversation_scenario=scenario),
            actual=Trajectory(
                eval_id=case_id, invocations=said, simulation=Simulation(simulator="x/y", stop_reason=ended)
            ),
        )
        yield LabelledCase(case_id, "per_turn_user_simulator_quality_v1", case, label, {"threshold": 1.0})
