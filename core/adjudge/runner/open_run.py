"""An open run: planned and journalled once; its cases run on request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from adjudge.errors import InputError, Problem, RunError
from adjudge.extension.loader import Extensions
from adjudge.extension.protocols import ReportedCase
from adjudge.journal.run_journal import Journal
from adjudge.model.result import RepeatedCase
from adjudge.model.trajectory import Trajectory
from adjudge.model.verdict import Status
from adjudge.runner.api import planned
from adjudge.runner.case_source import CaseSource
from adjudge.runner.execution import RunResult, begun, new_journal
from adjudge.runner.old_reports import OldReports
from adjudge.runner.plan import Unit
from adjudge.runner.request import (
    DEFAULT_CONCURRENCY,
    DEFAULT_SCORING_TIMEOUT,
    DEFAULT_TIMEOUT,
    EvalSetSource,
    request_of,
)
from adjudge.verdict.summary import over_repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedCase:
    """A case that was run and scored, over all its repeats."""

    overall: RepeatedCase
    """The status of the case and of every criterion."""
    repeats: tuple[ReportedCase, ...]
    """The repeats in order, each with its result, the case, and the trajectory."""

    @property
    def status(self) -> Status:
        """PASS, FAIL, UNSURE, ``error`` or ``not_applicable``."""
        return self.overall.status

    @property
    def name(self) -> str:
        """``FILE:eval_id``, as the command line selects it."""
        return f"{self.overall.eval_set_file}:{self.overall.eval_id}"

    @property
    def actual(self) -> Trajectory:
        """The trajectory of the first repeat; partial if it failed."""
        return self.repeats[0].actual


class OpenRun:
    """A run whose cases are executed on request, in parallel if several are requested."""

    def __init__(self, name: str, journal: Path, source: _AskedCases, warnings: Sequence[str]) -> None:
        """Serve the cases of ``source``. Use ``adjudge.open_run``."""
        self.name = name
        self.journal = journal
        self.warnings = tuple(warnings)
        """Warnings about the plan."""
        self.result: RunResult | None = None
        """The result of the run; set at the end of the context if all cases were finished."""
        self._source = source
        self._units: dict[tuple[Path, str], list[Unit]] = {}
        for file, unit in source.whole():
            self._units.setdefault((file.eval_set.path, unit.origin.eval_id), []).append(unit)
        self._asked: dict[tuple[Path, str], asyncio.Future[EvaluatedCase]] = {}
        self._stopped: BaseException | None = None

    @property
    def cases(self) -> Sequence[tuple[Path, str]]:
        """Every case of the run: its file, and its ``eval_id``."""
        return tuple(self._units)

    @property
    def is_whole(self) -> bool:
        """Whether every case is finished."""
        return len(self._asked) == len(self._units) and all(item.done() for item in self._asked.values())

    @property
    def was_asked(self) -> bool:
        """Whether any case was requested."""
        return bool(self._asked)

    async def case(self, file: str | Path, eval_id: str) -> EvaluatedCase:
        """Run all repeats of a case and return its result. A second call returns the same result.

        Raises:
            InputError: the run has no such case.
            RunError: the run cannot continue, for instance because its file was changed. Finished results are kept.
        """
        key = (Path(self._source.request.working_folder, file).resolve(), eval_id)
        if key not in self._units:
            raise InputError(Problem(what="this run has no such case", file=str(file), case=eval_id))
        if key not in self._asked:
            if self._stopped is not None:
                raise self._stopped
            self._asked[key] = self._begun(self._units[key])
        return await asyncio.shield(self._asked[key])

    def stop(self, why: BaseException) -> None:
        """Stop the run: waiting calls of ``case`` raise ``why``."""
        self._stopped = why
        for waiting in self._asked.values():
            if not waiting.done():
                waiting.set_exception(why)
                waiting.exception()  # marks it as retrieved: there may be no waiting task, and asyncio would warn

    def _begun(self, units: Sequence[Unit]) -> asyncio.Future[EvaluatedCase]:
        result: asyncio.Future[EvaluatedCase] = asyncio.get_running_loop().create_future()
        finished: list[ReportedCase] = []

        def done(repeat: ReportedCase) -> None:
            finished.append(repeat)
            if len(finished) == len(units) and not result.done():
                result.set_result(_evaluated(units, finished))

        for unit in units:
            self._source.asked.put_nowait(replace(unit, done=done))
        return result


def _evaluated(units: Sequence[Unit], finished: Sequence[ReportedCase]) -> EvaluatedCase:
    in_order = tuple(sorted(finished, key=lambda item: item.result.repeat))
    rules = [item.rule for item in units[0].criteria]
    return EvaluatedCase(
        overall=over_repeats([item.result for item in in_order], rules, len(units)), repeats=in_order
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _AskedCases(CaseSource):
    """The cases of a plan in the order in which they are requested."""

    asked: asyncio.Queue[Unit | None]
    """The requested units; ``None`` ends the run."""

    def units(self, journal: Journal, *, resuming: bool) -> tuple[AsyncIterator[Unit], int]:  # noqa: ARG002
        return self._until_the_end(), self.total

    async def _until_the_end(self) -> AsyncIterator[Unit]:
        while (unit := await self.asked.get()) is not None:
            yield unit


@asynccontextmanager
async def open_run(
    agent: object,
    eval_sets: EvalSetSource | Sequence[EvalSetSource],
    *,
    config: str | Path | Mapping[str, Any] | None = None,
    agent_options: Mapping[str, Any] | None = None,
    isolate: bool = False,
    num_runs: int = 1,
    concurrency: int = DEFAULT_CONCURRENCY,
    timeout: float | None = DEFAULT_TIMEOUT,
    scoring_timeout: float | None = DEFAULT_SCORING_TIMEOUT,
    run: str | None = None,
    folder: Path | None = None,
    judge: str | Sequence[str] = (),
    max_judge_calls: int | None = None,
    max_cost: float | None = None,
    use_cache: bool = True,
    trust_code: bool | None = None,
    extensions: Extensions | None = None,
) -> AsyncGenerator[OpenRun]:
    """Plan a run like ``adjudge.evaluate``, and run its cases on request.

    For test frameworks, which decide themselves what runs and when. The agent and the criteria are created once.
    If the context ends before all cases are finished, the run is unfinished and can be resumed.

    Args:
        agent: A target, or an agent object, as in ``adjudge.evaluate``.
        eval_sets: Files, folders, ``"FILE:id1,id2"``, or ``EvalSet`` objects; one, or several.
        config: A configuration file, or its content.
        agent_options: Options of the agent adapter.
        isolate: Whether every session runs in a separate process. The agent must then be a target, not an object.
        num_runs: The number of repeats of every case.
        concurrency: The maximum number of open sessions with the agent.
        timeout: The time limit of a case in seconds; ``None`` for no limit.
        scoring_timeout: The time limit of one criterion on one case in seconds, without the time that it waits
            for judges; ``None`` for no limit.
        run: The name of the run; by default it is made from the time.
        folder: The folder of its journal; by default the folder of runs.
        judge: The judge model of every criterion that needs one; several models are a panel.
        max_judge_calls: The maximum number of calls to judges.
        max_cost: The maximum cost of judges in USD.
        use_cache: Whether to use judges' answers from earlier runs, and to store new answers for later runs.
        trust_code: Whether to run code named by a ``test_config.json`` that was found beside an eval set and lies
            outside the agent's folder. ``False`` also covers a ``config`` that is the content of such a file.
        extensions: Loaded plugins, for tests; otherwise those of this environment.

    Raises:
        InputError: something that the run needs is missing or wrong; it names every problem.
        PluginError: a required plugin is not available.
        RunError: a run of that name exists, or its journal cannot be written and no call of ``case`` raised this.
    """
    request = request_of(
        agent,
        eval_sets,
        config=config,
        agent_options=agent_options,
        isolate=isolate,
        num_runs=num_runs,
        timeout=timeout,
        scoring_timeout=scoring_timeout,
        judge=judge,
        max_judge_calls=max_judge_calls,
        max_cost=max_cost,
        use_cache=use_cache,
        trust_code=trust_code,
        concurrency=concurrency,
    )
    journal = new_journal(run, folder)
    plan = await planned(request, agent, extensions)
    if not isinstance(plan.source, CaseSource):
        raise AssertionError("a plan over cases has a source of cases")
    source = _AskedCases(
        request=plan.source.request, agent=plan.source.agent, files=plan.source.files, asked=asyncio.Queue()
    )
    opened = OpenRun(journal.stem, journal, source, plan.warnings)
    with OldReports([]) as old:
        running = asyncio.create_task(begun(replace(plan, source=source), old, journal, None))
        running.add_done_callback(lambda task: _told(opened, task))
        try:
            yield opened
        finally:
            if opened.is_whole:
                source.asked.put_nowait(None)
            else:
                running.cancel()
            await asyncio.wait((running,))
    if running.cancelled():
        return
    if running.exception() is None or not opened.was_asked:
        opened.result = running.result()


def _told(opened: OpenRun, running: asyncio.Task[RunResult]) -> None:
    """Notify all tasks that wait for a case of the end of the run."""
    if running.cancelled():
        opened.stop(RunError(f"the run {opened.name!r} was left before this case was finished"))
    elif (error := running.exception()) is not None:
        opened.stop(error)
