"""The evaluation of a run in a log as lines: the verdict, the reason, and the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

from adjudge.kit.evaluation import STEP_LEVEL, codes_of, evidence_of, reasoning_of
from adjudge.kit.render.calibrated import confidence_text
from adjudge.kit.render.criterion_words import detail_text
from adjudge.kit.render.fault import fault_keys, fault_lines
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

CODE_WORDS: Final[Mapping[str, str]] = {
    "split_votes": "the votes are divided",
    "no_evidence": "no evidence in the log supports an answer",
    "abstained": "the judge cannot tell from what it was shown",
    "injection": "the log contains text that addresses the judge",
    "low_confidence": "the labels show that such votes are wrong too often",
    "other_judges": "uncalibrated: the labels are about other judges than those that decided",
    "steps_not_shown": "the judge saw some steps shortened or not at all, because the run is longer than a request",
    "self_reported": "the log records no results, only what the agent did and said",
}

CHECK_WORDS: Final[Mapping[str, tuple[str, Tone]]] = {
    "met": ("met", Tone.PASS),
    "not_met": ("not met", Tone.FAIL),
    "not_applicable": ("does not apply", Tone.FAINT),
    "unsure": ("undecided", Tone.UNSURE),
    "error": ("could not be judged", Tone.ERROR),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result of one criterion on a run in a log; or the error if nothing could be measured."""

    name: str
    """The name of the criterion; for an error that affects all criteria, ``log`` or the run."""
    status: Status
    result: CriterionResult | None
    error: Failure | None

    @property
    def unfinished(self) -> bool:
        """Whether the run was interrupted before this was measured."""
        return self.error is not None and self.error.code == NOT_FINISHED

    @property
    def reasoning(self) -> str:
        """The error message, or the reasoning of the result."""
        if self.error is not None:
            return self.error.message
        return "" if self.result is None else reasoning_of(self.result)

    def lines(self, *, briefly: bool = False, everything: bool = False) -> Iterator[Line]:
        """Show the finding.

        Args:
            briefly: Without the attempts to read the log, which were already shown.
            everything: With whole reasons, whole quotes and every citation.
        """
        if self.error is not None:
            yield from _unmeasured(self.name, self.error, briefly=briefly)
            for check in self.result.checks if self.result is not None else ():
                yield from check_lines(check, indent=4, everything=everything)
        elif self.result is not None:
            yield from _measured(self.result, everything=everything)

    def grounds(self) -> Iterator[Line]:
        """The most important grounds of a FAIL or UNSURE, a line each: the first error, a quote, a note."""
        if self.result is None or self.error is not None:
            return
        yield from fault_lines(self.result.details, indent=0)
        if self.status == "FAIL":
            not_met = (check.evidence for check in self.result.checks if check.state == "not_met")
            yield from islice(_evidence(next(not_met, evidence_of(self.result)), 0, everything=False), 1)
        known = (CODE_WORDS[code] for code in codes_of(self.result) if code in CODE_WORDS)
        yield from (line(("note: ", Tone.UNSURE), words) for words in islice(known, 1))


def findings_of(case: CaseResult, *, decides: bool) -> Iterator[Finding]:
    """The findings about a run in a log.

    Args:
        case: The result of the run.
        decides: Whether a criterion has a threshold; otherwise only errors are findings.
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


def _measured(result: CriterionResult, *, everything: bool) -> Iterator[Line]:
    """Show a result: the granularity, the reason, and the evidence with its steps."""
    name = (result.criterion_name, Tone.STRONG)
    if result.status == "not_applicable":
        yield line(("n/a     ", Tone.FAINT), name)
        yield line(reasoning_of(result), indent=4)
        return
    yield line((f"{result.status:<6}  ", tone_of(result.status)), name, (f"  {_how(result)}", Tone.FAINT))
    if len(result.checks) <= 1:
        yield line(_cut(reasoning_of(result), _REASON, everything=everything), indent=4)
    if everything and result.used_granularity is None:
        drawn = fault_keys(result.details)
        rest = [
            f"{key}: {detail_text(value, everything=True)}"
            for key, value in result.details.items()
            if key not in drawn
        ]
        if rest:
            yield line((", ".join(rest), Tone.FAINT), indent=4)
    yield from grounds_lines(result, indent=4, everything=everything)


def _unmeasured(name: str, error: Failure, *, briefly: bool) -> Iterator[Line]:
    yield line(("error   ", Tone.ERROR), (name, Tone.STRONG), f"  {error.code}")
    why, *tried = error.message.splitlines() or [""]
    yield line(why.strip(), indent=4)
    for said in ["(the rest as above)"] if briefly and tried else tried:
        yield line(said.strip(), indent=4)


def grounds_lines(result: CriterionResult, *, indent: int, everything: bool) -> Iterator[Line]:
    """Show the grounds of a verdict: the first error, the checks if there are several, the evidence, and notes."""
    yield from fault_lines(result.details, indent=indent)
    if len(result.checks) <= 1:
        yield from _evidence(evidence_of(result), indent, everything=everything)
    else:
        for check in result.checks:
            yield from check_lines(check, indent=indent, everything=everything)
    codes = codes_of(result)
    known = [code for code in codes if code in CODE_WORDS]
    for code in known:
        yield line(("note: ", Tone.UNSURE), CODE_WORDS[code], indent=indent)
    yield from note_lines({code: None for code in codes if code not in known}, indent=indent)


def _how(result: CriterionResult) -> str:
    """The granularity and confidence of a judge's verdict; or the measured score."""
    if result.used_granularity is None and result.score is not None:
        return compared_text(
            result.score,
            result.threshold,
            failed=result.verdict == "FAIL",
            lower_is_better=result.lower_is_better,
        )
    sure = f", {text}" if (text := confidence_text(result)) else ""
    return f"{result.used_granularity or STEP_LEVEL}{sure}"


def check_lines(check: CheckResult, *, indent: int, everything: bool) -> Iterator[Line]:
    """Show one check of several, with its reason and its evidence."""
    said, tone = CHECK_WORDS[check.state]
    yield line((said, tone), f"  {check.text}", indent=indent)
    if check.reasoning or check.error:
        why = check.error.message if check.error is not None else check.reasoning or ""
        yield line(_cut(why, _REASON, everything=everything), indent=indent + 4)
    yield from _evidence(check.evidence, indent + 4, everything=everything)


def _evidence(evidence: Evidence, indent: int, *, everything: bool) -> Iterator[Line]:
    shown = evidence.citations if everything else evidence.citations[:_CITATIONS]
    for citation in shown:
        quote = _cut(citation.quote, _QUOTE, everything=everything)
        rest = "…" if citation.shortened and not quote.endswith("…") else ""
        yield line(
            (f"step {citation.step} {citation.field}: ", Tone.FAINT), f"“{quote}{rest}”", indent=indent
        )
    if (more := len(evidence.citations) - len(shown)) > 0:
        yield line((f"and {more} more", Tone.FAINT), indent=indent)
    for absence in evidence.absences:
        first, last = absence.steps
        steps = f"step {first}: " if first == last else f"steps {first}-{last}: "
        yield line((steps, Tone.FAINT), _cut(absence.scan, _QUOTE, everything=everything), indent=indent)


def _cut(text: str, limit: int, *, everything: bool) -> str:
    return text if everything else shortened(text, limit)
