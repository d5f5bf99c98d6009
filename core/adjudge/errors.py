"""The errors that adjudge raises, each with one message for people.

AdjudgeError
├── InputError           a file or an option is invalid; it contains all problems
│   └── UnavailableError a requirement of a component is missing: a judge, its key, a module
├── PluginError          a plugin is failed, in conflict, missing, or violated its contract
├── UnknownNameError     no installed component has a name, or several have it
├── AgentError           an agent did not answer, or its answer is invalid
├── JudgeError           a judge model did not answer; the code of the reason is the same for all providers
└── RunError             a run cannot start, be resumed or be read
    ├── RunStoppedError  a started run cannot continue; finished results are kept
    └── ReportError      a report of a complete run could not be written
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

__all__ = [
    "AdjudgeError",
    "AgentError",
    "InputError",
    "JudgeError",
    "JudgeErrorCode",
    "JudgeUnusableError",
    "PluginError",
    "Problem",
    "ReportError",
    "RunError",
    "RunStoppedError",
    "UnavailableError",
    "UnknownNameError",
    "did_you_mean",
    "json_path",
    "suggestion",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One problem of the user's input, and how to fix it."""

    what: str
    """What is wrong: what was found and what was expected."""
    file: str | None = None
    line: int | None = None
    column: int | None = None
    case: str | None = None
    """The ``eval_id`` of the case with the problem."""
    path: str | None = None
    """The JSON path inside the file, for instance ``$.eval_cases[0].conversation``."""
    hint: str | None = None
    """How to fix it."""

    def __str__(self) -> str:
        place = self.file or ""
        if self.line is not None:
            place += f":{self.line}" + ("" if self.column is None else f":{self.column}")
        where = [place] if place else []
        if self.case is not None:
            where.append(f"case {self.case!r}")
        if self.path is not None:
            where.append(self.path)
        text = f"{', '.join(where)}: {self.what}" if where else self.what
        return f"{text}\n  {self.hint}" if self.hint else text


def _told(problems: Iterable[Problem]) -> Iterator[str]:
    """The messages of the problems; a hint with several lines that several problems have is given only once."""
    lists: set[str] = set()
    for problem in problems:
        hint = problem.hint or ""
        yield str(replace(problem, hint=None) if hint in lists else problem)
        if "\n" in hint:
            lists.add(hint)


class AdjudgeError(Exception):
    """Base class of all errors that adjudge raises deliberately."""


class InputError(AdjudgeError):
    """A file, option or argument of the user is invalid. All problems are reported at once."""

    def __init__(self, problems: Problem | Sequence[Problem], *, warnings: Iterable[str] = ()) -> None:
        """Create the error.

        Args:
            problems: One problem, or all problems.
            warnings: Warnings about the same input, each with its place.
        """
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        self.warnings: tuple[str, ...] = tuple(warnings)
        super().__init__("\n".join(_told(self.problems)))


class UnavailableError(InputError):
    """A requirement of a component is missing: a judge, its key, a module.

    Raised by a factory, it stops a run only if the criterion can decide; otherwise the criterion is not
    measured, and a warning gives the reason.
    """


class PluginError(AdjudgeError):
    """A plugin cannot be used, or violated its contract."""


class UnknownNameError(AdjudgeError):
    """A name that no active plugin has, or that more than one has."""


class AgentError(AdjudgeError):
    """An agent did not answer, or its answer is invalid: an ``error`` of the case, not of the run."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "agent_failed",
        retryable: bool = False,
        place: str | None = None,
        traceback: str | None = None,
    ) -> None:
        """Create the error.

        Args:
            message: The message for people, without secrets.
            code: A stable code for programs, stored in the case's ``Failure``.
            retryable: Whether another attempt may succeed, so that ``adjudge resume`` tries again.
            place: File, line and function in the agent's code, if the agent ran in another process. Otherwise they are
                taken from the traceback of ``__cause__``.
            traceback: The agent's traceback, if it ran in another process.
        """
        super().__init__(message)
        self.code = code
        self.retryable = retryable
        self.place = place
        self.traceback = traceback


JudgeErrorCode: TypeAlias = Literal[
    "auth",
    "quota",
    "unknown_model",
    "rate_limit",
    "overload",
    "server",
    "timeout",
    "network",
    "malformed",
    "shortage",
    "unavailable",
    "context_too_long",
    "schema_rejected",
    "bad_request",
    "not_recorded",
]
"""The reason why a judge did not answer.

``auth``, ``quota`` (the account is exhausted) and ``unknown_model`` affect every further call: the run stops and can be
resumed. ``rate_limit`` (too many calls at a time), ``overload``, ``server``, ``timeout``, ``network``, ``malformed``
(the answer does not follow the provider's protocol) and ``shortage`` (this machine has no free file handles, threads,
memory or disk space) may be temporary: the call is retried. ``unavailable``: the call was not made, because too many earlier
calls failed. The others affect one question: it is too long for the model, the provider rejects its schema or the
request, or the recording does not contain the answer.
"""


class JudgeError(AdjudgeError):
    """A judge model did not answer. The judge client decides whether to retry the call."""

    def __init__(self, message: str, *, code: JudgeErrorCode, retry_after: float | None = None) -> None:
        """Create the error.

        Args:
            message: The message for people, without keys.
            code: The class of the failure.
            retry_after: The waiting time in seconds that the provider requests.
        """
        super().__init__(message)
        self.code: JudgeErrorCode = code
        self.retry_after = retry_after


class RunError(AdjudgeError):
    """A run cannot start, be resumed or be read."""


class JudgeUnusableError(RunError):
    """Every further call would fail as well: a wrong key, an exhausted account, an unknown model."""

    def __init__(self, message: str, *, code: JudgeErrorCode | None = None) -> None:
        """Create the error; ``code`` is the class of the failure if a call failed."""
        super().__init__(message)
        self.code: JudgeErrorCode | None = code


class RunStoppedError(RunError):
    """A started run cannot continue: its journal cannot be written, or an eval set was changed during the run."""


class ReportError(RunError):
    """A report could not be written. The run and its other reports are complete."""

    def __init__(self, failures: Sequence[str], result: Any) -> None:
        """Create the error.

        Args:
            failures: One message for each report that could not be written.
            result: The ``RunResult`` that would have been returned.
        """
        super().__init__("\n".join(failures))
        self.result = result


def suggestion(name: str, known: Iterable[str], *, likeness: float = 0.75) -> str | None:
    """The most similar known name if its likeness, from 0 to 1, is at least ``likeness``; otherwise ``None``."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=likeness)
    return close[0] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``" Did you mean 'x'?"`` with the most similar known name or the only one with this beginning, or ``""``.

    For components short names are suggested, or ids (``plugin/component``) if ``name`` contains a slash.
    """
    names = list(known)
    begun = [each for each in names if name and each.startswith(name) and ("/" in name or "/" not in each)]
    near = suggestion(name, names) or (begun[0] if len(begun) == 1 else None)
    return f" Did you mean {near!r}?" if near else ""


def json_path(location: tuple[int | str, ...], prefix: str = "$") -> str:
    """Convert the location of a pydantic error to a JSON path."""
    path = prefix
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}"
    return path
