"""Participants: what of the plugins takes part in a run, so that its result can say so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from adjudge.extension.discovery import PluginIdentity
    from adjudge.extension.registry import Registered
    from adjudge.extension.specs import Spec
    from adjudge.model.result import Participant


class Participants:
    """What took part in one run so far."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._found: dict[Participant, None] = {}

    def __len__(self) -> int:
        """How many there are so far; they never become fewer."""
        return len(self._found)

    def add(self, component: Registered[Spec[Any]]) -> None:
        """Note a component; a second time changes nothing."""
        spec = component.spec
        self._add(spec.kind, component.id, spec.version, component.owner)

    def add_observers(self, plugins: Iterable[PluginIdentity]) -> None:
        """Note plugins that are told what happens."""
        for plugin in plugins:
            self._add("observer", plugin.name, None, plugin)

    def _add(self, kind: str, component: str, version: int | None, owner: PluginIdentity) -> None:
        from adjudge.model.result import Participant  # not above: this stands on the way to every command

        participant = Participant(
            kind=kind,
            component=component,
            version=version,
            distribution=owner.distribution,
            distribution_version=owner.version,
        )
        self.add_known([participant])

    def add_known(self, participants: Iterable[Participant]) -> None:
        """Note what is known to have taken part, for instance before the run was interrupted."""
        for participant in participants:
            self._found.setdefault(participant)

    def listed(self) -> tuple[Participant, ...]:
        """All of them, by kind and name."""
        # A reader is made in a thread, and noted there: the copy is made in one step.
        found = tuple(self._found)
        return tuple(sorted(found, key=lambda one: (one.kind, one.component, one.distribution_version)))


@runtime_checkable
class SupportsParticipants(Protocol):
    """A host that keeps what is made with it."""

    @property
    def participants(self) -> Participants:
        """What took part so far."""
        ...


def take_part(component: Registered[Spec[Any]], host: object) -> None:
    """Note a component where the host keeps such notes: that of a run does."""
    if isinstance(host, SupportsParticipants):
        host.participants.add(component)
