"""What a user asks for, before anything is checked."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

from adjudge.adk.case import kept_eval_set
from adjudge.errors import RunError
from adjudge.extension.guard import LONGEST
from adjudge.extension.home_folder import make_folder
from adjudge.journal.locations import eval_sets_folder
from adjudge.model.address import shown_address
from adjudge.model.base import Frozen, JsonObject
from adjudge.model.eval_set import EvalSet
from adjudge.model.evaluation import WordedCriterion

AUTO: Final = "auto"
"""The granularity that is chosen for each criterion."""

DEFAULT_CONCURRENCY = 8
"""How many sessions with the agent are open at a time."""


class JudgingRequest(Frozen):
    """What the user says of judges. Of all this only the models decide results."""

    judges: tuple[str, ...] = ()
    """The models of ``--judge``; several are a panel."""
    max_calls: int | None = None
    max_cost: float | None = None
    """USD."""
    use_cache: bool = True
    """Whether answers of earlier runs are used, and these kept for later ones."""
    record: str | None = None
    """The file that calls are recorded in."""


def judging_request(
    judge: str | Sequence[str],
    *,
    max_calls: int | None,
    max_cost: float | None,
    use_cache: bool,
    record: str | Path | None,
) -> JudgingRequest:
    """The request behind the arguments of ``adjudge.evaluate`` and ``adjudge.judge_logs``."""
    return JudgingRequest(
        judges=(judge,) if isinstance(judge, str) else tuple(judge),
        max_calls=max_calls,
        max_cost=max_cost,
        use_cache=use_cache,
        record=None if record is None else str(record),
    )


class RunRequest(Frozen):
    """A run as the user named it. Stored in the journal, so that a run can be resumed."""

    agent: str | None
    """The agent's target; ``None`` where it is an object of the calling program. In the journal an address has
    no values in its query: keys are often there."""
    agent_options: JsonObject = {}
    eval_sets: tuple[str, ...]
    """Files, folders, or ``FILE:id1,id2``."""
    config_file: str | None = None
    config: JsonObject | None = None
    """Configuration made in Python, in the shape of a file."""
    num_runs: int = 1
    timeout: float | None = None
    """Seconds a case may take."""
    scoring_timeout: float | None = None
    """Seconds a criterion may take on a case, without what it waits for judges."""
    judging: JudgingRequest = JudgingRequest()
    concurrency: int = DEFAULT_CONCURRENCY
    """Sessions with the agent that are open at a time; it decides no result."""
    trust_code: bool = False
    """Whether to run code that a configuration names which was found beside an eval set, outside of the agent's folder."""
    working_folder: str


class LogsRequest(Frozen):
    """A run over logs as the user named it. Stored in the journal, so that it can be resumed."""

    logs: tuple[str, ...]
    """Files, folders or globs."""
    criteria_file: str | None = None
    criteria: tuple[Any, ...] = ()
    """Criteria made in Python, in the shape of a file."""
    options: JsonObject = {}
    """Options of every criterion in words."""
    task: str | None = None
    """The goal of runs whose log names none."""
    reader: str | None = None
    aggregate_only: bool = False
    """Whether to end after aggregation, without verdicts."""
    num_runs: int = 1
    timeout: float | None = None
    """Seconds that reading a run may take."""
    scoring_timeout: float | None = None
    judging: JudgingRequest = JudgingRequest()
    concurrency: int = DEFAULT_CONCURRENCY
    """Runs that are in memory at a time; it decides no result."""
    working_folder: str


def kept(request: RunRequest | LogsRequest) -> JsonObject:
    """The request as the journal keeps it."""
    document: JsonObject = request.model_dump(mode="json")
    if isinstance(request, LogsRequest) or request.agent is None:
        return document
    return {**document, "agent": shown_address(request.agent)}


def request_from(document: JsonObject) -> RunRequest | LogsRequest:
    """The request that a journal kept."""
    return (LogsRequest if "logs" in document else RunRequest).model_validate(document)


def with_agent(request: RunRequest, agent: object, run: str) -> RunRequest:
    """The request of a journal with what is not kept there: the agent that the user gives again.

    Raises:
        RunError: the agent has to be given, or another one is.
    """
    if request.agent is None:
        if agent is None:
            raise RunError(
                f"run {run!r} was started from Python with an agent object; resume it there with "
                "adjudge.resume(run, agent=…)"
            )
        return request
    if isinstance(agent, str):
        if shown_address(agent) != request.agent:
            raise RunError(f"run {run!r} evaluates the agent {request.agent!r}, not {shown_address(agent)!r}")
        return request.model_copy(update={"agent": agent})
    if agent is not None:
        raise RunError(
            f"run {run!r} evaluates the agent {request.agent!r}, not an object; leave the agent out"
        )
    if "***" in request.agent:
        raise RunError(
            f"the address of the agent, {request.agent}, is kept without the values in its query, which may be keys; "
            f"give it again: adjudge resume {run} --agent ADDRESS"
        )
    return request


MOST_RUNS = 10_000
"""How often a case may run. More repeats hardly narrow a mean, and a number that was mistyped costs days."""

DEFAULT_SCORING_TIMEOUT = LONGEST
"""Seconds a criterion may take on a case where the user does not say."""

DEFAULT_TIMEOUT = 600.0
"""Seconds a case may take where the user does not say."""


EvalSetSource: TypeAlias = str | Path | EvalSet
"""``"FILE"``, ``"FILE:id1,id2"``, a folder, or an eval set made in Python."""


def request_of(
    agent: object,
    eval_sets: EvalSetSource | Sequence[EvalSetSource],
    *,
    config: str | Path | Mapping[str, Any] | None,
    agent_options: Mapping[str, Any] | None,
    num_runs: int,
    timeout: float | None,
    scoring_timeout: float | None,
    judging: JudgingRequest,
    trust_code: bool,
    concurrency: int,
) -> RunRequest:
    """The request behind the arguments of ``adjudge.evaluate``."""
    listed = [eval_sets] if isinstance(eval_sets, EvalSetSource) else eval_sets
    return RunRequest(
        agent=agent if isinstance(agent, str) else None,
        agent_options=dict(agent_options or {}),
        eval_sets=tuple(_named(item) for item in listed),
        config_file=str(config) if isinstance(config, str | Path) else None,
        config=dict(config) if isinstance(config, Mapping) else None,
        num_runs=num_runs,
        timeout=None if timeout == math.inf else timeout,
        scoring_timeout=None if scoring_timeout == math.inf else scoring_timeout,
        judging=judging,
        trust_code=trust_code,
        concurrency=concurrency,
        working_folder=str(Path.cwd()),
    )


def logs_request_of(
    logs: str | Path | Sequence[str | Path],
    criteria: str | Path | Sequence[WordedCriterion | Mapping[str, Any]] | None,
    *,
    options: Mapping[str, Any],
    task: str | None,
    reader: str | None,
    aggregate_only: bool,
    timeout: float | None,
    scoring_timeout: float | None,
    judging: JudgingRequest,
    concurrency: int,
) -> LogsRequest:
    """The request behind the arguments of ``adjudge.judge_logs``."""
    return LogsRequest(
        logs=tuple(map(str, [logs] if isinstance(logs, str | Path) else logs)),
        criteria_file=str(criteria) if isinstance(criteria, str | Path) else None,
        criteria=()
        if criteria is None or isinstance(criteria, str | Path)
        else tuple(map(_as_written, criteria)),
        options=_options_of_words(options, aggregate_only=aggregate_only, has_judge=bool(judging.judges)),
        task=task,
        reader=reader,
        aggregate_only=aggregate_only,
        timeout=None if timeout == math.inf else timeout,
        scoring_timeout=None if scoring_timeout == math.inf else scoring_timeout,
        judging=judging,
        concurrency=concurrency,
        working_folder=str(Path.cwd()),
    )


def _as_written(criterion: object) -> Any:
    """A criterion made in Python as a file has it, so that it is checked in the same way."""
    if isinstance(criterion, WordedCriterion):
        return criterion.model_dump(mode="json", exclude_defaults=True)
    return dict(cast("Mapping[str, Any]", criterion)) if isinstance(criterion, Mapping) else criterion


def _options_of_words(given: Mapping[str, Any], *, aggregate_only: bool, has_judge: bool) -> JsonObject:
    """Options of every criterion in words, as its configuration has them."""
    options = {name: value for name, value in given.items() if value is not None and value is not False}
    if (granularity := options.pop("granularity", AUTO)) != AUTO:
        options["granularity_override"] = granularity
    if (num_samples := options.pop("num_samples", None)) is not None:
        options["judge_model_options"] = {"num_samples": num_samples}
    if "calibration" in options:
        options["calibration"] = str(options["calibration"])
    if aggregate_only:
        options |= {"aggregate_only": True, "write_summaries": has_judge}
    return options


def _named(eval_set: EvalSetSource) -> str:
    """The argument as the command line has it. An object is kept in a file, so that its run can be resumed."""
    if not isinstance(eval_set, EvalSet):
        return str(eval_set)
    text = kept_eval_set(eval_set)
    path = eval_sets_folder() / f"{hashlib.sha256(text).hexdigest()[:16]}.json"
    make_folder(path.parent)
    path.write_bytes(text)
    return str(path)
