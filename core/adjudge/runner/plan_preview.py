"""Previews of runs in the Python API: the work, the problems, the judge calls, and the checks of criteria."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from adjudge.extension.loader import Extensions
from adjudge.extension.plugin_loops import plugin_loops
from adjudge.extension.project import project_extensions
from adjudge.model.base import JsonObject
from adjudge.model.evaluation import WordedCriterion
from adjudge.runner.api import planned
from adjudge.runner.estimate import Estimate, EvaluationPlan, estimated, planned_evaluation
from adjudge.runner.groundwork import Groundwork
from adjudge.runner.log_planning import criteria_of
from adjudge.runner.request import EvalSetSource, judged, logs_request_of, request_of, roles_of
from adjudge.runner.scoring import all_prepared


async def plan_evaluation(
    agent: object,
    eval_sets: EvalSetSource | Sequence[EvalSetSource],
    *,
    config: str | Path | Mapping[str, Any] | None = None,
    agent_options: Mapping[str, Any] | None = None,
    isolate: bool = False,
    num_runs: int = 1,
    judge: str | Sequence[str] = (),
    use_cache: bool = True,
    trust_code: bool | None = None,
    disable: Iterable[str] = (),
    extensions: Extensions | None = None,
) -> EvaluationPlan:
    """Plan ``evaluate`` with these arguments: find its problems, and estimate its calls.

    No session is opened, no judge is called, and no run is created.

    Args:
        agent: A target, or an agent object, as in ``evaluate``. The agent is created as a check, and closed.
        eval_sets: Files, folders, ``"FILE:id1,id2"``, or ``EvalSet`` objects; one, or several.
        config: A configuration file, or its content.
        agent_options: Options of the agent adapter.
        isolate: Whether every session runs in a separate process.
        num_runs: The number of repeats of every case.
        judge: The judge model, or several.
        use_cache: Whether answers from earlier runs are used. They are not counted as calls.
        trust_code: Whether to run code named by a ``test_config.json`` that was found beside an eval set and lies
            outside the agent's folder. ``False`` also covers a ``config`` that is the content of such a file.
        disable: Plugins or distributions that are not imported.
        extensions: Loaded plugins, for tests; otherwise those of this environment.

    Raises:
        InputError: something that the run needs is missing or wrong; it names every problem.
        PluginError: a required plugin is not available.
    """
    request = request_of(
        agent,
        eval_sets,
        config=config,
        agent_options=agent_options,
        isolate=isolate,
        num_runs=num_runs,
        trust_code=trust_code,
        judge=judge,
        use_cache=use_cache,
    )
    known = extensions or project_extensions(Path(request.working_folder), disable=disable)
    return await planned_evaluation(lambda: planned(request, agent, known))


def plan_evaluation_sync(
    agent: object, eval_sets: EvalSetSource | Sequence[EvalSetSource], **options: Any
) -> EvaluationPlan:
    """Call ``plan_evaluation`` from a program without an event loop, with the same arguments."""
    return asyncio.run(plan_evaluation(agent, eval_sets, **options))


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
    """Estimate the calls of ``judge_logs`` with these arguments, as a range. No judge is called, and no run is created.

    Args:
        logs: Files, folders or globs; one, or several.
        criteria: A criteria file, or its content.
        task: The task of runs whose log contains none.
        instructions: A file with the agent's instructions.
        tools: A JSON file with the tools that the agent had.
        reader: The trace reader.
        roles: The author of the messages of a role or name: ``user``, ``agent`` or ``environment``.
        judge: The judge model, or several.
        use_cache: Whether answers from earlier runs are used. They are not counted as calls.
        disable: Plugins or distributions that are not imported.
        extensions: Loaded plugins, for tests; otherwise those of this environment.
        options: Options of every criterion in words, as in ``judge_logs``.

    Raises:
        InputError: something that is needed is missing or wrong; it names every problem.
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
        **judged(judge=judge, use_cache=use_cache),
    )
    known = extensions or project_extensions(Path(request.working_folder), disable=disable)
    return await estimated(lambda: planned(request, None, known))


def estimate_logs_sync(
    logs: str | Path | Sequence[str | Path],
    criteria: str | Path | Sequence[WordedCriterion | Mapping[str, Any]] | None = None,
    **options: Any,
) -> Estimate:
    """Call ``estimate_logs`` from a program without an event loop, with the same arguments."""
    return asyncio.run(estimate_logs(logs, criteria, **options))


async def prepare_criteria(
    criteria: str | Path | Sequence[WordedCriterion | Mapping[str, Any]],
    *,
    judge: str | Sequence[str] = (),
    use_cache: bool = True,
    disable: Iterable[str] = (),
    extensions: Extensions | None = None,
    **options: Any,
) -> dict[str, JsonObject]:
    """Prepare criteria as ``judge_logs`` does before its first run: for a criterion in words, its checks.

    If a criterion has no checks, the judge writes them. They are stored, so later runs are judged by the same checks.
    No log is read, and no run is created.

    Args:
        criteria: A criteria file, or its content.
        judge: The judge model, or several.
        use_cache: Whether answers from earlier runs are used. Stored checks are always used.
        disable: Plugins or distributions that are not imported.
        extensions: Loaded plugins, for tests; otherwise those of this environment.
        options: Options of every criterion in words, as in ``judge_logs``.

    Returns:
        The prepared data by the names of the criteria, as in ``RunInfo.prepared``. Criteria that prepare nothing or
        fail are left out; ``judge_logs`` reports why they fail.

    Raises:
        InputError: something that is needed is missing or wrong; it names every problem.
        PluginError: a required plugin is not available.
        RunError: the judge cannot answer any further call, for instance because its key is invalid.
    """
    request = logs_request_of(
        (),
        criteria,
        options,
        **judged(judge=judge, use_cache=use_cache),
    )
    known = extensions or project_extensions(Path(request.working_folder), disable=disable)
    ground = Groundwork(request, known)
    ground.read_environment()
    planned_criteria = criteria_of(request, ground)
    ground.problems.raise_any(known.warnings)
    async with plugin_loops():
        try:
            ground.judges.open(None)
            return await all_prepared(planned_criteria)
        finally:
            await ground.judges.aclose()


def prepare_criteria_sync(
    criteria: str | Path | Sequence[WordedCriterion | Mapping[str, Any]], **options: Any
) -> dict[str, JsonObject]:
    """Call ``prepare_criteria`` from a program without an event loop, with the same arguments."""
    return asyncio.run(prepare_criteria(criteria, **options))
