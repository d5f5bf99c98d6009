"""What criteria found, as lines: scores, reasons, errors, details."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from adjudge.kit.render.calibrated import confidence_text
from adjudge.kit.render.call_diff import (
    call_diff,
    difference_lines,
    is_call_diff,
    is_differences,
    value_text,
)
from adjudge.kit.render.evaluation_lines import grounds_lines
from adjudge.kit.render.fault import fault_keys, fault_lines
from adjudge.kit.render.lines import Line, Tone, line, shortened
from adjudge.kit.render.rubric_lines import is_sentences, rubric_lines, sentence_lines
from adjudge.kit.render.scores import compared_text, score_text, tone_of
from adjudge.kit.render.simulation import end_lines, is_end
from adjudge.kit.render.votes import flags_of, is_votes, note_lines, vote_lines
from adjudge.model.base import JsonObject, JsonValue
from adjudge.model.evidence import Failure
from adjudge.model.printable import clean
from adjudge.model.result import CriterionResult, InvocationResult
from adjudge.model.verdict import Status

REASON_LIMIT: Final = 300
"""Characters shown of a reason where not everything is shown."""
WITHOUT_SCORE: Final[dict[Status, str]] = {
    "error": "could not be measured",
    "UNSURE": "undecided",
    "not_applicable": "does not apply",
}


def failure_lines(failure: Failure, *, indent: int) -> Iterator[Line]:
    """Show why something could not be measured."""
    origin = f" ({failure.origin})" if failure.origin else ""
    message = shortened(failure.message, REASON_LIMIT)
    lasting = (" (may work another time)", Tone.FAINT) if failure.retryable else ""
    yield line((failure.code, Tone.ERROR), f"{origin}: {message}", lasting, indent=indent)
    if failure.place is not None:
        yield line(f"at {failure.place}", indent=indent + 2)


def criterion_lines(criterion: CriterionResult, *, everything: bool) -> Iterator[Line]:
    """Show one criterion on the whole case."""
    name = (criterion.criterion_name, Tone.STRONG)
    tone = tone_of(criterion.status)
    failed = criterion.status == "FAIL"
    if criterion.score is not None:
        shown = compared_text(criterion.score, criterion.threshold, failed=failed)
    elif failed and criterion.best_possible is not None:
        shown = f"at best {compared_text(criterion.best_possible, criterion.threshold, failed=True)}"
    else:
        shown = WITHOUT_SCORE.get(criterion.status, "no score")
    gaps = ""
    if criterion.per_invocation and criterion.scored != criterion.total:
        gaps = f", {criterion.scored} of {criterion.total} turns scored"
    yield line(name, "  ", (shown, tone), gaps)
    # What was taken over from a turn is shown there.
    turns = criterion.per_invocation
    if criterion.error is not None and criterion.error not in [item.error for item in turns]:
        yield from failure_lines(criterion.error, indent=2)
    elif criterion.reasoning and criterion.reasoning not in [item.reasoning for item in turns]:
        yield from _reason(criterion, 2, everything=everything)
    yield from _parts(criterion, 2, everything=everything)


def turn_lines(criterion: CriterionResult, result: InvocationResult, *, everything: bool) -> Iterator[Line]:
    """Show one criterion on one turn."""
    tone = tone_of(result.status)
    if result.score is not None:
        shown = score_text(result.score, criterion.threshold)
    elif result.status == "UNSURE" and result.unsure_code:
        shown = f"undecided ({result.unsure_code})"
    else:
        shown = result.status.replace("_", " ")
    yield line(f"{criterion.criterion_name}  ", (shown, tone), indent=2)
    if result.error is not None:
        yield from failure_lines(result.error, indent=4)
    elif result.reasoning:
        yield from _reason(result, 4, everything=everything)
    yield from _parts(result, 4, everything=everything)


def _reason(found: CriterionResult | InvocationResult, indent: int, *, everything: bool) -> Iterator[Line]:
    """Show the reason, unless it only lists the rubrics that are shown below it."""
    if found.reasoning and (not found.rubric_scores or _one_reason(found)):
        yield from _text(found.reasoning, indent, everything=everything)


def _one_reason(found: CriterionResult | InvocationResult) -> bool:
    """Whether all rubrics have the reason of the whole, because no judge was needed."""
    return all(item.rationale == found.reasoning for item in found.rubric_scores)


def _parts(found: CriterionResult | InvocationResult, indent: int, *, everything: bool) -> Iterator[Line]:
    if found.rubric_scores and not _one_reason(found):
        yield from rubric_lines(found.rubric_scores, indent=indent, everything=everything)
    yield from _details(found.details, found.reasoning, indent, everything=everything)
    if isinstance(found, CriterionResult) and found.used_granularity is not None:
        if found.calibrated:
            yield line((confidence_text(found), Tone.FAINT), indent=indent)
        yield from grounds_lines(found, indent=indent)
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
    shown = [f"{key}: {_detail_text(value)}" for key, value in details.items() if key not in drawn]
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


def _detail_text(value: JsonValue) -> str:
    return f"{value:.4g}" if isinstance(value, float) else value_text(value)


def _text(text: str, indent: int, *, everything: bool) -> Iterator[Line]:
    if not everything:
        yield line(shortened(text, REASON_LIMIT), indent=indent)
        return
    for part in clean(text).split("\n"):
        yield line(part, indent=indent)
