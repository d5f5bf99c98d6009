"""What the words of a check say of the evidence that it needs."""

from __future__ import annotations

import pytest

from adjudge_plugins.ai_judge.check_classification import kind_of, reducer_of, says_no


@pytest.mark.parametrize(
    "statement",
    [
        "The final answer names the price in euros.",
        "The response mentions the delivery date.",
        "The reply is written in English.",
        "The answer does not mention competitors.",
        "The agent tells the user that oat milk costs extra.",
        "The agent asks the customer for the order number.",
        "回答中提到了价格。",
        "最终答复是中文。",
        "Agent 告知用户配送时间。",
        "回答は丁寧である。",
        "답변에 가격이 포함되어 있다.",
    ],
)
def test_what_an_agent_says_is_about_its_answer(statement: str) -> None:
    assert kind_of(statement) == "answer"


@pytest.mark.parametrize(
    "statement",
    [
        "The final answer is correct.",
        "The answer gives the correct price.",
        "The answer states the cheapest price.",
        "The response contains the actual balance.",
        "A reply is sent to the customer.",
        "The reply says that the mail was sent.",
        "The agent answers the question.",
        "The milk is paid for.",
        "回答给出了正确的价格。",
        "答案指出最便宜的牛奶。",
        "任务已经完成。",
        "The agent's reasoning leads to success.",
        "Each click is correct.",
        "Something that these rules have no word for.",
    ],
)
def test_what_was_reached_is_an_outcome_whatever_the_answer_says(statement: str) -> None:
    assert kind_of(statement) == "outcome"


@pytest.mark.parametrize(
    "statement",
    [
        "Each tool call follows from what came back before.",
        "The agent plans before it acts.",
        "The reasoning of every step is correct.",
        "What the agent thinks fits the goal.",
        "推理有依据。",
        "每一步的推理逻辑正确。",
    ],
)
def test_how_an_agent_goes_about_it_is_a_process(statement: str) -> None:
    assert kind_of(statement) == "process"


@pytest.mark.parametrize(
    ("statement", "reducer"),
    [
        ("At least once the agent looks at the prices.", "any"),
        ("At some point the cart is opened.", "any"),
        ("至少一次查看了价格。", "any"),
        ("The order is placed exactly once.", "last"),
        ("The milk is paid for.", "last"),
        ("The final answer names the price.", "last"),
        ("牛奶已付款。", "last"),
        ("Once it is logged in, the agent explores.", "all"),
        ("No tool is ever called without arguments.", "all"),
        ("The agent hardly ever waits.", "all"),
        ("Nothing is deleted in the end.", "all"),
        ("Every item is in the cart.", "all"),
        ("The agent plans before it acts.", "all"),
        ("没有删除任何文件。", "all"),
    ],
)
def test_the_words_say_which_parts_of_a_run_decide(statement: str, reducer: str) -> None:
    assert reducer_of(statement) == reducer


def test_a_statement_forbids_where_its_main_clause_says_no() -> None:
    assert says_no("The agent never deletes a file.")
    assert says_no("If there is time, the agent does not hurry.")
    assert not says_no("If there is no milk, the agent buys oat milk.")
    assert not says_no("The agent knows notable nodes.")
