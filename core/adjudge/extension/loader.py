"""The loader: loads plugins one at a time, so that a broken plugin is reported and affects no other."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import pluggy

from adjudge.errors import PluginError, did_you_mean
from adjudge.extension.admission import collect, register, unmet_requirement
from adjudge.extension.candidates import PROJECT, Candidate, PluginIdentity, canonical_name
from adjudge.extension.discovery import disabled_by_variable, installed
from adjudge.extension.guard import PluginRaisedError, described, end_fork_of, guarded, lent
from adjudge.extension.hooks import OBSERVER_HOOKS, PROVIDER_HOOKS, Registries, hook_specifications
from adjudge.extension.plugin_folders import folder_plugins
from adjudge.extension.registry import Registered, Registry


class PluginState(StrEnum):
    """The status of a plugin."""

    ACTIVE = "active"
    DISABLED = "disabled"
    FAILED = "failed"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginRecord(PluginIdentity):
    """A plugin and its status."""

    state: PluginState
    reason: str | None = None
    """Why it is not active."""
    seconds: float = 0.0
    """The duration of importing it and calling its hooks."""
    hooks: tuple[str, ...] = ()
    components: tuple[str, ...] = ()
    """``kind: name`` of each of its components."""
    error: BaseException | None = field(default=None, compare=False, repr=False)
    """The exception of loading it, for a traceback."""

    def __str__(self) -> str:
        told = f"{self.provenance} is {self.state}"
        return f"{told}: {self.reason}" if self.reason else told


class Extensions(Registries):
    """All plugins of one process and their components: a registry for each provider hook."""

    def __init__(
        self,
        candidates: Iterable[Candidate],
        *,
        disable: Iterable[str] = (),
        allow: Iterable[str] | None = None,
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        """Load ``candidates`` one at a time. Prefer ``Extensions.load``.

        Args:
            candidates: The plugins that were found, in the order of loading.
            disable: Names of plugins or distributions that are not imported.
            allow: If given, only these plugins or distributions and adjudge's own are imported.
            aliases: Short names of components and their canonical ids.
        """
        self._manager = pluggy.PluginManager(PROJECT)
        self._manager.add_hookspecs(hook_specifications())
        self._components: dict[str, list[Registered[Any]]] = {hook: [] for hook in PROVIDER_HOOKS}
        ordered, disabled = list(candidates), sorted(set(disable))
        allowed = None if allow is None else list(allow)
        enabled = [
            candidate
            for candidate in ordered
            if not any(map(candidate.is_called, disabled)) and candidate.is_allowed(allowed)
        ]
        self.records: tuple[PluginRecord, ...] = tuple(
            self._load(candidate, enabled, is_allowed=candidate.is_allowed(allowed)) for candidate in ordered
        )
        self._active = {record.name: record for record in self.records if record.state is PluginState.ACTIVE}
        known = {name for candidate in ordered for name in (candidate.name, candidate.distribution)}
        self._warnings = [
            f"nothing to disable: no plugin or distribution is called {name!r}.{did_you_mean(name, known)}"
            for name in disabled
            if not any(candidate.is_called(name) for candidate in ordered)
        ]
        if broken := ", ".join(f"{record.name} ({record.state})" for record in self.broken):
            self._warnings.append(f"left out, because the plugin is broken: {broken}; see `adjudge plugins`")
        inactive: dict[str, str] = {}
        for record in self.records:
            if record.state is not PluginState.ACTIVE:
                told = inactive.get(record.name)
                inactive[record.name] = f"{told}; {record}" if told else str(record)
        self.registries = {
            name: Registry(hook.data_class.kind, self._components[name], aliases=aliases, inactive=inactive)
            for name, hook in PROVIDER_HOOKS.items()
        }

    @classmethod
    def load(
        cls,
        *,
        disable: Iterable[str] = (),
        require: Iterable[str] = (),
        allow: Iterable[str] | None = None,
        aliases: Mapping[str, str] | None = None,
    ) -> Extensions:
        """Load the plugins of this environment.

        Args:
            disable: Names of plugins or distributions that are not imported, besides those listed by the environment
                variable ``ADJUDGE_DISABLE_PLUGINS``.
            allow: If given, only these plugins or distributions and adjudge's own are imported.
            require: Requirements such as ``adjudge-text>=0.1`` that active plugins must meet.
            aliases: Short names of components and their canonical ids.

        Raises:
            PluginError: a required distribution is missing, too old, or has a plugin that is not active.
        """
        # Import it now, because every plugin does: otherwise its time would count for the first plugin.
        importlib.import_module("adjudge.plugin")
        extensions = cls(
            discover(), disable={*disable, *disabled_by_variable()}, allow=allow, aliases=aliases
        )
        if unmet := extensions.unmet(require):
            listing = "\n".join(f"  {item}" for item in unmet)
            raise PluginError(f"required plugins are not available:\n{listing}")
        return extensions

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about failed and conflicting plugins, names that disable nothing, and harmless exceptions."""
        return tuple(self._warnings)

    @property
    def broken(self) -> tuple[PluginRecord, ...]:
        """The plugins that are failed or in conflict."""
        return tuple(
            record for record in self.records if record.state in (PluginState.FAILED, PluginState.CONFLICT)
        )

    @property
    def observers(self) -> tuple[PluginRecord, ...]:
        """The plugins that observe events of a run."""
        return tuple(record for record in self._active.values() if OBSERVER_HOOKS.keys() & record.hooks)

    def unmet(self, requirements: Iterable[str]) -> list[str]:
        """Messages about requirements that no installed distribution meets with all its plugins active."""
        problems: list[str] = []
        for text in requirements:
            from packaging.requirements import InvalidRequirement, Requirement

            try:
                requirement = Requirement(text)
            except InvalidRequirement as error:
                problems.append(f"{text!r} is not a requirement: {error}")
                continue
            wanted = canonical_name(requirement.name)
            records = [record for record in self.records if canonical_name(record.distribution) == wanted]
            if not records:
                problems.append(f"{text}: no such distribution with plugins is installed")
            elif not requirement.specifier.contains(records[0].version, prereleases=True):
                problems.append(f"{text}: version {records[0].version} is installed")
            problems += [f"{text}: {record}" for record in records if record.state is not PluginState.ACTIVE]
        return problems

    def warn(self, warning: str) -> None:
        """Add a warning, once."""
        if warning not in self._warnings:
            self._warnings.append(warning)

    def notify(self, event: object) -> None:
        """Notify all observers of this kind of event. An exception of an observer is added to the warnings."""
        [hook] = (name for name, row in OBSERVER_HOOKS.items() if row.data_class is type(event))
        for implementation in getattr(self._manager.hook, hook).get_hookimpls():
            origin = self._active[implementation.plugin_name]
            try:
                with guarded(origin, hook):
                    implementation.function(*([lent(origin, event)] if implementation.argnames else []))
            except PluginRaisedError as error:
                self.warn(str(error))

    def _load(self, candidate: Candidate, enabled: Sequence[Candidate], *, is_allowed: bool) -> PluginRecord:
        record = PluginRecord(
            name=candidate.name,
            module=candidate.module,
            distribution=candidate.distribution,
            version=candidate.version,
            state=PluginState.ACTIVE,
        )
        if not any(candidate is other for other in enabled):
            reason = (
                "disabled by configuration"
                if is_allowed
                else "not in the list [plugins] allow of the project"
            )
            return replace(record, state=PluginState.DISABLED, reason=reason)
        rivals = [other for other in enabled if other is not candidate and other.name == candidate.name]
        if rivals and not candidate.is_built_in:
            others = ", ".join(other.release for other in rivals)
            reason = f"the plugin name {candidate.name!r} is also used by {others}; disable one of the distributions"
            return replace(record, state=PluginState.CONFLICT, reason=reason)
        started, ours = time.perf_counter(), os.getpid()
        try:
            # Output of a plugin during its import must not be mixed with JSON on standard output.
            with contextlib.redirect_stdout(sys.stderr):
                plugin = candidate.load()
                hooks = register(self._manager, plugin, candidate.name)
                components = collect(self._manager, plugin, candidate)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # BaseException, because SystemExit and control exceptions of test frameworks are not Exceptions.
            if self._manager.has_plugin(candidate.name):
                self._manager.unregister(name=candidate.name)
            return replace(
                record,
                state=PluginState.FAILED,
                reason=described(error) + unmet_requirement(candidate),
                seconds=time.perf_counter() - started,
                error=error,
            )
        finally:
            end_fork_of(ours)
        for hook, registered in components:
            self._components[hook].append(registered)
        return replace(
            record,
            seconds=time.perf_counter() - started,
            hooks=hooks,
            components=tuple(f"{hook}: {registered.spec.name}" for hook, registered in components),
        )


def discover() -> list[Candidate]:
    """Find all plugins: installed ones, and those in folders that the user names."""
    return [*installed(), *folder_plugins()]
