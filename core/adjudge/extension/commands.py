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
    import ast

    import click

    from adjudge.extension.candidates import Candidate

COMMANDS: Final = "adjudge.commands"
"""The group of entry points."""

_ABSENT: Final = "adjudge.commands.absent"
"""The group of placeholder commands, which say how to install a command that no installed distribution has."""


def listed_commands() -> dict[str, str]:
    """The commands of all distributions: the name, and a one-line summary.

    They are read from metadata and source code without imports. The result is cached in the user's cache folder until
    a distribution is added or removed, because reading all metadata would be the slowest part of ``--help``.
    """
    return _listed()[0]


def report_endings() -> list[str]:
    """The file endings of all installed reporters, read and cached like commands.

    An ending that another reporter's ending includes is left out.
    """
    return _listed()[1]


def _listed() -> tuple[dict[str, str], list[str]]:
    cache, key = _cache_file(), _state_of_the_path()
    try:
        kept = json.loads(cache.read_text(encoding="utf-8"))
        if kept["key"] == key:
            commands = {str(name): str(summary) for name, summary in kept["commands"].items()}
            return commands, [str(ending) for ending in kept["endings"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    from adjudge.extension.discovery import installed

    commands = {item.name: _with_origin(item) for item in (*installed(_ABSENT), *installed(COMMANDS))}
    endings = list(dict.fromkeys(ending for item in installed() for ending in _endings(item)))
    shortest = [
        ending
        for ending in endings
        if not any(ending != other and ending.endswith(other) for other in endings)
    ]
    _write_cache(cache, {"key": key, "commands": commands, "endings": shortest})
    return commands, shortest


def load_command(name: str, disabled: Iterable[str] = ()) -> tuple[click.Command, str | None] | None:
    """Import a command.

    Args:
        name: The name of its entry point.
        disabled: Names of distributions that must not be imported, besides those of the environment variable.

    Returns:
        The command, and the plugin with its distribution as a text (``None`` for adjudge's own); or ``None`` if no
        distribution has such a command.

    Raises:
        PluginError: two distributions have it, its distribution is disabled, or it cannot be imported.
    """
    import click

    from adjudge.errors import PluginError
    from adjudge.extension.discovery import installed
    from adjudge.extension.guard import described

    found = [item for item in installed(COMMANDS) if item.name == name]
    found = found or [item for item in installed(_ABSENT) if item.name == name]
    if not found:
        return None
    said = f"the command {name.replace('.', ' ')!r} of {found[0].release}"
    if len(found) > 1:
        listed = " and ".join(item.release for item in found)
        raise PluginError(
            f"the command {name.replace('.', ' ')!r} is provided by {listed}: uninstall one of them"
        )
    [candidate] = found
    if reason := refusal(candidate, disabled):
        raise PluginError(f"{said} is {reason}")
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


def refusal(candidate: Candidate, disabled: Iterable[str]) -> str | None:
    """Why a command must not be imported: its distribution is disabled, or not allowed; or ``None``."""
    from adjudge.extension.candidates import canonical_name
    from adjudge.extension.discovery import disabled_by_variable

    names = {*disabled, *disabled_by_variable()}
    if not candidate.is_built_in:
        from adjudge.extension.project import find_settings

        settings = find_settings(Path.cwd()).plugins
        if not candidate.is_allowed(settings.allow):
            return "not in the list [plugins] allow of the project"
        names.update(settings.disable)
    return "disabled" if canonical_name(candidate.distribution) in map(canonical_name, names) else None


def command_summary(candidate: Candidate) -> str:
    """The first line of the command's docstring, parsed from the source without an import."""
    import ast  # not at the top: usually --help reads summaries from its cache

    module, _, attribute = candidate.module.partition(":")
    tree = _parsed(module)
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    function = next((node for node in functions if node.name == attribute), None)
    told = (None if function is None else ast.get_docstring(function)) or ast.get_docstring(tree) or ""
    return told.partition("\n")[0].strip()


def _with_origin(candidate: Candidate) -> str:
    line = command_summary(candidate)
    return line if candidate.is_built_in else f"{line} (from {candidate.release})".strip()


def _endings(candidate: Candidate) -> list[str]:
    """The endings in the specs of reporters in a plugin's module, parsed from the source without an import."""
    import ast

    module = candidate.module.partition(":")[0]
    calls = (node for node in ast.walk(_parsed(module, b"ReporterSpec(")) if isinstance(node, ast.Call))
    given = (
        word.value
        for call in calls
        if (getattr(call.func, "id", None) or getattr(call.func, "attr", None)) == "ReporterSpec"
        for word in call.keywords
        if word.arg == "suffixes"
    )
    return [
        ending.value
        for value in given
        for ending in getattr(value, "elts", ())
        if isinstance(ending, ast.Constant) and isinstance(ending.value, str)
    ]


def _parsed(module: str, having: bytes = b"") -> ast.Module:
    """The parsed source of a module; an empty module if it cannot be parsed or does not contain ``having``."""
    import ast

    try:
        source = _source_of(module).read_bytes()
        return ast.parse(source) if having in source else ast.Module([], [])
    except (OSError, SyntaxError, ValueError):
        return ast.Module([], [])


def _source_of(module: str) -> Path:
    """Find the source file of a module without importing it or its parent packages.

    Raises:
        OSError: it has no source file.
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
    """A value that changes when a distribution is installed or removed."""
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
    # If the hashes of two environments collide, each only finds the other's list outdated.
    environment = zlib.crc32(os.fsencode(sys.prefix))
    return Path(folder) / "adjudge" / f"commands-{environment:08x}.json"


def _write_cache(cache: Path, content: object) -> None:
    partial = cache.with_name(f"{cache.name}.{os.getpid()}")
    try:
        cache.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(json.dumps(content), encoding="utf-8")
        partial.replace(cache)
    except (OSError, RuntimeError):  # the cache cannot be written: the next listing reads all metadata again
        pass
