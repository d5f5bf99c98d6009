"""A plugin manager without discovery, which has only the given plugins."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType

from adjudge.errors import PluginError
from adjudge.extension.candidates import Candidate
from adjudge.extension.loader import Extensions, PluginState


def as_candidate(name: str, plugin: ModuleType | object, *, distribution: str = "in-memory") -> Candidate:
    """Wrap an imported plugin as a candidate for ``manager``."""
    return Candidate(
        name=name,
        module=getattr(plugin, "__name__", type(plugin).__name__),
        distribution=distribution,
        version="0",
        load=lambda: plugin,
    )


def manager(*plugins: object, aliases: Mapping[str, str] | None = None) -> Extensions:
    """Load exactly these plugins.

    Args:
        plugins: Modules, objects with marked methods, or candidates with a given name
            (``adjudge.testing.as_candidate``). The name of a module is its last part with ``-`` for ``_``; the name of
            an object is that of its class.
        aliases: Short names of components and their canonical ids.

    Raises:
        PluginError: a plugin cannot be loaded.
    """
    candidates = [
        plugin if isinstance(plugin, Candidate) else as_candidate(_name(plugin), plugin) for plugin in plugins
    ]
    extensions = Extensions(candidates, aliases=aliases)
    for record in extensions.records:
        if record.state is not PluginState.ACTIVE:
            raise PluginError(str(record))
    return extensions


def _name(plugin: object) -> str:
    name: str = getattr(plugin, "__name__", type(plugin).__name__)
    return name.rpartition(".")[2].replace("_", "-").lower()
