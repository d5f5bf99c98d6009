"""Registries of components, which resolve the names that users write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from adjudge.errors import PluginError, Problem, UnavailableError, UnknownNameError, did_you_mean
from adjudge.extension.candidates import PluginIdentity
from adjudge.extension.specs import Spec
from adjudge.model.base import JsonObject

SpecT = TypeVar("SpecT", bound=Spec[Any], covariant=True)

_SHOWN: Final = 5
"""The maximum number of inactive plugins in a message."""
_LISTED: Final = 10
"""The maximum number of installed components in a message that already suggests one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered(Generic[SpecT]):
    """A component and its plugin."""

    spec: SpecT
    owner: PluginIdentity

    @property
    def id(self) -> str:
        """The canonical id: ``plugin/component``."""
        return f"{self.owner.name}/{self.spec.name}"

    @property
    def is_built_in(self) -> bool:
        """Whether it is one of adjudge's own components, and runs only adjudge's own code."""
        return self.owner.is_built_in and not self.spec.runs_named_code

    @property
    def provenance(self) -> str:
        """The plugin, its distribution and version, for messages."""
        return self.owner.provenance

    def document(self) -> JsonObject:
        """The versions of the component and its distribution, as JSON."""
        return {"version": self.spec.version, "distribution": self.owner.release}


def told_apart(components: Iterable[Registered[Any]]) -> str:
    """List components of equal names for a message: the id, distribution and version of each."""
    return " and ".join(f"{item.id} ({item.owner.release})" for item in components)


def check_modules(registered: Registered[Spec[Any]]) -> None:
    """Check that the modules required by a component are installed.

    Raises:
        UnavailableError: modules are missing; it names all of them.
    """
    spec = registered.spec
    if absent := spec.absent_modules():
        raise UnavailableError(
            [
                Problem(what=f"{spec.kind} {spec.name!r} needs the module {module!r}, which is not installed")
                for module in absent
            ]
        )


class Registry(Generic[SpecT]):
    """The components of one kind in all active plugins."""

    def __init__(
        self,
        kind: str,
        components: Iterable[Registered[SpecT]],
        *,
        aliases: Mapping[str, str] | None = None,
        inactive: Mapping[str, str] | None = None,
    ) -> None:
        """Create a registry.

        Args:
            kind: The name of the kind for messages, for instance ``"criterion"``.
            components: All components of the kind.
            aliases: Short names in the project's configuration, with their canonical ids.
            inactive: The names of inactive plugins, with the reason as a message.
        """
        self._kind = kind
        self._by_id = {component.id: component for component in components}
        self._by_name: dict[str, list[Registered[SpecT]]] = {}
        for component in self._by_id.values():
            self._by_name.setdefault(component.spec.name, []).append(component)
        self._aliases = dict(aliases or {})
        self._inactive = dict(inactive or {})

    def __iter__(self) -> Iterator[Registered[SpecT]]:
        """Iterate over the components, sorted by id."""
        return iter(self._by_id[key] for key in sorted(self._by_id))

    def __len__(self) -> int:
        """The number of components."""
        return len(self._by_id)

    def names(self) -> list[str]:
        """All names that ``resolve`` accepts: ids, unique short names and aliases."""
        return sorted({*self._by_id, *self._by_name, *self._aliases})

    def resolve(self, name: str) -> Registered[SpecT]:
        """Find the component of a name.

        Raises:
            UnknownNameError: no component has the name, or several have it and it is not an alias.
            PluginError: the name belongs to a plugin that is failed, disabled or in conflict.
        """
        if name in self._aliases:
            return self._named(self._aliases[name], asked=f"{name!r}, an alias of ")
        return self._named(name)

    def said_to_be(self, trait: str, in_words: str) -> Registered[SpecT]:
        """Find the component with a trait: adjudge's own component, or else the only one.

        Args:
            trait: The field of the spec that is true for components with the trait.
            in_words: The trait as a text for messages, for instance ``"takes objects"``.

        Raises:
            UnknownNameError: no component has the trait, or several third-party ones have it.
        """
        found = [component for component in self if getattr(component.spec, trait)]
        if not found:
            raise UnknownNameError(f"no {self._kind} is installed that {in_words}.{self._perhaps_inactive()}")
        own = [component for component in found if component.owner.is_built_in]
        chosen = own or found
        if len(chosen) > 1:
            raise UnknownNameError(f"more than one {self._kind} {in_words}: {told_apart(chosen)}")
        return chosen[0]

    def _named(self, name: str, *, asked: str = "") -> Registered[SpecT]:
        if name in self._by_id:
            return self._by_id[name]
        found = self._by_name.get(name, [])
        if len(found) == 1:
            return found[0]
        if found:
            raise UnknownNameError(
                f"{self._kind} {asked}{name!r} is the name of {len(found)} components: {told_apart(found)}. "
                f"Write the whole id, or choose one under [aliases] in adjudge.toml."
            )
        plugin = name.partition("/")[0]
        # Accept both spellings: names of entry points often have hyphens, names of components underscores.
        for candidate in (plugin, plugin.replace("_", "-")):
            if candidate in self._inactive:
                raise PluginError(
                    f"{self._kind} {asked}{name!r} is not available: {self._inactive[candidate]}"
                )
        near = did_you_mean(name, self.names())
        # With a suggestion a long list is noise.
        known = (
            ""
            if near and len(self._by_name) > _LISTED
            else (f" Installed: {', '.join(sorted(self._by_name)) or 'none'}.")
        )
        raise UnknownNameError(
            f"unknown {self._kind} {asked}{name!r}.{near}{known}{self._perhaps_inactive()}"
        )

    def _perhaps_inactive(self) -> str:
        """Message with the inactive plugins: their components are unknown, so one may have the unknown name."""
        told = list(self._inactive.values())
        if not told:
            return ""
        shown = "".join(f"\n  {record}" for record in told[:_SHOWN])
        rest = f"\n  and {len(told) - _SHOWN} more (adjudge plugins)" if len(told) > _SHOWN else ""
        return f"\nIt may belong to a plugin that is not active:{shown}{rest}"
