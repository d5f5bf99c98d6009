"""The hooks: one row of a table defines the decorator, the registry and the pluggy hook.

A hook of ``ProviderHooks`` has no arguments and returns specs; it is called once, when plugins are loaded. A hook of
``ObserverHooks`` has one argument, a frozen event, and is called whenever this event happens in a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, Self, TypeAlias, TypeVar, overload

import pluggy

from adjudge.extension.candidates import PROJECT
from adjudge.extension.specs import (
    AgentAdapterSpec,
    CriterionSpec,
    GranularityStrategySpec,
    JudgeBackendSpec,
    ObserverSpec,
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
    """Event: the plan is checked, and the first case is about to start."""

    run: str
    cases: int | None
    """The remaining number of cases times repeats; ``None`` for logs, whose number of runs is not known yet."""
    criteria: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStarted:
    """Event: a session with the agent is about to open, or a run was read from a log."""

    run: str
    eval_set_id: str
    eval_id: str
    repeat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionScored:
    """Event: one criterion has a result on one case."""

    run: str
    eval_set_id: str
    eval_id: str
    repeat: int
    result: CriterionResult


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFinished:
    """Event: a case, or a run in a log, is finished and journalled."""

    run: str
    result: CaseResult


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished:
    """Event: the run is finished; all results are journalled, and the reports are written."""

    run: str
    summary: RunSummary


RunEvent: TypeAlias = RunStarted | CaseStarted | CriterionScored | CaseFinished | RunFinished
"""The events that a ``RunObserver`` receives."""


class RunObserver(Protocol):
    """Receives the events of a run. Created once per run, with its options and the host."""

    def observe(self, event: RunEvent) -> None:
        """Handle an event: ``match event: case CaseFinished(): ...``.

        It is called in the thread of the run for one event at a time, so it should be fast. An exception becomes a
        warning of the run. The last event is ``RunFinished``; an interrupted run has none.
        """
        ...


# --- the classes of rows -----------------------------------------------------------------

SpecT = TypeVar("SpecT", bound=Spec[Any])
EventT = TypeVar("EventT")
_DataT = TypeVar("_DataT")
_GivenT = TypeVar("_GivenT", contravariant=True)
_FunctionT = TypeVar("_FunctionT", bound=Callable[..., Any])

Provider: TypeAlias = Callable[[], Iterable[SpecT]]


class Observer(Protocol[_GivenT]):
    """A function with one parameter named ``event``; pluggy passes arguments by name."""

    def __call__(self, event: _GivenT) -> None:
        """Handle an event."""
        ...


class _Hook(Generic[_DataT]):
    """A hook; its name is the name of its row."""

    name: str

    def __init__(self, data_class: type[_DataT]) -> None:
        """Describe a hook by the class of its return values or events."""
        self.data_class = data_class

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def _marked(self, function: _FunctionT) -> _FunctionT:
        marked: _FunctionT = pluggy.HookimplMarker(PROJECT)(specname=self.name)(function)
        return marked


class ProviderHook(_Hook[SpecT]):
    """A hook that returns specs. ``hookimpl.criteria`` is its decorator, ``extensions.criteria`` its registry."""

    def __call__(self, function: Provider[SpecT]) -> Provider[SpecT]:
        """Mark a function that returns specs; its name does not matter."""
        return self._marked(function)

    @overload
    def __get__(self, instance: HookImpl, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: Registries, owner: type) -> Registry[SpecT]: ...
    def __get__(self, instance: HookImpl | Registries, owner: type) -> Self | Registry[SpecT]:
        """The decorator (on ``hookimpl``), or the registry (on ``Extensions``)."""
        return self if isinstance(instance, HookImpl) else instance.registries[self.name]


class ObserverHook(_Hook[EventT]):
    """A hook for events of a run. ``hookimpl.run_started`` is its decorator."""

    def __call__(self, function: Observer[EventT]) -> Observer[EventT]:
        """Mark a function that handles events; its name does not matter."""
        return self._marked(function)


# --- the table ---------------------------------------------------------------------------


class ProviderHooks:
    """The hooks that are called once, when plugins are loaded, in this order."""

    criteria = ProviderHook(CriterionSpec)
    judge_backends = ProviderHook(JudgeBackendSpec)
    granularity_strategies = ProviderHook(GranularityStrategySpec)
    agent_adapters = ProviderHook(AgentAdapterSpec)
    trace_readers = ProviderHook(TraceReaderSpec)
    reporters = ProviderHook(ReporterSpec)
    user_simulators = ProviderHook(UserSimulatorSpec)
    run_observers = ProviderHook(ObserverSpec)


class ObserverHooks:
    """The hooks for events of a run."""

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

# --- classes made from the table ---------------------------------------------------------


class HookImpl(ProviderHooks, ObserverHooks):
    """A decorator for each hook. Use the instance ``hookimpl``.

    Type checkers report functions with a wrong parameter or return type, and misspelt hooks.
    """

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise an error that lists the hooks."""
            hooks = ", ".join((*PROVIDER_HOOKS, *OBSERVER_HOOKS))
            raise AttributeError(f"adjudge has no hook {name!r}; the hooks are {hooks}")


hookimpl: Final = HookImpl()


class Registries(ProviderHooks):
    """A registry for each provider hook, under the name of the hook."""

    registries: Mapping[str, Registry[Any]]


def hook_specifications() -> type:
    """The hook specifications for pluggy: the name and the parameters of every hook."""
    marked = pluggy.HookspecMarker(PROJECT)

    @marked
    def provide() -> None: ...

    @marked
    def observe(event: object) -> None: ...

    hooks = {**dict.fromkeys(PROVIDER_HOOKS, provide), **dict.fromkeys(OBSERVER_HOOKS, observe)}
    return type("Hooks", (), hooks)
