"""The hooks, and a typed decorator for each.

Provider hooks take nothing and return specs; each is called once. Observer hooks take one frozen
event. ``@hookimpl.criteria`` marks a function of any name; a type checker sees a wrong signature,
a wrong return type and a misspelt hook.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar

import pluggy

from adjudge.extension.events import CaseFinished, CaseStarted, CriterionScored, RunFinished, RunStarted
from adjudge.extension.specs import (
    AgentAdapterSpec,
    CriterionSpec,
    GranularityStrategySpec,
    JudgeBackendSpec,
    ReporterSpec,
    Spec,
    TraceReaderSpec,
)

PROJECT: Final = "adjudge"
"""The name of the entry-point group, and of the project in pluggy's terms."""

PROVIDER_HOOKS: Final[Mapping[str, type[Spec[Any]]]] = {
    "criteria": CriterionSpec,
    "judge_backends": JudgeBackendSpec,
    "granularity_strategies": GranularityStrategySpec,
    "agent_adapters": AgentAdapterSpec,
    "trace_readers": TraceReaderSpec,
    "reporters": ReporterSpec,
}
"""The hooks that are asked once, when plugins are loaded, and the class of what each returns."""
OBSERVER_HOOKS: Final[tuple[str, ...]] = (
    "run_started",
    "case_started",
    "criterion_scored",
    "case_finished",
    "run_finished",
)
"""The hooks that are told what happens in a run."""

SpecT = TypeVar("SpecT")
EventT = TypeVar("EventT", contravariant=True)
Provider: TypeAlias = Callable[[], Iterable[SpecT]]


class Observer(Protocol[EventT]):
    """A function of one parameter, which must be called ``event``: pluggy goes by names."""

    def __call__(self, event: EventT) -> None:
        """Look at what happened."""
        ...


_FunctionT = TypeVar("_FunctionT", bound=Callable[..., Any])

_hookspec = pluggy.HookspecMarker(PROJECT)
_hookimpl = pluggy.HookimplMarker(PROJECT)


def _marked(function: _FunctionT, hook: str) -> _FunctionT:
    marked: _FunctionT = _hookimpl(specname=hook)(function)
    return marked


class _HookImpl:
    """One decorator a hook. Use the instance ``hookimpl``."""

    def criteria(self, function: Provider[CriterionSpec]) -> Provider[CriterionSpec]:
        """Mark a function that describes criteria."""
        return _marked(function, "criteria")

    def judge_backends(self, function: Provider[JudgeBackendSpec]) -> Provider[JudgeBackendSpec]:
        """Mark a function that describes judge backends."""
        return _marked(function, "judge_backends")

    def granularity_strategies(
        self, function: Provider[GranularityStrategySpec]
    ) -> Provider[GranularityStrategySpec]:
        """Mark a function that describes granularity strategies."""
        return _marked(function, "granularity_strategies")

    def agent_adapters(self, function: Provider[AgentAdapterSpec]) -> Provider[AgentAdapterSpec]:
        """Mark a function that describes agent adapters."""
        return _marked(function, "agent_adapters")

    def trace_readers(self, function: Provider[TraceReaderSpec]) -> Provider[TraceReaderSpec]:
        """Mark a function that describes trace readers."""
        return _marked(function, "trace_readers")

    def reporters(self, function: Provider[ReporterSpec]) -> Provider[ReporterSpec]:
        """Mark a function that describes reporters."""
        return _marked(function, "reporters")

    def run_started(self, function: Observer[RunStarted]) -> Observer[RunStarted]:
        """Mark a function that is told when a run starts."""
        return _marked(function, "run_started")

    def case_started(self, function: Observer[CaseStarted]) -> Observer[CaseStarted]:
        """Mark a function that is told when a case starts."""
        return _marked(function, "case_started")

    def criterion_scored(self, function: Observer[CriterionScored]) -> Observer[CriterionScored]:
        """Mark a function that is told when a criterion is decided on a case."""
        return _marked(function, "criterion_scored")

    def case_finished(self, function: Observer[CaseFinished]) -> Observer[CaseFinished]:
        """Mark a function that is told when a case is journalled."""
        return _marked(function, "case_finished")

    def run_finished(self, function: Observer[RunFinished]) -> Observer[RunFinished]:
        """Mark a function that is told when a run ends."""
        return _marked(function, "run_finished")

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Explain a hook that this version does not have."""
            hooks = ", ".join((*PROVIDER_HOOKS, *OBSERVER_HOOKS))
            raise AttributeError(f"adjudge has no hook {name!r}; the hooks are {hooks}")


hookimpl: Final = _HookImpl()


def hook_specifications() -> type:
    """The hooks in pluggy's form: which there are, and which parameters each has."""

    def provide() -> None: ...

    def observe(event: object) -> None: ...

    def copied(function: Callable[..., None]) -> Callable[..., None]:
        # pluggy marks the function: each hook needs one of its own.
        return _hookspec(FunctionType(function.__code__, function.__globals__, function.__name__))

    hooks = {
        **{hook: copied(provide) for hook in PROVIDER_HOOKS},
        **{hook: copied(observe) for hook in OBSERVER_HOOKS},
    }
    return type("Hooks", (), hooks)
