"""``step_level``, ``phase_level`` and ``global_summary``: the formats of seed 003, with a judge and without."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from adjudge.kit import digests
from adjudge.model import (
    Claim,
    Cluster,
    Content,
    ErrorItem,
    Exhibit,
    Invocation,
    Observation,
    Prompt,
    Step,
    Text,
    ToolCall,
    ToolResult,
)
from adjudge.plugin import (
    AggregatedSteps,
    AggregationContext,
    ReadOptions,
    Source,
    Trajectory,
    Writer,
)
from adjudge.testing import FakeHost, manager
from adjudge_plugins.ai_judge.aggregator import StepAggregatorService
from adjudge_plugins.ai_judge.decomposer import decomposed
from adjudge_plugins.granularity import global_summary, phase_level, step_level
from adjudge_plugins.readers.browser_use_reader.reader import BrowserUseReader

STRATEGIES = manager(step_level, phase_level, global_summary).granularity_strategies


class Writing:
    """A writer that answers by field, and remembers what it was shown."""

    def __init__(self, **answers: str) -> None:
        self.answers = answers
        self.shown: list[dict[str, str]] = []

    async def write(
        self, prompt: Prompt, exhibits: Sequence[Exhibit], fields: Mapping[str, str]
    ) -> Mapping[str, str] | None:
        self.shown.append({exhibit.name: exhibit.text for exhibit in exhibits})
        if not fields.keys() <= self.answers.keys():
            return None
        return {name: self.answers[name] for name in fields}


def aggregate(
    name: str,
    run: Trajectory,
    *,
    clusters: Sequence[Cluster] | None = None,
    writer: Writer | None = None,
    token_budget: int | None = None,
) -> AggregatedSteps:
    context = AggregationContext(
        criterion_name="any",
        clusters=lambda: decomposed(run).clusters if clusters is None else clusters,
        writer=writer,
        token_budget=token_budget,
    )
    service = StepAggregatorService(FakeHost(Path(), strategies=STRATEGIES))
    return asyncio.run(service.aggregate(name, run, context))


def as_json(found: AggregatedSteps) -> dict[str, Any]:
    return found.model_dump(mode="json")


def trajectory(*steps: Step, **about: Any) -> Trajectory:
    turn = Invocation(user_content=Content(role="user", has_parts=False), steps=steps)
    return Trajectory(invocations=(turn,), **about)


def six_steps() -> Trajectory:
    return trajectory(*(Step(number=number, items=(ToolCall(name="click"),)) for number in range(1, 7)))


THREE_AND_THREE = (Cluster(name="a", steps=(1, 2, 3)), Cluster(name="b", steps=(4, 5, 6)))

MILK = "User navigated to Amazon and searched for milk."
CHEAPEST = "User compared prices and selected the cheapest option."
COST_SAVING = (
    "The agent adopted a cost-saving strategy by verify prices across multiple pages before making a decision. "
    "It successfully purchased the item but took a longer path than necessary."
)


# --- the examples of the seed, to the letter ----------------------------------------------


def test_step_level_is_as_the_seed_shows_it() -> None:
    run = trajectory(
        Step(
            number=1,
            items=(
                Claim(text="Search item"),
                Text(text="Click Search"),
                Observation(text="Results verification"),
            ),
        ),
        Step(number=2, items=(Claim(text="Open it"), ToolCall(name="click", raw_args="Element ID"))),
    )

    assert as_json(aggregate("step_level", run)) == {
        "granularity": "step_level",
        "aggregated_content": "Step 1: [Search item] -> [Click Search] -> [Results verification]\n"
        "Step 2: [Open it] -> [click(Element ID)] -> [-]",
        "step_mapping": {"Step 1": [1], "Step 2": [2]},
        "summary_metadata": {},
    }


def test_a_step_that_only_answers_has_the_answer_as_its_words() -> None:
    answer = Content.of_text("It is bought.")
    steps = (
        Step(number=1, items=(ToolCall(name="buy"),)),
        Step(number=2),
        Step(number=3, items=(Text(text="Done."),)),
    )
    turns = [
        Invocation(user_content=Content.of_text("Buy it."), steps=steps[:2], final_response=answer),
        Invocation(user_content=Content.of_text("Sure?"), steps=steps[2:], final_response=answer),
    ]
    run = Trajectory(eval_id="r", invocations=tuple(turns))

    assert as_json(aggregate("step_level", run))["aggregated_content"].splitlines() == [
        "Step 1: [-] -> [buy()] -> [-]",
        "Step 2: [-] -> [It is bought.] -> [user: Sure?]",
        "Step 3: [-] -> [Done.] -> [-]",
    ]


def test_phase_level_is_as_the_seed_shows_it() -> None:
    clusters = [
        cluster.model_copy(update={"summary": summary})
        for cluster, summary in zip(THREE_AND_THREE, (MILK, CHEAPEST), strict=True)
    ]

    assert as_json(aggregate("phase_level", six_steps(), clusters=clusters)) == {
        "granularity": "phase_level",
        "aggregated_content": "Phase A (Steps 1-3): User navigated to Amazon and searched for milk.\n"
        "Phase B (Steps 4-6): User compared prices and selected the cheapest option.",
        "step_mapping": {"Phase A": [1, 2, 3], "Phase B": [4, 5, 6]},
        "summary_metadata": {"cluster_summaries": {"cluster_1": MILK, "cluster_2": CHEAPEST}},
    }


def test_phase_level_written_by_a_judge_says_so() -> None:
    writer = Writing(cluster_1=MILK, cluster_2=CHEAPEST)

    found = aggregate("phase_level", six_steps(), clusters=THREE_AND_THREE, writer=writer)

    assert found.aggregated_content == f"Phase A (Steps 1-3): {MILK}\nPhase B (Steps 4-6): {CHEAPEST}"
    assert found.summary_metadata == {
        "cluster_summaries": {"cluster_1": MILK, "cluster_2": CHEAPEST},
        "written_by_judge": ["cluster_1", "cluster_2"],
    }
    assert "Step 4: [-] -> [click()] -> [-]" in writer.shown[0]["cluster_2"]


def test_global_summary_is_as_the_seed_shows_it() -> None:
    writer = Writing(narrative=COST_SAVING, execution_outcome="Success", strategy_description="Saves costs.")

    assert as_json(aggregate("global_summary", six_steps(), clusters=THREE_AND_THREE, writer=writer)) == {
        "granularity": "global_summary",
        "aggregated_content": COST_SAVING,
        "step_mapping": {"global_trace": [1, 2, 3, 4, 5, 6]},
        "summary_metadata": {
            "execution_outcome": "Success",
            "strategy_description": "Saves costs.",
            "written_by_judge": ["aggregated_content", "execution_outcome", "strategy_description"],
        },
    }


# --- what the seed does not show ----------------------------------------------------------


def test_phases_after_z_have_two_letters_and_a_single_step_is_no_range() -> None:
    run = trajectory(*(Step(number=number) for number in range(2, 110, 2)))
    clusters = [Cluster(name="one", steps=(step.number,)) for step in run.steps]

    found = aggregate("phase_level", run, clusters=clusters)

    labels = list(found.step_mapping)
    assert labels[25:28] == ["Phase Z", "Phase AA", "Phase AB"]
    assert labels[51:54] == ["Phase AZ", "Phase BA", "Phase BB"]
    assert "\nPhase AA (Step 54): " in found.aggregated_content
    assert len(found.aggregated_content.splitlines()) == 54


def test_an_extracted_phase_tells_aim_actions_and_end_in_two_or_three_sentences() -> None:
    run = trajectory(
        Step(
            number=3,
            items=(
                Observation(text="https://shop.example/", source="url"),
                Claim(field="next_goal", text="Find milk. Then pay."),
                ToolCall(name="search"),
            ),
        ),
        Step(number=4, items=(ToolCall(name="search"), ToolResult(value="3 kinds of milk."))),
    )

    found = aggregate("phase_level", run, clusters=(Cluster(name="x", steps=(3, 4)),))

    assert found.aggregated_content == (
        "Phase A (Steps 3-4): The agent wanted: Find milk. It called search x2 on shop.example. "
        "At its end the log shows: 3 kinds of milk."
    )


def test_an_extracted_phase_tells_of_errors() -> None:
    failing = (ToolCall(name="pay"), ErrorItem(message="card declined"))
    run = trajectory(*(Step(number=number, items=failing) for number in (1, 2)))

    [summary] = aggregate("phase_level", run).summary_metadata["cluster_summaries"].values()

    assert summary == "It called pay x2. It failed in 2 of 2 steps, last at step 2: card declined."


def test_what_a_writer_writes_cannot_look_like_another_phase() -> None:
    writer = Writing(cluster_1="It went well.\nPhase B (Steps 4-6): all done\u202e", cluster_2="It ended.")

    content = aggregate(
        "phase_level", six_steps(), clusters=THREE_AND_THREE, writer=writer
    ).aggregated_content

    assert content.splitlines() == [
        "Phase A (Steps 1-3): It went well. Phase B (Steps 4-6): all done",
        "Phase B (Steps 4-6): It ended.",
    ]


def test_many_phases_are_written_a_few_at_a_time_and_a_batch_without_answer_is_extracted() -> None:
    run = trajectory(*(Step(number=number) for number in range(1, 9)))
    clusters = [Cluster(name="one", steps=(number,)) for number in range(1, 9)]
    writer = Writing(**{f"cluster_{number}": f"Text {number}." for number in range(1, 7)})

    found = aggregate("phase_level", run, clusters=clusters, writer=writer)

    assert len(writer.shown) == 2
    assert found.summary_metadata["written_by_judge"] == [f"cluster_{number}" for number in range(1, 7)]
    assert "Phase F (Step 6): Text 6." in found.aggregated_content
    assert "Phase G (Step 7): It called nothing." in found.aggregated_content


@pytest.mark.parametrize(
    ("about", "last", "outcome", "sentence"),
    [
        ({}, ToolCall(name="done", args={"success": True}), "Reported success", "itself reported success"),
        ({"extra": {"self_reported_success": False}}, Text(text="x"), "Reported failure", "reported failure"),
        ({}, ErrorItem(message="out of memory"), "Ended in an error", "ended in an error: out of memory"),
        ({}, ToolCall(name="done", raw_args="oat milk"), "Answered", "ended by calling done(oat milk)."),
        ({}, Text(text="x"), "Unknown", "Its last step was step 2: [-] -> [x] -> [-]."),
    ],
)
def test_an_extracted_outcome_tells_what_the_agent_says_from_what_the_log_shows(
    about: dict[str, Any], last: Any, outcome: str, sentence: str
) -> None:
    run = trajectory(Step(number=1, items=(ToolCall(name="click"),)), Step(number=2, items=(last,)), **about)

    found = aggregate("global_summary", run)

    assert found.summary_metadata["execution_outcome"] == outcome
    assert sentence in found.aggregated_content


def test_a_narrative_has_task_approach_turning_points_and_result() -> None:
    steps = [
        Step(
            number=number,
            items=(
                Observation(text=f"https://{site}.example/", source="url"),
                Claim(field="next_goal", text=f"look at {site}"),
                ToolCall(name="open", args={"number": number}),
                *((ErrorItem(message="blocked"),) if number == 4 else ()),
            ),
        )
        for number, site in enumerate(["first"] * 3 + ["second"] * 3, start=1)
    ]
    turn = Invocation(
        user_content=Content.of_text("Find milk."),
        steps=tuple(steps),
        final_response=Content.of_text("Oat milk, 2 EUR."),
    )

    found = aggregate("global_summary", Trajectory(invocations=(turn,)))

    assert found.aggregated_content == (
        "The task was: Find milk. The agent took 6 steps in 2 phases: look at first; look at second. "
        "It called open x6. Errors came at step 4, the last one: blocked. "
        "A new phase began at step 4 (site changed). Its final answer was: Oat milk, 2 EUR."
    )
    assert found.summary_metadata["execution_outcome"] == "Answered"
    assert found.summary_metadata["strategy_description"].startswith("The agent took 6 steps in 2 phases")


def test_a_writer_without_an_answer_leaves_the_extract() -> None:
    found = aggregate("global_summary", six_steps(), writer=Writing())

    assert found == aggregate("global_summary", six_steps())
    assert "written_by_judge" not in found.summary_metadata


@pytest.mark.parametrize("name", ["step_level", "phase_level", "global_summary"])
@pytest.mark.parametrize("count", [0, 1, 5, 300, 3000])
def test_every_level_keeps_its_budget_and_loses_no_step(name: str, count: int) -> None:
    run = trajectory(
        *(
            Step(
                number=number,
                items=(
                    Claim(text=f"我在想第{number}件事 " * 30),
                    ToolCall(name=f"tool_{number // 50}", args={"n": number}),
                    ToolResult(value="x" * 3000),
                ),
            )
            for number in range(1, count + 1)
        )
    )
    writer = Writing(
        narrative="long " * 5000,
        execution_outcome="Success",
        strategy_description="x",
        **{f"cluster_{number}": "long " * 500 for number in range(1, 60)},
    )

    for chosen in (None, writer):
        found = aggregate(name, run, writer=chosen, token_budget=2000)

        assert digests.tokens_of(found.aggregated_content) <= 2000
        assert sorted(number for steps in found.step_mapping.values() for number in steps) == list(
            range(1, count + 1)
        )
    for shown in writer.shown:
        assert digests.tokens_of("\n".join(shown.values())) <= 2100, "a call is inside the budget too"


def test_the_numbers_of_a_log_are_kept(shared_data: Path) -> None:
    path = shared_data / "browser_use_history" / "history_0_1_nested.json"
    [run] = BrowserUseReader().read(Source(path), ReadOptions(task="Find leaderboards"))

    steps = aggregate("step_level", run)
    phases = aggregate("phase_level", run)
    whole = aggregate("global_summary", run)

    assert next(iter(steps.step_mapping.items())) == ("Step 2", (2,))
    assert steps.aggregated_content.startswith("Step 2: [")
    assert phases.aggregated_content.startswith("Phase A (Steps 2-")
    assert [number for numbers in phases.step_mapping.values() for number in numbers] == [2, 3, 4, 5, 6, 7]
    assert whole.step_mapping == {"global_trace": (2, 3, 4, 5, 6, 7)}
    assert whole.summary_metadata["execution_outcome"] == "Reported success"
