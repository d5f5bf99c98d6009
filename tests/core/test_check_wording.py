"""What the words of a check say of the parts of a run that decide it."""

from __future__ import annotations

import pytest

from adjudge_plugins.ai_judge.check_classification import reducer_of, says_no


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
        ("No tool is ever called without arguments.", "all"),
        ("The agent hardly ever waits.", "all"),
        ("Nothing is deleted in the end.", "all"),
        ("Every item is in the cart.", "all"),
        ("没有删除任何文件。", "all"),
    ],
)
def test_the_words_say_which_parts_of_a_run_decide(statement: str, reducer: str) -> None:
    assert reducer_of(statement, "outcome") == reducer


def test_a_process_is_to_hold_in_every_part() -> None:
    assert reducer_of("Once it is logged in, the agent explores.", "process") == "all"
    assert reducer_of("At least once the agent plans.", "process") == "any"


def test_a_statement_forbids_where_its_main_clause_says_no() -> None:
    assert says_no("The agent never deletes a file.")
    assert says_no("If there is time, the agent does not hurry.")
    assert not says_no("If there is no milk, the agent buys oat milk.")
    assert not says_no("The agent knows notable nodes.")
