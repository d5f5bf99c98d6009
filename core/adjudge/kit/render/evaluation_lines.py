"""What is said of a run in a log, as lines: the verdict, why, and the words in the log that it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from adjudge.kit.evaluation import STEP_LEVEL, codes_of, evidence_of, reasoning_of
from adjudge.kit.render.calibrated import confidence_text
from adjudge.kit.render.fault import fault_lines
from adjudge.kit.render.lines import Line, Tone, line, shortened
from adjudge.kit.render.scores import compared_text, tone_of
from adjudge.kit.render.votes import note_lines
from adjudge.model.evaluation import CheckResult
from adjudge.model.evidence import Evidence, Failure
from adjudge.model.result import NOT_FINISHED, CaseResult, CriterionResult
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one criterion says of a run in a log; or why nothing could be measured there."""

    name: str
    """The criterion's; of what concerns all of them ``log``, or the run."""
    status: Status
    result: CriterionResult | None
    error: Failure | None

    @property
    def unfinished(self) -> bool:
        """Whether the run was interrupted before it came to this."""
        return self.error is not None and self.error.code == NOT_FINISHED

    @property
    def reasoning(self) -> str:
        """Why, in words."""
        if self.error is not None:
            return self.error.message
        return "" if self.result is None else reasoning_of(self.result)

    def lines(self, *, briefly: bool = False) -> Iterator[Line]:
        """Show it; ``briefly``: without what was tried to read the log, where it was told before."""
        if self.error is not None:
            yield from _unmeasured(self.name, self.error, briefly=briefly)
            for check in self.result.checks if self.result is not None else ():
                yield from check_lines(check, indent=4)
        elif self.result is not None:
            yield from _measured(self.result)


def findings_of(case: CaseResult, *, decides: bool) -> Iterator[Finding]:
    """Everything that is said of a run in a log.

    Args:
        case: The run.
        decides: Whether a criterion decides anything; where none does, only errors are found.
    """
    for item in case.criteria:
        error = None
        if item.status == "error":
            error = item.error or Failure(code="not_measured", message=reasoning_of(item))
        if decides or error is not None:
            yield Finding(name=item.criterion_name, status=item.status, result=item, error=error)
    if case.error is not None:
        name = "log" if case.run is None else f"run {case.run}"
        yield Finding(name=name, status="error", result=None, error=case.error)


def _measured(result: CriterionResult) -> Iterator[Line]:
    """How closely was looked, the reason, and the evidence with its steps."""
    name = (result.criterion_name, Tone.STRONG)
    if result.status == "not_applicable":
        yield line(("n/a     ", Tone.FAINT), name)
        yield line(reasoning_of(result), indent=4)
        return
    yield line((f"{result.status:<6}  ", tone_of(result.status)), name, (f"  {_how(result)}", Tone.FAINT))
    if len(result.checks) <= 1:
        yield line(shortened(reasoning_of(result), _REASON), indent=4)
    yield from grounds_lines(result, indent=4)


def _unmeasured(name: str, error: Failure, *, briefly: bool) -> Iterator[Line]:
    yield line(("error   ", Tone.ERROR), (name, Tone.STRONG), f"  {error.code}")
    why, *tried = error.message.splitlines() or [""]
    yield line(why.strip(), indent=4)
    for said in ["(the rest as above)"] if briefly and tried else tried:
        yield line(said.strip(), indent=4)


def grounds_lines(result: CriterionResult, *, indent: int) -> Iterator[Line]:
    """Show what a verdict rests on: the step at fault, its checks where there are several, the evidence, and what is odd."""
    yield from fault_lines(result.details, indent=indent)
    if len(result.checks) <= 1:
        yield from _evidence(evidence_of(result), indent)
    else:
        for check in result.checks:
            yield from check_lines(check, indent=indent)
    codes = codes_of(result)
    known = [code for code in codes if code in _WORDS]
    for code in known:
        yield line(("note: ", Tone.UNSURE), _WORDS[code], indent=indent)
    yield from note_lines({code: None for code in codes if code not in known}, indent=indent)


def _how(result: CriterionResult) -> str:
    """How closely a judge looked, and how sure it is; or what was measured."""
    if result.used_granularity is None and result.score is not None:
        return compared_text(result.score, result.threshold, failed=result.verdict == "FAIL")
    sure = f", {text}" if (text := confidence_text(result)) else ""
    return f"{result.used_granularity or STEP_LEVEL}{sure}"


def check_lines(check: CheckResult, *, indent: int) -> Iterator[Line]:
    """Show one check of several, with its reason and its evidence."""
    said, tone = _CHECKS[check.state]
    yield line((said, tone), f"  {check.text}", indent=indent)
    if check.reasoning or check.error:
        why = check.error.message if check.error is not None else check.reasoning or ""
        yield line(shortened(why, _REASON), indent=indent + 4)
    yield from _evidence(check.evidence, indent + 4)


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
