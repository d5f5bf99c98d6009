"""Commands that distributions add to the command line, by entry points of the group ``adjudge.commands``.

An entry point names a click command: ``report = "package.module:report_command"``. The name ``judges.report`` adds
it to the group ``judges`` of the core.
"""

from __future__ import annotations

import json
import os
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import click

    from adjudge.extension.discovery import Candidate

COMMANDS: Final = "adjudge.commands"
"""The group of entry points."""


def listed_commands() -> dict[str, str]:
    """The names of all distributions' commands, to what each does in one line.

    They come from metadata and sources; nothing is imported. What was found is kept in the user's cache until a
    distribution is added or removed: looking through all metadata takes longer than everything else that
    ``--help`` does.
    """
    cache, key = _cache_file(), _state_of_the_path()
    try:
        kept = json.loads(cache.read_text(encoding="utf-8"))
        if kept["key"] == key:
            return {str(name): str(summary) for name, summary in kept["commands"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    from adjudge.extension.discovery import discover

    commands = {item.name: _summary(item) for item in discover(COMMANDS)}
    _write_cache(cache, {"key": key, "commands": commands})
    return commands


def load_command(name: str, disabled: Iterable[str] = ()) -> tuple[click.Command, str | None] | None:
    """Import the command of that name; it, and whose it is in words: ``None`` for adjudge's own.

    Args:
        name: That of its entry point.
        disabled: Names of distributions that must not be imported, beside those of the environment variable.

    Returns:
        ``None`` where no distribution has such a command.

    Raises:
        PluginError: two distributions have it, its distribution is disabled, or it cannot be imported.
    """
    import click

    from adjudge.errors import PluginError
    from adjudge.extension.discovery import canonical_name, disabled_by_variable, discover
    from adjudge.extension.guard import described

    found = [item for item in discover(COMMANDS) if item.name == name]
    if not found:
        return None
    typed = name.replace(".", " ")
    if len(found) > 1:
        listed = " and ".join(item.release for item in found)
        raise PluginError(f"the command {typed!r} is of {listed}: uninstall one of them")
    [candidate] = found
    said = f"the command {typed!r} of {candidate.release}"
    if canonical_name(candidate.distribution) in map(canonical_name, (*disabled, *disabled_by_variable())):
        raise PluginError(f"{said} is disabled")
    try:
        command = candidate.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise PluginError(f"{said} cannot be imported: {described(error)}") from error
    if not isinstance(command, click.Command):
        found_type = type(command).__name__
        raise PluginError(f"{said} is of type {found_type}; a click command is expected")
    return command, None if candidate.is_built_in else said


def _summary(candidate: Candidate) -> str:
    """The first line of the command's docstring, read and not run."""
    import ast  # --help has the summaries in its cache

    module, _, attribute = candidate.module.partition(":")
    try:
        tree = ast.parse(_source_of(module).read_bytes())
    except (OSError, SyntaxError, ValueError):
        tree = ast.Module([], [])
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    function = next((node for node in functions if node.name == attribute), None)
    told = (None if function is None else ast.get_docstring(function)) or ast.get_docstring(tree) or ""
    line = told.partition("\n")[0].strip()
    if candidate.is_built_in:
        return line
    return f"{line} (from {candidate.release})".strip()


def _source_of(module: str) -> Path:
    """The file of a module; packages above it are not imported either.

    Raises:
        OSError: it has none.
    """
    from importlib.machinery import PathFinder

    path: list[str] | None = None
    origin: str | None = None
    name = ""
    for part in module.split("."):
        name = f"{name}.{part}" if name else part
        spec = PathFinder.find_spec(name, path)
        if spec is None:
            raise FileNotFoundError(module)
        path, origin = list(spec.submodule_search_locations or ()), spec.origin
    if origin is None:
        raise FileNotFoundError(module)
    return Path(origin)


def _state_of_the_path() -> list[object]:
    """What changes when a distribution is installed or removed."""
    state: list[object] = [sys.version, __file__, Path(__file__).stat().st_mtime_ns]
    for entry in sys.path:
        try:
            changed = os.stat(entry or ".").st_mtime_ns  # noqa: PTH116 - Path("") is "." only by luck
        except OSError:
            continue
        state += [os.fsencode(entry).hex() if not entry.isprintable() else entry, changed]
    return state


def _cache_file() -> Path:
    folder = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    # Two environments with one name for their files only find each other's lists out of date.
    environment = zlib.crc32(os.fsencode(sys.prefix))
    return Path(folder) / "adjudge" / f"commands-{environment:08x}.json"


def _write_cache(cache: Path, content: object) -> None:
    partial = cache.with_name(f"{cache.name}.{os.getpid()}")
    try:
        cache.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(json.dumps(content), encoding="utf-8")
        partial.replace(cache)
    except (OSError, RuntimeError):  # a home that cannot be written: the next listing looks again
        pass
