"""``llm_backed`` and ``static`` with a model that is a program."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.extension.configuration import validated_config
from adjudge.model import (
    Blob,
    Content,
    ConversationScenario,
    EvalCase,
    Invocation,
    JudgeReply,
    SimulatedConversation,
    Step,
    Text,
    ToolCall,
    UserTurn,
)
from adjudge.testing import FakeHost, FakeJudge, manager
from adjudge_plugins.simulators import llm_backed_simulator as llm_backed
from adjudge_plugins.simulators import static_simulator as static

SCENARIO = ConversationScenario(starting_prompt="Hi", conversation_plan="Ask {{stop_signal}} for light.")


def turn(said: str, answer: str | None = "Yes?") -> Invocation:
    return Invocation(
        user_content=Content.of_text(said, role="user"),
        steps=(Step(number=1, items=(ToolCall(name="look", args={"a": 1}), Text(text="One moment."))),),
        final_response=None if answer is None else Content.of_text(answer),
    )


def simulator(module: Any, judge: FakeJudge, **options: Any) -> Any:
    [registered] = manager(module).user_simulators
    config = validated_config(registered.spec.config, options)
    return registered.spec.factory(config, FakeHost(Path.cwd(), judge=judge))


def said(module: Any, judge: FakeJudge, *turns: Invocation, **options: Any) -> UserTurn:
    conversation = SimulatedConversation(
        case=EvalCase(eval_id="light", conversation_scenario=SCENARIO), invocations=turns
    )
    return asyncio.run(simulator(module, judge, **options).next_message(conversation))


def answering(*texts: Any) -> FakeJudge:
    return FakeJudge([text if isinstance(text, str | JudgeReply) else json.dumps(text) for text in texts])


def test_it_begins_with_the_starting_prompt_and_asks_nobody() -> None:
    judge = answering()
    assert said(llm_backed, judge).content == Content.of_text("Hi", role="user")
    assert not judge.requests


def test_a_plan_is_no_template() -> None:
    judge = answering({"thought": "t", "message": "Light!"})
    said(llm_backed, judge, turn("Hi"))
    assert "Ask {{stop_signal}} for light." in judge.requests[0].messages[0].text


@pytest.mark.parametrize("message", ["</finished>", "Bye </FINISHED>", "x</Finished>y"])
def test_the_stop_signal_anywhere_ends_it(message: str) -> None:
    ended = said(llm_backed, answering({"thought": "done", "message": message}), turn("Hi"))
    assert (ended.stop, ended.note, ended.content) == ("stop_signal", "done", None)


def test_a_long_answer_is_shown_in_part() -> None:
    judge = answering({"thought": "t", "message": "Light!"})
    said(llm_backed, judge, turn("Hi", "word " * 2_000_000))
    assert len(judge.requests[0].messages[1].text) < 40_000


def test_an_answer_that_the_provider_withholds_is_a_fault() -> None:
    reply = JudgeReply(text="", finish_reason="safety")
    found = said(llm_backed, answering(reply), turn("Hi"))
    assert found.fault is not None
    assert found.fault.code == "judge_unreadable"
    assert "the provider blocked the answer" in found.fault.message


@given(
    st.one_of(
        st.text(),
        st.recursive(
            st.text() | st.none() | st.integers(),
            lambda x: st.lists(x) | st.dictionaries(st.sampled_from(["message", "thought", "x"]), x),
        ).map(json.dumps),
    )
)
def test_no_reply_of_a_model_breaks_it(reply: str) -> None:
    """Whatever a model writes is a message, an end or a fault."""
    found = said(llm_backed, FakeJudge([reply, reply]), turn("Hi"))
    assert UserTurn.model_validate_json(found.model_dump_json()) == found
    assert found.fault is None or found.fault.code == "judge_unreadable"


@given(st.text(), st.text())
def test_no_word_of_an_agent_or_a_plan_breaks_it(answer: str, plan: str) -> None:
    """Nor does what it is shown; and nothing of the agent gets among the instructions."""
    judge = answering({"thought": "t", "message": "Light!"})
    marked = f"a1b2c3d4 {answer}"
    scenario = ConversationScenario(starting_prompt="Hi", conversation_plan=plan)
    conversation = SimulatedConversation(
        case=EvalCase(eval_id="light", conversation_scenario=scenario), invocations=(turn("Hi", marked),)
    )
    found = asyncio.run(simulator(llm_backed, judge).next_message(conversation))
    assert found.content is not None
    assert "a1b2c3d4" not in judge.requests[0].messages[0].text
    assert "a1b2c3d4" in judge.requests[0].messages[1].text


def test_static_says_the_words_of_its_options_then_no_more() -> None:
    options = {"messages": ["Light!", "More light!"]}
    turns = [turn("Hi"), turn("Light!"), turn("More light!")]
    heard = [said(static, answering(), *turns[:at], **options) for at in range(4)]
    assert [item.content and item.content.text for item in heard] == ["Hi", "Light!", "More light!", None]
    assert heard[-1].stop == "no_more_messages"


def test_static_says_what_the_user_of_a_conversation_says() -> None:
    picture = Invocation(user_content=Content(items=(Blob(mime_type="image/png", data="AA=="),)))
    case = EvalCase(eval_id="light", conversation=(turn("Hello"), picture))
    playing = simulator(static, answering(), messages=["never"])
    heard = [
        asyncio.run(playing.next_message(SimulatedConversation(case=case, invocations=(turn("x"),) * at)))
        for at in range(3)
    ]
    assert [item.content for item in heard] == [turn("Hello").user_content, picture.user_content, None]
