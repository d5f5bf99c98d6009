"""The user's request for a run, before it is checked."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias, TypeVar, cast, get_args

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
"""The default maximum number of open sessions with the agent."""

MOST_RUNS: Final = 10_000
"""The maximum number of repeats. More hardly improve a mean, and a mistyped number could cost days."""

DEFAULT_SCORING_TIMEOUT: Final = LONGEST
"""The default time limit of a criterion on a case, in seconds."""

DEFAULT_TIMEOUT: Final = 600.0
"""The default time limit of a case, in seconds."""

EvalSetSource: TypeAlias = str | Path | EvalSet
"""``"FILE"``, ``"FILE:id1,id2"``, a folder, or an eval set made in Python."""


def _listed(value: object) -> object:
    """Convert one name or several to a tuple."""
    if isinstance(value, str | Path | EvalSet):
        value = (value,)
    return tuple(map(_named, cast("Iterable[object]", value))) if isinstance(value, Iterable) else value


def _named(value: object) -> object:
    """A path as a text. An ``EvalSet`` object is first written to a file, so that its run can be resumed."""
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
    """The user's options for judges. Only the models influence results."""

    judges: _Names = ()
    """The models of ``--judge``; several are a panel."""
    max_calls: int | None = None
    max_cost: float | None = None
    """Maximum cost in USD."""
    use_cache: bool = True
    """Whether to use answers from earlier runs, and to store new answers for later runs."""
    record: _Name | None = None
    """The file in which calls are recorded."""


class Request(Frozen):
    """Options common to all runs. The journal stores them, so that the run can be resumed."""

    num_runs: int = 1
    timeout: _Seconds = None
    """The time limit of a case, or of reading one run from a log, in seconds."""
    scoring_timeout: _Seconds = None
    """The time limit of a criterion on a case in seconds, without the time that it waits for judges."""
    judging: JudgingRequest = JudgingRequest()
    concurrency: int = DEFAULT_CONCURRENCY
    """The maximum number of open sessions with the agent, or of runs in memory. It does not influence results."""
    working_folder: str = Field(default_factory=lambda: str(Path.cwd()))


class RunRequest(Request):
    """A request to run an agent on eval sets."""

    agent: str | None
    """The agent's target; ``None`` if the agent is an object of the calling program. In the journal, the values in
    the query of an address are removed, because they often contain keys."""
    agent_options: JsonObject = {}
    isolate: bool = False
    """Whether every session runs in a separate process."""
    eval_sets: _Names
    """Files, folders, or ``FILE:id1,id2``."""
    config_file: _Name | None = None
    config: JsonObject | None = None
    """The configuration given in Python, in the format of a configuration file."""
    trust_code: bool = False
    """Whether to run code outside the agent's folder, named by a configuration that was found beside an eval set."""
    is_config_found: bool = False
    """Whether ``config`` is the content of a file that was found beside an eval set, not written by the user."""


class LogsRequest(Request):
    """A request to judge logs."""

    logs: _Names
    """Files, folders or globs."""
    criteria_file: _Name | None = None
    criteria: tuple[Any, ...] = ()
    """The criteria given in Python, in the format of a criteria file."""
    options: JsonObject = {}
    """Options of every criterion in words."""
    task: str | None = None
    """The task of runs whose log contains none."""
    instructions: _Name | None = None
    """The file with the agent's instructions, for runs whose log does not contain them."""
    tools: _Name | None = None
    """The JSON file with the agent's tools, for runs whose log does not contain them."""
    reader: str | None = None
    roles: dict[str, SpeakerKind] = {}
    """In chat logs, the author of the messages of a role or name."""
    aggregate_only: bool = False
    """Whether to end after aggregation, without verdicts."""


def kept(request: RunRequest | LogsRequest) -> JsonObject:
    """The request as JSON for the journal, without the values in the query of the agent's address."""
    document: JsonObject = request.model_dump(mode="json")
    if isinstance(request, LogsRequest) or request.agent is None:
        return document
    return {**document, "agent": shown_address(request.agent)}


def request_from(document: JsonObject) -> RunRequest | LogsRequest:
    """Restore a request from the JSON in a journal."""
    return (LogsRequest if "logs" in document else RunRequest).model_validate(document)


def with_agent(request: RunRequest, agent: object, run: str) -> RunRequest:
    """Complete a request from a journal with the agent that the user gives again, which the journal does not store.

    Raises:
        RunError: the agent is required and missing, or it is another agent.
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
    trust_code: bool | None = None,
    **options: Any,
) -> RunRequest:
    """Create a request from the arguments of ``adjudge.evaluate``; ``options`` are those of ``judged``.

    Raises:
        InputError: arguments have a wrong type; it names all of them.
    """
    from_file = isinstance(config, str | Path)
    return _checked(
        RunRequest,
        agent=agent if isinstance(agent, str) else None,
        agent_options={} if agent_options is None else agent_options,
        eval_sets=eval_sets,
        config_file=config if from_file else None,
        config=None if from_file else config,
        trust_code=False if trust_code is None else trust_code,
        is_config_found=trust_code is False and not from_file,
        **judged(**options),
    )


_ARGUMENTS: Final = {"judges": "judge", "max_calls": "max_judge_calls", "config_file": "config"}
"""The names of arguments that differ from their field, by field."""

_RequestT = TypeVar("_RequestT", bound=Request)


def _checked(kind: type[_RequestT], **fields: object) -> _RequestT:
    """Create a request.

    Raises:
        InputError: arguments have a wrong type; it names all of them.
    """
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise InputError([_mistaken(mistake) for mistake in error.errors(include_url=False)]) from None


def _mistaken(mistake: ErrorDetails) -> Problem:
    """Convert a validation error of an argument to a problem."""
    names = [item for item in mistake["loc"] if isinstance(item, str) and item != "judging"]
    name = names[0] if names else "judging"
    return Problem(
        what=f"the option {_ARGUMENTS.get(name, name)!r}: {mistake['msg']}, found {short_repr(mistake['input'])}"
    )


def judged(
    *,
    judge: str | Sequence[str],
    use_cache: bool,
    max_judge_calls: int | None = None,
    max_cost: float | None = None,
    record: str | Path | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Fields of a request: the options for judges in ``judging``, and the unchanged ``options``."""
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
    """Create a request from the arguments of ``judge_logs``; ``options`` are options of every criterion in words.

    Raises:
        InputError: arguments have a wrong type; it names all of them.
    """
    given = () if criteria is None or isinstance(criteria, str | Path) else criteria
    return _checked(
        LogsRequest,
        logs=logs,
        criteria_file=criteria if isinstance(criteria, str | Path) else None,
        criteria=tuple(map(_as_written, given)),
        options={name: value for name, value in options.items() if value is not None},
        **fields,
    )


def roles_of(roles: Mapping[str, str] | None) -> dict[str, SpeakerKind]:
    """Check the authors that the user gives for roles.

    Raises:
        InputError: an author is not ``user``, ``agent`` or ``environment``; it names every problem.
    """
    known = get_args(SpeakerKind)
    wrong = [
        Problem(
            what=f"the role {role!r} is assigned to {kind!r}; expected {', '.join(known[:-1])} or {known[-1]}"
        )
        for role, kind in (roles or {}).items()
        if kind not in known
    ]
    if wrong:
        raise InputError(wrong)
    return cast("dict[str, SpeakerKind]", dict(roles or {}))


def _as_written(criterion: object) -> object:
    """Convert a criterion given in Python to the format of a criteria file, so that it is checked in the same way."""
    if isinstance(criterion, WordedCriterion):
        return criterion.model_dump(mode="json", exclude_defaults=True)
    return dict(cast("Mapping[str, Any]", criterion)) if isinstance(criterion, Mapping) else criterion
