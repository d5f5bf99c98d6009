"""The plan: what a run will do, made and checked before the first call."""

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
    """Who judges, for every judge that the criterion asked for."""
    delegates: tuple[JsonObject, ...] = ()
    """What measures in its place: other criteria that it asked for."""
    declared: JsonObject = field(default_factory=dict[str, Any])
    """What else it says decides its results."""
    source: str | None = None
    """The file that configures it."""

    @property
    def waits(self) -> bool:
        """Whether measuring may wait for something: a judge, or somebody's code."""
        component = self.component
        return (
            not component.is_built_in
            or Need.JUDGE in component.spec.needs
            or component.spec.measures_custom_metrics
            or bool(self.judges or self.delegates)
        )

    def document(self) -> JsonObject:
        """What decides its results, as JSON."""
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
    """What the adapter itself says of its answers."""
    adapter: AgentAdapter
    folder: Path | None = None
    """Where the agent's own ``.env`` is."""

    def document(self) -> JsonObject:
        """What decides its answers, as far as adjudge can see, as JSON."""
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
    """One repeat of one case, or one run in a log: what is journalled and resumed as a whole.

    With neither ``played`` nor ``play`` it is in the journal, and not all of its criteria are decided.
    """

    place: Place
    """Its number in the plan, from 0, and its repeat, from 1."""
    origin: CaseOrigin
    """What results call it."""
    criteria: Sequence[PlannedCriterion]
    """What it is measured by."""
    read: Callable[[], EvalCase]
    """Gives the case, of a run in a log one without an expectation; raises ``InputError`` where that has changed."""
    lacking: Callable[[PlannedCriterion], str] = _nothing
    """Says what a criterion needs and is not there; empty where it can be measured."""
    played: Conversation | None = None
    """What the agent did, where that is known."""
    play: Callable[[EvalCase], Awaitable[Conversation]] | None = None
    """Has the agent do it."""
    log_no: int | None = None
    """Which log of the run it was read from, from 0; ``None`` for a case."""
    done: Callable[[ReportedCase], None] | None = None
    """Told of it when it is decided and journalled."""

    @property
    def repeat(self) -> int:
        """From 1."""
        return self.place[1]


async def in_turn(units: Iterable[Unit]) -> AsyncIterator[Unit]:
    """Units that are known without waiting for anything."""
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
        """How many units are in memory at a time."""
        ...

    @property
    def origin(self) -> str | None:
        """The component that trajectories come from, as ``plugin/component``, where it is one."""
        ...

    def document(self) -> JsonObject:
        """What decides the results, as JSON."""
        ...

    def records(self) -> tuple[JsonObject, Iterable[str]]:
        """What the journal keeps of what is evaluated, as JSON; and the cases that are known beforehand."""
        ...

    def units(self, journal: Journal, *, resuming: bool) -> tuple[AsyncIterator[Unit], int | None]:
        """What the journal does not have yet, and how much; ``None`` where that shows on the way."""
        ...

    async def aclose(self) -> str | None:
        """Release the agent; returns what went wrong."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that a run will do."""

    request: RunRequest | LogsRequest
    source: UnitSource
    judges: RunJudges
    host: RunHost
    """What its components are made with. It knows which took part."""
    warnings: tuple[str, ...] = field(default=())

    @property
    def decides(self) -> bool:
        """Whether a criterion decides; a run that ends after aggregation has none."""
        return any(item.rule.gates for item in self.source.criteria)

    def document(self) -> JsonObject:
        """What decides the results, as JSON. Its hash must not change between a run and its resumption."""
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
    """Where two plan documents differ, one line each."""
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
