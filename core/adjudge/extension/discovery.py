"""Discovery: which plugins this environment has. Nothing of theirs is imported here."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol

from adjudge.errors import PluginError
from adjudge.extension.importing import installed_path

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
class PluginIdentity:
    """Which plugin it is, and of which distribution."""

    name: str
    """The name of its entry point."""
    module: str
    distribution: str
    version: str
    """That of the distribution."""

    @property
    def release(self) -> str:
        """Its distribution and version, as messages show them."""
        return f"{self.distribution} {self.version}"

    @property
    def provenance(self) -> str:
        """The plugin and its distribution, as messages show them."""
        return f"plugin {self.name} ({self.release})"

    @property
    def is_built_in(self) -> bool:
        """Whether it is adjudge's own."""
        return self.distribution == OWN_DISTRIBUTION

    def is_called(self, name: str) -> bool:
        """Whether somebody who writes ``name`` means this plugin, or all plugins of its distribution."""
        return canonical_name(name) in (canonical_name(self.name), canonical_name(self.distribution))


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate(PluginIdentity):
    """A plugin that was found and not yet imported."""

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

    found: list[Candidate] = []
    seen: set[str] = set()
    distributions: Iterable[Any] = importlib_metadata.distributions(path=installed_path())  # pyright: ignore[reportUnknownMemberType]
    for distribution in distributions:
        try:
            # The first on the path is the one that an import would find. This is its name as its folder has it:
            # reading the name parses the metadata, which takes long for all that is installed.
            name = distribution._normalized_name
            if name in seen:
                continue
            seen.add(name)
            entries = tuple(distribution.entry_points.select(group=group))
        except Exception as error:
            found.append(_unreadable(distribution, error))
            continue
        if entries:
            name, version = _name_and_version(distribution)
            found += [
                Candidate(
                    name=entry.name,
                    module=entry.value,
                    distribution=name,
                    version=version,
                    load=entry.load,
                    requires=partial(_requirements, distribution),
                )
                for entry in entries
            ]
    return sorted(found, key=lambda item: (not item.is_built_in, item.distribution, item.name))


def disabled_by_variable() -> tuple[str, ...]:
    """The names of plugins and distributions that the environment variable disables."""
    named = (name.strip() for name in os.environ.get(DISABLE_VARIABLE, "").split(","))
    return tuple(filter(None, named))


def canonical_name(distribution: str) -> str:
    """A distribution's name as it is compared: ``Adjudge_Text`` is ``adjudge-text``.

    Source: the Python packaging user guide, "Names and normalization". The library ``packaging``
    has it too, and would cost every start of the command line its import.
    """
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _name_and_version(distribution: _Distribution) -> tuple[str, str]:
    try:
        name = distribution.name
    except Exception:
        return _UNKNOWN, _UNKNOWN
    try:
        return name, distribution.version
    except Exception:
        return name, _UNKNOWN


def _requirements(distribution: _Distribution) -> tuple[str, ...]:
    return tuple(distribution.requires or ())


def _unreadable(distribution: _Distribution, error: Exception) -> Candidate:
    def load() -> object:
        raise PluginError(f"the entry points of this distribution cannot be read: {error}") from error

    name, version = _name_and_version(distribution)
    return Candidate(name=name, module="", distribution=name, version=version, load=load)
