"""Specs: what a plugin says of its components. Frozen, and cheap to make."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from adjudge.extension.configuration import ComponentConfig, NoConfig

if TYPE_CHECKING:
    from adjudge.extension.protocols import (
        AgentAdapter,
        Criterion,
        GranularityStrategy,
        Host,
        JudgeBackend,
        Reporter,
        TraceReader,
    )

API_VERSION: tuple[int, int] = (1, 0)
"""The version of the plugin interface. A plugin module may state what it needs as ``adjudge_api = (1, 0)``."""

ComponentT = TypeVar("ComponentT", covariant=True)

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]*\Z")


class Need(StrEnum):
    """What a criterion cannot do without. The plan checks it before the first call."""

    EXPECTED_INVOCATIONS = "expected_invocations"
    """A case with a conversation (not a scenario)."""
    REFERENCE_RESPONSE = "reference_response"
    """At least one turn with a reference answer that is not blank."""
    REFERENCE_INTERMEDIATE_RESPONSES = "reference_intermediate_responses"
    """At least one turn with expected texts of sub-agents."""
    FINAL_SESSION_STATE = "final_session_state"
    """A case with an expected final state, and an agent that shows its state."""
    RUBRICS = "rubrics"
    """Rubrics in the configuration, the case or a turn."""
    JUDGE = "judge"
    """A judge model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec(Generic[ComponentT]):
    """What every component says of itself."""

    name: str
    """Unique within the plugin: lower-case letters, digits, ``_``, ``.`` and ``-``."""
    summary: str
    """One line of at most 100 characters."""
    factory: Callable[[Any, Host], ComponentT]
    """Makes the component from its configuration. Heavy imports belong inside it."""
    config: type[ComponentConfig] = NoConfig
    """The class that its options are read into."""
    requires: tuple[str, ...] = ()
    """Modules that must be importable, for instance ``("numpy",)``; the plan checks them."""
    version: int = 1
    """Raised when results are no longer comparable with those of the version before."""

    def problems(self) -> list[str]:
        """What is wrong with this spec; empty where nothing is."""
        found: list[str] = []
        if not _NAME.match(self.name):
            found.append(f"name {self.name!r} is not made of lower-case letters, digits, '_', '.' and '-'")
        if not self.summary or len(self.summary) > 100 or "\n" in self.summary:
            found.append(f"summary of {self.name!r} is not one line of 1 to 100 characters")
        if not callable(self.factory):
            found.append(f"factory of {self.name!r} is not callable")
        if not (isinstance(self.config, type) and issubclass(self.config, ComponentConfig)):  # pyright: ignore[reportUnnecessaryIsInstance]
            found.append(f"config of {self.name!r} is not a subclass of adjudge.plugin.ComponentConfig")
        if self.version < 1:
            found.append(f"version of {self.name!r} is less than 1")
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionSpec(Spec["Criterion"]):
    """A criterion: something that is measured on a case."""

    needs: frozenset[Need] = frozenset()
    simulated_conversations: bool = False
    """Whether it can measure a conversation that a simulated user led."""
    value_range: tuple[float, float] = (0.0, 1.0)
    """The smallest and the largest score, both included."""
    lower_is_better: bool = False
    default_threshold: float | None = None
    """``None``: informational unless the configuration gives a threshold."""

    def problems(self) -> list[str]:
        """What is wrong with this spec; empty where nothing is."""
        # slots=True makes a new class, which zero-argument super() does not know.
        found = Spec.problems(self)
        low, high = self.value_range
        if not low < high:
            found.append(f"value_range of {self.name!r} is empty: {low} to {high}")
        threshold = self.default_threshold
        if threshold is not None and not low <= threshold <= high:
            found.append(f"default_threshold of {self.name!r} is outside its value range")
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeBackendSpec(Spec["JudgeBackend"]):
    """A judge backend: it speaks one provider's protocol. ``name`` is the part before ``/`` in ``provider/model``."""

    models: tuple[str, ...] = ()
    """Globs of bare model names that belong to this provider, for instance ``gemini-*``."""
    environment: tuple[str, ...] = ()
    """Names of the environment variables that it reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GranularityStrategySpec(Spec["GranularityStrategy"]):
    """A granularity strategy, with what the analyzer needs to choose it."""

    when_to_use: str
    """In words, for a judge: what kind of criterion this granularity fits."""
    keywords: tuple[str, ...] = ()
    """Words of a criterion's name or description that speak for this granularity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentAdapterSpec(Spec["AgentAdapter"]):
    """An agent adapter. ``name`` is the scheme: ``name:target`` on the command line."""

    accepts: Callable[[str], bool] | None = None
    """Whether a target without a scheme is of this kind. Looks at the text alone, imports nothing."""
    takes_state: bool = True
    """Whether a session can start with a state; a case that has one is refused otherwise."""
    shows_state: bool = True
    """Whether the state of a session can be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceReaderSpec(Spec["TraceReader"]):
    """A trace reader: it turns somebody's log file into trajectories."""

    patterns: tuple[str, ...] = ()
    """Globs of file names that are likely to be of this format. A hint: content decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReporterSpec(Spec["Reporter"]):
    """A reporter: it writes a run in one format."""

    suffixes: tuple[str, ...] = field(default=())
    """Endings of file names that choose this reporter; the longest match wins."""

    def problems(self) -> list[str]:
        """What is wrong with this spec; empty where nothing is."""
        found = Spec.problems(self)
        found += [f"suffix {suffix!r} of {self.name!r} does not start with a dot" for suffix in self.suffixes if not suffix.startswith(".")]
        return found
