"""Looking closer, at runs that do not fit into a request: an open verdict is decided there, a FAIL is located there.

A run that fits is shown whole the first time, whatever the granularity: there is nothing closer to look at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from adjudge.extension.loader import Extensions, discover
from adjudge.model import Citation, Verdict
from adjudge.plugin import (
    AggregatedSteps,
    AggregationContext,
    GranularityStrategySpec,
    JudgeRequest,
    Trajectory,
    hookimpl,
)
from adjudge.testing import as_candidate, verdicts

LEVELS = ("global_summary", "phase_level", "step_level")


def level_of(request: JudgeRequest) -> str:
    """At which granularity a judge is shown the run."""
    shown = request.messages[1].text
    if "| The halves of the run" in shown:
        return "halves"
    return LEVELS[1] if "| Phase A (" in shown else LEVELS[2] if "| Step 2: [" in shown else LEVELS[0]


def answering(judging: Any, of_logs: Any, labels: dict[str, str], lies: str | None = None) -> list[str]:
    """Let the judge say a label at each granularity, without evidence at ``lies``; the levels asked, each once."""
    asked: list[str] = []

    def answer(request: JudgeRequest) -> str:
        if not of_logs.is_question(request):
            return verdicts(request, "met")
        level = level_of(request)
        if level not in asked:
            asked.append(level)
        steps = {"global_summary": 2, "halves": 2, "phase_level": 3, "step_level": 3}
        fields = {
            "global_summary": "observation",
            "halves": "action",
            "phase_level": "result",
            "step_level": "action",
        }
        quotes = {
            "global_summary": "17: milk",
            "halves": "search",
            "phase_level": "1 item",
            "step_level": "add_to_cart",
        }
        cited = [Citation(step=steps[level], field=fields[level], quote=quotes[level])]
        return verdicts(request, labels[level], notes=judging.notes, citations=[] if level == lies else cited)

    judging.answer = answer
    return asked


def only(judged: Any) -> Any:
    """The one result."""
    [result] = judged.logs[0].results
    return result


@pytest.mark.parametrize(
    ("labels", "verdict", "used"),
    [
        (("met", "not_met", "not_met"), Verdict.PASS, "global_summary"),
        (("cannot_tell", "met", "not_met"), Verdict.PASS, "phase_level"),
        (("cannot_tell", "cannot_tell", "met"), Verdict.PASS, "step_level"),
        (("cannot_tell", "not_met", "met"), Verdict.FAIL, "phase_level"),
        (("cannot_tell", "cannot_tell", "cannot_tell"), Verdict.UNSURE, "step_level"),
        (("not_applicable", "met", "met"), Verdict.UNSURE, "global_summary"),
    ],
)
def test_what_is_open_is_decided_by_the_first_closer_view_that_can(
    judging: Any, of_logs: Any, labels: tuple[str, ...], verdict: Verdict, used: str
) -> None:
    asked = answering(judging, of_logs, dict(zip(LEVELS, labels, strict=True)))
    result = only(judging(judging.log(of_logs.LONG), of_logs.OUTCOME))

    assert (result.verdict, result.used_granularity) == (verdict, used)
    wanted = LEVELS if verdict == Verdict.FAIL else LEVELS[: LEVELS.index(used) + 1]
    assert tuple(asked) == wanted
    assert result.granularity.name == "global_summary", "what was chosen stays what was chosen"


@pytest.mark.parametrize("label", ["cannot_tell", "not_met"])
def test_of_a_run_that_was_shown_whole_there_is_no_closer_view(
    judging: Any, of_logs: Any, label: str
) -> None:
    asked = answering(judging, of_logs, dict.fromkeys(LEVELS, label))
    result = only(judging(judging.log(), of_logs.OUTCOME, num_samples=1))

    assert (asked, len(judging.requests)) == (["global_summary"], 1)
    assert result.used_granularity == "global_summary"


@pytest.mark.parametrize("closer", ["not_met", "met", "cannot_tell", "not_applicable"])
def test_a_fail_is_located_and_stays_what_it_is(judging: Any, of_logs: Any, closer: str) -> None:
    labels = {"global_summary": "not_met", "phase_level": closer, "step_level": closer}
    asked = answering(judging, of_logs, labels)
    log = judging.log(of_logs.LONG)
    result = only(judging(log, of_logs.OUTCOME))
    wide = only(judging(log, {**of_logs.OUTCOME, "granularity": "global_summary"}))

    assert tuple(asked) == LEVELS
    assert (result.verdict, result.used_granularity) == (Verdict.FAIL, "global_summary")
    assert (result.confidence_score, result.reasoning) == (wide.confidence_score, wide.reasoning)
    cited = [citation.field for citation in result.evidence.citations]
    assert cited == (["observation", "result", "action"] if closer == "not_met" else ["observation"])


def test_what_has_no_evidence_is_open_and_looked_for_closer(judging: Any, of_logs: Any) -> None:
    labels = dict.fromkeys(LEVELS, "met")
    answering(judging, of_logs, labels, lies="global_summary")
    result = only(judging(judging.log(of_logs.LONG), of_logs.OUTCOME))

    assert (result.verdict, result.used_granularity) == (Verdict.PASS, "phase_level")
    assert [citation.field for citation in result.evidence.citations] == ["result"]
    assert result.reason_codes == ("steps_not_shown",)


def test_only_what_is_open_is_asked_again(judging: Any, of_logs: Any) -> None:
    checks = ["The final result: c1 holds.", "The final result: c2 holds."]
    seen: list[tuple[str, str]] = []

    def label(request: JudgeRequest, text: str) -> str:
        seen.append((level_of(request), text.split()[3]))
        return "met" if "c1" in text or level_of(request) != "global_summary" else "cannot_tell"

    def answer(request: JudgeRequest) -> str:
        if not of_logs.is_question(request):
            return verdicts(request, "met")
        return verdicts(
            request,
            lambda text: label(request, text),
            notes=judging.notes,
            citations=of_logs.quotes(request)[:1],
        )

    judging.answer = answer
    result = only(judging(judging.log(of_logs.LONG), {**of_logs.OUTCOME, "checks": checks}))

    assert (result.verdict, result.used_granularity) == (Verdict.PASS, "phase_level")
    assert set(seen) == {("global_summary", "c1"), ("global_summary", "c2"), ("phase_level", "c2")}
    assert [check.granularity for check in result.checks] == ["global_summary", "phase_level"]


@pytest.mark.parametrize("level", LEVELS)
def test_a_granularity_that_somebody_named_is_the_only_one(judging: Any, of_logs: Any, level: str) -> None:
    asked = answering(judging, of_logs, dict.fromkeys(LEVELS, "cannot_tell"))
    result = only(judging(judging.log(of_logs.LONG), {**of_logs.OUTCOME, "granularity": level}))

    assert (result.verdict, result.used_granularity) == (Verdict.UNSURE, level)
    assert asked == [level]


@dataclass
class Halves:
    """Somebody's plugin: a strategy that shows a run in two halves."""

    fineness: float | None
    keywords: tuple[str, ...] = ()

    @hookimpl.granularity_strategies
    def granularity_strategies(self) -> list[GranularityStrategySpec]:
        return [
            GranularityStrategySpec(
                name="halves",
                summary="The run in two halves",
                factory=lambda _config, _host: self,
                when_to_use="The criterion is about how a run begins and how it ends.",
                keywords=self.keywords,
                fineness=self.fineness,
            )
        ]

    async def aggregate(self, trajectory: Trajectory, context: AggregationContext) -> AggregatedSteps:
        numbers = [step.number for step in trajectory.steps]
        middle = len(numbers) // 2
        return AggregatedSteps(
            granularity="halves",
            aggregated_content="The halves of the run: a search, then the cart.",
            step_mapping={"first": tuple(numbers[:middle]), "second": tuple(numbers[middle:])},
        )


def with_halves(judging: Any, halves: Halves) -> Extensions:
    """All that is installed, and the stranger's strategy."""
    return Extensions([*discover(), *judging.candidates(), as_candidate("acme-halves", halves)])


@pytest.mark.parametrize(
    ("fineness", "order"),
    [
        (0.25, ("global_summary", "halves", "phase_level", "step_level")),
        (0.5, ("global_summary", "halves", "phase_level", "step_level")),
        (0.75, ("global_summary", "phase_level", "halves", "step_level")),
        (1, ("global_summary", "phase_level", "halves", "step_level")),
        (0, LEVELS),
        (None, LEVELS),
    ],
)
def test_the_strategy_of_a_stranger_takes_its_place_by_its_fineness(
    judging: Any, of_logs: Any, fineness: float | None, order: tuple[str, ...]
) -> None:
    asked = answering(judging, of_logs, dict.fromkeys((*LEVELS, "halves"), "cannot_tell"))
    extensions = with_halves(judging, Halves(fineness))
    result = only(judging(judging.log(of_logs.LONG), of_logs.OUTCOME, extensions=extensions))

    assert tuple(asked) == order
    assert (result.verdict, result.used_granularity) == (Verdict.UNSURE, "step_level")


def test_the_strategy_of_a_stranger_decides_what_was_open_and_finds_where_a_fail_is(
    judging: Any, of_logs: Any
) -> None:
    extensions = with_halves(judging, Halves(0.25))
    labels = dict.fromkeys(LEVELS, "met")
    asked = answering(judging, of_logs, {**labels, "global_summary": "cannot_tell", "halves": "met"})
    decided = only(judging(judging.log(of_logs.LONG), of_logs.OUTCOME, extensions=extensions))

    assert asked == ["global_summary", "halves"]
    assert (decided.verdict, decided.used_granularity) == (Verdict.PASS, "halves")

    asked = answering(judging, of_logs, dict.fromkeys((*LEVELS, "halves"), "not_met"))
    located = only(
        judging(judging.log(of_logs.LONG), of_logs.OUTCOME, extensions=extensions, use_cache=False)
    )

    assert asked == ["global_summary", "halves", "phase_level", "step_level"]
    assert (located.verdict, located.used_granularity) == (Verdict.FAIL, "global_summary")
    assert (2, "action") in [(citation.step, citation.field) for citation in located.evidence.citations]


@pytest.mark.parametrize(
    ("fineness", "order"), [(0.25, ("halves", "phase_level", "step_level")), (None, ("halves",))]
)
def test_what_is_open_where_a_stranger_looked_first_is_looked_at_more_finely(
    judging: Any, of_logs: Any, fineness: float | None, order: tuple[str, ...]
) -> None:
    asked = answering(judging, of_logs, dict.fromkeys((*LEVELS, "halves"), "cannot_tell"))
    extensions = with_halves(judging, Halves(fineness, keywords=("second half",)))
    criterion = {**of_logs.PROCESS, "name": "Second half", "description": "The second half is sound."}
    result = only(judging(judging.log(of_logs.LONG), criterion, extensions=extensions))

    assert tuple(asked) == order
    assert (result.granularity.name, result.used_granularity) == ("halves", order[-1])
