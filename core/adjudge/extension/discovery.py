"""Discovery: finds the plugins of this environment without importing them."""

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
"""The name of the entry-point group, and of the pluggy project."""
OWN_DISTRIBUTION: Final = "adjudge"
_UNKNOWN: Final = "unknown"


class _Distribution(Protocol):
    """The protocol of an installed distribution; importlib-metadata's own classes differ by version."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def requires(self) -> list[str] | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginIdentity:
    """The name of a plugin, with its module and its distribution."""

    name: str
    """The name of its entry point."""
    module: str
    distribution: str
    version: str
    """The version of the distribution."""

    @property
    def release(self) -> str:
        """The distribution and its version, for messages."""
        return f"{self.distribution} {self.version}"

    @property
    def provenance(self) -> str:
        """The plugin, its distribution and version, for messages."""
        return f"plugin {self.name} ({self.release})"

    @property
    def is_built_in(self) -> bool:
        """Whether it is one of adjudge's own plugins."""
        return self.distribution == OWN_DISTRIBUTION

    def is_called(self, name: str) -> bool:
        """Whether ``name`` refers to this plugin, or to all plugins of its distribution."""
        return canonical_name(name) in (canonical_name(self.name), canonical_name(self.distribution))

    def is_allowed(self, names: Iterable[str] | None) -> bool:
        """Whether it may be imported if only ``names`` and adjudge's own plugins are allowed; ``None`` allows all."""
        return names is None or self.is_built_in or any(map(self.is_called, names))


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate(PluginIdentity):
    """A plugin that was found but is not imported yet."""

    load: Callable[[], object]
    """Imports the plugin and returns the module or object that implements hooks."""
    requires: Callable[[], tuple[str, ...]] = tuple
    """Reads the requirements of its distribution; called only after a failure."""


def discover() -> list[Candidate]:
    """Find all plugins: installed ones, and those in folders that the user names."""
    from adjudge.extension.plugin_folders import folder_plugins

    return [*installed(), *folder_plugins()]


def installed(group: str = PROJECT) -> list[Candidate]:
    """The entry points of a group in this environment: adjudge's own first, then sorted by distribution and name.

    A distribution with unreadable metadata becomes a candidate that fails to load, so that it is reported and does not
    affect other plugins.
    """
    import importlib_metadata

    found: list[Candidate] = []
    seen: set[str] = set()
    distributions: Iterable[Any] = importlib_metadata.distributions(path=installed_path())  # pyright: ignore[reportUnknownMemberType]
    for distribution in distributions:
        try:
            # Of equal names the first on the path counts: imports find it. This is the name of its folder, because
            # parsing the metadata of all distributions for their names would take long.
            name = distribution._normalized_name
            if name in seen:
                continue
            seen.add(name)
            entries = tuple(distribution.entry_points.select(group=group))
        except Exception as error:
            name, version = _name_and_version(distribution)
            reason = f"the entry points of this distribution cannot be read: {error}"
            found.append(unloadable(name, name, version, reason))
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
    """Normalise a distribution's name for comparison: ``Adjudge_Text`` becomes ``adjudge-text``.

    Source: the Python packaging user guide, "Names and normalization". The library ``packaging`` has this function
    too, but importing it would slow down every start of the command line.
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


def unloadable(name: str, distribution: str, version: str, reason: str) -> Candidate:
    """A plugin that fails with ``reason`` when it is loaded."""

    def load() -> object:
        raise PluginError(reason)

    return Candidate(name=name, module="", distribution=distribution, version=version, load=load)
