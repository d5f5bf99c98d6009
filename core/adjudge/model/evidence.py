"""Evidence for an outcome, and reasons for missing evidence."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator

from adjudge.model.base import Frozen
from adjudge.model.printable import writable

UnsureCode: TypeAlias = Literal["split_votes", "no_evidence", "abstained", "injection", "low_confidence"]
"""The reason why a measured result is undecided."""


_Writable: TypeAlias = Annotated[str, AfterValidator(writable)]
"""A text from third-party code. Characters that no file can contain are escaped."""


class Failure(Frozen):
    """The reason why something could not be measured."""

    code: str
    """A stable code for programs, for instance ``agent_raised``."""
    message: _Writable
    origin: str | None = None
    """The plugin, agent or provider that failed."""
    retryable: bool = False
    """Whether ``adjudge resume`` tries again."""
    place: _Writable | None = None
    """File, line and function in the agent's code where the exception was raised."""
    traceback: _Writable | None = None
    """The traceback of the agent's exception."""


class Citation(Frozen):
    """A quote from the log: step, field and text."""

    step: int
    field: str
    quote: str
    shortened: bool = False
    """Whether code took only the beginning of a longer text; what a judge quotes is as long as the judge chose."""


class Absence(Frozen):
    """A range of steps in which a search by code found nothing."""

    steps: tuple[int, int]
    """The numbers of the first and the last step."""
    scan: str


class Evidence(Frozen):
    """The evidence for an outcome, in a form that code can check."""

    citations: tuple[Citation, ...] = ()
    absences: tuple[Absence, ...] = ()
