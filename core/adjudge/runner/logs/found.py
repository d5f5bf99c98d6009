"""What is found of one run, criterion by criterion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from adjudge.errors import AdjudgeError
from adjudge.model.aggregated import AggregatedSteps
from adjudge.model.evaluation import EvaluationResult, Inapplicable
from adjudge.model.judged_logs import JudgedLog, LogError
from adjudge.model.measurement import Failure
from adjudge.model.result import NOTHING_MEASURED


@dataclass(slots=True)
class Found:
    """Verdicts, what does not apply, what could not be measured, and the views that were made on the way."""

    source: str
    run: int
    results: list[EvaluationResult] = field(default_factory=list[EvaluationResult])
    not_applicable: list[Inapplicable] = field(default_factory=list[Inapplicable])
    errors: list[LogError] = field(default_factory=list[LogError])
    views: list[AggregatedSteps] = field(default_factory=list[AggregatedSteps])

    def add(
        self,
        criterion: str,
        item: EvaluationResult | Inapplicable | Failure,
        views: Sequence[AggregatedSteps] = (),
    ) -> None:
        """Take what one criterion gave; a result without a verdict is an error with what is known of it."""
        self.views += views
        if isinstance(item, Failure):
            self.failed(item, criterion)
        elif isinstance(item, Inapplicable):
            self.not_applicable.append(item)
        elif item.verdict is not None:
            self.results.append(item)
        else:
            unknown = Failure(code="not_measured", message=item.reasoning)
            self.errors.append(
                LogError(
                    source=self.source,
                    run=self.run,
                    criterion_name=criterion,
                    error=item.error or unknown,
                    checks=item.checks,
                )
            )

    def failed(self, error: Failure, criterion: str | None = None) -> None:
        """Take what could not be measured; without a name it concerns every criterion."""
        self.errors.append(LogError(source=self.source, run=self.run, criterion_name=criterion, error=error))

    def close(self) -> None:
        """Say where nothing is left to decide: such a run is neither passed nor failed."""
        if self.not_applicable and not self.results and not self.errors:
            what = "no criterion applies to this run, so it is neither passed nor failed"
            self.failed(Failure(code=NOTHING_MEASURED, message=what))


def nothing_measured(criteria: Sequence[str], logs: Sequence[JudgedLog]) -> Iterator[LogError]:
    """An error for every criterion that applies to no run at all, where the runs do not say so already."""
    for name in criteria:
        silent = [item for log in logs for item in log.not_applicable if item.criterion_name == name]
        # A run to which nothing applies is an error of its own.
        if not silent or len(silent) < len(logs) or not any(log.results for log in logs):
            continue
        what = (
            f"the criterion {name!r} measured nothing: it does not apply to any of the runs, {len(logs)} in all "
            f"({silent[0].reasoning}). Take it out of the criteria, or judge logs that record what it needs."
        )
        only = logs[0] if len(logs) == 1 else None
        yield LogError(
            source=f"all {len(logs)} runs" if only is None else only.source,
            run=None if only is None else only.run,
            criterion_name=name,
            error=Failure(code=NOTHING_MEASURED, message=what),
        )


def plugin_failure(error: AdjudgeError) -> Failure:
    """What a plugin raised, as something that could not be measured."""
    return Failure(code="plugin_failed", message=str(error))
