"""A verdict on a run as lines: why, and the words in the log that it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from adjudge.kit.judged_logs import LogError
from adjudge.kit.render.calibrated import confidence_text
from adjudge.kit.render.lines import Line, Tone, line, shortened
from adjudge.kit.render.scores import compared_text, tone_of
from adjudge.kit.render.votes import note_lines
from adjudge.model.evaluation import CheckResult, EvaluationResult, Inapplicable
from adjudge.model.evidence import Evidence
from adjudge.model.verdict import Status

_REASON: Final = 600
_QUOTE: Final = 240
_CITATIONS: Final = 5

_WORDS: Final[Mapping[str, str]] = {
    "split_votes": "the votes are divided",
    "no_evidence": "no evidence in the log supports an answer",
    "abstained": "the judge cannot tell from what it was shown",
    "injection": "the log speaks to its judge",
    "low_confidence": "labels show such votes to be wrong too often",
    "other_judges": "uncalibrated: not those decided whom the labels are about",
    "steps_not_shown": "the judge saw some steps shortened or not at all: the run is longer than a request",
    "self_reported": "the log shows nothing of what came back: only what the agent did and said",
}

_CHECKS: Final[Mapping[str, tuple[str, Tone]]] = {
    "met": ("met", Tone.PASS),
    "not_met": ("not met", Tone.FAIL),
    "not_applicable": ("does not apply", Tone.FAINT),
    "unsure": ("undecided", Tone.UNSURE),
    "error": ("could not be judged", Tone.ERROR),
}


def judgement_lines(result: EvaluationResult) -> Iterator[Line]:
    """Show a verdict: the criterion, how closely was looked, the reason, and the evidence with its steps."""
    verdict: Status = "error" if result.verdict is None else result.verdict.value
    yield line(
        (f"{verdict:<6}  ", tone_of(verdict)),
        (result.criterion_name, Tone.STRONG),
        (f"  {_how(result)}", Tone.FAINT),
    )
    if len(result.checks) <= 1:
        yield line(shortened(result.reasoning, _REASON), indent=4)
    yield from grounds_lines(result, indent=4)


def inapplicable_lines(item: Inapplicable) -> Iterator[Line]:
    """Show a criterion that has nothing to measure, and why."""
    yield line(("n/a     ", Tone.FAINT), (item.criterion_name, Tone.STRONG))
    yield line(item.reasoning, indent=4)


def grounds_lines(result: EvaluationResult, *, indent: int) -> Iterator[Line]:
    """Show what a verdict rests on: its checks where there are several, the evidence, and what is odd about it."""
    if len(result.checks) <= 1:
        yield from _evidence(result.evidence, indent)
    else:
        for check in result.checks:
            yield from check_lines(check, indent=indent)
    known = [code for code in result.reason_codes if code in _WORDS]
    for code in known:
        yield line(("note: ", Tone.UNSURE), _WORDS[code], indent=indent)
    yield from note_lines({code: None for code in result.reason_codes if code not in known}, indent=indent)


def _how(result: EvaluationResult) -> str:
    """How closely a judge looked, and how sure it is; or what was measured."""
    if result.score is not None:
        return compared_text(result.score, result.threshold, failed=result.verdict == "FAIL")
    sure = f", {text}" if (text := confidence_text(result)) else ""
    return f"{result.used_granularity}{sure}"


def check_lines(check: CheckResult, *, indent: int) -> Iterator[Line]:
    """Show one check of several, with its reason and its evidence."""
    said, tone = _CHECKS[check.state]
    yield line((said, tone), f"  {check.text}", indent=indent)
    if check.reasoning or check.error:
        why = check.error.message if check.error is not None else check.reasoning or ""
        yield line(shortened(why, _REASON), indent=indent + 4)
    yield from _evidence(check.evidence, indent + 4)


def log_error_lines(error: LogError, *, briefly: bool = False) -> Iterator[Line]:
    """Show what could not be measured, and why; ``briefly``: without what was tried, where it was told before."""
    name = error.criterion_name or ("log" if error.run is None else f"run {error.run}")
    yield line(("error   ", Tone.ERROR), (name, Tone.STRONG), f"  {error.error.code}")
    why, *tried = error.error.message.splitlines() or [""]
    yield line(why.strip(), indent=4)
    for said in ["(the rest as above)"] if briefly and tried else tried:
        yield line(said.strip(), indent=4)
    for check in error.checks:
        yield from check_lines(check, indent=4)


def _evidence(evidence: Evidence, indent: int) -> Iterator[Line]:
    for citation in evidence.citations[:_CITATIONS]:
        yield line(
            (f"step {citation.step} {citation.field}: ", Tone.FAINT),
            f"“{shortened(citation.quote, _QUOTE)}”",
            indent=indent,
        )
    if (more := len(evidence.citations) - _CITATIONS) > 0:
        yield line((f"and {more} more", Tone.FAINT), indent=indent)
    for absence in evidence.absences:
        first, last = absence.steps
        steps = f"step {first}: " if first == last else f"steps {first}-{last}: "
        yield line((steps, Tone.FAINT), shortened(absence.scan, _QUOTE), indent=indent)
