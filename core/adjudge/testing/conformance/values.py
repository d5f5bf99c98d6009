"""Checks of values that a component returns: JSON documents and lists of messages."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping

from adjudge.testing.conformance.watching import Network, watched


def json_object(what: str, found: object) -> dict[str, object]:
    """Check that ``found`` is a JSON object, and return it.

    Raises:
        AssertionError: it is not, or it contains a value that JSON does not have.
    """
    assert not inspect.isawaitable(found), f"{what} must be a plain function, not `async def`"
    assert isinstance(found, Mapping), f"{what} gave {type(found).__name__}; expected a JSON object"
    try:
        document: dict[str, object] = json.loads(json.dumps(dict(found), allow_nan=False))  # pyright: ignore[reportUnknownArgumentType]
    except (TypeError, ValueError) as error:
        raise AssertionError(f"{what} is not JSON: {error}") from None
    return document


def same_document(
    what: str, *calls: Callable[[], object], network: Network = "forbidden"
) -> dict[str, object]:
    """Check that all calls return the same JSON object, and return it.

    Raises:
        AssertionError: a call returns a different object, or no JSON object; or it prints, waits, or calls the network.
    """
    with watched(what, network=network, never_waits=True):
        found = [json_object(what, call()) for call in calls]
    assert all(each == found[0] for each in found), (
        f"{what} differs each time, so that no run could be resumed: {found[0]} and {found[1:]}"
    )
    return found[0]


def messages(what: str, found: object) -> list[str]:
    """Check that ``found`` is a list of messages, and return it.

    Raises:
        AssertionError: it is not, for instance a single string.
    """
    assert not inspect.isawaitable(found), f"{what} must be a plain function, not `async def`"
    assert not isinstance(found, str), (
        f"{what} gave a string, which is read letter by letter: {found!r}; give a list"
    )
    assert isinstance(found, Iterable), f"{what} gave {type(found).__name__}; expected a list of messages"
    listed: list[object] = list(found)  # pyright: ignore[reportUnknownArgumentType]
    for each in listed:
        assert isinstance(each, str) and each.strip(), f"{what} has {each!r} among its messages"
    return [str(each) for each in listed]
