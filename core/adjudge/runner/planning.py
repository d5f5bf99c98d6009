"""Plans a run of an agent: finds all problems before the first call and reports them together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from adjudge.extension.coroutine_guard import closed
from adjudge.extension.protocols import SupportsRecordedUser
from adjudge.extension.specs import Need
from adjudge.model.config import EvalConfig
from adjudge.runner.agents import plan_agent
from adjudge.runner.case_selection import SelectedFile, config_beside, named_config, select_files
from adjudge.runner.case_source import CaseSource, PlannedFile
from adjudge.runner.criteria import check_applicable, plan_criteria
from adjudge.runner.groundwork import Groundwork
from adjudge.runner.plan import Plan, PlannedAgent
from adjudge.runner.problems import Problems
from adjudge.runner.reports import check_not_read
from adjudge.runner.request import RunRequest
from adjudge.runner.simulation import plan_simulator

_TRUST_VARIABLE: Final = "ADJUDGE_TRUST_CODE"
"""The environment variable with the same effect as ``--trust-code``."""


async def plan_cases(request: RunRequest, ground: Groundwork, agent: object) -> Plan:
    """Check everything that a run needs; ``agent`` is the agent itself where ``request.agent`` is ``None``.

    Raises:
        InputError: with every problem that was found.
    """
    problems = ground.problems
    selected = select_files(request, problems)
    ground.read_environment()  # the agent's .env is known only after the agent
    made = plan_agent(request.agent if request.agent is not None else agent, request, selected, ground)
    ground.read_environment(None if made is None else made.folder)
    ground.make_observers()
    planned: dict[Path, PlannedFile] = {}
    for config, files in _by_config(selected, request, ground):
        trusted = _may_run_code(request, files, made)
        own = ground if trusted else ground.for_untrusted(config.source or "")
        problems.warn(
            f"{config.source}, {warning}" if config.source else warning for warning in config.warnings
        )
        check = partial(check_applicable, files=files, problems=problems, config=config)
        criteria = plan_criteria(config.criteria, own, check, source=config.source, path="$.criteria.{}")
        # A recording has the words of its users: none is simulated, and only the options are checked.
        is_recorded = made is not None and isinstance(made.adapter, SupportsRecordedUser)
        played = [] if is_recorded else files
        simulator = plan_simulator(config, criteria, played, own)
        for file in files:
            planned[file.eval_set.path] = PlannedFile(
                eval_set=file.eval_set,
                shown_path=file.shown_path,
                entries=file.entries,
                config_source=config.source,
                criteria=criteria,
                simulator=simulator if any(entry.is_scenario for entry in file.entries) else None,
            )
    _check_state(made, planned.values(), problems)
    problems.warn(_unread_state(planned.values()))
    read = (ground.folder / path for path in _read_files(request, planned.values()))
    check_not_read(ground.outputs, read, problems)
    if len(problems) and made is not None:
        await closed(made.component, made.adapter)
    problems.raise_any(ground.extensions.warnings)
    if made is None:
        raise AssertionError("an agent that cannot be made is a problem, and was raised")
    in_order = tuple(planned[file.eval_set.path] for file in selected)
    return ground.plan(CaseSource(request=request, agent=made, files=in_order))


def _read_files(request: RunRequest, files: Iterable[PlannedFile]) -> Iterator[Path]:
    """The files that the run reads: eval sets, configurations, recordings, and files in options."""
    for file in files:
        yield file.eval_set.path
        if file.config_source is not None:
            yield Path(file.config_source)
    named = [request.config_file, request.agent, request.judging.record, *request.judging.judges]
    named += [value for value in request.agent_options.values() if isinstance(value, str)]
    for name in named:
        if name is not None:
            # "recorded:FILE" and "replay:FILE" name a file after their kind.
            yield Path(name)
            yield Path(name.partition(":")[2] or name)


def _check_state(agent: PlannedAgent | None, files: Iterable[PlannedFile], problems: Problems) -> None:
    """Report criteria that decide by the final state where the agent does not show it."""
    if agent is None or agent.component.spec.shows_state:
        return
    names = dict.fromkeys(
        item.rule.criterion_name
        for file in files
        for item in file.criteria
        if item.rule.gates and Need.FINAL_SESSION_STATE in item.component.spec.needs
    )
    for name in names:
        problems.add(f"criterion {name!r} needs the session state, which this kind of agent does not show")


def _unread_state(files: Iterable[PlannedFile]) -> Iterator[str]:
    """A warning for every file whose cases say how their state ends, where no criterion looks at that."""
    for file in files:
        names = [entry.eval_id for entry in file.entries if entry.has_final_session_state]
        if names and not any(Need.FINAL_SESSION_STATE in item.component.spec.needs for item in file.criteria):
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            yield (
                f"{file.shown_path}: case {names[0]!r}{more} has a final_session_state, and no criterion "
                "measures it: it decides nothing"
            )


def _may_run_code(request: RunRequest, files: Sequence[SelectedFile], agent: PlannedAgent | None) -> bool:
    """Whether the code named in the configuration of ``files`` may run.

    Yes if the user named the configuration or trusts code; otherwise it was found next to an eval set, and
    is trusted if the agent is in the same folder.
    """
    is_named = request.config_file is not None or (request.config is not None and not request.is_config_found)
    if is_named or request.trust_code:
        return True
    # Never the .env files: they may have come along too.
    if os.environ.get(_TRUST_VARIABLE, "").lower() in {"1", "true", "yes"}:
        return True
    folder = None if agent is None or agent.folder is None else agent.folder.resolve()
    return all(file.eval_set.path.parent == folder for file in files)


def _by_config(
    files: Sequence[SelectedFile], request: RunRequest, ground: Groundwork
) -> list[tuple[EvalConfig, list[SelectedFile]]]:
    """The files grouped by their configuration, so that each configuration is read and checked once."""
    if request.config_file is not None or request.config is not None:
        # Checked even if no file can be read, so that both problems are reported.
        with ground.problems.caught():
            named = named_config(request)
            return [] if named is None else [(named, list(files))]
        return []
    groups: dict[str | None, tuple[EvalConfig, list[SelectedFile]]] = {}
    for file in files:
        with ground.problems.caught():
            config = config_beside(file, request, ground.extensions.criteria)
            groups.setdefault(config.source, (config, []))[1].append(file)
    return list(groups.values())
