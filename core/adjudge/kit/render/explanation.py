"""A short explanation why a case did not pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from adjudge.kit.render.call_diff import call_text, is_call_diff
from adjudge.kit.render.criterion_lines import (
    REASON_LIMIT,
    criterion_lines,
    failure_lines,
    turn_lines,
)
from adjudge.kit.render.criterion_words import mean_score_text, spread_text
from adjudge.kit.render.lines import Line, Tone, line, shortened
from adjudge.kit.render.repeats import WholeCase
from adjudge.kit.render.scores import tone_of
from adjudge.kit.render.simulation import simulation_lines
from adjudge.kit.render.turns import Turn, said, turns_of
from adjudge.model.evidence import Failure
from adjudge.model.result import USER_AT_FAULT, CriterionResult, InvocationResult, RepeatedCriterion
from adjudge.model.verdict import Status
from adjudge.plugin import ReportedCase

_TURNS: Final = 3
"""The maximum number of explained turns of one case."""
_PROMPT: Final = 90
"""The maximum length of a prompt in characters."""
_LAST_CALLS: Final = 5
"""The maximum number of calls shown from the turn in which an agent failed."""
UNSETTLED: Final[frozenset[Status]] = frozenset({"FAIL", "error", "UNSURE"})


def headline(case: WholeCase) -> str:
    """One line that says why a case did not pass: the criteria that caused this, or the agent's error."""
    error = case.overall.error
    if error is not None and not any(item.status == "FAIL" for item in case.overall.criteria):
        return str(line(f"{error.code}: {shortened(error.message, REASON_LIMIT)}"))
    said = [
        f"{item.criterion_name} {mean_score_text(item)}"
        for item in case.overall.criteria
        if item.status in UNSETTLED and item.threshold is not None
    ]
    return str(line("; ".join(said) or case.overall.status))


def explained(case: WholeCase) -> Iterator[Line]:
    """Explain why a case did not pass: the criteria, the relevant turns, and the differences in them.

    For a case with several repeats, the first one that did not pass is explained.
    """
    worst = next((item for item in case.repeats if item.result.status in UNSETTLED), case.repeats[0])
    if len(case.repeats) > 1:
        passed = sum(1 for item in case.repeats if item.result.status not in UNSETTLED)
        yield line(f"{passed} of {len(case.repeats)} repeats passed; over all of them:")
        for criterion in case.overall.criteria:
            if criterion.status in UNSETTLED:
                yield _over_repeats(criterion)
        yield line(f"Repeat {worst.result.repeat}:")
    yield from _repeat_explained(worst)


def _over_repeats(criterion: RepeatedCriterion) -> Line:
    name, shown = (
        (criterion.criterion_name, Tone.STRONG),
        (mean_score_text(criterion), tone_of(criterion.status)),
    )
    if criterion.mean is None:
        gaps = f", {criterion.scored} of {criterion.total} repeats scored"
        return line(name, "  ", shown, gaps, indent=2)
    missing = criterion.total - criterion.scored
    gaps = f", {missing} of {criterion.total} repeats have no score" if missing else ""
    return line(name, "  mean ", shown, spread_text(criterion), gaps, indent=2)


def _repeat_explained(reported: ReportedCase) -> Iterator[Line]:
    turns = turns_of(reported)
    if reported.result.error is not None:
        yield from failure_lines(reported.result.error, indent=0, everything=False)
        yield from _where_it_stopped(reported, turns)
    yield from simulation_lines(reported.result.simulation)
    unsettled = [
        item for item in reported.result.criteria if item.threshold is not None and item.status in UNSETTLED
    ]
    if users := [item for item in unsettled if _is_of_user(item.error)]:
        # The results about the agent do not count, and the error of the case names the criterion.
        unsettled = users
    else:
        for criterion in unsettled:
            yield from criterion_lines(criterion, everything=False)
    names = {item.criterion_name for item in unsettled}
    to_show = [turn for turn in turns if _unsettled_in(turn, names)]
    for turn in to_show[:_TURNS]:
        yield line((f"turn {turn.number} of {turn.of}", Tone.STRONG), "  ", shortened(turn.prompt, _PROMPT))
        answered = False
        for criterion, result in _unsettled_in(turn, names):
            yield from turn_lines(criterion, result, everything=False)
            if not is_call_diff(result.details.get("calls")) and not answered:
                yield from _answers(turn)
                answered = True
    if len(to_show) > _TURNS:
        yield line((f"and {len(to_show) - _TURNS} more turns", Tone.FAINT))


def _is_of_user(error: Failure | None) -> bool:
    return error is not None and error.code == USER_AT_FAULT


def _unsettled_in(turn: Turn, names: set[str]) -> list[tuple[CriterionResult, InvocationResult]]:
    return [
        (criterion, result)
        for criterion, result in turn.results
        if criterion.criterion_name in names and result.status in UNSETTLED
    ]


def _where_it_stopped(reported: ReportedCase, turns: list[Turn]) -> Iterator[Line]:
    """The first turn that the agent did not answer, and its last calls in this turn."""
    unanswered = [turn for turn in turns if turn.actual is None or turn.actual.final_response is None]
    if reported.result.criteria or not unanswered:
        return
    stopped = unanswered[0]
    place = f"no answer in turn {stopped.number} of {stopped.of}"
    yield line((place, Tone.STRONG), "  ", shortened(stopped.prompt, _PROMPT))
    calls = stopped.actual.tool_calls if stopped.actual else ()
    if (earlier := len(calls) - _LAST_CALLS) > 0:
        yield line((f"called {earlier} more before these", Tone.FAINT), indent=2)
    for call in calls[-_LAST_CALLS:]:
        yield line(
            f"called {call_text(call.name, call.args if call.raw_args is None else call.raw_args)}", indent=2
        )


def _answers(turn: Turn) -> Iterator[Line]:
    """The expected and the actual answer, with marked differences."""
    wanted = turn.expected.final_response if turn.expected else None
    found = turn.actual.final_response if turn.actual else None
    if wanted is None:
        if found is not None:
            yield line("answer    ", shortened(said(found), REASON_LIMIT), indent=4)
        return
    if found is None or not said(found).strip():
        yield line(("expected  ", Tone.EXPECTED), shortened(said(wanted), REASON_LIMIT), indent=4)
        yield line(("actual    ", Tone.ACTUAL), ("no answer", Tone.FAINT), indent=4)
        return
    from adjudge.kit.render.word_diff import marked

    left, right = marked(said(wanted), said(found))
    yield line(("expected  ", Tone.EXPECTED), *left, indent=4)
    yield line(("actual    ", Tone.ACTUAL), *right, indent=4)
