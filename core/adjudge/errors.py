"""The errors that adjudge raises, each with one message for a person.

AdjudgeError
├── InputError           a file or an option that cannot be used; holds every problem found
│   └── UnavailableError something that a component needs is not there: a judge, its key, a module
├── PluginError          a plugin is failed, in conflict, missing, or broke its contract
├── UnknownNameError     a name that nothing installed has, or that two have
├── AgentError           an agent did not answer, or not in a way that can be used
├── JudgeError           a judge model did not answer, and why, in one word for all providers
└── RunError             a run that cannot start, be resumed or be read
    ├── RunStoppedError a run that had begun and cannot go on; what is finished is kept
    └── ReportError      a run that is complete, and a report of it that could not be written
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong, and what to do about it."""

    what: str
    """What was found, and what was expected."""
    file: str | None = None
    line: int | None = None
    column: int | None = None
    case: str | None = None
    """The ``eval_id`` that it concerns."""
    path: str | None = None
    """The JSON path inside the file, for instance ``$.eval_cases[0].conversation``."""
    hint: str | None = None
    """What to do."""

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
    """Every problem as a message; a list that several have as their hint is told with the first of them."""
    lists: set[str] = set()
    for problem in problems:
        hint = problem.hint or ""
        yield str(replace(problem, hint=None) if hint in lists else problem)
        if "\n" in hint:
            lists.add(hint)


class AdjudgeError(Exception):
    """Base of all errors that adjudge raises on purpose."""


class InputError(AdjudgeError):
    """Something that the user gave cannot be used. All problems are reported at once."""

    def __init__(self, problems: Problem | Sequence[Problem], *, warnings: Iterable[str] = ()) -> None:
        """Say what is wrong.

        Args:
            problems: One, or all that were found.
            warnings: What was found beside them and is odd, not wrong; each with its place.
        """
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        self.warnings: tuple[str, ...] = tuple(warnings)
        super().__init__("\n".join(_told(self.problems)))


class UnavailableError(InputError):
    """Something that a component needs is not there: a judge, its key, a module.

    What a factory raises so stops a run only where the criterion can decide something; otherwise the criterion
    is not measured, and a warning says why.
    """


class PluginError(AdjudgeError):
    """A plugin cannot be used, or did something that its contract forbids."""


class UnknownNameError(AdjudgeError):
    """A name that no active plugin has, or that more than one has."""


class AgentError(AdjudgeError):
    """An agent did not answer, or not in a way that can be used: an ``error`` of the case, not of the run."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "agent_failed",
        retryable: bool = False,
        place: str | None = None,
        traceback: str | None = None,
    ) -> None:
        """Say what happened.

        Args:
            message: For a person; it never holds a secret.
            code: A stable word for programs, kept in the case's ``Failure``.
            retryable: Whether another attempt may succeed: ``adjudge resume`` tries again.
            place: File, line and function of the agent's code that raised, where it ran elsewhere. Otherwise the
                traceback of ``__cause__`` says so.
            traceback: The agent's own traceback, where it ran elsewhere.
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
"""Why a judge did not answer.

``auth``, ``quota`` (the account is used up) and ``unknown_model`` hold for every further call: the run
stops and can be resumed. ``rate_limit`` (too many at a time), ``overload``, ``server``, ``timeout``,
``network``, ``malformed`` (what came back is not the provider's protocol) and ``shortage`` (this machine has
no more files, threads, memory or disk) may pass: they are tried again. ``unavailable``: the call was not made,
because too many before it failed. The others concern one question: too long for the model, a schema or a request that the provider
refuses, or an answer that the recording does not hold.
"""


class JudgeError(AdjudgeError):
    """A judge model did not answer. The judge client decides whether it is asked again."""

    def __init__(self, message: str, *, code: JudgeErrorCode, retry_after: float | None = None) -> None:
        """Say what happened.

        Args:
            message: For a person; it never holds a key.
            code: The class of the failure.
            retry_after: Seconds that the provider asks to wait.
        """
        super().__init__(message)
        self.code: JudgeErrorCode = code
        self.retry_after = retry_after


class RunError(AdjudgeError):
    """A run cannot start, be resumed or be read."""


class JudgeUnusableError(RunError):
    """Every further call would fail as well: a wrong key, a used-up account, a model that does not exist."""

    def __init__(self, message: str, *, code: JudgeErrorCode | None = None) -> None:
        """Say what happened; ``code`` is the class of the failure, where a call failed."""
        super().__init__(message)
        self.code: JudgeErrorCode | None = code


class RunStoppedError(RunError):
    """A run that had begun and cannot go on: its journal cannot be written, an eval set was changed under it."""


class ReportError(RunError):
    """A report could not be written. The run is complete, and so is every other report."""

    def __init__(self, failures: Sequence[str], result: Any) -> None:
        """Say what could not be written.

        Args:
            failures: One message for each report.
            result: What would have been returned: a ``RunResult`` or ``JudgedLogs``.
        """
        super().__init__("\n".join(failures))
        self.result = result


def suggestion(name: str, known: Iterable[str], *, likeness: float = 0.75) -> str | None:
    """The nearest known name where there is one near enough, from 0 to 1, to be a misspelling."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=likeness)
    return close[0] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``" Did you mean 'x'?"``, or nothing: the nearest known name, or the only one that begins like this.

    Of a component the short name is guessed, unless an id, ``plugin/component``, was begun.
    """
    names = list(known)
    begun = [each for each in names if name and each.startswith(name) and ("/" in name or "/" not in each)]
    near = suggestion(name, names) or (begun[0] if len(begun) == 1 else None)
    return f" Did you mean {near!r}?" if near else ""


def json_path(location: tuple[int | str, ...], prefix: str = "$") -> str:
    """A pydantic error location as a JSON path."""
    path = prefix
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}"
    return path
