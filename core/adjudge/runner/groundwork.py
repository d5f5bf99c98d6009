"""The common part of planning, for agents and for logs."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

from adjudge.errors import RunError
from adjudge.extension.loader import Extensions
from adjudge.extension.project import find_settings, project_extensions
from adjudge.journal.judge_notes import JudgeNotes
from adjudge.runner.host import RunHost
from adjudge.runner.journal_views import RunRecord
from adjudge.runner.judges import RunJudges
from adjudge.runner.observers import Observers
from adjudge.runner.plan import Plan, PlannedCriterion, UnitSource
from adjudge.runner.problems import Problems
from adjudge.runner.reports import check_outputs, reporter_for
from adjudge.runner.request import MOST_RUNS, LogsRequest, RunRequest


class Groundwork:
    """Builds a plan: the parts that runs over cases and runs over logs have in common."""

    def __init__(
        self,
        request: RunRequest | LogsRequest,
        extensions: Extensions | None,
        outputs: Sequence[Path] = (),
        resumed: RunRecord | None = None,
    ) -> None:
        """Check the requirements of every run.

        Args:
            request: What the user asks for.
            extensions: The loaded plugins; otherwise those of the project.
            outputs: The paths of reports.
            resumed: The interrupted run that is resumed.
        """
        self.folder = Path(request.working_folder)
        self.extensions = extensions or project_extensions(self.folder)
        self.host = RunHost(self.extensions, self.folder)
        """The host of the parts of the plan."""
        self.problems = Problems()
        if resumed is not None:
            self.host.decided_once.update(resumed.decided_once)
        self._request = request
        self.outputs = outputs
        """Paths of the reports to write."""
        self._settings = find_settings(self.folder)
        self._observers = Observers(self.extensions)
        self.judges = RunJudges(request.judging, self.host, self._settings.judge)
        self.judges.check(self.problems, resuming=resumed is not None)
        _check_numbers(request, self.problems)
        check_outputs(outputs, self.extensions, self.problems)

    def read_environment(self, agent_folder: Path | None = None) -> None:
        """Add variables from the ``.env`` of the agent's folder, then of the working folder, if they are not set."""
        with self.problems.caught():
            self.host.read_environment(agent_folder=agent_folder)

    def for_untrusted(self, file: str) -> Self:
        """The same plan for the content of an untrusted file: code that the file names is not run."""
        own = copy.copy(self)
        own.host = self.host.for_untrusted(file)
        return own

    def make_observers(self) -> None:
        """Create the observers of the run. Call this after reading the environment: their options may need it."""
        self._observers.make(self._settings.observers, self.host, self.problems)

    def plan(self, source: UnitSource) -> Plan:
        """Create the plan over ``source``. All checks are done before."""
        participants = self.host.participants
        participants.add_observers(self.extensions.observers)
        for output in self.outputs:
            participants.add(reporter_for(output, self.extensions))
        self.problems.warn((*self.judges.unused, *_doubts_about(source.criteria)))
        return Plan(
            request=self._request,
            source=source,
            judges=self.judges,
            host=self.host,
            observers=self._observers,
            outputs=self.outputs,
            warnings=self.problems.warnings,
        )


def _check_numbers(request: RunRequest | LogsRequest, problems: Problems) -> None:
    """Report numbers of the request that are out of range."""
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
    """Warnings about the judges of a plan, from the notes about each."""
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
