"""From ``package.module:name`` to the object, with a message for everything that can go wrong on the way."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from adjudge.kit.tracebacks import raised_at
from adjudge.plugin import Host, InputError, Problem, did_you_mean
from adjudge_plugins.agents.python_agent.frameworks import hint_for_path
from adjudge_plugins.agents.python_agent.modules import hint_for_module


def load_target(target: str, host: Host) -> object:
    """Import the module and look up the (dotted) name in it.

    Raises:
        InputError: the module cannot be imported, or has no such name.
    """
    module_name, colon, name = target.partition(":")
    if not (module_name and colon and name):
        raise _unusable(target, "it is not of the form package.module:name")
    found: object = _imported(target, module_name, host)
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise _unusable(
                target, f"{module_name!r} has no {name!r}.{did_you_mean(part, dir(found))}"
            ) from None
    return found


def _imported(target: str, module_name: str, host: Host) -> ModuleType:
    try:
        return host.import_module(module_name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a module may call sys.exit() when it is imported
        raise _unusable(
            target,
            f"importing {module_name!r} raised {type(error).__name__}: {error}{raised_at(error)}",
            hint=_import_hint(error, module_name, host.working_folder),
        ) from error


def _import_hint(error: BaseException, module_name: str, folder: Path) -> str | None:
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    path = folder.joinpath(*module_name.split(".")).with_suffix(".py")
    if path.is_file() and (hint := hint_for_path(path)) is not None:
        return hint
    if (hint := hint_for_module(module_name, folder)) is not None:
        return hint
    if module_name.endswith(".py"):
        return f"Write the module's name, not its file: {module_name.removesuffix('.py')}"
    if module_name == error.name or module_name.startswith(f"{error.name}."):
        return f"It was looked for in {folder} and in the installed packages."
    return f"Install {error.name!r} in the environment of adjudge, or put it into {folder}."


def _unusable(target: str, why: str, *, hint: str | None = None) -> InputError:
    return InputError(Problem(what=f"the agent {target!r} cannot be used: {why}", hint=hint))
