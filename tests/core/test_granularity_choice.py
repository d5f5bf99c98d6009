"""Which strategy a criterion gets: by its own word, by what strategies say of themselves, by a judge."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from adjudge.errors import UnknownNameError
from adjudge.model import WordedCriterion
from adjudge.model.evaluation import GranularityChoice
from adjudge.plugin import GranularityStrategySpec, JudgeModelOptions, JudgeReply, hookimpl
from adjudge.testing import FakeHost, FakeJudge, manager, verdicts
from adjudge_plugins.ai_judge.analyzer import GranularityAnalyzerService
from adjudge_plugins.ai_judge.keywords import KeywordMatcher
from adjudge_plugins.granularity import global_summary, phase_level, step_level

USES: dict[str, Any] = json.loads(
    Path(__file__).with_name("granularity_uses.json").read_text(encoding="utf-8")
)
"""Criteria and the level that fits each. The paraphrases were written before there were keywords,
``held_out`` after they were settled; neither is a source of keywords."""

BUILT_IN = manager(step_level, phase_level, global_summary).granularity_strategies


def cases(*parts: str) -> Iterator[tuple[str, WordedCriterion]]:
    for part in parts:
        for levels in USES[part].values():
            for level, criteria in levels.items():
                for name, description in criteria:
                    yield level, WordedCriterion(name=name, description=description)


def choose(criterion: WordedCriterion, judge: Any = None, **options: Any) -> GranularityChoice:
    return asyncio.run(
        GranularityAnalyzerService(FakeHost(Path(), strategies=BUILT_IN), judge).choose(criterion, **options)
    )


def judge_saying(tmp_path: Path, answer: Any) -> Any:
    return FakeHost(tmp_path, judge=answer).judge(JudgeModelOptions(num_samples=1))


@pytest.mark.parametrize(
    ("level", "name", "description"),
    [(level, *use) for level, uses in USES["seed"].items() for use in uses],
    ids=lambda value: value,
)
def test_every_use_that_the_seed_names_has_its_level(level: str, name: str, description: str) -> None:
    choice = choose(WordedCriterion(name=name, description=description))

    assert (choice.name, choice.chosen_by) == (level, "rules")
    assert "the criterion mentions" in choice.reason


def test_paraphrases_in_english_and_chinese_have_the_level_of_what_they_say(tmp_path: Path) -> None:
    by_rules = 0
    for level, criterion in cases("paraphrases"):
        choice = choose(criterion, judge_saying(tmp_path, level))

        assert choice.name == level, f"{criterion}: {choice}"
        by_rules += choice.chosen_by == "rules"

    assert by_rules >= 90, "rules are there to spare a judge"
    assert len(list(cases("paraphrases"))) == 100


def test_words_that_no_rule_was_made_for_are_left_to_the_judge_rather_than_guessed() -> None:
    choices = [(level, choose(criterion)) for level, criterion in cases("held_out")]
    by_rules = [
        (level, choice.name) for level, choice in choices if "the criterion mentions" in choice.reason
    ]

    assert len(by_rules) >= len(choices) // 3
    assert sum(level != name for level, name in by_rules) <= 1


def test_an_explicit_granularity_wins_over_every_word(tmp_path: Path) -> None:
    criterion = WordedCriterion(name="hallucination", description="", granularity="global_summary")

    assert choose(criterion).name == "global_summary"
    assert choose(criterion).chosen_by == "criterion"
    assert choose(criterion, option="phase_level") == GranularityChoice(
        name="phase_level", reason="named for the run", chosen_by="option"
    )


@pytest.mark.parametrize("option", [None, "phse_level"])
def test_a_name_that_nothing_has_is_an_error_with_a_suggestion(option: str | None) -> None:
    criterion = WordedCriterion(name="x", description="", granularity=None if option else "phse_level")

    with pytest.raises(UnknownNameError, match="Did you mean 'phase_level'"):
        choose(criterion, option=option)


def test_without_a_judge_a_tie_goes_to_the_widest_view_and_says_so() -> None:
    nothing = choose(WordedCriterion(name="bread", description="It is about bread."))
    two = choose(WordedCriterion(name="x", description="Hallucinations during exploration."))

    assert nothing.name == "global_summary"
    assert nothing.reason == "the criterion contains no strategy's keyword; the widest view comes first"
    assert two.name == "phase_level"
    assert two.reason == "phase_level and step_level fit equally well; the widest view comes first"


def test_a_judge_is_asked_on_ties_alone_and_once(tmp_path: Path) -> None:
    fake = FakeJudge(lambda request: verdicts(request, "step_level", notes={"rationale": "single facts"}))
    analyzer = GranularityAnalyzerService(FakeHost(Path(), strategies=BUILT_IN), judge_saying(tmp_path, fake))
    clear = WordedCriterion(name="strategy", description="The overall strategy.")
    tied = WordedCriterion(name="x", description="Hallucinations during exploration.")

    asyncio.run(analyzer.choose(clear))
    assert fake.requests == []
    choice = asyncio.run(analyzer.choose(tied))
    assert asyncio.run(analyzer.choose(tied)) == choice

    assert choice == GranularityChoice(name="step_level", reason="single facts", chosen_by="judge")
    [request] = fake.requests
    asked = "\n".join(message.text for message in request.messages)
    assert "Hallucinations during exploration." in asked
    assert "global_summary" not in asked, "what lost by the rules is no answer"


def test_one_question_is_about_all_criteria_that_are_known(tmp_path: Path) -> None:
    fake = FakeJudge(lambda request: verdicts(request, "step_level", notes={"rationale": "single facts"}))
    analyzer = GranularityAnalyzerService(FakeHost(Path(), strategies=BUILT_IN), judge_saying(tmp_path, fake))
    tied = [WordedCriterion(name=f"bread {number}", description="It is about bread.") for number in range(20)]

    for criterion in tied:
        assert analyzer.ruled(criterion).name == "global_summary"
    assert fake.requests == []
    choices = [asyncio.run(analyzer.choose(criterion)) for criterion in reversed(tied)]

    assert {(choice.name, choice.chosen_by) for choice in choices} == {("step_level", "judge")}
    # Longer lists make answers that are cut off.
    assert [len((request.schema_ or {})["properties"]) for request in fake.requests] == [16, 4]


def test_a_judge_that_cannot_decide_leaves_the_documented_order(tmp_path: Path) -> None:
    judge = judge_saying(tmp_path, FakeJudge(lambda _: JudgeReply(text="I would rather not.")))

    choice = choose(WordedCriterion(name="bread", description=""), judge)

    assert choice.name == "global_summary"
    assert "the judge did not decide" in choice.reason


def strategy(name: str, *keywords: str, fineness: float | None = None) -> GranularityStrategySpec:
    return GranularityStrategySpec(
        name=name,
        summary="x",
        factory=lambda _config, _host: None,
        when_to_use="x",
        keywords=keywords,
        fineness=fineness,
    )


class Windows:
    @hookimpl.granularity_strategies
    def strategies(self) -> list[GranularityStrategySpec]:
        return [strategy("windows", "every page"), strategy("step_level", "every page")]


def test_strategies_of_third_parties_take_part_under_names_that_mean_one_of_them() -> None:
    strategies = manager(step_level, Windows()).granularity_strategies
    analyzer = GranularityAnalyzerService(FakeHost(Path(), strategies=strategies))

    choice = asyncio.run(analyzer.choose(WordedCriterion(name="x", description="On every page.")))

    # Two plugins have a `step_level`: that name means neither.
    assert choice.name == "windows" or choice.name.endswith("/step_level")
    assert strategies.resolve(choice.name)


@pytest.mark.parametrize(
    ("fineness", "first"), [(None, "phase_level"), (0.25, "a"), (0.5, "a"), (0.75, "phase_level")]
)
def test_without_a_judge_a_tie_goes_to_the_lowest_fineness_whosever_strategy_it_is(
    fineness: float | None, first: str
) -> None:
    class Stranger:
        @hookimpl.granularity_strategies
        def strategies(self) -> list[GranularityStrategySpec]:
            return [strategy("a", fineness=fineness)]

    strategies = manager(phase_level, step_level, Stranger()).granularity_strategies
    analyzer = GranularityAnalyzerService(FakeHost(Path(), strategies=strategies))

    choice = asyncio.run(analyzer.choose(WordedCriterion(name="bread", description="It is about bread.")))

    assert (choice.name, choice.chosen_by) == (first, "rules")
    assert "the widest view comes first" in choice.reason


def test_without_any_strategy_the_message_says_so() -> None:
    with pytest.raises(UnknownNameError, match="Installed: none"):
        asyncio.run(
            GranularityAnalyzerService(FakeHost(Path(), strategies=manager().granularity_strategies)).choose(
                WordedCriterion(name="x", description="")
            )
        )


@pytest.mark.parametrize(
    ("keyword", "text", "found"),
    [
        ("plan", "a good plan", True),
        ("plan", "Plan, then act", True),
        ("plan", "explanations", False),
        ("plan", "planes", False),
        ("plan*", "planning", True),
        ("plan*", "explanations", False),
        ("plan", "the_plan_quality", True),
        ("plan", "PlanQuality", True),
        ("plan", "这个plan很好", True),
        ("sub-task*", "subtasks", True),
        ("sub-task*", "sub tasks", True),
        ("sub-task*", "SUB_TASK", True),
        ("step by step", "step-by-step", True),
        ("幻觉", "是否存在幻觉（Hallucination）", True),
        ("幻觉", "幻灯片", False),
        ("ＰＬＡＮ", "plan", True),
        ("효율", "효율성을 평가한다", True),
        ("c++", "uses c++ well", True),
    ],
)
def test_keywords_are_words_where_a_script_has_words(keyword: str, text: str, found: bool) -> None:
    assert bool(KeywordMatcher({"owner": [keyword]}).found(text)) is found


def test_the_longest_of_overlapping_keywords_is_found() -> None:
    matcher = KeywordMatcher({"phase": ["子任务完成"], "global": ["任务完成"]})

    assert matcher.found("子任务完成度") == {"phase": ["子任务完成"]}
    assert matcher.found("任务完成度") == {"global": ["任务完成"]}
