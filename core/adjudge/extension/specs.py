"""Specs: frozen descriptions of the components of a plugin. Creating them is fast."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar, cast

from adjudge.extension.configuration import ComponentConfig, NoConfig

if TYPE_CHECKING:
    from adjudge.extension.hooks import RunObserver  # noqa: F401
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
"""The version of the plugin interface. A plugin module may state the version it requires: ``adjudge_api = (1, 0)``."""

ComponentT = TypeVar("ComponentT", covariant=True)

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]*\Z")


class Need(StrEnum):
    """A requirement of a criterion. The plan checks it before the first call."""

    EXPECTED_INVOCATIONS = "expected_invocations"
    """A case with an expected conversation (not a scenario)."""
    CONVERSATION_SCENARIO = "conversation_scenario"
    """A case with a conversation scenario, that is, with a simulated user."""
    REFERENCE_RESPONSE = "reference_response"
    """At least one turn with a non-blank reference answer."""
    REFERENCE_INTERMEDIATE_RESPONSES = "reference_intermediate_responses"
    """At least one turn with expected texts of sub-agents."""
    FINAL_SESSION_STATE = "final_session_state"
    """A case with an expected final state, and an agent that exposes its state."""
    RUBRICS = "rubrics"
    """Rubrics in the configuration, the case or a turn."""
    JUDGE = "judge"
    """A judge model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec(Generic[ComponentT]):
    """The description of a component; each kind has a subclass."""

    kind: ClassVar[str] = "component"
    """The name of the kind, for messages."""

    name: str
    """Unique within the plugin: lower-case letters, digits, ``_``, ``.`` and ``-``."""
    summary: str
    """One line of at most 100 characters."""
    factory: Callable[[Any, Host], ComponentT]
    """Creates the component from its configuration and the host. Do slow imports inside it."""
    config: type[ComponentConfig] = NoConfig
    """The class of its options."""
    example_options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Options for tests. ``adjudge plugins check`` needs them if an option has no default."""
    requires: tuple[str, ...] = ()
    """Modules that must be importable, for instance ``("numpy",)``; the plan checks them."""
    runs_named_code: bool = False
    """Whether it runs code named by its configuration. It is then treated like third-party code, also as a built-in."""
    version: int = 1
    """The version of the component. Increase it when results are no longer comparable with earlier ones."""

    def absent_modules(self) -> list[str]:
        """The modules of ``requires`` that are not installed."""
        return [module for module in self.requires if not _is_importable(module)]

    def problems(self) -> list[str]:
        """Messages about invalid fields of this spec; empty if it is valid."""
        # Check all types: plugins may not be type-checked.
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
        """Further ``problems``, of the fields of a subclass."""
        return []

    def _not_texts(self, *fields: str) -> list[str]:
        """Problems of fields that are not tuples of strings. ``("numpy")`` is a string, and would be read by letters."""
        return [
            f"{name} of {self.name!r} is not a tuple of strings"
            for name in fields
            if not _is_tuple_of(str, getattr(self, name))
        ]


def _is_importable(module: str) -> bool:
    from importlib.util import find_spec

    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the module's parent package is missing
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
    """A criterion, which measures cases."""

    kind: ClassVar[str] = "criterion"

    needs: frozenset[Need] = frozenset()
    simulated_conversations: bool = False
    """Whether it can measure conversations with a simulated user."""
    measures_user: bool = False
    """Whether it measures the simulated user instead of the agent. If its threshold is missed, the case is an ``error``
    because the simulated user was at fault, not a FAIL."""
    value_range: tuple[float, float] = (0.0, 1.0)
    """The lowest and the highest possible score."""
    lower_is_better: bool = False
    default_threshold: float | None = None
    """``None``: the configuration must give a threshold, or the criterion is informational."""
    in_adk_default: bool = False
    """Whether it is measured with its default threshold if there is no configuration, as in ADK.

    Only used for adjudge's own criteria: third-party criteria measure only when the user names them.
    """
    read_criteria: (
        Callable[[Path | Sequence[object], Callable[[str], bool]], Sequence[Mapping[str, Any]]] | None
    ) = None
    """Reads criteria files. Set this only if the component judges by criteria in words.

    Entries of a criteria file that name no criterion become instances of this component. Arguments: the file, or its
    content given in Python; and a function that tells whether an installed criterion judges by words too. Returns for
    each entry its ``name``, the ``criterion`` that it names, and its options. Raises ``InputError`` with all problems
    of entries in words; other entries are returned unchanged.
    """
    measures_custom_metrics: bool = False
    """Whether it measures the entries of ADK's ``custom_metrics`` in a configuration."""

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
    """A judge backend, which implements one provider's protocol. ``name`` is the part before ``/`` in ``provider/model``."""

    kind: ClassVar[str] = "judge backend"

    models: tuple[str, ...] = ()
    """Glob patterns of this provider's model names without a prefix, for instance ``gemini-*``."""
    environment: tuple[str, ...] = ()
    """Names of the environment variables that it reads."""
    example: str = ""
    """An example of a model name, for instance ``openai/gpt-4o-mini``."""
    prices: str | None = None
    """The provider's id in ``genai-prices``; ``""`` if calls are free, ``None`` if their price is unknown."""
    adk_default: str | None = None
    """ADK's default judge model, if this provider has it. It is used if no judge is named and the backend is usable."""

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
    """The kind of criterion that this granularity fits, described for a judge."""
    keywords: tuple[str, ...] = ()
    """Words in a criterion's name or description that suggest this granularity."""
    reads: Literal["run", "groups", "steps"] = "groups"
    """How a judge sees the steps of a run that is too long for one question.

    ``groups``: in parts that keep the steps under one label of the mapping together, at most as many parts as the
    square root of the number of steps, with long steps shortened; ``run``: in one question, with the most informative
    steps; ``steps``: every step as it was recorded, in as many parts as needed."""
    fineness: float | None = None
    """The resolution of the strategy's view of a run: from 0.0 (the run as a whole) to 1.0 (every single step).

    If a strategy was chosen automatically and the verdict is UNSURE, AI Judge judges again with the strategies of
    higher fineness, in increasing order; with these it also locates a FAIL. ``None``: the strategy is used only if it
    is chosen or named. The built-ins have 0.0 (``global_summary``), 0.5 (``phase_level``), 1.0 (``step_level``)."""

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
    """Whether the agent may be an object of the calling program instead of a target."""
    accepts: Callable[[str], bool] | None = None
    """Whether a target without a scheme is an agent of this kind. It must only look at the text, and import nothing."""
    accepts_path: Callable[[Path], bool] | None = None
    """Whether the file or folder named by a target is an agent of this kind. It must only look at names, and import
    nothing. The adapter is then created with the whole path as its target."""
    accepts_object: Callable[[object], bool] | None = None
    """Whether an object is an agent of this kind. The object is given by a program, or was loaded by an adapter with
    ``loads``. It must only look at the object's class, and import nothing."""
    loads: Callable[[str, Host], object] | None = None
    """Loads the object named by a target. If another adapter accepts the object, that adapter is created instead, with
    the same target."""
    hint: Callable[[str, Path], str | None] | None = None
    """Returns advice about a target that no installed adapter accepts, or ``None``. Arguments: the target, and the
    working folder."""
    isolates: bool = False
    """Whether it runs agents of any other kind in separate processes, for ``--isolate``. Its options are ``target``,
    ``agent_options``, and ``disable``, the plugins that are disabled in the run."""
    takes_state: bool = True
    """Whether a session can start with a state; otherwise cases with an initial state are problems of the plan."""
    shows_state: bool = True
    """Whether the state of a session can be read."""
    folder: Callable[[Any], Path | None] | None = None
    """Returns the folder of the agent; its ``.env`` is read for judges. Called after the adapter is created, with the
    target."""

    def _own_problems(self) -> list[str]:
        return [
            f"{name} of {self.name!r} is not callable"
            for name in ("accepts", "accepts_path", "accepts_object", "loads", "hint", "folder")
            if getattr(self, name) is not None and not callable(getattr(self, name))
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceReaderSpec(Spec["TraceReader"]):
    """A trace reader, which reads a log format into trajectories."""

    kind: ClassVar[str] = "trace reader"

    patterns: tuple[str, ...] = ()
    """Glob patterns of typical file names. They select files of a folder; the content decides the format."""
    recognised_by: str = ""
    """A short description of the features of the format, for the message about a file of unknown format."""
    keys: tuple[str, ...] = ()
    """JSON keys near the beginning of files of the format. For a file of unknown format, a message names the most
    similar formats by these keys, and the missing keys."""
    maps_roles: bool = False
    """Whether it uses ``ReadOptions.roles``: for chat formats in which a role does not identify the author."""
    example_log: bytes | None = None
    """A short log with at least one step, in the reader's format. ``adjudge plugins check`` tests the reader with it."""

    def _own_problems(self) -> list[str]:
        found = cast("object", self.example_log)
        if not isinstance(found, bytes | None):
            return [f"example_log of {self.name!r} is not bytes"]
        return self._not_texts("patterns") or self._not_texts("keys")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReporterSpec(Spec["Reporter"]):
    """A reporter, which writes a run in one format.

    A file with ``adjudge_version`` and a version number in its first 64 KiB is recognised as a report. A command that
    will write to the same path removes it first, so that an old report is not taken for the new one.
    """

    kind: ClassVar[str] = "reporter"

    suffixes: tuple[str, ...] = field(default=())
    """Endings of file names that select this reporter; the longest match wins."""
    is_default: bool = False
    """Whether it writes to standard output at the end of a run."""

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
    """A user simulator, which writes the messages of the user of a conversation scenario."""

    kind: ClassVar[str] = "user simulator"


@dataclass(frozen=True, slots=True, kw_only=True)
class ObserverSpec(Spec["RunObserver"]):
    """An observer, which receives the events of every run. Its options are in ``[observers.NAME]`` of ``adjudge.toml``."""

    kind: ClassVar[str] = "observer"

    @property
    def works_without_options(self) -> bool:
        """Whether every option has a default. Otherwise it is created only if its table is in the configuration."""
        return not any(field.is_required() for field in self.config.model_fields.values())
