"""Why a case did not pass, in as few lines as it takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from adjudge.kit.render.call_diff import call_text, is_call_diff
from adjudge.kit.render.criterion_lines import (
    REASON_LIMIT,
    WITHOUT_SCORE,
    criterion_lines,
    failure_lines,
    turn_lines,
)
from adjudge.kit.render.lines import Line, Tone, line, shortened
from adjudge.kit.render.repeats import WholeCase
from adjudge.kit.render.scores import compared_text, score_text, tone_of
from adjudge.kit.render.simulation import simulation_lines
from adjudge.kit.render.turns import Turn, said, turns_of
from adjudge.model.evidence import Failure
from adjudge.model.result import USER_AT_FAULT, CriterionResult, InvocationResult, RepeatedCriterion
from adjudge.model.verdict import Status
from adjudge.plugin import ReportedCase

_TURNS: Final = 3
"""Turns explained of one case."""
_PROMPT: Final = 90
"""Characters shown of a prompt."""
_LAST_CALLS: Final = 5
"""Calls shown of the turn in which an agent failed."""
_UNSETTLED: Final[frozenset[Status]] = frozenset({"FAIL", "error", "UNSURE"})


def headline(case: WholeCase) -> str:
    """Say on one line why a case did not pass: every criterion that decided so, or what went wrong with the agent."""
    error = case.overall.error
    if error is not None and not any(item.status == "FAIL" for item in case.overall.criteria):
        return str(line(f"{error.code}: {shortened(error.message, REASON_LIMIT)}"))
    said = [
        f"{item.criterion_name} {_decided_text(item)}"
        for item in case.overall.criteria
        if item.status in _UNSETTLED and item.threshold is not None
    ]
    return str(line("; ".join(said) or case.overall.status))


def _decided_text(criterion: RepeatedCriterion) -> str:
    if criterion.mean is None:
        return WITHOUT_SCORE.get(criterion.status, "no score")
    return compared_text(criterion.mean, criterion.threshold, failed=criterion.status == "FAIL")


def explained(case: WholeCase) -> Iterator[Line]:
    """Say why a case did not pass: criteria, the turns to look at, and what differs there.

    Of several repeats the first that did not pass is explained.
    """
    worst = next((item for item in case.repeats if item.result.status in _UNSETTLED), case.repeats[0])
    if len(case.repeats) > 1:
        passed = sum(1 for item in case.repeats if item.result.status not in _UNSETTLED)
        yield line(f"{passed} of {len(case.repeats)} repeats passed; over all of them:")
        for criterion in case.overall.criteria:
            if criterion.status in _UNSETTLED:
                yield _over_repeats(criterion)
        yield line(f"Repeat {worst.result.repeat}:")
    yield from _repeat_explained(worst)


def _over_repeats(criterion: RepeatedCriterion) -> Line:
    name = (criterion.criterion_name, Tone.STRONG)
    if criterion.mean is None:
        return line(
            name,
            "  ",
            (WITHOUT_SCORE.get(criterion.status, "no score"), tone_of(criterion.status)),
            f", {criterion.scored} of {criterion.total} repeats scored",
            indent=2,
        )
    shown = compared_text(criterion.mean, criterion.threshold, failed=criterion.status == "FAIL")
    deviation = criterion.standard_deviation
    spread = "" if deviation is None else f", standard deviation {score_text(deviation)}"
    missing = criterion.total - criterion.scored
    gaps = f", {missing} of {criterion.total} repeats have no score" if missing else ""
    return line(name, "  mean ", (shown, tone_of(criterion.status)), spread, gaps, indent=2)


def _repeat_explained(reported: ReportedCase) -> Iterator[Line]:
    turns = turns_of(reported)
    if reported.result.error is not None:
        yield from failure_lines(reported.result.error, indent=0)
        yield from _where_it_stopped(reported, turns)
    yield from simulation_lines(reported.result.simulation)
    unsettled = [
        item for item in reported.result.criteria if item.threshold is not None and item.status in _UNSETTLED
    ]
    if users := [item for item in unsettled if _is_of_user(item.error)]:
        # What is said of the agent counts for nothing, and the case's own error has named the criterion.
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
        if criterion.criterion_name in names and result.status in _UNSETTLED
    ]


def _where_it_stopped(reported: ReportedCase, turns: list[Turn]) -> Iterator[Line]:
    """The first turn that the agent did not answer, and the last calls that it made there."""
    unanswered = [turn for turn in turns if turn.actual is None or turn.actual.final_response is None]
    if reported.result.criteria or not unanswered:
        return
    stopped = unanswered[0]
    place = f"no answer in turn {stopped.number} of {stopped.of}"
    yield line((place, Tone.STRONG), "  ", shortened(stopped.prompt, _PROMPT))
    for call in stopped.actual.tool_calls[-_LAST_CALLS:] if stopped.actual else ():
        yield line(
            f"called {call_text(call.name, call.args if call.raw_args is None else call.raw_args)}", indent=2
        )


def _answers(turn: Turn) -> Iterator[Line]:
    """The expected and the actual answer, differences marked."""
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
