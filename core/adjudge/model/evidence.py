"""What supports an outcome, and why there is none."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator

from adjudge.model.base import Frozen
from adjudge.model.printable import writable

UnsureCode: TypeAlias = Literal["split_votes", "no_evidence", "abstained", "injection", "low_confidence"]
"""Why something could not be decided although it was measured."""


_Writable: TypeAlias = Annotated[str, AfterValidator(writable)]
"""What somebody's code raises may hold what no file can."""


class Failure(Frozen):
    """Why something could not be measured."""

    code: str
    """A stable word for programs, for instance ``agent_raised``."""
    message: _Writable
    origin: str | None = None
    """The plugin, agent or provider that failed."""
    retryable: bool = False
    """Whether ``adjudge resume`` tries again."""
    place: _Writable | None = None
    """File, line and function of the agent's code that raised."""
    traceback: _Writable | None = None
    """The agent's own traceback, where it raised."""


class Citation(Frozen):
    """Words that stand in the log."""

    step: int
    field: str
    quote: str


class Absence(Frozen):
    """A range of steps in which a scan by code found nothing."""

    steps: tuple[int, int]
    """First and last step."""
    scan: str


class Evidence(Frozen):
    """What supports an outcome, in a form that code can check."""

    citations: tuple[Citation, ...] = ()
    absences: tuple[Absence, ...] = ()
