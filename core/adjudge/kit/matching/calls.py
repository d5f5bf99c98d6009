"""What may stand for a call, and the plain values that calls are compared by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from adjudge.errors import InputError, Problem
from adjudge.model.base import JsonObject
from adjudge.model.items import ToolCall

Call: TypeAlias = ToolCall | str | tuple[str, Mapping[str, Any] | None]
"""A tool call, a ``(name, arguments)`` pair, or a bare name, whose arguments never count."""

Key: TypeAlias = Any
"""What a call is compared by: its name, or ``(name, arguments)``.

Arguments are an object (``{}`` where the log has none), the raw text where they are not an object,
or ``UNSAID``.
"""


class _Unsaid:
    """The arguments of a bare name."""

    def __repr__(self) -> str:
        return "UNSAID"


UNSAID: Final = _Unsaid()
"""Stands for the arguments of a bare name among calls that have arguments; equals anything."""


def arguments_of(call: ToolCall) -> str | JsonObject:
    """What the arguments of a tool call are compared by: an object, or the raw text where it is none."""
    if call.args is not None:
        return call.args
    return {} if call.raw_args is None else call.raw_args


def key_of(call: Call) -> tuple[str, Any]:
    """``(name, arguments)`` of anything that may stand for a call.

    Raises:
        InputError: it is neither a name, nor a pair, nor a tool call.
    """
    if isinstance(call, str):
        return call, UNSAID
    if isinstance(call, ToolCall):
        return call.name, arguments_of(call)
    match call:
        case (str(name), None):
            return name, {}
        case (str(name), Mapping() as args):
            return name, dict(args)
        case _:
            raise InputError(
                Problem(
                    what=f"a call is a name, a (name, arguments) pair or a ToolCall; found {call!r:.80}",
                    hint="Give lists of calls, for instance ['search', ('pay', {'amount': 3})].",
                )
            )


def keys_of(calls: Sequence[Call]) -> list[tuple[str, Any]]:
    """``(name, arguments)`` of each call.

    Raises:
        InputError: ``calls`` is one string, or holds something that is not a call.
    """
    if isinstance(calls, str):
        raise InputError(Problem(what=f"a list of calls was expected; found the text {calls!r:.80}"))
    return [key_of(call) for call in calls]


def as_json(call: Call) -> JsonObject:
    """A call as reports show it: ``args`` is null for a bare name, text where it was not an object."""
    name, args = key_of(call)
    return {"name": name, "args": None if args is UNSAID else args}
