"""Results of criteria as lines: scores, reasons, errors, details."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from adjudge.kit.render.calibrated import confidence_text
from adjudge.kit.render.call_diff import (
    call_diff,
    difference_lines,
    is_call_diff,
    is_differences,
)
from adjudge.kit.render.criterion_words import (
    criterion_score_text,
    detail_text,
    gaps_text,
    lists_rubrics,
    own_reason,
    turn_score_text,
)
from adjudge.kit.render.evaluation_lines import grounds_lines
from adjudge.kit.render.fault import fault_keys, fault_lines
from adjudge.kit.render.lines import Line, Tone, line, shortened
from adjudge.kit.render.rubric_lines import is_sentences, rubric_lines, sentence_lines
from adjudge.kit.render.scores import tone_of
from adjudge.kit.render.simulation import end_lines, is_end
from adjudge.kit.render.votes import flags_of, is_votes, note_lines, vote_lines
from adjudge.model.base import JsonObject
from adjudge.model.evidence import Failure
from adjudge.model.printable import clean
from adjudge.model.result import CriterionResult, InvocationResult

REASON_LIMIT: Final = 300
"""The maximum length of a reason in characters, unless everything is shown."""


def failure_lines(failure: Failure, *, indent: int, everything: bool) -> Iterator[Line]:
    """Show why something could not be measured."""
    origin = f" ({failure.origin})" if failure.origin else ""
    message = failure.message if everything else shortened(failure.message, REASON_LIMIT)
    lasting = (" (temporary: adjudge resume tries it again)", Tone.FAINT) if failure.retryable else ""
    yield line((failure.code, Tone.ERROR), f"{origin}: {message}", lasting, indent=indent)
    if failure.place is not None:
        yield line(f"at {failure.place}", indent=indent + 2)


def criterion_lines(criterion: CriterionResult, *, everything: bool) -> Iterator[Line]:
    """Show the result of one criterion on the whole case."""
    gaps = gaps_text(criterion)
    shown = (criterion_score_text(criterion), tone_of(criterion.status))
    yield line((criterion.criterion_name, Tone.STRONG), "  ", shown, f", {gaps}" if gaps else "")
    yield from _reason(criterion, 2, everything=everything)
    yield from _parts(criterion, 2, everything=everything)


def turn_lines(criterion: CriterionResult, result: InvocationResult, *, everything: bool) -> Iterator[Line]:
    """Show the result of one criterion on one turn."""
    shown = (turn_score_text(criterion, result), tone_of(result.status))
    yield line(f"{criterion.criterion_name}  ", shown, indent=2)
    yield from _reason(result, 4, everything=everything)
    yield from _parts(result, 4, everything=everything)


def _reason(found: CriterionResult | InvocationResult, indent: int, *, everything: bool) -> Iterator[Line]:
    match own_reason(found):
        case Failure() as error:
            yield from failure_lines(error, indent=indent, everything=everything)
        case str(reason):
            yield from _text(reason, indent, everything=everything)
        case None:
            pass


def _parts(found: CriterionResult | InvocationResult, indent: int, *, everything: bool) -> Iterator[Line]:
    if lists_rubrics(found):
        yield from rubric_lines(found.rubric_scores, indent=indent, everything=everything)
    yield from _details(found.details, found.reasoning, indent, everything=everything)
    if isinstance(found, CriterionResult) and found.used_granularity is not None:
        if found.calibrated:
            yield line((confidence_text(found), Tone.FAINT), indent=indent)
        yield from grounds_lines(found, indent=indent, everything=everything)
    else:
        yield from fault_lines(found.details, indent=indent)


def _details(details: JsonObject, told: str | None, indent: int, *, everything: bool) -> Iterator[Line]:
    calls = details.get("calls")
    diff = calls if is_call_diff(calls) else None
    differences = details.get("differences")
    votes, texts, end = details.get("votes"), details.get("texts"), details.get("end")
    drawn = {
        *fault_keys(details),
        *(("differences",) if is_differences(differences) else ()),
        *(("calls", "match_type") if diff is not None else ()),
        *(("votes",) if is_votes(votes) else ()),
        *(("texts",) if is_sentences(texts) else ()),
        *(("end",) if is_end(end) else ()),
    }
    shown = [
        f"{key}: {detail_text(value, everything=everything)}"
        for key, value in details.items()
        if key not in drawn
    ]
    if shown:
        listed = ", ".join(shown)
        yield line((listed if everything else shortened(listed, REASON_LIMIT), Tone.FAINT), indent=indent)
    if diff is not None:
        yield from call_diff(diff, indent=indent, everything=everything)
    if is_differences(differences):
        yield from difference_lines(differences, indent=indent)
    if is_votes(votes):
        yield from vote_lines(votes, indent=indent, everything=everything)
        yield from note_lines(flags_of(votes), indent=indent)
    if is_end(end):
        yield from end_lines(end, told, indent=indent, everything=everything)
    if is_sentences(texts):
        yield from sentence_lines(texts, indent=indent, everything=everything)


def _text(text: str, indent: int, *, everything: bool) -> Iterator[Line]:
    if not everything:
        yield line(shortened(text, REASON_LIMIT), indent=indent)
        return
    for part in clean(text).split("\n"):
        yield line(part, indent=indent)
