"""Plugins that were found: their identity, and how to import them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from adjudge.errors import PluginError

PROJECT: Final = "adjudge"
"""The name of the entry-point group, and of the pluggy project."""
OWN_DISTRIBUTION: Final = "adjudge"


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


def unloadable(name: str, distribution: str, version: str, reason: str) -> Candidate:
    """A plugin that fails with ``reason`` when it is loaded."""

    def load() -> object:
        raise PluginError(reason)

    return Candidate(name=name, module="", distribution=distribution, version=version, load=load)


def canonical_name(distribution: str) -> str:
    """Normalise a distribution's name for comparison: ``Adjudge_Text`` becomes ``adjudge-text``.

    Source: the Python packaging user guide, "Names and normalization". The library ``packaging`` has this function
    too, but importing it would slow down every start of the command line.
    """
    return re.sub(r"[-_.]+", "-", distribution).lower()
