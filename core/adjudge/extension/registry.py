"""Names: from what a user writes to the one component that is meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from adjudge.errors import PluginError, Problem, UnavailableError, UnknownNameError, did_you_mean
from adjudge.extension.discovery import PluginIdentity
from adjudge.extension.specs import Spec
from adjudge.model.base import JsonObject

SpecT = TypeVar("SpecT", bound=Spec[Any], covariant=True)

_SHOWN: Final = 5
"""How many inactive plugins a message lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered(Generic[SpecT]):
    """A component, and where it comes from."""

    spec: SpecT
    owner: PluginIdentity

    @property
    def id(self) -> str:
        """The canonical id: ``plugin/component``."""
        return f"{self.owner.name}/{self.spec.name}"

    @property
    def is_built_in(self) -> bool:
        """Whether it is adjudge's own, and runs no code but adjudge's own."""
        return self.owner.is_built_in and not self.spec.runs_named_code

    @property
    def provenance(self) -> str:
        """The plugin and its distribution, as messages show them."""
        return self.owner.provenance

    def document(self) -> JsonObject:
        """Its versions, as JSON."""
        return {"version": self.spec.version, "distribution": self.owner.release}


def told_apart(components: Iterable[Registered[Any]]) -> str:
    """Components that a message has to tell apart: the whole id, distribution and version of each."""
    return " and ".join(f"{item.id} ({item.owner.release})" for item in components)


def check_modules(registered: Registered[Spec[Any]]) -> None:
    """See that everything is installed that a component imports when it is made.

    Raises:
        UnavailableError: with every module that is missing.
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
    """The components of one kind, over all active plugins."""

    def __init__(
        self,
        kind: str,
        components: Iterable[Registered[SpecT]],
        *,
        aliases: Mapping[str, str] | None = None,
        inactive: Mapping[str, str] | None = None,
    ) -> None:
        """Collect components.

        Args:
            kind: The kind in words, for messages: ``"criterion"``.
            components: Every component of the kind.
            aliases: Short names of the project's configuration, to canonical ids.
            inactive: Names of plugins that are not active, to what became of them in words.
        """
        self._kind = kind
        self._by_id = {component.id: component for component in components}
        self._by_name: dict[str, list[Registered[SpecT]]] = {}
        for component in self._by_id.values():
            self._by_name.setdefault(component.spec.name, []).append(component)
        self._aliases = dict(aliases or {})
        self._inactive = dict(inactive or {})

    def __iter__(self) -> Iterator[Registered[SpecT]]:
        """The components in the order of their ids."""
        return iter(self._by_id[key] for key in sorted(self._by_id))

    def __len__(self) -> int:
        """How many there are."""
        return len(self._by_id)

    def names(self) -> list[str]:
        """Every name that ``resolve`` takes."""
        return sorted({*self._by_id, *self._by_name, *self._aliases})

    def resolve(self, name: str) -> Registered[SpecT]:
        """The component of that name.

        Raises:
            UnknownNameError: nothing has the name, or two have it and no alias decides.
            PluginError: the name belongs to a plugin that is failed, disabled or in conflict.
        """
        if name in self._aliases:
            return self._named(self._aliases[name], asked=f"{name!r}, an alias of ")
        return self._named(name)

    def said_to_be(self, trait: str, in_words: str) -> Registered[SpecT]:
        """The component whose spec says so: adjudge's own, else the only one.

        Args:
            trait: A field of the spec, true where the component has the trait.
            in_words: What the component does, for the message: ``"takes objects"``.

        Raises:
            UnknownNameError: none does, or several and none of them is adjudge's own.
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
        # Entry points are written with hyphens by habit, components with underscores.
        for candidate in (plugin, plugin.replace("_", "-")):
            if candidate in self._inactive:
                raise PluginError(
                    f"{self._kind} {asked}{name!r} is not available: {self._inactive[candidate]}"
                )
        raise UnknownNameError(
            f"unknown {self._kind} {asked}{name!r}.{did_you_mean(name, self.names())} "
            f"Installed: {', '.join(sorted(self._by_name)) or 'none'}.{self._perhaps_inactive()}"
        )

    def _perhaps_inactive(self) -> str:
        """What an inactive plugin offers is not known, so each may be the owner of an unknown name."""
        told = list(self._inactive.values())
        if not told:
            return ""
        shown = "".join(f"\n  {record}" for record in told[:_SHOWN])
        rest = f"\n  and {len(told) - _SHOWN} more (adjudge plugins)" if len(told) > _SHOWN else ""
        return f"\nIt may belong to a plugin that is not active:{shown}{rest}"
