"""Patterns of a user against texts of an agent: neither is trusted to be quick."""

from __future__ import annotations

from typing import Any, Final, Protocol, cast

from adjudge.errors import AdjudgeError

_SECONDS: Final = 1.0
"""How long one match may take. Patterns such as ``(a+)+b`` would take years on a text of a hundred letters."""


class Pattern(Protocol):
    """A compiled regular expression."""

    pattern: str

    def fullmatch(self, string: str, *, timeout: float) -> object | None:
        """Match the whole text, or raise ``TimeoutError``."""
        ...


def compiled(pattern: str) -> Pattern:
    """Compile a regular expression in the syntax of Python's ``re``.

    Raises:
        ValueError: it is not one; the message says why.
    """
    import regex  # it is ``re`` with a time limit

    try:
        # Untyped here and in the stubs that some environments have.
        return cast("Pattern", cast("Any", regex).compile(pattern))
    except (regex.error, OverflowError, RecursionError) as error:
        raise ValueError(str(error)) from None


def matches(pattern: Pattern, text: str) -> bool:
    """Whether the whole text matches.

    Raises:
        AdjudgeError: it cannot be said within a second.
    """
    try:
        return pattern.fullmatch(text, timeout=_SECONDS) is not None
    except TimeoutError:
        raise AdjudgeError(
            f"the pattern {pattern.pattern!r} takes longer than {_SECONDS:g} s on a text of {len(text)} characters"
        ) from None
