"""What planning has in common, whether trajectories come from an agent or from logs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from adjudge.errors import RunError
from adjudge.extension.loader import Extensions
from adjudge.extension.project import find_settings
from adjudge.journal.judge_notes import JudgeNotes
from adjudge.model.base import JsonValue
from adjudge.runner.host import RunHost
from adjudge.runner.judges import RunJudges
from adjudge.runner.plan import Plan, PlannedCriterion, UnitSource
from adjudge.runner.problems import Problems
from adjudge.runner.reports import check_outputs, reporter_for
from adjudge.runner.request import MOST_RUNS, LogsRequest, RunRequest


class Groundwork:
    """A plan in the making: the problems that were found, and what components are made with."""

    def __init__(
        self,
        request: RunRequest | LogsRequest,
        extensions: Extensions,
        outputs: Sequence[Path],
        *,
        resuming: bool,
        decided_once: Mapping[str, JsonValue] | None,
    ) -> None:
        """Check what every run needs.

        Args:
            request: What the user asks for.
            extensions: The loaded plugins.
            outputs: Where reports are to be written.
            resuming: Whether an interrupted run goes on.
            decided_once: What was decided when it began.
        """
        self.problems = Problems()
        self.folder = Path(request.working_folder)
        self.host = RunHost(extensions, self.folder)
        self.host.decided_once.update(decided_once or {})
        self._request = request
        self.extensions = extensions
        """The loaded plugins."""
        self.outputs = outputs
        """Where reports are to be written."""
        self._judges = RunJudges(request.judging, extensions, self.host, find_settings(self.folder).judge)
        self._judges.check(self.problems, resuming=resuming)
        _check_numbers(request, self.problems)
        check_outputs(outputs, extensions, self.problems)

    def plan(self, source: UnitSource) -> Plan:
        """The plan over ``source``. Everything is checked by now."""
        participants = self.host.participants
        participants.add_observers(self.extensions.observers)
        for output in self.outputs:
            participants.add(reporter_for(output, self.extensions))
        self.problems.warn(_doubts_about(source.criteria))
        return Plan(
            request=self._request,
            source=source,
            judges=self._judges,
            host=self.host,
            warnings=self.problems.warnings,
        )


def _check_numbers(request: RunRequest | LogsRequest, problems: Problems) -> None:
    """Report numbers that make no run."""
    if request.num_runs < 1:
        problems.add(f"the number of runs must be at least 1, found {request.num_runs}")
    if request.num_runs > MOST_RUNS:
        problems.add(f"the number of runs must be at most {MOST_RUNS}, found {request.num_runs}")
    if request.concurrency < 1:
        problems.add(f"the concurrency must be at least 1, found {request.concurrency}")
    if request.timeout is not None and not request.timeout > 0:
        problems.add(f"the timeout must be more than 0 seconds, found {request.timeout}")
    if request.scoring_timeout is not None and not request.scoring_timeout > 0:
        found = request.scoring_timeout
        problems.add(f"the timeout of scoring must be more than 0 seconds, found {found}")


def _doubts_about(criteria: Iterable[PlannedCriterion]) -> tuple[str, ...]:
    """What is known of the judges of a plan and speaks against them: the warnings of the notes about each."""
    notes = JudgeNotes()
    found: list[str] = []
    try:
        for criterion in criteria:
            spec = criterion.component.spec
            for document in criterion.judges:
                for model, backend in zip(document["models"], document["backends"], strict=True):
                    known = notes.of(model, backend, criterion.component.id, spec.version)
                    found += () if known is None else known.warnings
    except RunError as error:
        found.append(str(error))
    return tuple(dict.fromkeys(found))
