"""The hooks: each is one row of a table, which makes its decorator, its registry and its place in pluggy.

A hook of ``ProviderHooks`` takes nothing and returns specs; it is called once, when plugins are loaded. A hook of
``ObserverHooks`` takes one frozen event, and is called whenever that happens in a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, Self, TypeAlias, TypeVar, overload

import pluggy

from adjudge.extension.discovery import PROJECT
from adjudge.extension.specs import (
    AgentAdapterSpec,
    CriterionSpec,
    GranularityStrategySpec,
    JudgeBackendSpec,
    ReporterSpec,
    Spec,
    TraceReaderSpec,
    UserSimulatorSpec,
)

if TYPE_CHECKING:
    from adjudge.extension.registry import Registry
    from adjudge.model.result import CaseResult, CriterionResult, RunSummary

# --- events: fields may be added; none is removed within an API version -----------------


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """The plan is checked and the first case is about to start."""

    run: str
    cases: int | None
    """Cases times repeats that are still to do; ``None`` over logs, where it shows when all are read."""
    criteria: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStarted:
    """A session with the agent is about to open, or a run was read from a log."""

    run: str
    eval_set_id: str
    eval_id: str
    repeat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionScored:
    """One criterion is decided on one case."""

    run: str
    eval_set_id: str
    eval_id: str
    repeat: int
    result: CriterionResult


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFinished:
    """A case, or a run of a log, is journalled."""

    run: str
    result: CaseResult


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished:
    """Everything is journalled and reported."""

    run: str
    summary: RunSummary


# --- what a row of the table is ----------------------------------------------------------

SpecT = TypeVar("SpecT", bound=Spec[Any])
EventT = TypeVar("EventT")
_DataT = TypeVar("_DataT")
_GivenT = TypeVar("_GivenT", contravariant=True)
_FunctionT = TypeVar("_FunctionT", bound=Callable[..., Any])

Provider: TypeAlias = Callable[[], Iterable[SpecT]]


class Observer(Protocol[_GivenT]):
    """A function of one parameter, which must be called ``event``: pluggy goes by names."""

    def __call__(self, event: _GivenT) -> None:
        """Look at what happened."""
        ...


class _Hook(Generic[_DataT]):
    """A hook, called as the row of the table is."""

    name: str

    def __init__(self, data_class: type[_DataT]) -> None:
        """Describe a hook by the class of what it returns, or is told."""
        self.data_class = data_class

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def _marked(self, function: _FunctionT) -> _FunctionT:
        marked: _FunctionT = pluggy.HookimplMarker(PROJECT)(specname=self.name)(function)
        return marked


class ProviderHook(_Hook[SpecT]):
    """A hook that returns specs. ``hookimpl.criteria`` is its decorator, ``extensions.criteria`` its registry."""

    def __call__(self, function: Provider[SpecT]) -> Provider[SpecT]:
        """Mark a function of any name that describes components."""
        return self._marked(function)

    @overload
    def __get__(self, instance: HookImpl, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: Registries, owner: type) -> Registry[SpecT]: ...
    def __get__(self, instance: HookImpl | Registries, owner: type) -> Self | Registry[SpecT]:
        """The decorator, or the registry."""
        return self if isinstance(instance, HookImpl) else instance.registries[self.name]


class ObserverHook(_Hook[EventT]):
    """A hook that is told what happens in a run. ``hookimpl.run_started`` is its decorator."""

    def __call__(self, function: Observer[EventT]) -> Observer[EventT]:
        """Mark a function of any name that looks at what happens."""
        return self._marked(function)


# --- the table ---------------------------------------------------------------------------


class ProviderHooks:
    """The hooks that are asked once, when plugins are loaded, in this order."""

    criteria = ProviderHook(CriterionSpec)
    judge_backends = ProviderHook(JudgeBackendSpec)
    granularity_strategies = ProviderHook(GranularityStrategySpec)
    agent_adapters = ProviderHook(AgentAdapterSpec)
    trace_readers = ProviderHook(TraceReaderSpec)
    reporters = ProviderHook(ReporterSpec)
    user_simulators = ProviderHook(UserSimulatorSpec)


class ObserverHooks:
    """The hooks that are told what happens in a run."""

    run_started = ObserverHook(RunStarted)
    case_started = ObserverHook(CaseStarted)
    criterion_scored = ObserverHook(CriterionScored)
    case_finished = ObserverHook(CaseFinished)
    run_finished = ObserverHook(RunFinished)


PROVIDER_HOOKS: Final[Mapping[str, ProviderHook[Any]]] = {
    name: hook for name, hook in vars(ProviderHooks).items() if not name.startswith("_")
}
OBSERVER_HOOKS: Final[Mapping[str, ObserverHook[Any]]] = {
    name: hook for name, hook in vars(ObserverHooks).items() if not name.startswith("_")
}

# --- what is made of it ------------------------------------------------------------------


class HookImpl(ProviderHooks, ObserverHooks):
    """A decorator for each hook. Use the instance ``hookimpl``.

    A type checker sees a function with a wrong parameter or a wrong return type, and a misspelt hook.
    """

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Explain a hook that this version does not have."""
            hooks = ", ".join((*PROVIDER_HOOKS, *OBSERVER_HOOKS))
            raise AttributeError(f"adjudge has no hook {name!r}; the hooks are {hooks}")


hookimpl: Final = HookImpl()


class Registries(ProviderHooks):
    """A registry for each provider hook, under the name of the hook."""

    registries: Mapping[str, Registry[Any]]


def hook_specifications() -> type:
    """The hooks in pluggy's form: which there are, and which parameters each has."""
    marked = pluggy.HookspecMarker(PROJECT)

    @marked
    def provide() -> None: ...

    @marked
    def observe(event: object) -> None: ...

    hooks = {**dict.fromkeys(PROVIDER_HOOKS, provide), **dict.fromkeys(OBSERVER_HOOKS, observe)}
    return type("Hooks", (), hooks)
