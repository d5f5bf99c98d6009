"""The Python API: evaluate an agent, judge logs, resume a run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from adjudge.errors import InputError, Problem, RunError
from adjudge.extension.loader import Extensions, PluginState
from adjudge.extension.plugin_folders import is_folder
from adjudge.extension.project import project_extensions
from adjudge.journal.locations import journal_path
from adjudge.journal.run_journal import Journal
from adjudge.model.base import canonical_sha256
from adjudge.model.evaluation import WordedCriterion
from adjudge.model.result import Participant
from adjudge.runner.engine import Watch
from adjudge.runner.execution import RunResult, beginning, begun, finished, new_journal
from adjudge.runner.groundwork import Groundwork
from adjudge.runner.journal_views import RunRecord, keep_info, record_of
from adjudge.runner.log_planning import plan_logs
from adjudge.runner.old_reports import OldReports
from adjudge.runner.plan import Plan, differences
from adjudge.runner.planning import plan_cases
from adjudge.runner.reports import output_paths
from adjudge.runner.request import (
    DEFAULT_CONCURRENCY,
    DEFAULT_SCORING_TIMEOUT,
    DEFAULT_TIMEOUT,
    EvalSetSource,
    LogsRequest,
    RunRequest,
    judged,
    logs_request_of,
    request_from,
    request_of,
    roles_of,
    with_agent,
)


async def evaluate(
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
    judge: str | Sequence[str] = (),
    max_judge_calls: int | None = None,
    max_cost: float | None = None,
    use_cache: bool = True,
    record: str | Path | None = None,
    outputs: str | Path | Sequence[str | Path] = (),
    trust_code: bool | None = None,
    extensions: Extensions | None = None,
    watch: Watch | None = None,
) -> RunResult:
    """Run an agent over eval sets and score what it did.

    Args:
        agent: A target as on the command line (``"package.module:name"``, ``"http://…"``,
            ``"recorded:FILE"``), or the agent itself: a callable or an object with sessions.
        eval_sets: Files, folders, ``"FILE:id1,id2"``, or ``EvalSet`` objects; one, or several.
        config: A configuration file, or its content; otherwise every eval set uses the
            ``test_config.json`` of its own folder, or the default criteria.
        agent_options: Options of the agent adapter.
        isolate: Whether every session runs in a separate process. The agent must then be a target, not an object.
        num_runs: The number of repeats of every case.
        concurrency: The maximum number of open sessions with the agent.
        timeout: The time limit of a case in seconds; ``None`` for no limit.
        scoring_timeout: The time limit of one criterion on one case in seconds, without the time that it waits
            for judges; ``None`` for no limit.
        run: The name of the run; by default it is made from the time.
        judge: The judge model of every criterion that needs one, as ``provider/model``. Several models are a
            panel; ``"replay:FILE"`` answers from recorded calls. By default every criterion uses its own.
        max_judge_calls: The maximum number of calls to judges. Results that need further calls are errors.
        max_cost: The maximum cost of judges in USD; needs the extra ``prices``.
        use_cache: Whether to use judges' answers from earlier runs, and to store new answers for later runs.
        record: A new file to record the calls to judges in.
        outputs: Report files to write, one or several; the ending of the name decides the format.
        trust_code: Whether to run code named by a ``test_config.json`` that was found beside an eval set and lies
            outside the agent's folder. ``False`` also covers a ``config`` that is the content of such a file.
        extensions: Loaded plugins, for tests; otherwise those of this environment.
        watch: Called with every event as it happens.

    Raises:
        InputError: something that the run needs is missing or wrong. It names every problem, and no call was made.
        PluginError: a required plugin is not available.
        RunError: a run of that name exists, or its journal cannot be written.
        ReportError: a report could not be written; it holds the result.
    """
    request = request_of(
        agent,
        eval_sets,
        config=config,
        agent_options=agent_options,
        isolate=isolate,
        num_runs=num_runs,
        trust_code=trust_code,
        timeout=timeout,
        scoring_timeout=scoring_timeout,
        concurrency=concurrency,
        judge=judge,
        max_judge_calls=max_judge_calls,
        max_cost=max_cost,
        use_cache=use_cache,
        record=record,
    )
    return await _begun(request, agent, run, outputs, extensions, watch)


async def judge_logs(
    logs: str | Path | Sequence[str | Path],
    criteria: str | Path | Sequence[WordedCriterion | Mapping[str, Any]] | None = None,
    *,
    task: str | None = None,
    instructions: str | Path | None = None,
    tools: str | Path | None = None,
    reader: str | None = None,
    roles: Mapping[str, str] | None = None,
    aggregate_only: bool = False,
    concurrency: int = DEFAULT_CONCURRENCY,
    timeout: float | None = DEFAULT_TIMEOUT,
    scoring_timeout: float | None = DEFAULT_SCORING_TIMEOUT,
    run: str | None = None,
    judge: str | Sequence[str] = (),
    max_judge_calls: int | None = None,
    max_cost: float | None = None,
    use_cache: bool = True,
    record: str | Path | None = None,
    outputs: str | Path | Sequence[str | Path] = (),
    extensions: Extensions | None = None,
    watch: Watch | None = None,
    **options: Any,
) -> RunResult:
    """Judge what agents did by criteria in words, from their logs.

    Args:
        logs: Files, folders or globs; one, or several.
        criteria: A criteria file, or its content.
        task: The task of runs whose log contains none.
        instructions: A file with the agent's instructions, for runs whose log does not contain them.
        tools: A JSON file with the tools that the agent had, for runs whose log does not say it.
        reader: The trace reader; otherwise each file's content decides.
        roles: In chat logs, the author of the messages of a role or name: ``user``, ``agent`` or ``environment``.
        aggregate_only: Whether to end after aggregation, without verdicts. No judge is needed; a judge that is
            named writes summaries.
        concurrency: The maximum number of runs in memory.
        timeout: The time limit for reading one run in seconds; ``None`` for no limit.
        scoring_timeout: The time limit of one criterion on one run in seconds, without the time that it waits
            for judges; ``None`` for no limit.
        run: The name of the run; by default it is made from the time.
        judge: The judge model, as ``provider/model``. Several models are a panel; ``"replay:FILE"`` answers from
            recorded calls.
        max_judge_calls: The maximum number of calls to judges. Results that need further calls are errors.
        max_cost: The maximum cost of judges in USD; needs the extra ``prices``.
        use_cache: Whether to use judges' answers from earlier runs, and to store new answers for later runs.
        record: A new file to record the calls to judges in.
        outputs: Report files to write, one or several; the ending of the name decides the format.
        extensions: Loaded plugins, for tests; otherwise those of this environment.
        watch: Called with every event as it happens.
        options: Options of every criterion in words, as ``adjudge criteria show ai_judge`` lists them:
            ``granularity`` (one strategy for all criteria; ``"auto"``: each criterion's own), ``num_samples``,
            ``strict_evidence``, ``correct_phases``, ``token_budget``, ``calibration``.

    Raises:
        InputError: something that is needed is missing or wrong. It names every problem, and no call was made.
        PluginError: a required plugin is not available.
        RunError: a run of that name exists, its journal cannot be written, or the judge cannot answer any further
            call, for instance because its key is invalid.
        ReportError: a report could not be written; it holds the result.
    """
    request = logs_request_of(
        logs,
        criteria,
        options,
        task=task,
        instructions=instructions,
        tools=tools,
        reader=reader,
        roles=roles_of(roles),
        aggregate_only=aggregate_only,
        **judged(
            timeout=timeout,
            scoring_timeout=scoring_timeout,
            concurrency=concurrency,
            judge=judge,
            max_judge_calls=max_judge_calls,
            max_cost=max_cost,
            use_cache=use_cache,
            record=record,
        ),
    )
    return await _begun(request, None, run, outputs, extensions, watch)


async def resume(
    run: str,
    *,
    agent: object = None,
    concurrency: int | None = None,
    max_judge_calls: int | None = None,
    max_cost: float | None = None,
    outputs: str | Path | Sequence[str | Path] = (),
    extensions: Extensions | None = None,
    watch: Watch | None = None,
) -> RunResult:
    """Finish a run that was interrupted. Finished work is not repeated; retryable errors are tried again.

    Args:
        run: The run's name.
        agent: The agent object, if the run was started with an object. The whole address, if the agent's address
            has a query: the journal does not store the query's values.
        concurrency: The maximum number of open sessions with the agent; by default the same as before.
        max_judge_calls: The maximum number of further calls to judges; by default the run's original limit.
        max_cost: The maximum further cost of judges in USD; by default the run's original limit.
        outputs: Report files to write, one or several; the ending of the name decides the format.
        extensions: Loaded plugins, for tests; otherwise those of this environment.
        watch: Called with every event as it happens.

    Raises:
        RunError: there is no such run, another process is writing it, or its plan has changed. The message lists
            the differences.
        ReportError: a report could not be written; it holds the result.
        InputError: something that the run needs is now missing or wrong.
    """
    paths = output_paths(outputs)
    with OldReports(paths) as old, Journal.open_for_resume(journal_path(run)) as journal:
        record = record_of(journal)
        with journal.reading():
            request = request_from(record.request)
        if isinstance(request, RunRequest):
            request = with_agent(request, agent, run)
        elif agent is not None:
            raise RunError(f"run {run!r} is of logs and runs no agent; leave the agent out")
        budgets = {"max_calls": max_judge_calls, "max_cost": max_cost}
        changes: dict[str, Any] = {
            "judging": request.judging.model_copy(
                update={name: value for name, value in budgets.items() if value is not None}
            )
        }
        if concurrency is not None:
            changes["concurrency"] = concurrency
        request = request.model_copy(update=changes)
        extensions = extensions or project_extensions(Path(request.working_folder))
        try:
            plan = await planned(request, agent, extensions, paths, resumed=record)
        except InputError as error:
            lost = _lost_plugins(record.run.plugins, extensions)
            raise InputError([*error.problems, *lost], warnings=error.warnings) from error
        async with beginning(plan):
            if plan.hash != canonical_sha256(record.plan):
                listed = "\n".join(f"  {line}" for line in differences(record.plan, plan.document()))
                raise RunError(
                    f"run {run!r} cannot be resumed, because what it evaluates has changed:\n{listed}"
                )
            plan.host.participants.add_known(record.run.plugins)
            with journal.reading():
                units, total = plan.source.units(journal, resuming=True)
            if total != 0:
                keep_info(journal, finished_at=None)  # the run is unfinished until its new end
        old.remove()
        return await finished(plan, journal, units, total, watch)


def evaluate_sync(
    agent: object, eval_sets: EvalSetSource | Sequence[EvalSetSource], **options: Any
) -> RunResult:
    """Call ``evaluate`` from a program without an event loop, with the same arguments."""
    return asyncio.run(evaluate(agent, eval_sets, **options))


def judge_logs_sync(
    logs: str | Path | Sequence[str | Path],
    criteria: str | Path | Sequence[WordedCriterion | Mapping[str, Any]] | None = None,
    **options: Any,
) -> RunResult:
    """Call ``judge_logs`` from a program without an event loop, with the same arguments."""
    return asyncio.run(judge_logs(logs, criteria, **options))


def resume_sync(run: str, **options: Any) -> RunResult:
    """Call ``resume`` from a program without an event loop, with the same arguments."""
    return asyncio.run(resume(run, **options))


async def _begun(
    request: RunRequest | LogsRequest,
    agent: object,
    run: str | None,
    outputs: str | Path | Sequence[str | Path],
    extensions: Extensions | None,
    watch: Watch | None,
) -> RunResult:
    """Plan a new run, and execute it."""
    paths = output_paths(outputs)
    with OldReports(paths) as old:
        path = new_journal(run)
        return await begun(await planned(request, agent, extensions, paths), old, path, watch)


async def planned(
    request: RunRequest | LogsRequest,
    agent: object,
    extensions: Extensions | None,
    outputs: Sequence[Path] = (),
    resumed: RunRecord | None = None,
) -> Plan:
    """Make the plan of a run; ``resumed`` is the record of an interrupted run that continues.

    Raises:
        InputError: the request has problems; it names all of them.
    """
    ground = Groundwork(request, extensions, outputs, resumed)
    if isinstance(request, LogsRequest):
        return plan_logs(request, ground)
    return await plan_cases(request, ground, agent)


def _lost_plugins(began_with: Iterable[Participant], extensions: Extensions) -> list[Problem]:
    """Problems about plugins that the run used and that are not active now: missing components may be theirs."""
    active = {record.distribution for record in extensions.records if record.state is PluginState.ACTIVE}
    lost = {one.distribution: one for one in began_with if one.distribution not in active}
    return [
        Problem(
            what=f"the run began with {one.component} of {name} {one.distribution_version}, which is not active here",
            hint="Name its folder with `adjudge --plugin-folder FOLDER resume ...`."
            if is_folder(name)
            else "Install it, or enable it; `adjudge plugins --all` lists what is here.",
        )
        for name, one in sorted(lost.items())
    ]
