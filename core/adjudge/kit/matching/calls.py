"""The accepted forms of a call, and the keys by which calls are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from adjudge.errors import InputError, Problem
from adjudge.model.base import JsonObject
from adjudge.model.items import ToolCall

Call: TypeAlias = ToolCall | str | tuple[str, Mapping[str, Any] | None]
"""A tool call, a ``(name, arguments)`` pair, or a bare name, whose arguments are not compared."""

Key: TypeAlias = Any
"""The key by which a call is compared: its name, or ``(name, arguments)``.

Arguments are an object (``{}`` if the log has none), the raw text if it is not an object, or ``UNSAID``.
"""


class _Unsaid:
    """The class of ``UNSAID``."""

    def __repr__(self) -> str:
        return "UNSAID"


UNSAID: Final = _Unsaid()
"""The arguments of a bare name in a comparison with arguments; they match anything."""


def arguments_of(call: ToolCall) -> str | JsonObject:
    """The arguments of a tool call for comparison: an object, or the raw text if it is not an object."""
    if call.args is not None:
        return call.args
    return {} if call.raw_args is None else call.raw_args


def key_of(call: Call) -> tuple[str, Any]:
    """``(name, arguments)`` of a call in any form.

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
        InputError: ``calls`` is a string, or contains something that is not a call.
    """
    if isinstance(calls, str):
        raise InputError(Problem(what=f"a list of calls was expected; found the text {calls!r:.80}"))
    return [key_of(call) for call in calls]


def as_json(call: Call) -> JsonObject:
    """A call as JSON for reports: ``args`` is null for a bare name, and a text if it is not an object."""
    name, args = key_of(call)
    return {"name": name, "args": None if args is UNSAID else args}
