"""Participants: the plugins that take part in a run, for its result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjudge.extension.candidates import PluginIdentity
    from adjudge.extension.registry import Registered
    from adjudge.extension.specs import Spec
    from adjudge.model.result import Participant


class Participants:
    """The participants of one run so far."""

    def __init__(self) -> None:
        """Start without participants."""
        self._found: dict[Participant, None] = {}

    def __len__(self) -> int:
        """The number of participants so far; it never decreases."""
        return len(self._found)

    def add(self, component: Registered[Spec[Any]]) -> None:
        """Add a component, unless it is already a participant."""
        spec = component.spec
        self._add(spec.kind, component.id, spec.version, component.owner)

    def add_observers(self, plugins: Iterable[PluginIdentity]) -> None:
        """Add plugins that observe events."""
        for plugin in plugins:
            self._add("observer", plugin.name, None, plugin)

    def _add(self, kind: str, component: str, version: int | None, owner: PluginIdentity) -> None:
        from adjudge.model.result import Participant  # not at the top: every command imports this module

        participant = Participant(
            kind=kind,
            component=component,
            version=version,
            distribution=owner.distribution,
            distribution_version=owner.version,
        )
        self.add_known([participant])

    def add_known(self, participants: Iterable[Participant]) -> None:
        """Add known participants, for instance those before the run was interrupted."""
        for participant in participants:
            self._found.setdefault(participant)

    def listed(self) -> tuple[Participant, ...]:
        """All participants, sorted by kind and name."""
        # Trace readers are added from threads: copy in one step.
        found = tuple(self._found)
        return tuple(sorted(found, key=lambda one: (one.kind, one.component, one.distribution_version)))


def take_part(component: Registered[Spec[Any]], host: object) -> None:
    """Add a component to the participants, if the host records them: the host of a run does."""
    participants: Participants | None = getattr(host, "participants", None)
    if participants is not None:
        participants.add(component)
