"""The Python API: evaluate an agent, judge logs, resume a run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from adjudge.errors import RunError
from adjudge.extension.loader import Extensions
from adjudge.extension.project import project_extensions
from adjudge.journal.locations import journal_path
from adjudge.journal.run_journal import Journal
from adjudge.model.base import canonical_sha256
from adjudge.model.evaluation import WordedCriterion
from adjudge.runner.engine import Watch
from adjudge.runner.estimate import Estimate, estimated
from adjudge.runner.execution import RunResult, beginning, begun, finished, new_journal
from adjudge.runner.groundwork import Groundwork
from adjudge.runner.journal_views import RunRecord, keep_info, record_of
from adjudge.runner.log_planning import plan_logs
from adjudge.runner.old_reports import OldReports
from adjudge.runner.plan import Plan, differences
from adjudge.runner.planning import plan_cases
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
    outputs: Sequence[str | Path] = (),
    trust_code: bool = False,
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
        isolate: Whether every session runs in a process of its own; the agent is named then, and no object.
        num_runs: How often every case runs.
        concurrency: Sessions with the agent that are open at a time.
        timeout: Seconds that a case may take; ``None`` for no limit.
        scoring_timeout: Seconds that a criterion may take on a case, without what it waits for judges;
            ``None`` for no limit.
        run: The name of the run; made from the time where it is not given.
        judge: The judge model of every criterion that needs one, as ``provider/model``; several are a
            panel; ``"replay:FILE"`` answers from recorded calls. Otherwise each criterion's own.
        max_judge_calls: Calls to judges that may be made; what they would decide is an error then.
        max_cost: USD that judges may cost; needs the extra ``prices``.
        use_cache: Whether answers of earlier runs are used, and these kept for later ones.
        record: A new file to record the calls to judges in.
        outputs: Files to write a report to; the ending decides the kind.
        trust_code: Whether code is run that a ``test_config.json`` names which was found beside an eval set
            and does not lie in the folder of the agent.
        extensions: Loaded plugins, for tests; otherwise those of this environment.
        watch: Told every event as it happens.

    Raises:
        InputError: something that the run needs is missing or wrong; every problem is named, and no
            call was made.
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
    outputs: Sequence[str | Path] = (),
    extensions: Extensions | None = None,
    watch: Watch | None = None,
    **options: Any,
) -> RunResult:
    """Judge what agents did by criteria in words, from their logs.

    Args:
        logs: Files, folders or globs; one, or several.
        criteria: A criteria file, or its content.
        task: The goal of runs whose log names none.
        instructions: A file with what the agent was told, for runs whose log does not say it.
        tools: A JSON file with the tools that the agent had, for runs whose log does not say it.
        reader: The trace reader; otherwise each file's content decides.
        roles: In logs of chats, whose the messages of a role or a name are: ``user``, ``agent`` or ``environment``.
        aggregate_only: Whether to end after aggregation, without verdicts. No judge is needed; one that is
            named writes summaries.
        concurrency: Runs that are in memory at a time.
        timeout: Seconds that reading a run may take; ``None`` for no limit.
        scoring_timeout: Seconds that a criterion may take on a run, without what it waits for judges;
            ``None`` for no limit.
        run: The name of the run; made from the time where it is not given.
        judge: The judge model, as ``provider/model``; several are a panel; ``"replay:FILE"`` answers from
            recorded calls.
        max_judge_calls: Calls to judges that may be made; what they would decide is an error then.
        max_cost: USD that judges may cost; needs the extra ``prices``.
        use_cache: Whether answers of earlier runs are used, and these kept for later ones.
        record: A new file to record the calls to judges in.
        outputs: Files to write a report to; the ending decides the kind.
        extensions: Loaded plugins, for tests; otherwise those of this environment.
        watch: Told every event as it happens.
        options: Options of every criterion in words, as ``adjudge criteria show ai_judge`` lists them:
            ``granularity`` (a strategy for all of them; ``"auto"``: each criterion's own), ``num_samples``,
            ``strict_evidence``, ``correct_phases``, ``token_budget``, ``calibration``.

    Raises:
        InputError: something that is needed is missing or wrong; every problem is named, and no call was made.
        PluginError: a required plugin is not available.
        RunError: a run of that name exists, its journal cannot be written, or no further call to the judge
            makes sense.
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


async def estimate_logs(
    logs: str | Path | Sequence[str | Path],
    criteria: str | Path | Sequence[WordedCriterion | Mapping[str, Any]] | None = None,
    *,
    task: str | None = None,
    instructions: str | Path | None = None,
    tools: str | Path | None = None,
    reader: str | None = None,
    roles: Mapping[str, str] | None = None,
    judge: str | Sequence[str] = (),
    use_cache: bool = True,
    disable: Iterable[str] = (),
    extensions: Extensions | None = None,
    **options: Any,
) -> Estimate:
    """What ``judge_logs`` would ask with these arguments, as a range; no judge is asked, and no run is made.

    Args:
        logs: As in ``judge_logs``, and so are those that are not named here.
        criteria: A criteria file, or its content.
        task: The goal of runs whose log names none.
        instructions: A file with what the agent was told.
        tools: A JSON file with the tools that the agent had.
        reader: The trace reader.
        roles: Whose the messages of a role or a name are.
        judge: The judge model, or several.
        use_cache: Whether answers of earlier runs count as known.
        disable: Plugins or distributions that are not imported.
        extensions: Loaded plugins, for tests; otherwise those of this environment.
        options: Options of every criterion in words.

    Raises:
        InputError: something that is needed is missing or wrong; every problem is named.
        PluginError: a required plugin is not available.
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
        **judged(judge=judge, use_cache=use_cache, max_judge_calls=None, max_cost=None),
    )
    known = extensions or project_extensions(Path(request.working_folder), disable=disable)
    return await estimated(lambda: planned(request, None, known))


def estimate_logs_sync(
    logs: str | Path | Sequence[str | Path],
    criteria: str | Path | Sequence[WordedCriterion | Mapping[str, Any]] | None = None,
    **options: Any,
) -> Estimate:
    """``estimate_logs`` for programs without an event loop; the same arguments."""
    return asyncio.run(estimate_logs(logs, criteria, **options))


async def resume(
    run: str,
    *,
    agent: object = None,
    concurrency: int | None = None,
    max_judge_calls: int | None = None,
    max_cost: float | None = None,
    outputs: Sequence[str | Path] = (),
    extensions: Extensions | None = None,
    watch: Watch | None = None,
) -> RunResult:
    """Finish a run that was interrupted. Finished work is not repeated; retryable errors are tried again.

    Args:
        run: The run's name.
        agent: The agent itself, where the run was started with an object and not with a target; the whole
            address, where it has a query, whose values are not kept.
        concurrency: Sessions with the agent that are open at a time; otherwise as many as at the start.
        max_judge_calls: Calls to judges that may still be made; otherwise as many as at the start.
        max_cost: USD that judges may still cost; otherwise as much as at the start.
        outputs: Files to write a report to.
        extensions: Loaded plugins, for tests; otherwise those of this environment.
        watch: Told every event as it happens.

    Raises:
        RunError: there is no such run, it is still being written, or its plan has changed since: the
            differences are named.
        ReportError: a report could not be written; it holds the result.
        InputError: something that the run needs is missing or wrong by now.
    """
    paths = _resolved(outputs)
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
        plan = await planned(request, agent, extensions, paths, resumed=record)
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
                keep_info(journal, finished_at=None)  # until the end it is unfinished again
        old.remove()
        return await finished(plan, journal, extensions, run, units, total, paths, watch)


def evaluate_sync(
    agent: object, eval_sets: EvalSetSource | Sequence[EvalSetSource], **options: Any
) -> RunResult:
    """``evaluate`` for programs without an event loop; the same arguments."""
    return asyncio.run(evaluate(agent, eval_sets, **options))


def judge_logs_sync(
    logs: str | Path | Sequence[str | Path],
    criteria: str | Path | Sequence[WordedCriterion | Mapping[str, Any]] | None = None,
    **options: Any,
) -> RunResult:
    """``judge_logs`` for programs without an event loop; the same arguments."""
    return asyncio.run(judge_logs(logs, criteria, **options))


def resume_sync(run: str, **options: Any) -> RunResult:
    """``resume`` for programs without an event loop; the same arguments."""
    return asyncio.run(resume(run, **options))


async def _begun(
    request: RunRequest | LogsRequest,
    agent: object,
    run: str | None,
    outputs: Iterable[str | Path],
    extensions: Extensions | None,
    watch: Watch | None,
) -> RunResult:
    """Plan a new run, and do it."""
    paths = _resolved(outputs)
    with OldReports(paths) as old:
        extensions = extensions or project_extensions(Path(request.working_folder))
        path = new_journal(run)
        plan = await planned(request, agent, extensions, paths)
        return await begun(plan, extensions, old, path, paths, watch)


async def planned(
    request: RunRequest | LogsRequest,
    agent: object,
    extensions: Extensions,
    outputs: Sequence[Path] = (),
    resumed: RunRecord | None = None,
) -> Plan:
    """The plan of a run, ``resumed`` where it goes on.

    Raises:
        InputError: with every problem that was found.
    """
    decided_once = None if resumed is None else resumed.decided_once
    ground = Groundwork(request, extensions, outputs, resuming=resumed is not None, decided_once=decided_once)
    if isinstance(request, LogsRequest):
        return plan_logs(request, ground)
    return await plan_cases(request, ground, agent)


def _resolved(outputs: Iterable[str | Path]) -> list[Path]:
    """The outputs as absolute paths, before an agent can change the working folder."""
    return [Path(output).absolute() for output in outputs]
