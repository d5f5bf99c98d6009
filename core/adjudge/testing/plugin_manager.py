"""A plugin manager that discovers nothing: it knows the plugins that it is given."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType

from adjudge.errors import PluginError
from adjudge.extension.discovery import Candidate
from adjudge.extension.loader import Extensions, PluginState


def as_candidate(name: str, plugin: ModuleType | object, *, distribution: str = "in-memory") -> Candidate:
    """A plugin that is already imported, for tests and for tools that discover nothing."""
    return Candidate(
        name=name,
        module=getattr(plugin, "__name__", type(plugin).__name__),
        distribution=distribution,
        version="0",
        load=lambda: plugin,
    )


def manager(*plugins: object, aliases: Mapping[str, str] | None = None) -> Extensions:
    """The extensions that exactly these plugins offer.

    Args:
        plugins: Modules, objects with marked methods, or candidates made with a name of their own
            (``adjudge.testing.as_candidate``). A module is named after its last part with
            ``-`` for ``_``, an object after its class.
        aliases: Short names to canonical ids.

    Raises:
        PluginError: one of them does not load.
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
