"""Loads the function ``package.module.function``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from adjudge.plugin import Host, InputError, Problem, did_you_mean


def load_function(path: str, host: Host) -> Callable[..., Any]:
    """Import the module and look up the function in it.

    Raises:
        InputError: this configuration may not run code, the path names no module, the module cannot be
        imported, or it
            has no such function.
    """
    module_name, _, name = path.rpartition(".")
    if not module_name or not name:
        raise _unusable(path, "it is not of the form package.module.function")
    try:
        module = host.import_module(module_name)
    except InputError:
        raise
    except (Exception, SystemExit) as error:  # a module may call sys.exit() during its import
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        hint = None if missing is None else _install_hint(missing, host)
        why = f"importing {module_name!r} raised {type(error).__name__}: {error}"
        raise _unusable(path, why, hint) from error
    found = getattr(module, name, None)
    if found is None:
        raise _unusable(path, f"{module_name!r} has no {name!r}.{did_you_mean(name, vars(module))}")
    if not callable(found):
        raise _unusable(path, f"it is not a function but {type(found).__name__}")
    return cast("Callable[..., Any]", found)


def _install_hint(missing: str, host: Host) -> str:
    if missing == "google" or missing.startswith("google."):
        return "It is written with Google's ADK. Install that: pip install ./contrib/adjudge-adk"
    return f"Is {missing!r} installed? It was looked for in {host.working_folder} too."


def _unusable(path: str, why: str, hint: str | None = None) -> InputError:
    return InputError(Problem(what=f"the metric function {path!r} cannot be used: {why}", hint=hint))
