"""Ordinary and unusual cases for the conformance tests of criteria."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.eval_set import ConversationScenario, EvalCase, SessionInput
from adjudge.model.invocation import Invocation, Rubric
from adjudge.model.items import Claim, Content, ErrorItem, Observation, Opaque, Text, ToolCall, ToolResult
from adjudge.model.step import Step, Usage
from adjudge.model.trajectory import Trajectory, numbered

_TEXTS = (
    "Your order 7 ships tomorrow.",
    "明日、荷物が届きます。",
    "Ça coûte 12,50 €; vielen Dank! 👩🏽‍💻",
    "   ",
    "ع\u202eabc\u0000",
)
_RUBRIC = Rubric(rubric_id="polite", text="The answer is polite.")


def criterion_cases(*, simulated: bool) -> Iterator[CaseUnderTest]:
    """Yield ordinary and unusual cases; if ``simulated``, also a conversation with a simulated user."""
    yield _case("one_turn", [_turn("hi", "hello", "search")])
    yield _case("many_turns", [_turn(f"question {n}", f"answer {n}", f"tool_{n % 3}") for n in range(25)])
    yield _case("unicode", [_turn(text, text, text.strip() or "tool") for text in _TEXTS])
    yield _case("no_reference", [_turn("hi", "hello")], expected=[Invocation(user_content=_said("hi"))])
    yield _case(
        "blank_reference",
        [_turn("hi", "hello", "search")],
        expected=[Invocation(user_content=_said("hi"), final_response=_said(" \n"))],
    )
    yield _case(
        "no_answer", [Invocation(user_content=_said("hi"))], expected=[_turn("hi", "hello", "search")]
    )
    yield _case("no_turns", [])
    yield _case("a_thousand_steps", [_long_turn(1000)])
    yield _case("every_item", [_turn_of_every_item()])
    if simulated:
        scenario = ConversationScenario(starting_prompt="hi", conversation_plan="Ask for the order.")
        yield CaseUnderTest(
            case=EvalCase(eval_id="simulated", conversation_scenario=scenario, rubrics=(_RUBRIC,)),
            actual=_trajectory("simulated", [_turn("hi", "hello", "search"), _turn("and?", "done")]),
        )


def _case(
    eval_id: str, actual: list[Invocation], *, expected: list[Invocation] | None = None
) -> CaseUnderTest:
    case = EvalCase(
        eval_id=eval_id,
        conversation=tuple(actual if expected is None else expected),
        session_input=SessionInput(app_name="app", user_id="user", state={"cart": []}),
        final_session_state={"cart": ["book"]},
        rubrics=(_RUBRIC,),
    )
    return CaseUnderTest(case=case, actual=_trajectory(eval_id, actual))


def _trajectory(eval_id: str, turns: list[Invocation]) -> Trajectory:
    return Trajectory(
        invocations=numbered(turns),
        eval_id=eval_id,
        agent="agent",
        final_session_state={"cart": ["book"], "seen": 2},
        duration=1.5,
    )


def _said(text: str) -> Content:
    return Content.of_text(text, role="user")


def _turn(question: str, answer: str, tool: str | None = None) -> Invocation:
    steps: tuple[Step, ...] = ()
    if tool is not None:
        call = ToolCall(
            name=tool, args={"query": question, "limit": 3, "nested": {"a": [1, None, 2.5]}}, id="c1"
        )
        result = ToolResult(name=tool, value={"found": [question]}, call_id="c1")
        usage = Usage(input_tokens=10, output_tokens=5, total_tokens=15)
        steps = (
            Step(number=1, items=(Claim(text="I should look."), call), author="agent", usage=usage),
            Step(number=2, items=(result,), author="agent"),
            Step(
                number=3,
                items=(Text(text="Looking into it."),),
                author="helper",
                form="intermediate_response",
            ),
        )
    return Invocation(
        invocation_id="i",
        user_content=_said(question),
        steps=steps,
        final_response=_said(answer),
        duration=0.5,
    )


def _long_turn(steps: int) -> Invocation:
    return Invocation(
        user_content=_said("go"),
        steps=tuple(
            Step(number=n + 1, items=(ToolCall(name=f"tool_{n % 7}", args={"n": n}),)) for n in range(steps)
        ),
        final_response=_said("word " * 1000),
    )


def _turn_of_every_item() -> Invocation:
    items = (
        Claim(field="next_goal", text="finish"),
        Observation(text="a page", source="browser"),
        ErrorItem(message="timeout", code="504"),
        Opaque(name="executable_code", value={"code": "1"}),
        ToolCall(name="broken", args=None, raw_args="{not json"),
        ToolResult(name=None, value=None),
    )
    return Invocation(
        user_content=_said("hi"), steps=(Step(number=1, items=items),), final_response=_said("done")
    )
