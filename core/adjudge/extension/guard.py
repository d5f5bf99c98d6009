"""The guard around every call into a plugin: any exception becomes an error that names the plugin.

``SystemExit``, ``CancelledError`` and every other ``BaseException`` become a ``PluginRaisedError``. Two exceptions are
passed on: the user's ``KeyboardInterrupt``, and the cancellation of the calling task.
"""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from os import _exit  # imported now, because an agent may replace os._exit
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeGuard, TypeVar

from adjudge.errors import AdjudgeError, PluginError
from adjudge.extension.configuration import ComponentConfig, validated_config
from adjudge.extension.participants import take_part
from adjudge.extension.registry import Registered, check_modules
from adjudge.extension.specs import Spec
from adjudge.model.base import FrozenT, told, validated_copy

if TYPE_CHECKING:
    from adjudge.extension.protocols import Host

ValueT = TypeVar("ValueT")

GRACE: Final = 5.0
"""Seconds that a plugin's coroutine has to end after its cancellation; after that it is no longer waited for."""

LONGEST: Final = 300.0
"""The default time limit of a call in seconds."""


_LONGEST_TEXT: Final = 10_000
"""The maximum length of the text of an exception in a message, in characters."""


class Origin(Protocol):
    """The owner of the called code: a registered component, or a plugin's record."""

    @property
    def provenance(self) -> str:
        """The plugin, its distribution and version, for messages."""
        ...

    @property
    def is_built_in(self) -> bool:
        """Whether only adjudge's own code runs."""
        ...


@dataclass(frozen=True, slots=True)
class _Adjudge:
    provenance: str = "adjudge"
    is_built_in: bool = True


ADJUDGE: Final[Origin] = _Adjudge()
"""The origin of parts of adjudge that are not plugins."""


class PluginRaisedError(PluginError):
    """A plugin raised an exception. The message names the plugin, the call and the exception."""

    def __init__(self, origin: Origin, call: str, raised: BaseException) -> None:
        """Create the error.

        Args:
            origin: The owner of the code.
            call: The name of the call, for instance ``"score"``.
            raised: The exception.
        """
        super().__init__(f"{origin.provenance} raised in {call}: {described(raised)}")
        self.raised = raised


class LimitExceededError(Exception):
    """A call took too long, or was not made because earlier calls did.

    The message is the end of a sentence that begins with ``score of plugin …``.
    """


class PluginTimeoutError(PluginError):
    """A call into a plugin exceeded its time limit, or was not made because earlier calls exceeded theirs."""


def described(error: BaseException) -> str:
    """An exception in one line: its class, and its text if it has one. Of a very long text only the beginning."""
    try:
        text = str(error).strip()
    except KeyboardInterrupt:
        raise
    except BaseException as failed:  # the exception's own methods are plugin code and may raise
        text = f"its text cannot be shown ({_name_of(failed)})"
    if len(text) > _LONGEST_TEXT:
        text = f"{text[:_LONGEST_TEXT]}… ({len(text):,} characters)"
    return f"{_name_of(error)}: {text}" if text else _name_of(error)


def _name_of(error: BaseException) -> str:
    """The name of the class; a metaclass of a plugin may replace ``__name__`` by code that raises."""
    name: str = type.__dict__["__name__"].__get__(type(error))
    return name


def is_instance(value: object, kind: type[ValueT]) -> TypeGuard[ValueT]:
    """Whether the type of a plugin's value is ``kind`` or a subclass, whatever its ``__class__`` says.

    ``isinstance`` asks ``__class__`` too, which a plugin can replace by code.
    """
    return issubclass(type(value), kind)


def lent(origin: Origin, value: ValueT) -> ValueT:
    """Prepare ``value`` as an argument for a plugin: a deep copy, unless the plugin is a built-in.

    Frozen data may contain mutable dictionaries and lists of JSON; a plugin's changes to them must not affect others.
    """
    return value if origin.is_built_in else copy.deepcopy(value)


def returned(origin: Origin, call: str, value: object, kind: type[FrozenT]) -> FrozenT:
    """Validate a plugin's return value by a round trip through JSON; a built-in's value is returned unchanged.

    The result satisfies the constraints of ``kind``, equals what the journal will restore, and shares no data with
    the plugin.

    Args:
        origin: The owner of the code.
        call: The name of the call, for messages.
        value: The return value.
        kind: The model class that it must be an instance of.

    Raises:
        PluginError: it is not an instance of ``kind``, or is invalid.
    """
    if not is_instance(value, kind):
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
    """A context for a synchronous call into a plugin.

    Args:
        origin: The owner of the code.
        call: The name of the call, for messages.
        passing: Exceptions that the call's contract allows; they are passed on unchanged.

    Raises:
        PluginRaisedError: the code inside raised another exception.
    """
    ours = os.getpid()
    try:
        yield
    except (PluginRaisedError, PluginTimeoutError):  # these already name the plugin
        raise
    except BaseException as error:
        # Ctrl-C is raised only in the main thread; in another thread third-party code raised this.
        of_the_user = (
            isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread()
        )
        if of_the_user or isinstance(error, passing):
            raise
        raise PluginRaisedError(origin, call, error) from error
    finally:
        end_fork_of(ours)


def configured(
    registered: Registered[Spec[Any]], options: Mapping[str, Any], **place: Any
) -> ComponentConfig:
    """Validate the options of a component. Its configuration class is the plugin's code.

    Args:
        registered: The component.
        options: The options, as the user wrote them.
        place: The further arguments of ``validated_config``: where the options are, for messages.

    Raises:
        InputError: the options are invalid.
        PluginRaisedError: the class raised another exception.
    """
    with guarded(registered, f"the options of {registered.spec.name!r}", passing=(AdjudgeError,)):
        return validated_config(registered.spec.config, options, **place)


def make(registered: Registered[Spec[ValueT]], config: Any, host: Host, *, takes_part: bool = True) -> ValueT:
    """Create a component with its plugin's factory, after checking that the modules that it requires are installed.

    Args:
        registered: The component.
        config: The component's options.
        host: The host passed to the factory. The host of a run records the component as a participant.
        takes_part: ``False`` if the component is only created to check whether it is the right one.

    Raises:
        AdjudgeError: a requirement of the component is missing or wrong.
        PluginRaisedError: the factory raised another exception, or ``__getattr__`` of the component raised one that
            is no ``AttributeError``.
        PluginError: the factory returned ``None``.
    """
    check_modules(registered)
    with guarded(registered, f"the factory of {registered.spec.name!r}", passing=(AdjudgeError,)):
        component = registered.spec.factory(config, host)
    if component is None:
        raise PluginError(f"the factory of {registered.spec.name!r} returned None ({registered.provenance})")
    with guarded(registered, f"a look-up of an attribute of {registered.spec.name!r}"):
        hasattr(component, "aclose")  # later look-ups, which find out what it supports, are not guarded
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
    """Iterate over the items that a plugin's call returns or yields.

    Args:
        origin: The owner of the code.
        call: The name of the call, for messages.
        items: The call.
        passing: Exceptions that the call's contract allows; they are passed on unchanged.

    Raises:
        PluginRaisedError: the call, or the iterator that it returns, raised another exception.
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


def end_fork_of(process: int) -> None:
    """End the current process if it is a child of ``process``: third-party code has forked and returned in the child.

    Otherwise the child would continue the run with the parent's event loop and journal.
    """
    if os.getpid() != process:
        _exit(0)
