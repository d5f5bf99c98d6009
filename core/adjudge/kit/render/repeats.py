"""Cases with all their repeats; a case passes or fails as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from adjudge.model.result import NOT_FINISHED, CaseResult, RepeatedCase, RepeatedCriterion
from adjudge.plugin import ReportedCase, RunReport


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeCase:
    """A case with all its repeats."""

    overall: RepeatedCase
    """The statuses over all repeats, which decide the run."""
    repeats: tuple[ReportedCase, ...]

    @property
    def name(self) -> str:
        """The case as the command line selects it: ``FILE:eval_id``."""
        return f"{self.overall.eval_set_file or self.overall.eval_set_id}:{self.overall.eval_id}"

    @property
    def unfinished(self) -> bool:
        """Whether the run was interrupted before this case was completely scored, so that it has no verdict."""
        errors = (
            error
            for item in self.repeats
            for error in (item.result.error, *(criterion.error for criterion in item.result.criteria))
        )
        return self.overall.status == "error" and any(
            error is not None and error.code == NOT_FINISHED for error in errors
        )

    @property
    def seconds(self) -> float | None:
        """The agent's total time over all repeats in seconds; ``None`` if it is unknown."""
        known = [item.result.duration for item in self.repeats if item.result.duration is not None]
        return sum(known) if known else None


def whole_cases(report: RunReport) -> Iterator[WholeCase]:
    """Read the cases of a run one at a time, the repeats of each together."""
    overall = {_key(case): case for case in report.summary.repeated}
    for key, group in groupby(report.cases(), key=lambda item: _key(item.result)):
        repeats = tuple(group)
        yield WholeCase(overall=overall.get(key) or _alone(repeats[0].result), repeats=repeats)


def _key(case: CaseResult | RepeatedCase) -> tuple[str, str | None, str]:
    return case.eval_set_id, case.eval_set_file, case.eval_id


def _alone(result: CaseResult) -> RepeatedCase:
    """Convert the result of a case that ran once."""
    return RepeatedCase(
        eval_set_id=result.eval_set_id,
        eval_set_file=result.eval_set_file,
        eval_id=result.eval_id,
        status=result.status,
        verdict=result.verdict,
        criteria=tuple(
            RepeatedCriterion(
                criterion_name=criterion.criterion_name,
                status=criterion.status,
                verdict=criterion.verdict,
                mean=criterion.score,
                threshold=criterion.threshold,
                lower_is_better=criterion.lower_is_better,
                scored=criterion.scored,
                total=criterion.total,
            )
            for criterion in result.criteria
        ),
        error=result.error,
    )
