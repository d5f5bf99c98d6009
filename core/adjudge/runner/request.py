"""What a user asks for, before anything is checked."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias, cast, get_args

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_core import ErrorDetails

from adjudge.adk.case import kept_eval_set
from adjudge.errors import InputError, Problem, RunError
from adjudge.extension.configuration import short_repr
from adjudge.extension.guard import LONGEST
from adjudge.extension.home_folder import make_folder
from adjudge.extension.protocols import SpeakerKind
from adjudge.journal.locations import eval_sets_folder
from adjudge.model.address import shown_address
from adjudge.model.base import Frozen, JsonObject
from adjudge.model.eval_set import EvalSet
from adjudge.model.evaluation import WordedCriterion

DEFAULT_CONCURRENCY: Final = 8
"""How many sessions with the agent are open at a time."""

MOST_RUNS: Final = 10_000
"""How often a case may run. More repeats hardly narrow a mean, and a number that was mistyped costs days."""

DEFAULT_SCORING_TIMEOUT: Final = LONGEST
"""Seconds a criterion may take on a case where the user does not say."""

DEFAULT_TIMEOUT: Final = 600.0
"""Seconds a case may take where the user does not say."""

EvalSetSource: TypeAlias = str | Path | EvalSet
"""``"FILE"``, ``"FILE:id1,id2"``, a folder, or an eval set made in Python."""


def _listed(value: object) -> object:
    """One or several names, as several."""
    if isinstance(value, str | Path | EvalSet):
        value = (value,)
    return tuple(map(_named, cast("Iterable[object]", value))) if isinstance(value, Iterable) else value


def _named(value: object) -> object:
    """A name as the command line has it. An eval set is kept in a file, so that its run can be resumed."""
    if not isinstance(value, EvalSet):
        return str(value) if isinstance(value, Path) else value
    text = kept_eval_set(value)
    path = eval_sets_folder() / f"{hashlib.sha256(text).hexdigest()[:16]}.json"
    make_folder(path.parent)
    path.write_bytes(text)
    return str(path)


def _limited(value: object) -> object:
    return None if value == math.inf else value


_Names: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_listed)]
_Name: TypeAlias = Annotated[str, BeforeValidator(_named)]
_Seconds: TypeAlias = Annotated[float | None, BeforeValidator(_limited)]


class JudgingRequest(Frozen):
    """What the user says of judges. Of all this only the models decide results."""

    judges: _Names = ()
    """The models of ``--judge``; several are a panel."""
    max_calls: int | None = None
    max_cost: float | None = None
    """USD."""
    use_cache: bool = True
    """Whether answers of earlier runs are used, and these kept for later ones."""
    record: _Name | None = None
    """The file that calls are recorded in."""


class Request(Frozen):
    """What the user says of every run. Stored in the journal, so that it can be resumed."""

    num_runs: int = 1
    timeout: _Seconds = None
    """Seconds that a case may take, or reading a run."""
    scoring_timeout: _Seconds = None
    """Seconds that a criterion may take on a case, without what it waits for judges."""
    judging: JudgingRequest = JudgingRequest()
    concurrency: int = DEFAULT_CONCURRENCY
    """Sessions with the agent that are open at a time, or runs that are in memory; it decides no result."""
    working_folder: str = Field(default_factory=lambda: str(Path.cwd()))


class RunRequest(Request):
    """A run of an agent as the user named it."""

    agent: str | None
    """The agent's target; ``None`` where it is an object of the calling program. In the journal an address has
    no values in its query: keys are often there."""
    agent_options: JsonObject = {}
    isolate: bool = False
    """Whether every session runs in a process of its own."""
    eval_sets: _Names
    """Files, folders, or ``FILE:id1,id2``."""
    config_file: _Name | None = None
    config: JsonObject | None = None
    """Configuration made in Python, in the shape of a file."""
    trust_code: bool = False
    """Whether to run code that a configuration names which was found beside an eval set, outside of the agent's folder."""


class LogsRequest(Request):
    """A run over logs as the user named it."""

    logs: _Names
    """Files, folders or globs."""
    criteria_file: _Name | None = None
    criteria: tuple[Any, ...] = ()
    """Criteria made in Python, in the shape of a file."""
    options: JsonObject = {}
    """Options of every criterion in words."""
    task: str | None = None
    """The goal of runs whose log names none."""
    instructions: _Name | None = None
    """The file with what the agent was told, for runs whose log does not say it."""
    tools: _Name | None = None
    """The JSON file with the tools that the agent had, for runs whose log does not say it."""
    reader: str | None = None
    roles: dict[str, SpeakerKind] = {}
    """Whose the messages of a role or a name are in logs of chats."""
    aggregate_only: bool = False
    """Whether to end after aggregation, without verdicts."""


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


def request_of(
    agent: object,
    eval_sets: object,
    *,
    config: str | Path | Mapping[str, Any] | None,
    agent_options: Mapping[str, Any] | None,
    **options: Any,
) -> RunRequest:
    """The request behind the arguments of ``adjudge.evaluate``; ``options`` are those of ``judged``.

    Raises:
        InputError: an argument is not of its type; all that are not are named.
    """
    from_file = isinstance(config, str | Path)
    try:
        return RunRequest.model_validate(
            {
                "agent": agent if isinstance(agent, str) else None,
                "agent_options": {} if agent_options is None else agent_options,
                "eval_sets": eval_sets,
                "config_file": config if from_file else None,
                "config": None if from_file else config,
                **judged(**options),
            }
        )
    except ValidationError as error:
        raise InputError([_mistaken(mistake) for mistake in error.errors(include_url=False)]) from None


_ARGUMENTS: Final = {"judges": "judge", "max_calls": "max_judge_calls", "config_file": "config"}
"""Fields whose argument has another name."""


def _mistaken(mistake: ErrorDetails) -> Problem:
    """What is wrong with an argument."""
    names = [item for item in mistake["loc"] if isinstance(item, str) and item != "judging"]
    name = names[0] if names else "judging"
    return Problem(
        what=f"the option {_ARGUMENTS.get(name, name)!r}: {mistake['msg']}, found {short_repr(mistake['input'])}"
    )


def judged(
    *,
    judge: str | Sequence[str],
    max_judge_calls: int | None,
    max_cost: float | None,
    use_cache: bool,
    record: str | Path | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Fields of a request: what the user says of judges, and ``options`` as they are."""
    judging = {
        "judges": judge,
        "max_calls": max_judge_calls,
        "max_cost": max_cost,
        "use_cache": use_cache,
        "record": record,
    }
    return {"judging": judging, **options}


def logs_request_of(
    logs: str | Path | Sequence[str | Path],
    criteria: str | Path | Sequence[WordedCriterion | Mapping[str, Any]] | None,
    options: Mapping[str, Any],
    **fields: Any,
) -> LogsRequest:
    """The request behind the arguments of ``judge_logs``; ``options`` are those of every criterion in words."""
    given = () if criteria is None or isinstance(criteria, str | Path) else criteria
    return LogsRequest.model_validate(
        {
            "logs": logs,
            "criteria_file": criteria if isinstance(criteria, str | Path) else None,
            "criteria": tuple(map(_as_written, given)),
            "options": {
                name: value for name, value in options.items() if value is not None and value is not False
            },
            **fields,
        }
    )


def roles_of(roles: Mapping[str, str] | None) -> dict[str, SpeakerKind]:
    """Whose the messages of a role are, as the user says it.

    Raises:
        InputError: somebody else is named; every problem at once.
    """
    known = get_args(SpeakerKind)
    wrong = [
        Problem(
            what=f"the role {role!r} is said to be of {kind!r}; expected {', '.join(known[:-1])} or {known[-1]}"
        )
        for role, kind in (roles or {}).items()
        if kind not in known
    ]
    if wrong:
        raise InputError(wrong)
    return cast("dict[str, SpeakerKind]", dict(roles or {}))


def _as_written(criterion: object) -> object:
    """A criterion made in Python as a file has it, so that it is checked in the same way."""
    if isinstance(criterion, WordedCriterion):
        return criterion.model_dump(mode="json", exclude_defaults=True)
    return dict(cast("Mapping[str, Any]", criterion)) if isinstance(criterion, Mapping) else criterion
