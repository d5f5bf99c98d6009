"""Parses the status that a metric function returns: ADK's ``EvalStatus``, in any form that functions use for it."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final, Literal, TypeAlias

EvalStatus: TypeAlias = Literal["PASSED", "FAILED", "NOT_EVALUATED"]

_NUMBERS: Final[dict[int, EvalStatus]] = {1: "PASSED", 2: "FAILED", 3: "NOT_EVALUATED"}
"""The values of ADK's enumeration."""

_WORDS: Final[dict[str, EvalStatus]] = {
    "PASSED": "PASSED",
    "PASS": "PASSED",
    "FAILED": "FAILED",
    "FAIL": "FAILED",
    "NOT_EVALUATED": "NOT_EVALUATED",
}


class UnknownStatusError(ValueError):
    """The status is not one of ADK's."""


def status_of(result: object, attribute: str) -> EvalStatus | None:
    """Parse the status of a result; ``None`` if it has none.

    The status may be a member of any enumeration, the number of an ADK status, or its name in upper or lower
    case.

    Raises:
        UnknownStatusError: it is something else.
    """
    given = getattr(result, attribute, None)
    if given is None:
        return None
    for form in (given.name, given.value) if isinstance(given, Enum) else (given,):
        if (status := _read(form)) is not None:
            return status
    raise UnknownStatusError(
        f"{attribute} must be PASSED (1), FAILED (2) or NOT_EVALUATED (3), found {given!r}"
    )


def _read(form: Any) -> EvalStatus | None:
    if isinstance(form, str):
        # str() of an enumeration member begins with the name of its class.
        word = form.strip().rpartition(".")[2]
        return _WORDS.get(word.upper().replace(" ", "_").replace("-", "_"))
    if isinstance(form, bool) or not isinstance(form, int):
        return None
    return _NUMBERS.get(form)
