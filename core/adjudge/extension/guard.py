"""The guard: every call into a plugin goes through here, and whatever it raises names the plugin.

``SystemExit``, ``CancelledError`` and every other ``BaseException`` become a ``PluginRaisedError``. Two
things pass: ``KeyboardInterrupt``, which is the user's, and the cancellation of the task that called.
"""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import _exit  # an agent may replace os._exit
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, cast

from adjudge.errors import AdjudgeError, PluginError
from adjudge.extension.participants import take_part
from adjudge.model.base import FrozenT, told, validated_copy

if TYPE_CHECKING:
    from adjudge.extension.protocols import Host
    from adjudge.extension.registry import Registered
    from adjudge.extension.specs import Spec

ValueT = TypeVar("ValueT")

GRACE: Final = 5.0
"""Seconds that a plugin's coroutine has to end once it is cancelled; then nobody waits for it any more."""

LONGEST: Final = 300.0
"""Seconds that a call may take where nobody says otherwise."""

CLOSING: Final = 10.0
"""Seconds that a component may take to close what it holds open."""


class Origin(Protocol):
    """Whose code is called: a registered component, or a plugin's record."""

    @property
    def provenance(self) -> str:
        """The plugin with its distribution and version, as messages show them."""
        ...

    @property
    def is_built_in(self) -> bool:
        """Whether the code is adjudge's own, all of it."""
        ...


@dataclass(frozen=True, slots=True)
class _Adjudge:
    provenance: str = "adjudge"
    is_built_in: bool = True


ADJUDGE: Final[Origin] = _Adjudge()
"""The origin of what comes with adjudge and is no plugin."""


class PluginRaisedError(PluginError):
    """A plugin raised something. The message names the plugin, the call, and what was raised."""

    def __init__(self, origin: Origin, call: str, raised: BaseException) -> None:
        """Say what happened.

        Args:
            origin: Whose code it was.
            call: What was called, for instance ``"score"``.
            raised: What came out of it.
        """
        super().__init__(f"{origin.provenance} raised in {call}: {described(raised)}")
        self.raised = raised


class LimitExceededError(Exception):
    """A call took too long, or was not made because earlier ones did; the message goes on after ``score of plugin …``."""


class PluginTimeoutError(PluginError):
    """A call into a plugin took longer than it may, or was not made because earlier ones did."""


def described(error: BaseException) -> str:
    """An exception in one line: its class, and its text where it has one."""
    try:
        text = str(error).strip()
    except KeyboardInterrupt:
        raise
    except BaseException as failed:  # a plugin's exception class is a plugin's code too
        text = f"its text cannot be shown ({type(failed).__name__})"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def lent(origin: Origin, value: ValueT) -> ValueT:
    """``value`` for a call into a plugin: a deep copy, unless the plugin is a built-in.

    Frozen data hold dictionaries and lists of JSON. What a plugin changes in them must not be seen by
    anything else.
    """
    return value if origin.is_built_in else copy.deepcopy(value)


def returned(origin: Origin, call: str, value: object, kind: type[FrozenT]) -> FrozenT:
    """``value`` as ``kind`` reads it from JSON; of a built-in, ``value`` itself.

    What comes out of here holds what ``kind`` promises, is what the journal gives back, and shares nothing
    with the plugin.

    Args:
        origin: Whose code returned it.
        call: What was called, for messages.
        value: What it returned.
        kind: The class of the model that it must be of.

    Raises:
        PluginError: it is of another class, or cannot be read.
    """
    if not isinstance(value, kind):
        what = f"{call} gave {type(value).__name__}, expected {kind.__name__}"
        raise PluginError(f"{what} ({origin.provenance})")
    if origin.is_built_in:
        return value
    try:
        return validated_copy(kind, value, finite=False)
    except ValueError as error:
        what = f"{call} gave a {kind.__name__} that cannot be used: {told(error)}"
        raise PluginError(f"{what} ({origin.provenance})") from error


@contextmanager
def guarded(origin: Origin, call: str, *, passing: tuple[type[AdjudgeError], ...] = ()) -> Generator[None]:
    """Call a plugin inside, without awaiting it.

    Args:
        origin: Whose code is called.
        call: What is called, for messages.
        passing: Errors that the call's contract allows; they come out as they are.

    Raises:
        PluginRaisedError: whatever else is raised inside.
    """
    try:
        yield
    except (PluginRaisedError, PluginTimeoutError):  # they name who it was
        raise
    except BaseException as error:
        # Ctrl-C reaches the main thread alone; in another one somebody's code has raised it.
        of_the_user = (
            isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread()
        )
        if of_the_user or isinstance(error, passing):
            raise
        raise PluginRaisedError(origin, call, error) from error


def make(registered: Registered[Spec[ValueT]], config: Any, host: Host, *, takes_part: bool = True) -> ValueT:
    """The component that a plugin's factory makes.

    Args:
        registered: Whose factory is called.
        config: The component's options.
        host: What it is made with. That of a run notes that the component takes part in it.
        takes_part: ``False`` where the component is only asked whether it is the right one.

    Raises:
        AdjudgeError: what it needs is missing or wrong.
        PluginRaisedError: the factory raised something else.
        PluginError: the factory returned nothing.
    """
    with guarded(registered, f"the factory of {registered.spec.name!r}", passing=(AdjudgeError,)):
        component = registered.spec.factory(config, host)
    if component is None:
        raise PluginError(f"the factory of {registered.spec.name!r} returned None ({registered.provenance})")
    if takes_part:
        take_part(registered, host)
    return component


def each(
    origin: Origin,
    call: str,
    items: Callable[[], Iterable[ValueT]],
    *,
    passing: tuple[type[AdjudgeError], ...] = (),
) -> Iterator[ValueT]:
    """The items that a plugin's call returns or yields, one at a time.

    Args:
        origin: Whose code is called.
        call: What is called, for messages.
        items: The call.
        passing: Errors that the call's contract allows; they come out as they are.

    Raises:
        PluginRaisedError: whatever else the call, or the iterator that it returns, raises.
    """
    with guarded(origin, call, passing=passing):
        iterator = iter(items())
    try:
        while True:
            with guarded(origin, call, passing=passing):
                try:
                    item = next(iterator)
                except StopIteration:
                    return
            yield item
    finally:
        if (close := getattr(iterator, "close", None)) is not None:
            with guarded(origin, call, passing=passing):
                close()


async def awaited(
    origin: Origin,
    call: str,
    coroutine: Callable[[], Awaitable[ValueT]],
    *,
    passing: tuple[type[AdjudgeError], ...] = (),
    within: float | None = None,
) -> ValueT:
    """What a plugin's coroutine function returns.

    Args:
        origin: Whose code is called.
        call: What is called, for messages.
        coroutine: The call. It is made once.
        passing: Errors that the call's contract allows; they come out as they are.
        within: Seconds that it may take; ``None`` for no limit.

    Raises:
        PluginRaisedError: whatever else it raises; also a ``CancelledError`` that nobody asked for.
        PluginTimeoutError: it took longer than ``within``.
        asyncio.CancelledError: the calling task was cancelled. A coroutine that does not end within
            ``GRACE`` seconds of that is left behind.

    In a run the coroutines of other people's plugins run on an event loop in a thread, one for each plugin.
    """
    # Not above: every plugin imports this room, and few need asyncio.
    from adjudge.extension.plugin_loops import outcome

    value, raised = await outcome(origin, coroutine, within)
    if raised is None:
        return cast("ValueT", value)
    if isinstance(raised, LimitExceededError):
        raise PluginTimeoutError(f"{call} of {origin.provenance} {raised}")
    if isinstance(raised, KeyboardInterrupt):  # of the plugin's own thread, which Ctrl-C never reaches
        raise PluginRaisedError(origin, call, raised)
    with guarded(origin, call, passing=passing):
        raise raised


def end_fork_of(process: int) -> None:
    """End the current process where it is not ``process``: somebody's code has forked it, and comes back in it too.

    What goes on there would be a second run, on the event loop and the journal of the first.
    """
    if os.getpid() != process:
        _exit(0)


async def closed(origin: Origin, component: object) -> str | None:
    """Close a component that holds something open; what went wrong, in words. Nothing is raised.

    Args:
        origin: Whose code it is.
        component: Anything that a factory made; it is closed where it has ``aclose``.
    """
    aclose = getattr(component, "aclose", None)
    if aclose is None:
        return None
    try:
        await awaited(origin, "aclose", aclose, within=CLOSING)
    except PluginError as error:
        return str(error)
    return None
