"""Matches a user's patterns against an agent's texts, with protection against patterns that take too long."""

from __future__ import annotations

from typing import Any, Final, Protocol, cast

from adjudge.errors import AdjudgeError

_SECONDS: Final = 1.0
"""The time limit of one match in seconds. Patterns such as ``(a+)+b`` could take years on a text of 100 letters."""


class Pattern(Protocol):
    """A compiled regular expression."""

    pattern: str

    def fullmatch(self, string: str, *, timeout: float) -> object | None:
        """Match the whole text, or raise ``TimeoutError``."""
        ...


def compiled(pattern: str) -> Pattern:
    """Compile a regular expression in the syntax of Python's ``re``.

    Raises:
        ValueError: it is invalid; the message says why.
    """
    import regex  # compatible with ``re``, and supports time limits

    try:
        # Without types, both in the library and in the stubs that some environments have.
        return cast("Pattern", cast("Any", regex).compile(pattern))
    except (regex.error, OverflowError, RecursionError) as error:
        raise ValueError(str(error)) from None


def matches(pattern: Pattern, text: str) -> bool:
    """Whether the whole text matches.

    Raises:
        AdjudgeError: matching takes longer than a second.
    """
    try:
        return pattern.fullmatch(text, timeout=_SECONDS) is not None
    except TimeoutError:
        raise AdjudgeError(
            f"the pattern {pattern.pattern!r} takes longer than {_SECONDS:g} s on a text of {len(text)} characters"
        ) from None
