"""Discovery: which plugins this environment has. Nothing of theirs is imported here."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final, Protocol

from adjudge.errors import PluginError
from adjudge.extension.importing import installed_path

if TYPE_CHECKING:
    from importlib_metadata import EntryPoint

DISABLE_VARIABLE: Final = "ADJUDGE_DISABLE_PLUGINS"
PROJECT: Final = "adjudge"
"""The name of the entry-point group, and of the project in pluggy's terms."""
OWN_DISTRIBUTION: Final = "adjudge"
_UNKNOWN: Final = "unknown"


class _Distribution(Protocol):
    """What is read of an installed distribution; importlib-metadata's own classes differ by version."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def requires(self) -> list[str] | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A plugin that was found and not yet imported."""

    name: str
    """The name of its entry point."""
    module: str
    distribution: str
    version: str
    load: Callable[[], object]
    """Imports it and returns the module or object that implements hooks."""
    requires: Callable[[], tuple[str, ...]] = tuple
    """Reads the requirements of its distribution; asked only when something fails."""


def discover(group: str = PROJECT) -> list[Candidate]:
    """The entry points of a group in this environment, adjudge's own first, then by distribution and name.

    A distribution whose metadata cannot be read is one candidate that fails to load, so that it is
    seen and harms nobody.
    """
    import importlib_metadata

    path = installed_path()
    if any(_has_metadata(Path(entry)) for entry in sys.path if entry not in path):
        # The query for all knows sys.path alone.
        found = _one_by_one(path, group)
    else:
        try:
            found = _candidates(importlib_metadata.entry_points(group=group))  # pyright: ignore[reportUnknownMemberType]
        except Exception:
            # One unreadable entry_points.txt breaks the query for all: look at each on its own.
            found = _one_by_one(path, group)
    return sorted(
        found, key=lambda item: (item.distribution != OWN_DISTRIBUTION, item.distribution, item.name)
    )


def disabled_by_variable() -> tuple[str, ...]:
    """The names of plugins and distributions that the environment variable disables."""
    named = (name.strip() for name in os.environ.get(DISABLE_VARIABLE, "").split(","))
    return tuple(filter(None, named))


def as_candidate(name: str, plugin: ModuleType | object, *, distribution: str = "in-memory") -> Candidate:
    """A plugin that is already imported, for tests and for tools that discover nothing."""
    return Candidate(
        name=name,
        module=getattr(plugin, "__name__", type(plugin).__name__),
        distribution=distribution,
        version="0",
        load=lambda: plugin,
    )


def canonical_name(distribution: str) -> str:
    """A distribution's name as it is compared: ``Adjudge_Text`` is ``adjudge-text``.

    Source: the Python packaging user guide, "Names and normalization". The library ``packaging``
    has it too, and would cost every start of the command line its import.
    """
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _candidates(entries: Iterable[EntryPoint]) -> list[Candidate]:
    # Reading a name or a version parses the whole metadata, so it is done once a distribution.
    described: dict[int, tuple[str, str]] = {}
    found: list[Candidate] = []
    for entry in entries:
        distribution = entry.dist
        key = id(distribution)
        if key not in described:
            described[key] = _name_and_version(distribution)
        name, version = described[key]
        found.append(
            Candidate(
                name=entry.name,
                module=entry.value,
                distribution=name,
                version=version,
                load=entry.load,
                requires=partial(_requirements, distribution),
            )
        )
    return found


def _name_and_version(distribution: _Distribution | None) -> tuple[str, str]:
    if distribution is None:
        return _UNKNOWN, _UNKNOWN
    try:
        name = distribution.name
    except Exception:
        return _UNKNOWN, _UNKNOWN
    try:
        return name, distribution.version
    except Exception:
        return name, _UNKNOWN


def _requirements(distribution: _Distribution | None) -> tuple[str, ...]:
    return tuple((distribution.requires if distribution is not None else None) or ())


def _has_metadata(folder: Path) -> bool:
    """Whether a folder holds what an installed distribution leaves there."""
    return any(folder.glob("*.dist-info")) or any(folder.glob("*.egg-info"))


def _one_by_one(path: list[str], group: str) -> list[Candidate]:
    import importlib_metadata

    found: list[Candidate] = []
    seen: set[str] = set()
    for distribution in importlib_metadata.distributions(path=path):  # pyright: ignore[reportUnknownMemberType]
        name, version = _name_and_version(distribution)
        # The first on sys.path is the one that an import would find.
        if name != _UNKNOWN and canonical_name(name) in seen:
            continue
        seen.add(canonical_name(name))
        try:
            found += _candidates(tuple(distribution.entry_points.select(group=group)))
        except Exception as error:
            found.append(_unreadable(name, version, error))
    return found


def _unreadable(name: str, version: str, error: Exception) -> Candidate:
    def load() -> object:
        raise PluginError(f"the entry points of this distribution cannot be read: {error}") from error

    return Candidate(name=name, module="", distribution=name, version=version, load=load)
