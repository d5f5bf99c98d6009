"""Specs: what a plugin says of its components. Frozen, and cheap to make."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar, cast

from adjudge.extension.configuration import ComponentConfig, NoConfig

if TYPE_CHECKING:
    from adjudge.extension.judge_protocols import GranularityStrategy, JudgeBackend  # noqa: F401 - named in strings
    from adjudge.extension.protocols import (  # noqa: F401 - named in the strings below
        AgentAdapter,
        Criterion,
        Host,
        Reporter,
        TraceReader,
        UserSimulator,
    )

API_VERSION: tuple[int, int] = (1, 0)
"""The version of the plugin interface. A plugin module may state what it needs as ``adjudge_api = (1, 0)``."""

ComponentT = TypeVar("ComponentT", covariant=True)

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]*\Z")


class Need(StrEnum):
    """What a criterion cannot do without. The plan checks it before the first call."""

    EXPECTED_INVOCATIONS = "expected_invocations"
    """A case with a conversation (not a scenario)."""
    CONVERSATION_SCENARIO = "conversation_scenario"
    """A case with a conversation scenario, so that a simulated user led the conversation."""
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

    kind: ClassVar[str] = "component"
    """What kind of component it is, in words."""

    name: str
    """Unique within the plugin: lower-case letters, digits, ``_``, ``.`` and ``-``."""
    summary: str
    """One line of at most 100 characters."""
    factory: Callable[[Any, Host], ComponentT]
    """Makes the component from its configuration. Heavy imports belong inside it."""
    config: type[ComponentConfig] = NoConfig
    """The class that its options are read into."""
    example_options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Options that it can be tried with; ``adjudge plugins check`` needs them where one has no default."""
    requires: tuple[str, ...] = ()
    """Modules that must be importable, for instance ``("numpy",)``; the plan checks them."""
    runs_named_code: bool = False
    """Whether it runs code that its configuration names; then it is kept apart as that code has to be."""
    version: int = 1
    """Raised when results are no longer comparable with those of the version before."""

    def absent_modules(self) -> list[str]:
        """The modules of ``requires`` that are not installed."""
        return [module for module in self.requires if not _is_importable(module)]

    def problems(self) -> list[str]:
        """What is wrong with this spec; empty where nothing is."""
        # A plugin need not be type-checked: nothing is taken for granted here.
        found: list[str] = []
        if not (_is_text(self.name) and _NAME.match(self.name)):
            found.append(f"name {self.name!r} is not made of lower-case letters, digits, '_', '.' and '-'")
        if not (_is_text(self.summary) and 0 < len(self.summary) <= 100 and "\n" not in self.summary):
            found.append(f"summary of {self.name!r} is not one line of 1 to 100 characters")
        if not callable(self.factory):
            found.append(f"factory of {self.name!r} is not callable")
        if not (isinstance(self.config, type) and issubclass(self.config, ComponentConfig)):  # pyright: ignore[reportUnnecessaryIsInstance]
            found.append(f"config of {self.name!r} is not a subclass of adjudge.plugin.ComponentConfig")
        if not isinstance(self.example_options, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            found.append(f"example_options of {self.name!r} is not a mapping of options")
        if not _is_whole_number(self.version) or self.version < 1:
            found.append(f"version of {self.name!r} is not a whole number from 1")
        return found + self._not_texts("requires") + self._own_problems()

    def _own_problems(self) -> list[str]:
        """What the fields of the kind add to ``problems``."""
        return []

    def _not_texts(self, *fields: str) -> list[str]:
        """``("numpy")`` is a string where a tuple was meant, and would be read letter by letter."""
        return [
            f"{name} of {self.name!r} is not a tuple of strings"
            for name in fields
            if not _is_tuple_of(str, getattr(self, name))
        ]


def _is_importable(module: str) -> bool:
    from importlib.util import find_spec

    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # a module of a package that is not there
        return False


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_whole_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_tuple_of(kind: type[object], value: object) -> bool:
    return isinstance(value, tuple) and all(
        isinstance(item, kind) for item in cast("tuple[object, ...]", value)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionSpec(Spec["Criterion"]):
    """A criterion: something that is measured on a case."""

    kind: ClassVar[str] = "criterion"

    needs: frozenset[Need] = frozenset()
    simulated_conversations: bool = False
    """Whether it can measure a conversation that a simulated user led."""
    measures_user: bool = False
    """Whether it measures the simulated user and not the agent: what misses its threshold is an ``error`` of the
    case, whose user was at fault, and no FAIL."""
    value_range: tuple[float, float] = (0.0, 1.0)
    """The smallest and the largest score, both included."""
    lower_is_better: bool = False
    default_threshold: float | None = None
    """``None``: informational unless the configuration gives a threshold."""
    in_adk_default: bool = False
    """Whether it is measured where there is no configuration, with its default threshold, as ADK does.

    Of adjudge's own criteria alone: another plugin measures nothing that nobody asked for.
    """
    read_criteria: (
        Callable[[Path | Sequence[object], Callable[[str], bool]], Sequence[Mapping[str, Any]]] | None
    ) = None
    """Set where it judges by criteria in words: entries of a criteria file that name no criterion are its instances.

    Reads a criteria file, or its content made in Python, and is told which installed criteria judge by words too.
    Gives for each entry its ``name``, the ``criterion`` that it names, and its options. Raises ``InputError`` with all
    problems of entries in words; the others it leaves as they are.
    """
    measures_custom_metrics: bool = False
    """Whether it measures what a configuration has under ADK's ``custom_metrics``."""

    def _own_problems(self) -> list[str]:
        found: list[str] = []
        if not (isinstance(self.needs, frozenset) and all(isinstance(need, Need) for need in self.needs)):  # pyright: ignore[reportUnnecessaryIsInstance]
            found.append(f"needs of {self.name!r} is not a frozenset of Need")
        bounds: object = self.value_range
        if not (
            _is_tuple_of(object, bounds)
            and len(self.value_range) == 2
            and all(map(_is_number, self.value_range))
        ):
            found.append(f"value_range of {self.name!r} is not a pair of numbers")
            return found
        low, high = self.value_range
        if not low < high:
            found.append(f"value_range of {self.name!r} is empty: {low} to {high}")
        if self.in_adk_default and self.default_threshold is None:
            found.append(f"{self.name!r} is in ADK's default configuration and has no default_threshold")
        threshold = self.default_threshold
        if threshold is not None and not (_is_number(threshold) and low <= threshold <= high):
            found.append(f"default_threshold of {self.name!r} is not a number inside its value range")
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeBackendSpec(Spec["JudgeBackend"]):
    """A judge backend: it speaks one provider's protocol. ``name`` is the part before ``/`` in ``provider/model``."""

    kind: ClassVar[str] = "judge backend"

    models: tuple[str, ...] = ()
    """Globs of bare model names that belong to this provider, for instance ``gemini-*``."""
    environment: tuple[str, ...] = ()
    """Names of the environment variables that it reads."""
    example: str = ""
    """A model as one names it, for instance ``openai/gpt-4o-mini``."""
    prices: str | None = None
    """The provider's id in ``genai-prices``; ``""`` where calls cost nothing, ``None`` where nobody knows."""
    adk_default: str | None = None
    """The model that ADK judges with where none is named; asked where this backend lacks nothing."""

    def _own_problems(self) -> list[str]:
        found = self._not_texts("models", "environment")
        if not _is_text(self.example):
            found.append(f"example of {self.name!r} is not a string")
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class GranularityStrategySpec(Spec["GranularityStrategy"]):
    """A granularity strategy, with what the analyzer needs to choose it."""

    kind: ClassVar[str] = "granularity strategy"

    when_to_use: str
    """In words, for a judge: what kind of criterion this granularity fits."""
    keywords: tuple[str, ...] = ()
    """Words of a criterion's name or description that speak for this granularity."""
    reads: Literal["run", "groups", "steps"] = "groups"
    """How a judge is shown the steps of a run that is too long for one question.

    ``groups``: in parts that keep together what the mapping has under one label, at most as many as the square
    root of the number of steps, with long steps shortened; ``run``: in one question, with the steps that say
    most; ``steps``: every step as it was recorded, in as many parts as that takes."""
    fineness: float | None = None
    """How fine its view of a run is: from 0.0 (the run as a whole) to 1.0 (every step by itself).

    Where a granularity was not named but chosen, and the verdict is UNSURE, AI Judge looks again at every strategy
    with a higher fineness, the next one first; a FAIL is located there. ``None``: the strategy is used only where
    it was chosen or named. The built-ins have 0.0 (``global_summary``), 0.5 (``phase_level``), 1.0 (``step_level``)."""

    def _own_problems(self) -> list[str]:
        found = self._not_texts("keywords")
        fineness = self.fineness
        if fineness is not None and not (_is_number(fineness) and 0 <= fineness <= 1):
            found.append(f"fineness of {self.name!r} is {fineness!r}, expected a number from 0 to 1, or None")
        if self.reads not in ("run", "groups", "steps"):
            found.append(f"reads of {self.name!r} is {self.reads!r}, expected 'run', 'groups' or 'steps'")
        if not (_is_text(self.when_to_use) and self.when_to_use.strip()):
            found.append(f"when_to_use of {self.name!r} is empty")
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentAdapterSpec(Spec["AgentAdapter"]):
    """An agent adapter. ``name`` is the scheme: ``name:target`` on the command line."""

    kind: ClassVar[str] = "agent adapter"

    takes_objects: bool = False
    """Whether an agent may be an object of the calling program, in place of a target."""
    accepts: Callable[[str], bool] | None = None
    """Whether a target without a scheme is of this kind. Looks at the text alone, imports nothing."""
    accepts_path: Callable[[Path], bool] | None = None
    """Whether a file or folder that a target names is of this kind. Looks at names alone, imports nothing. The target
    that the adapter is made with is then the whole path."""
    accepts_object: Callable[[object], bool] | None = None
    """Whether an object is an agent of this kind: one that a program gives, or that a target names for an adapter that
    ``loads``. Looks at its class alone, imports nothing."""
    loads: Callable[[str, Host], object] | None = None
    """The object that a target names. Where another adapter accepts it, that one is made with the same target."""
    hint: Callable[[str, Path], str | None] | None = None
    """What to write or to do instead of a target that no installed adapter takes, where this one knows; given the
    target and the working folder."""
    isolates: bool = False
    """Whether it runs an agent of any other kind in processes of its own, for ``--isolate``. Its options are ``target``,
    ``agent_options``, and ``disable``, the plugins that are disabled here."""
    takes_state: bool = True
    """Whether a session can start with a state; a case that has one is refused otherwise."""
    shows_state: bool = True
    """Whether the state of a session can be read."""
    folder: Callable[[Any], Path | None] | None = None
    """The folder of the agent behind a target, once it is made: its ``.env`` is read for judges."""

    def _own_problems(self) -> list[str]:
        return [
            f"{name} of {self.name!r} is not callable"
            for name in ("accepts", "accepts_path", "accepts_object", "loads", "hint", "folder")
            if getattr(self, name) is not None and not callable(getattr(self, name))
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceReaderSpec(Spec["TraceReader"]):
    """A trace reader: it turns somebody's log file into trajectories."""

    kind: ClassVar[str] = "trace reader"

    patterns: tuple[str, ...] = ()
    """Globs of file names that are likely to be of this format. A hint: content decides."""
    recognised_by: str = ""
    """What a file of the format has, in words. Whoever has a file that no reader knows is told it."""
    keys: tuple[str, ...] = ()
    """The JSON keys that a file of the format has near its beginning. A file that no reader knows is compared with them:
    its owner is told which format came nearest, and what is missing."""
    maps_roles: bool = False
    """Whether it reads ``ReadOptions.roles``: formats of plain messages, in which a role does not say whose they are."""

    def _own_problems(self) -> list[str]:
        return self._not_texts("patterns") or self._not_texts("keys")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReporterSpec(Spec["Reporter"]):
    """A reporter: it writes a run in one format."""

    kind: ClassVar[str] = "reporter"

    suffixes: tuple[str, ...] = field(default=())
    """Endings of file names that choose this reporter; the longest match wins."""
    is_default: bool = False
    """Whether it is shown on standard output at the end of a run."""

    def _own_problems(self) -> list[str]:
        if found := self._not_texts("suffixes"):
            return found
        return [
            f"suffix {suffix!r} of {self.name!r} does not start with a dot"
            for suffix in self.suffixes
            if not suffix.startswith(".")
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSimulatorSpec(Spec["UserSimulator"]):
    """A user simulator: it says what the user of a conversation scenario says."""

    kind: ClassVar[str] = "user simulator"
