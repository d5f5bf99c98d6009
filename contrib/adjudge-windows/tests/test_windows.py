"""Windows of runs: where they begin, what they say, and how they keep a budget."""

import asyncio
from pathlib import Path

import adjudge_windows

from adjudge.kit import digests
from adjudge.model import Content, ErrorItem, Invocation, Observation, Step, ToolCall, ToolResult
from adjudge.plugin import (
    AggregatedSteps,
    AggregationContext,
    Trajectory,
)
from adjudge.testing import FakeHost, manager


def step(number: int, tool: str, page: str | None = None, *came: ToolResult | ErrorItem) -> Step:
    seen = () if page is None else (Observation(text=page, source="url"),)
    return Step(number=number, items=(*seen, ToolCall(name=tool), *came))


def aggregate(name: str, *steps: Step, token_budget: int | None = None) -> AggregatedSteps:
    spec = manager(adjudge_windows).granularity_strategies.resolve(name).spec
    strategy = spec.factory(spec.config(), FakeHost(Path()))
    run = Trajectory(invocations=(Invocation(user_content=Content.of_text("go"), steps=steps),))
    context = AggregationContext(criterion_name="any", clusters=list, token_budget=token_budget)
    return asyncio.run(strategy.aggregate(run, context))


SHOPPING = (
    step(2, "click", "https://www.shop.example/milk?page=1"),
    step(3, "scroll", "https://www.shop.example/milk?page=2"),
    step(4, "click", None, ToolResult(value="3 kinds\nof milk")),
    step(5, "pay", "https://shop.example/cart", ErrorItem(message="card declined")),
    step(6, "click", "https://shop.example/milk"),
)


def test_a_page_is_a_window_whatever_its_query() -> None:
    found = aggregate("page_windows", *SHOPPING)

    assert found.aggregated_content.splitlines() == [
        "Window 1 (Steps 2-4, shop.example/milk): click x2, scroll; ends with: 3 kinds of milk",
        "Window 2 (Steps 5-5, shop.example/cart): pay; error at step 5: card declined",
        "Window 3 (Steps 6-6, shop.example/milk): click",
    ]
    assert found.step_mapping == {"Window 1": (2, 3, 4), "Window 2": (5,), "Window 3": (6,)}


def test_a_kind_of_tool_is_a_window() -> None:
    found = aggregate(
        "tool_windows",
        Step(number=1),
        step(2, "search_google"),
        step(3, "find_text"),
        Step(number=4),
        step(5, "write_file"),
    )

    assert found.aggregated_content.splitlines() == [
        "Window 1 (Steps 1-1, no tool): no calls",
        "Window 2 (Steps 2-4, search): search_google, find_text",
        "Window 3 (Steps 5-5, change): write_file",
    ]


def test_neighbours_become_one_where_there_is_no_room() -> None:
    steps = [step(number, "click", f"https://shop.example/{number}") for number in range(1, 201)]

    found = aggregate("page_windows", *steps, token_budget=300)

    assert digests.tokens_of(found.aggregated_content) <= 300
    assert [number for numbers in found.step_mapping.values() for number in numbers] == list(range(1, 201))
    assert len(found.step_mapping) > 3
    assert "shop.example/1, shop.example/2 and" in found.aggregated_content
