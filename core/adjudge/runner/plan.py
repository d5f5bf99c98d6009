"""The plan: the work of a run, created and checked before the first call."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from adjudge.extension.configuration import ComponentConfig
from adjudge.extension.protocols import AgentAdapter, Criterion, ReportedCase
from adjudge.extension.registry import Registered
from adjudge.extension.specs import AgentAdapterSpec, CriterionSpec, Need
from adjudge.journal.run_journal import Journal, Place
from adjudge.model.base import JsonObject, canonical_sha256
from adjudge.model.eval_set import EvalCase
from adjudge.runner.decision import CaseOrigin, Conversation
from adjudge.runner.host import RunHost
from adjudge.runner.judges import RunJudges
from adjudge.runner.observers import Observers
from adjudge.runner.request import LogsRequest, RunRequest
from adjudge.verdict.algebra import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCriterion:
    """A criterion, made and ready to score."""

    rule: Rule
    component: Registered[CriterionSpec]
    config: ComponentConfig
    criterion: Criterion
    judges: tuple[JsonObject, ...] = ()
    """The models of every judge that the criterion requested."""
    delegates: tuple[JsonObject, ...] = ()
    """Other criteria to which it delegates."""
    declared: JsonObject = field(default_factory=dict[str, Any])
    """Other settings that determine its results, as it declares."""
    source: str | None = None
    """The file that configures it."""

    @property
    def waits(self) -> bool:
        """Whether measuring may wait: for a judge, or for third-party code."""
        component = self.component
        return (
            not component.is_built_in
            or Need.JUDGE in component.spec.needs
            or component.spec.measures_custom_metrics
            or bool(self.judges or self.delegates)
        )

    def document(self) -> JsonObject:
        """All settings of the criterion that determine its results, as JSON."""
        document: JsonObject = {
            "criterion": self.component.id,
            **self.component.document(),
            "threshold": self.rule.threshold,
            "options": self.config.model_dump(mode="json"),
        }
        if self.judges:
            document["judges"] = list(self.judges)
        if self.delegates:
            document["delegates"] = list(self.delegates)
        if self.declared:
            document["declared"] = self.declared
        return document


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedAgent:
    """The agent, made and ready to open sessions."""

    component: Registered[AgentAdapterSpec]
    target: str
    options: JsonObject
    fingerprint: JsonObject | None
    """The adapter's fingerprint."""
    adapter: AgentAdapter
    folder: Path | None = None
    """The agent's folder, with its ``.env``."""

    def document(self) -> JsonObject:
        """The settings that determine its answers, as far as adjudge knows them, as JSON."""
        return {
            "adapter": self.component.id,
            **self.component.document(),
            "target": self.target,
            "options": self.options,
            "fingerprint": self.fingerprint,
        }


def _nothing(_: PlannedCriterion) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One repeat of one case, or one run in a log: journalled and resumed as a unit.

    The trajectory is in ``played`` or comes from ``play``. If both are ``None``, the journal has the trajectory, and
    some criteria are still to be measured.
    """

    place: Place
    """Its number in the plan, from 0, and its repeat, from 1."""
    origin: CaseOrigin
    """Its identity in results."""
    criteria: Sequence[PlannedCriterion]
    """The criteria that measure it."""
    read: Callable[[], EvalCase]
    """Reads the case; for a run in a log a case without expectations. Raises ``InputError`` if the file has changed."""
    lacking: Callable[[PlannedCriterion], str] = _nothing
    """Returns messages about missing requirements of a criterion; empty if it can be measured."""
    played: Conversation | None = None
    """The trajectory read from a log."""
    play: Callable[[EvalCase], Awaitable[Conversation]] | None = None
    """Runs the agent on the case."""
    log_no: int | None = None
    """The index of its log in the run, from 0; ``None`` for a case."""
    done: Callable[[ReportedCase], None] | None = None
    """Called with the result after it is journalled."""

    @property
    def repeat(self) -> int:
        """The number of the repeat, from 1."""
        return self.place[1]


async def in_turn(units: Iterable[Unit]) -> AsyncIterator[Unit]:
    """Yield units that are available without waiting."""
    for unit in units:
        yield unit


class UnitSource(Protocol):
    """Where trajectories come from: an agent that is run on cases, or logs that are read."""

    @property
    def criteria(self) -> Sequence[PlannedCriterion]:
        """All criteria."""
        ...

    @property
    def at_once(self) -> int:
        """Maximum number of units in memory."""
        ...

    @property
    def origin(self) -> str | None:
        """The component that produces the trajectories, as ``plugin/component``; ``None`` if there are several."""
        ...

    def document(self) -> JsonObject:
        """All settings that determine the results, as JSON."""
        ...

    def records(self) -> tuple[JsonObject, Iterable[str]]:
        """The description of the evaluated files for the journal, as JSON; and the ids of cases known beforehand."""
        ...

    def units(self, journal: Journal, *, resuming: bool) -> tuple[AsyncIterator[Unit], int | None]:
        """The units that the journal does not have yet, and their number; ``None`` if it is not known beforehand."""
        ...

    async def aclose(self) -> str | None:
        """Release the agent; returns messages about failures."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that a run will do."""

    request: RunRequest | LogsRequest
    source: UnitSource
    judges: RunJudges
    host: RunHost
    """The host of its components. It records the participants."""
    observers: Observers
    """The observers of its events."""
    outputs: Sequence[Path]
    """Paths of the reports to write."""
    warnings: tuple[str, ...] = field(default=())

    @property
    def decides(self) -> bool:
        """Whether some criterion affects the verdict; a run that only aggregates has none."""
        return any(item.rule.gates for item in self.source.criteria)

    def document(self) -> JsonObject:
        """All settings that determine the results, as JSON. Its hash must be the same when the run is resumed."""
        return {
            **self.source.document(),
            "num_runs": self.request.num_runs,
            "timeout": self.request.timeout,
            "scoring_timeout": self.request.scoring_timeout,
        }

    @property
    def hash(self) -> str:
        """SHA-256 of the document."""
        return canonical_sha256(self.document())


def differences(before: Any, after: Any, path: str = "") -> list[str]:
    """The differences between two plan documents, one line each."""
    if isinstance(before, dict) and isinstance(after, dict):
        found: list[str] = []
        for key in sorted({*before, *after}, key=str):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
            here = f"{path}.{key}" if path else str(key)  # pyright: ignore[reportUnknownArgumentType]
            if key not in after:
                found.append(f"{here}: no longer there")
            elif key not in before:
                found.append(f"{here}: new")
            else:
                found += differences(before[key], after[key], here)
        return found
    return [] if before == after else [f"{path}: was {before!r}, is {after!r}"]
