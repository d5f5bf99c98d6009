"""Notifies observers of the events of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjudge.extension.guard import PluginRaisedError, configured, guarded, lent, make
from adjudge.extension.hooks import RunEvent, RunObserver
from adjudge.extension.loader import Extensions
from adjudge.extension.protocols import Host
from adjudge.extension.registry import Registered
from adjudge.extension.specs import ObserverSpec
from adjudge.runner.problems import Problems


class Observers:
    """All observers of a run: functions marked with the hook of an event, and observer components."""

    def __init__(self, extensions: Extensions) -> None:
        """Notify the marked functions in the plugins of ``extensions``."""
        self._extensions = extensions
        self._made: list[tuple[Registered[ObserverSpec], RunObserver]] = []

    def make(self, options: Mapping[str, Mapping[str, Any]], host: Host, problems: Problems) -> None:
        """Create the installed observers.

        An observer with a required option is created only if the project's configuration has its table.

        Args:
            options: The options of observers by name: the tables ``[observers.NAME]``.
            host: The host that is passed to their factories.
            problems: Collects invalid names and options.
        """
        registry = self._extensions.run_observers
        given: dict[str, Mapping[str, Any]] = {}
        for name, table in options.items():
            with problems.caught(path=f"$.observers.{name}"):
                found = registry.resolve(name).id
                if found in given:
                    problems.add(f"two tables have options of {found}", path=f"$.observers.{name}")
                given[found] = table
        for item in registry:
            if item.id not in given and not item.spec.works_without_options:
                continue
            path = f"$.observers.{item.spec.name}"
            with problems.caught(path=path):
                config = configured(item, given.get(item.id, {}), path=path)
                self._made.append((item, make(item, config, host)))

    def notify(self, event: RunEvent) -> None:
        """Notify every observer. An exception of an observer is a warning of the run and affects nothing else."""
        self._extensions.notify(event)
        for item, observer in self._made:
            try:
                with guarded(item, "observe"):
                    observer.observe(lent(item, event))
            except PluginRaisedError as error:
                self._extensions.warn(str(error))
