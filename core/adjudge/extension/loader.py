"""The loader: finds plugins and loads them one at a time, so that a broken one harms nobody and is never silent."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import pluggy

from adjudge.errors import PluginError
from adjudge.extension import hookspecs
from adjudge.extension.registry import Registered, Registry
from adjudge.extension.specs import (
    API_VERSION,
    AgentAdapterSpec,
    CriterionSpec,
    GranularityStrategySpec,
    JudgeBackendSpec,
    ReporterSpec,
    Spec,
    TraceReaderSpec,
)

if TYPE_CHECKING:
    import importlib_metadata

OWN_DISTRIBUTION: Final = "adjudge"
DISABLE_VARIABLE: Final = "ADJUDGE_DISABLE_PLUGINS"

_SPEC_CLASSES: Final[Mapping[str, type[Spec[Any]]]] = {
    "criteria": CriterionSpec,
    "judge_backends": JudgeBackendSpec,
    "granularity_strategies": GranularityStrategySpec,
    "agent_adapters": AgentAdapterSpec,
    "trace_readers": TraceReaderSpec,
    "reporters": ReporterSpec,
}

SpecT = TypeVar("SpecT", bound=Spec[Any])


class PluginState(StrEnum):
    """What became of a plugin."""

    ACTIVE = "active"
    DISABLED = "disabled"
    FAILED = "failed"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A plugin that was found and not yet imported."""

    name: str
    """The name of its entry point."""
    module: str
    distribution: str
    version: str
    load: Callable[[], object]
    """Imports it and returns the module or object that implements hooks."""
    requires: tuple[str, ...] = ()
    """The requirements of its distribution, read only when something fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginRecord:
    """A plugin, and what became of it."""

    name: str
    module: str
    distribution: str
    version: str
    state: PluginState
    reason: str | None = None
    """Why it is not active."""
    seconds: float = 0.0
    """How long importing and asking it took."""
    hooks: tuple[str, ...] = ()
    components: tuple[str, ...] = ()
    """``kind: name`` of everything that it offers."""


def discover() -> list[Candidate]:
    """The plugins of this environment, adjudge's own first, then by distribution and name."""
    import importlib_metadata

    found = [_candidate(entry) for entry in importlib_metadata.entry_points(group=hookspecs.PROJECT)]
    return sorted(found, key=lambda item: (item.distribution != OWN_DISTRIBUTION, item.distribution, item.name))


def _candidate(entry: importlib_metadata.EntryPoint) -> Candidate:
    distribution = entry.dist
    return Candidate(
        name=entry.name,
        module=entry.value,
        distribution=distribution.name if distribution else "unknown",
        version=distribution.version if distribution else "unknown",
        load=entry.load,
        requires=tuple((distribution.requires if distribution else None) or ()),
    )


class Extensions:
    """All plugins of one process, and the components that they offer."""

    def __init__(
        self,
        candidates: Iterable[Candidate],
        *,
        disable: Iterable[str] = (),
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        """Load ``candidates`` one at a time. Prefer ``Extensions.load``.

        Args:
            candidates: What was found, in the order in which it is loaded.
            disable: Names of plugins or distributions that are not even imported.
            aliases: Short names to canonical ids.
        """
        self._manager = pluggy.PluginManager(hookspecs.PROJECT)
        self._manager.add_hookspecs(hookspecs.HookSpecs)
        self._plugins: dict[str, object] = {}
        self._components: dict[str, list[Registered[Any]]] = {hook: [] for hook in hookspecs.PROVIDER_HOOKS}
        self._warnings: list[str] = []
        disabled = set(disable)
        ordered = list(candidates)
        self.records: tuple[PluginRecord, ...] = tuple(
            self._load(candidate, ordered, disabled) for candidate in ordered
        )
        inactive = {
            record.name: f"is {record.state}: {record.reason}"
            for record in reversed(self.records)
            if record.state is not PluginState.ACTIVE
        }

        def registry(kind: str, hook: str, of: type[SpecT]) -> Registry[SpecT]:
            components = cast("list[Registered[SpecT]]", self._components[hook])
            return Registry(kind, components, aliases=aliases, inactive=inactive)

        self.criteria = registry("criterion", "criteria", CriterionSpec)
        self.judge_backends = registry("judge backend", "judge_backends", JudgeBackendSpec)
        self.granularity_strategies = registry(
            "granularity strategy", "granularity_strategies", GranularityStrategySpec
        )
        self.agent_adapters = registry("agent adapter", "agent_adapters", AgentAdapterSpec)
        self.trace_readers = registry("trace reader", "trace_readers", TraceReaderSpec)
        self.reporters = registry("reporter", "reporters", ReporterSpec)

    @classmethod
    def load(
        cls,
        *,
        disable: Iterable[str] = (),
        require: Iterable[str] = (),
        aliases: Mapping[str, str] | None = None,
    ) -> Extensions:
        """Load the plugins of this environment.

        Args:
            disable: Names of plugins or distributions that are not imported, besides those that the
                environment variable ``ADJUDGE_DISABLE_PLUGINS`` lists.
            require: Requirements such as ``adjudge-text>=0.1`` that must be met by active plugins.
            aliases: Short names to canonical ids.

        Raises:
            PluginError: a required distribution is missing, too old, or has a plugin that is not active.
        """
        listed = (name.strip() for name in os.environ.get(DISABLE_VARIABLE, "").split(","))
        extensions = cls(discover(), disable={*disable, *filter(None, listed)}, aliases=aliases)
        extensions.require(require)
        return extensions

    @property
    def warnings(self) -> tuple[str, ...]:
        """What observer hooks raised so far."""
        return tuple(self._warnings)

    def require(self, requirements: Iterable[str]) -> None:
        """Check that distributions are installed, in range, and active as a whole.

        Raises:
            PluginError: one or more are not; all are named.
        """
        problems: list[str] = []
        for text in requirements:
            from packaging.requirements import InvalidRequirement, Requirement
            from packaging.utils import canonicalize_name

            try:
                requirement = Requirement(text)
            except InvalidRequirement as error:
                problems.append(f"{text!r} is not a requirement: {error}")
                continue
            wanted = canonicalize_name(requirement.name)
            records = [record for record in self.records if canonicalize_name(record.distribution) == wanted]
            if not records:
                problems.append(f"{text}: no such distribution with plugins is installed")
            for record in records:
                if not requirement.specifier.contains(record.version, prereleases=True):
                    problems.append(f"{text}: version {record.version} is installed")
                    break
                if record.state is not PluginState.ACTIVE:
                    problems.append(f"{text}: plugin {record.name} is {record.state}: {record.reason}")
        if problems:
            raise PluginError("required plugins are not available:\n" + "\n".join(f"  {item}" for item in problems))

    def notify(self, hook: str, event: object) -> None:
        """Tell every observer. What one raises is recorded as a warning and harms nobody."""
        for implementation in getattr(self._manager.hook, hook).get_hookimpls():
            try:
                implementation.function(*([event] if implementation.argnames else []))
            except (Exception, SystemExit) as error:
                warning = f"plugin {implementation.plugin_name} raised in {hook}: {_described(error)}"
                if warning not in self._warnings:
                    self._warnings.append(warning)

    def _load(self, candidate: Candidate, everyone: Sequence[Candidate], disabled: set[str]) -> PluginRecord:
        record = PluginRecord(
            name=candidate.name,
            module=candidate.module,
            distribution=candidate.distribution,
            version=candidate.version,
            state=PluginState.ACTIVE,
        )
        if candidate.name in disabled or candidate.distribution in disabled:
            return replace(record, state=PluginState.DISABLED, reason="disabled by configuration")
        rivals = [
            other
            for other in everyone
            if other is not candidate
            and other.name == candidate.name
            and other.name not in disabled
            and other.distribution not in disabled
        ]
        if rivals and candidate.distribution != OWN_DISTRIBUTION:
            others = ", ".join(f"{other.distribution} {other.version}" for other in rivals)
            reason = f"the plugin name {candidate.name!r} is also used by {others}; disable one of the distributions"
            return replace(record, state=PluginState.CONFLICT, reason=reason)
        started = time.perf_counter()
        try:
            plugin = candidate.load()
            hooks = self._register(plugin, candidate.name)
            components = self._collect(plugin, candidate)
        except (Exception, SystemExit) as error:
            if self._manager.has_plugin(candidate.name):
                self._manager.unregister(name=candidate.name)
            return replace(
                record,
                state=PluginState.FAILED,
                reason=_described(error) + _unmet_requirement(candidate),
                seconds=time.perf_counter() - started,
            )
        for hook, registered in components:
            self._components[hook].append(registered)
        return replace(
            record,
            seconds=time.perf_counter() - started,
            hooks=hooks,
            components=tuple(f"{hook}: {registered.spec.name}" for hook, registered in components),
        )

    def _register(self, plugin: object, name: str) -> tuple[str, ...]:
        asked = getattr(plugin, "adjudge_api", API_VERSION)
        if not (isinstance(asked, tuple) and len(cast("tuple[object, ...]", asked)) == 2):
            raise PluginError(f"adjudge_api must be a pair of numbers, found {asked!r}")
        if asked[0] != API_VERSION[0] or asked[1] > API_VERSION[1]:
            raise PluginError(
                f"it is made for plugin API {asked[0]}.{asked[1]}, this adjudge offers "
                f"{API_VERSION[0]}.{API_VERSION[1]}; upgrade adjudge or install another version of the plugin"
            )
        self._manager.register(plugin, name)
        self._manager.check_pending()
        hooks = tuple(sorted(caller.name for caller in self._manager.get_hookcallers(plugin) or ()))
        if not hooks:
            raise PluginError("it implements no hook; mark functions with @adjudge.plugin.hookimpl.<hook>")
        return hooks

    def _collect(self, plugin: object, candidate: Candidate) -> list[tuple[str, Registered[Any]]]:
        collected: list[tuple[str, Registered[Any]]] = []
        for hook in hookspecs.PROVIDER_HOOKS:
            seen: set[str] = set()
            for implementation in getattr(self._manager.hook, hook).get_hookimpls():
                if implementation.plugin is not plugin:
                    continue
                for spec in implementation.function():
                    self._check_spec(hook, spec, seen)
                    seen.add(spec.name)
                    registered = Registered(
                        spec=spec,
                        plugin=candidate.name,
                        distribution=candidate.distribution,
                        distribution_version=candidate.version,
                    )
                    collected.append((hook, registered))
        return collected

    @staticmethod
    def _check_spec(hook: str, spec: object, seen: set[str]) -> None:
        wanted = _SPEC_CLASSES[hook]
        if not isinstance(spec, wanted):
            raise PluginError(f"hook {hook} must yield {wanted.__name__}, found {type(spec).__name__}")
        problems = spec.problems()
        if spec.name in seen:
            problems.append(f"name {spec.name!r} is used twice")
        if problems:
            raise PluginError(f"hook {hook} yields a spec that is not valid: {'; '.join(problems)}")


def as_candidate(name: str, plugin: ModuleType | object, *, distribution: str = "in-memory") -> Candidate:
    """A plugin that is already imported, for tests and for tools that discover nothing."""
    return Candidate(
        name=name,
        module=getattr(plugin, "__name__", type(plugin).__name__),
        distribution=distribution,
        version="0",
        load=lambda: plugin,
    )


def _described(error: BaseException) -> str:
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _unmet_requirement(candidate: Candidate) -> str:
    """What the failed plugin's distribution asks of adjudge, where that is not met."""
    from packaging.requirements import Requirement

    for text in candidate.requires:
        requirement = Requirement(text)
        if requirement.name == OWN_DISTRIBUTION and requirement.marker is None:
            import importlib_metadata

            installed = importlib_metadata.version(OWN_DISTRIBUTION)
            if not requirement.specifier.contains(installed, prereleases=True):
                return f" ({candidate.distribution} {candidate.version} asks for {text}, {installed} is installed)"
    return ""
