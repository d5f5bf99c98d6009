"""What is found of one run, criterion by criterion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from adjudge.errors import AdjudgeError
from adjudge.model.aggregated import AggregatedSteps
from adjudge.model.evaluation import EvaluationResult, Inapplicable
from adjudge.model.judged_logs import LogError
from adjudge.model.measurement import Failure


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
            self.failed(Failure(code="nothing_measured", message=what))


def plugin_failure(error: AdjudgeError) -> Failure:
    """What a plugin raised, as something that could not be measured."""
    return Failure(code="plugin_failed", message=str(error))
