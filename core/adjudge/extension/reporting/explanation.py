"""Why a case did not pass, in as few lines as it takes; or everything that happened in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from adjudge.extension.protocols import ReportedCase
from adjudge.extension.reporting.call_diff import call_diff, call_text, is_call_diff, value_text
from adjudge.extension.reporting.lines import Line, Tone, clean, line, shortened
from adjudge.extension.reporting.scores import compared_text, score_text, tone_of
from adjudge.extension.reporting.whole_cases import WholeCase
from adjudge.extension.reporting.word_diff import marked
from adjudge.model.base import JsonObject, JsonValue
from adjudge.model.invocation import Invocation
from adjudge.model.items import Blob, Content, ToolCall
from adjudge.model.measurement import Failure
from adjudge.model.result import CriterionResult, InvocationResult, RepeatedCriterion, Status

_TURNS: Final = 3
"""Turns explained of one case."""
_PROMPT: Final = 90
"""Characters shown of a prompt."""
_LAST_CALLS: Final = 5
"""Calls shown of the turn in which an agent failed."""
_REASON: Final = 300
"""Characters shown of a reason."""
_WITHOUT_SCORE: Final[dict[Status, str]] = {
    "error": "could not be measured",
    "UNSURE": "undecided",
    "not_applicable": "does not apply",
}
_UNSETTLED: Final[frozenset[Status]] = frozenset({"FAIL", "error", "UNSURE"})


@dataclass(frozen=True, slots=True)
class _Turn:
    """One turn, and what every criterion that goes turn by turn says of it."""

    number: int
    of: int
    expected: Invocation | None
    actual: Invocation | None
    results: tuple[tuple[CriterionResult, InvocationResult], ...]

    @property
    def prompt(self) -> str:
        asked = self.expected or self.actual
        return _said(asked.user_content) if asked else ""


def _turns(reported: ReportedCase) -> list[_Turn]:
    expected = reported.case.conversation or ()
    actual = reported.actual.invocations if reported.actual else ()
    criteria = [item for item in reported.result.criteria if item.per_invocation]
    results_by_turn = zip_longest(*(item.per_invocation for item in criteria))
    rows = list(zip_longest(expected, actual, results_by_turn))
    return [
        _Turn(
            number=number,
            of=len(rows),
            expected=wanted,
            actual=happened,
            results=tuple(
                (criterion, result)
                for criterion, result in zip(criteria, results or (), strict=False)
                if result is not None
            ),
        )
        for number, (wanted, happened, results) in enumerate(rows, 1)
    ]


# --- why it did not pass --------------------------------------------------------------------


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
            (_WITHOUT_SCORE.get(criterion.status, "no score"), tone_of(criterion.status)),
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
    turns = _turns(reported)
    if reported.result.error is not None:
        yield from _failure(reported.result.error, indent=0)
        yield from _where_it_stopped(reported, turns)
    unsettled = [
        item for item in reported.result.criteria if item.threshold is not None and item.status in _UNSETTLED
    ]
    for criterion in unsettled:
        yield from _criterion(criterion, everything=False)
    names = {item.criterion_name for item in unsettled}
    to_show = [turn for turn in turns if _unsettled_in(turn, names)]
    for turn in to_show[:_TURNS]:
        yield line((f"turn {turn.number} of {turn.of}", Tone.STRONG), "  ", shortened(turn.prompt, _PROMPT))
        answered = False
        for criterion, result in _unsettled_in(turn, names):
            yield from _on_turn(criterion, result, everything=False)
            if not is_call_diff(result.details.get("calls")) and not answered:
                yield from _answers(turn)
                answered = True
    if len(to_show) > _TURNS:
        yield line((f"and {len(to_show) - _TURNS} more turns", Tone.FAINT))


def _unsettled_in(turn: _Turn, names: set[str]) -> list[tuple[CriterionResult, InvocationResult]]:
    return [
        (criterion, result)
        for criterion, result in turn.results
        if criterion.criterion_name in names and result.status in _UNSETTLED
    ]


def _failure(failure: Failure, *, indent: int) -> Iterator[Line]:
    origin = f" ({failure.origin})" if failure.origin else ""
    message = shortened(failure.message, _REASON)
    lasting = (" (may work another time)", Tone.FAINT) if failure.retryable else ""
    yield line((failure.code, Tone.ERROR), f"{origin}: {message}", lasting, indent=indent)


def _where_it_stopped(reported: ReportedCase, turns: list[_Turn]) -> Iterator[Line]:
    """The first turn that the agent did not answer, and the last calls that it made there."""
    unanswered = [turn for turn in turns if turn.actual is None or turn.actual.final_response is None]
    if reported.actual is None or reported.result.criteria or not unanswered:
        return
    stopped = unanswered[0]
    place = f"no answer in turn {stopped.number} of {stopped.of}"
    yield line((place, Tone.STRONG), "  ", shortened(stopped.prompt, _PROMPT))
    for call in stopped.actual.tool_calls[-_LAST_CALLS:] if stopped.actual else ():
        yield line(f"called {_call(call)}", indent=2)


def _criterion(criterion: CriterionResult, *, everything: bool) -> Iterator[Line]:
    """One criterion on the whole case."""
    name = (criterion.criterion_name, Tone.STRONG)
    tone = tone_of(criterion.status)
    failed = criterion.status == "FAIL"
    if criterion.score is not None:
        shown = compared_text(criterion.score, criterion.threshold, failed=failed)
    elif failed and criterion.best_possible is not None:
        shown = f"at best {compared_text(criterion.best_possible, criterion.threshold, failed=True)}"
    else:
        shown = _WITHOUT_SCORE.get(criterion.status, "no score")
    gaps = ""
    if criterion.per_invocation and criterion.scored != criterion.total:
        gaps = f", {criterion.scored} of {criterion.total} turns scored"
    yield line(name, "  ", (shown, tone), gaps)
    # A criterion that goes turn by turn repeats there what it says here.
    if criterion.error is not None and (everything or not criterion.per_invocation):
        yield from _failure(criterion.error, indent=2)
    elif criterion.reasoning and (everything or not criterion.per_invocation):
        yield from _text(criterion.reasoning, 2, everything=everything)
    yield from _details(criterion.details, 2, everything=everything)


def _on_turn(criterion: CriterionResult, result: InvocationResult, *, everything: bool) -> Iterator[Line]:
    """One criterion on one turn."""
    tone = tone_of(result.status)
    if result.score is not None:
        shown = score_text(result.score, criterion.threshold)
    elif result.status == "UNSURE" and result.unsure_code:
        shown = f"undecided ({result.unsure_code})"
    else:
        shown = result.status.replace("_", " ")
    yield line(f"{criterion.criterion_name}  ", (shown, tone), indent=2)
    if result.error is not None:
        yield from _failure(result.error, indent=4)
    elif result.reasoning:
        yield from _text(result.reasoning, 4, everything=everything)
    yield from _details(result.details, 4, everything=everything)


def _details(details: JsonObject, indent: int, *, everything: bool) -> Iterator[Line]:
    calls = details.get("calls")
    diff = calls if is_call_diff(calls) else None
    shown = [
        f"{key}: {_detail_text(value)}"
        for key, value in details.items()
        if diff is None or key not in ("calls", "match_type")
    ]
    if shown:
        listed = ", ".join(shown)
        yield line((listed if everything else shortened(listed, _REASON), Tone.FAINT), indent=indent)
    if diff is not None:
        yield from call_diff(diff, indent=indent, everything=everything)


def _detail_text(value: JsonValue) -> str:
    return f"{value:.4g}" if isinstance(value, float) else value_text(value)


def _answers(turn: _Turn) -> Iterator[Line]:
    """The expected and the actual answer, differences marked."""
    wanted = turn.expected.final_response if turn.expected else None
    found = turn.actual.final_response if turn.actual else None
    if wanted is None:
        if found is not None:
            yield line("answer    ", shortened(_said(found), _REASON), indent=4)
        return
    if found is None:
        yield line(("expected  ", Tone.EXPECTED), shortened(_said(wanted), _REASON), indent=4)
        yield line(("actual    ", Tone.ACTUAL), ("no answer", Tone.FAINT), indent=4)
        return
    left, right = marked(_said(wanted), _said(found))
    yield line(("expected  ", Tone.EXPECTED), *left, indent=4)
    yield line(("actual    ", Tone.ACTUAL), *right, indent=4)


# --- everything that happened -------------------------------------------------------------


def transcript(reported: ReportedCase) -> Iterator[Line]:
    """Show every turn of a repeat: prompt, answers, calls, every score and reason, nothing shortened."""
    if reported.result.error is not None:
        yield from _failure(reported.result.error, indent=0)
    for criterion in reported.result.criteria:
        yield from _criterion(criterion, everything=True)
    for turn in _turns(reported):
        yield line((f"turn {turn.number} of {turn.of}", Tone.STRONG))
        yield from _labelled("prompt", turn.prompt)
        expected, actual = turn.expected, turn.actual
        if expected is not None:
            yield from _labelled("expected", _said(expected.final_response))
        yield from _labelled(
            "actual", _said(actual.final_response) if actual else "(this turn never happened)"
        )
        if expected is not None:
            yield from _calls("expected calls", expected)
        if actual is not None:
            yield from _calls("actual calls", actual)
        for criterion, result in turn.results:
            yield from _on_turn(criterion, result, everything=True)


def _labelled(label: str, text: str) -> Iterator[Line]:
    first, *others = clean(text).split("\n")
    yield line((f"{label:<10}", Tone.FAINT), first, indent=2)
    for other in others:
        yield line(other, indent=12)


def _calls(label: str, invocation: Invocation) -> Iterator[Line]:
    if not invocation.tool_calls:
        yield line((f"{label}: none", Tone.FAINT), indent=2)
        return
    yield line((f"{label}:", Tone.FAINT), indent=2)
    for call in invocation.tool_calls:
        args = json.dumps(call.args or {}, ensure_ascii=False, default=str)
        yield line(f"{call.name} {args if call.raw_args is None else call.raw_args}", indent=4)


def _text(text: str, indent: int, *, everything: bool) -> Iterator[Line]:
    if not everything:
        yield line(shortened(text, _REASON), indent=indent)
        return
    for part in clean(text).split("\n"):
        yield line(part, indent=indent)


def _call(call: ToolCall) -> str:
    return call_text(call.name, call.args if call.raw_args is None else call.raw_args)


def _said(content: Content | None) -> str:
    """The text of a message; what is not text is named."""
    if content is None:
        return "(none)"
    blobs = [f"[{item.mime_type or 'file'}]" for item in content.items if isinstance(item, Blob)]
    return " ".join(filter(None, [content.text, *blobs]))
