"""Loads objects named by targets, ``package.module:name``, with a message for every failure."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from adjudge.kit.tracebacks import raised_at
from adjudge.plugin import Host, InputError, Problem, did_you_mean

__all__ = ["folder_of", "is_of_class", "load_object"]


def load_object(
    target: str,
    host: Host,
    hint: Callable[[BaseException, str, Path], str | None] | None = None,
    what: str = "agent",
) -> object:
    """Import the module and look up the (dotted) name in it.

    Args:
        target: ``package.module:name``.
        host: The host, which imports the module.
        hint: Returns advice about a failed import from the error, the module and the working folder; ``None`` for the
            default advice.
        what: The kind of object, for messages.

    Raises:
        InputError: the module cannot be imported, or has no such name.
    """
    module_name, colon, name = target.partition(":")
    if not (module_name and colon and name):
        raise _unusable(what, target, "it is not of the form package.module:name")
    found: object = _imported(what, target, module_name, host, hint)
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise _unusable(
                what, target, f"{module_name!r} has no {name!r}.{did_you_mean(part, dir(found))}"
            ) from None
    return found


def folder_of(target: object) -> Path | None:
    """The folder of the module of a target or an object; ``None`` if the module is not imported or has no file."""
    named = target.partition(":")[0] if isinstance(target, str) else getattr(target, "__module__", "")
    file = getattr(sys.modules.get(named), "__file__", None)
    return None if file is None else Path(file).parent


def is_of_class(found: object, package: str, *names: str) -> bool:
    """Whether an object's class, or one of its base classes, is one of the named classes; without imports.

    Args:
        found: The object.
        package: The package or module of the classes, or its beginning.
        names: The names of the classes.
    """
    return any(
        kind.__name__ in names and f"{kind.__module__}.".startswith(f"{package}.")
        for kind in type(found).__mro__
    )


def _imported(what: str, target: str, module_name: str, host: Host, hint: Any) -> ModuleType:
    try:
        return host.import_module(module_name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a module may call sys.exit() during its import
        known = None if hint is None else hint(error, module_name, host.working_folder)
        raise _unusable(
            what,
            target,
            f"importing {module_name!r} raised {type(error).__name__}: {error}{raised_at(error)}",
            hint=known or _import_hint(error, module_name, host.working_folder),
        ) from error


def _import_hint(error: BaseException, module_name: str, folder: Path) -> str | None:
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    if module_name.endswith(".py"):
        return f"Write the module's name, not its file: {module_name.removesuffix('.py')}"
    if module_name == error.name or module_name.startswith(f"{error.name}."):
        return f"It was looked for in {folder} and in the installed packages."
    return f"Install {error.name!r} in the environment of adjudge, or put it into {folder}."


def _unusable(what: str, target: str, why: str, *, hint: str | None = None) -> InputError:
    return InputError(Problem(what=f"the {what} {target!r} cannot be used: {why}", hint=hint))
