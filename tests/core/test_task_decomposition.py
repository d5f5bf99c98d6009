"""Sub-tasks: where they begin, how many there are, what they are called, and who says so."""

from __future__ import annotations

import asyncio
import gc
import gzip
import json
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.model import (
    Claim,
    Content,
    ErrorItem,
    Exhibit,
    Invocation,
    Item,
    Observation,
    Prompt,
    Step,
    TaskDecomposition,
    Text,
    ToolCall,
)
from adjudge.plugin import (
    Trajectory,
)
from adjudge_plugins.ai_judge.decomposer import TaskDecomposerService
from adjudge_plugins.ai_judge.partition import most_clusters


def page(address: str) -> Item:
    return Observation(text=address, source="url")


def goal(text: str) -> Item:
    return Claim(field="next_goal", text=text)


def trajectory(
    *steps: Sequence[Item], first: int = 1, extra: Mapping[int, dict[str, object]] | None = None
) -> Trajectory:
    made = tuple(
        Step(number=number, items=tuple(items), extra=(extra or {}).get(number))
        for number, items in enumerate(steps, start=first)
    )
    return Trajectory(invocations=(Invocation(user_content=Content.of_text("go"), steps=made),))


def decompose(run: Trajectory, *args: object, **options: object) -> TaskDecomposition:
    return asyncio.run(TaskDecomposerService(*args, **options).decompose(run))  # type: ignore[arg-type]


def groups(run: Trajectory) -> list[tuple[int, ...]]:
    return [cluster.steps for cluster in decompose(run).clusters]


def test_the_shop_of_the_seed_has_two_sub_tasks() -> None:
    run = trajectory(
        [goal("open the shop"), ToolCall(name="go_to_url"), page("https://amazon.com/")],
        [goal("search for milk in the shop"), ToolCall(name="input_text"), page("https://amazon.com/")],
        [goal("search the shop for milk"), ToolCall(name="click"), page("https://amazon.com/")],
        [goal("compare the prices"), ToolCall(name="extract_content"), page("https://amazon.com/s/milk")],
        [goal("compare the prices again"), ToolCall(name="extract_content"), page("https://amazon.com/s/milk")],
        [goal("compare the last prices"), ToolCall(name="extract_content"), page("https://amazon.com/s/milk")],
    )  # fmt: skip

    found = decompose(run)

    assert [cluster.steps for cluster in found.clusters][-1] == (4, 5, 6)
    assert found.clusters[-1].name == "compare the prices"
    assert found.clusters[-1].boundary is not None
    assert found.clusters[0].boundary is None
    assert found.named_by == "code"


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ([page("https://a.example/x")], [page("https://b.example/x")], "site changed"),
        ([page("https://a.example/x")], [page("https://a.example/y")], "page changed"),
        ([goal("find the cheapest milk")], [goal("pay with the saved card")], "goal changed"),
        ([goal("寻找最便宜的牛奶")], [goal("用卡付款")], "goal changed"),
        ([ToolCall(name="search_web")], [ToolCall(name="write_file")], "tools changed"),
        (
            [ToolCall(name="click")],
            [ToolCall(name="click", args={"index": 2}), ErrorItem(message="no")],
            "errors began",
        ),
        ([ErrorItem(message="no")], [Text(text="fine")], "errors ended"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_changes_in_the_log_begins_a_sub_task(
    before: list[Item], after: list[Item], reason: str
) -> None:
    found = decompose(trajectory(before, before, before, after, after, after, first=2))

    assert [(cluster.steps, cluster.boundary) for cluster in found.clusters] == [
        ((2, 3, 4), None),
        ((5, 6, 7), reason),
    ]


@pytest.mark.parametrize(
    ("key", "reason"), [("current_plan_item", "plan changed"), ("tab_id", "tab changed")]
)
def test_plans_and_tabs_that_a_format_keeps_beside_its_items_count(key: str, reason: str) -> None:
    extra = {number: {key: 0 if number < 3 else 1} for number in range(1, 5)}
    found = decompose(trajectory([], [], [], [], extra=extra))

    assert [(cluster.steps, cluster.boundary) for cluster in found.clusters] == [
        ((1, 2), None),
        ((3, 4), reason),
    ]


def test_a_message_of_the_user_and_another_agent_begin_sub_tasks() -> None:
    def steps(first: int, author: str) -> tuple[Step, ...]:
        return tuple(Step(number=number, author=author) for number in range(first, first + 3))

    turns = (
        Invocation(user_content=Content.of_text("a"), steps=steps(1, "clerk")),
        Invocation(user_content=Content.of_text("b"), steps=(*steps(4, "clerk"), *steps(7, "cook"))),
    )

    found = decompose(Trajectory(invocations=turns))

    assert [(cluster.steps[0], cluster.boundary) for cluster in found.clusters] == [
        (1, None),
        (4, "user spoke"),
        (7, "agent changed"),
    ]


def test_one_failed_step_is_no_sub_task_of_its_own() -> None:
    steps: list[list[Item]] = [[ToolCall(name="click")] for _ in range(9)]
    steps[4].append(ErrorItem(message="timeout"))

    assert groups(trajectory(*steps)) == [tuple(range(1, 10))]


def test_one_call_of_another_kind_is_no_sub_task_of_its_own() -> None:
    steps: list[list[Item]] = [[ToolCall(name="click")] for _ in range(9)]
    steps[4] = [ToolCall(name="scroll")]
    steps[8] = [ToolCall(name="done")]

    assert groups(trajectory(*steps)) == [tuple(range(1, 10))]


def test_a_run_in_which_nothing_changes_is_one_sub_task() -> None:
    assert len(groups(trajectory(*([[ToolCall(name="click")]] * 500)))) == 1
    assert groups(trajectory([])) == [(1,)]
    assert groups(trajectory()) == []


ANY_ITEMS = st.lists(
    st.one_of(
        st.builds(goal, st.sampled_from(["find milk", "pay by card", "寻找牛奶", ""])),
        st.builds(page, st.sampled_from(["https://a.example/1", "https://b.example/", "about:blank", "["])),
        st.builds(ToolCall, name=st.sampled_from(["click", "search", "done"])),
        st.builds(ErrorItem, message=st.text(max_size=5)),
    ),
    max_size=4,
)


@given(steps=st.lists(ANY_ITEMS, max_size=80))
def test_every_step_is_in_one_cluster_in_order_and_the_budget_is_kept(steps: list[list[Item]]) -> None:
    run = trajectory(*steps, first=3)
    found = decompose(run)

    assert [number for cluster in found.clusters for number in cluster.steps] == [s.number for s in run.steps]
    assert all(cluster.steps and cluster.name for cluster in found.clusters)
    assert len(found.clusters) <= most_clusters(len(steps))


@pytest.mark.parametrize(("steps", "clusters"), [(1, 1), (6, 3), (30, 6), (300, 18), (3000, 55)])
def test_the_budget_grows_with_the_root_of_the_length(steps: int, clusters: int) -> None:
    assert most_clusters(steps) == clusters


def test_a_run_is_divided_once_and_forgotten_with_it() -> None:
    class Counting:
        calls = 0

        async def write(
            self, prompt: Prompt, exhibits: Sequence[Exhibit], fields: Mapping[str, str]
        ) -> Mapping[str, str]:
            self.calls += 1
            await asyncio.sleep(0)
            return dict.fromkeys(fields, "named")

    writer = Counting()
    service = TaskDecomposerService(writer)
    run = trajectory([goal("a")], [goal("b")])

    async def twice() -> list[TaskDecomposition]:
        return list(await asyncio.gather(service.decompose(run), service.decompose(run)))

    first, second = asyncio.run(twice())
    assert first is second
    assert writer.calls == 1


def test_a_run_is_forgotten_with_its_last_reader() -> None:
    service = TaskDecomposerService()
    run = trajectory([goal("a")], [goal("b")])
    asyncio.run(service.decompose(run))

    gone = weakref.ref(run)
    del run
    gc.collect()
    assert gone() is None


# --- with a writer ----------------------------------------------------------------------


class Writer:
    """Answers by the names of the fields that it is asked for."""

    def __init__(self, **answers: str) -> None:
        self.answers = answers
        self.asked: list[tuple[str, dict[str, str]]] = []

    async def write(
        self, prompt: Prompt, exhibits: Sequence[Exhibit], fields: Mapping[str, str]
    ) -> Mapping[str, str] | None:
        self.asked.append((prompt.name, {exhibit.name: exhibit.text for exhibit in exhibits}))
        if not fields.keys() <= self.answers.keys():
            return None
        return {name: self.answers[name] for name in fields}


def two_sites() -> Trajectory:
    return trajectory(*[[page(f"https://{site}.example/")] for site in "aaabbb"], first=2)


def test_a_writer_names_what_the_code_found() -> None:
    writer = Writer(part_1="Search for\nmilk", part_2="Compare prices")

    found = decompose(two_sites(), writer)

    assert [cluster.name for cluster in found.clusters] == ["Search for milk", "Compare prices"]
    assert [cluster.steps for cluster in found.clusters] == [(2, 3, 4), (5, 6, 7)]
    assert found.named_by == "judge"
    assert writer.asked[0][1]["part_2"].startswith("Step 5: ")


def test_a_writer_that_gives_nothing_leaves_the_names_of_the_code() -> None:
    assert decompose(two_sites(), Writer(part_1="one alone")).named_by == "code"


def test_a_writer_may_correct_where_sub_tasks_begin() -> None:
    writer = Writer(beginnings="2, 4", part_1="Search", part_2="Compare")

    found = decompose(two_sites(), writer, corrections=True)

    assert [(cluster.steps, cluster.boundary) for cluster in found.clusters] == [
        ((2, 3), None),
        ((4, 5, 6, 7), "judge's correction"),
    ]


@pytest.mark.parametrize("answer", ["", "none", "3, 5", "2, 99", "2, 6, 4", "2, 3, 4, 5", "2, 2"])
def test_a_correction_that_is_no_division_is_not_taken(answer: str) -> None:
    found = decompose(two_sites(), Writer(beginnings=answer), corrections=True)

    assert [cluster.steps for cluster in found.clusters] == [(2, 3, 4), (5, 6, 7)]


# --- on real runs -----------------------------------------------------------------------


def joined(runs: Sequence[Sequence[dict[str, str]]]) -> tuple[Trajectory, list[int]]:
    """Runs one after the other as one, and the numbers of the steps at which all but the first begin."""
    starts: list[int] = []
    steps: list[list[Item]] = []
    for run in runs:
        starts.append(len(steps) + 1)
        steps += [
            [
                Claim(text=step["thinking"]),
                ToolCall(name=step["action"].partition("(")[0], raw_args=step["action"]),
            ]
            for step in run
        ]
    return trajectory(*steps), starts[1:]


def test_real_runs_that_were_joined_come_apart_where_they_were_joined(shared_data: Path) -> None:
    with gzip.open(shared_data / "web_agent_runs" / "runs.jsonl.gz", "rt", encoding="utf-8") as lines:
        logged = [json.loads(line)["steps"] for line in lines]
    runs = [[step for step in run if step["action"] and step["thinking"]] for run in logged]
    runs = [run for run in runs if len(run) >= 4]
    found = by_lengths = joints = 0
    for first in range(0, len(runs) - 7, 8):
        run, true = joined(runs[first : first + 8])
        starts = [group[0] for group in groups(run)][1:]
        share = len(run.steps) / (len(starts) + 1)
        equal = [round(share * place) + 1 for place in range(1, len(starts) + 1)]
        joints += len(true)
        found += sum(any(abs(joint - start) <= 1 for start in starts) for joint in true)
        by_lengths += sum(any(abs(joint - start) <= 1 for start in equal) for joint in true)

    assert joints > 100
    assert found / joints > 0.75
    assert by_lengths / joints < 0.4, "as many parts of equal lengths find them too: the test says nothing"


def test_no_sub_task_begins_between_two_identical_actions(shared_data: Path) -> None:
    """And those of one run differ in name."""
    with gzip.open(shared_data / "web_agent_runs" / "runs.jsonl.gz", "rt", encoding="utf-8") as lines:
        logged = [json.loads(line)["steps"] for line in lines]
    begun = 0
    for steps in logged:
        run, _ = joined([[step for step in steps if step["action"] and step["thinking"]]])
        found = decompose(run).clusters
        actions = {step.number: [call.raw_args for call in step.calls] for step in run.steps}
        for cluster in found[1:]:
            begun += 1
            assert actions[cluster.steps[0]] != actions[cluster.steps[0] - 1]
        names = [cluster.name for cluster in found]
        assert len(set(names)) == len(names)
    assert begun > 300
