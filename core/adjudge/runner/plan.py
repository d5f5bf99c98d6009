"""The plan: what a run will do, made and checked before the first call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjudge.adk.eval_set_file import EvalSetFile
from adjudge.adk.eval_set_pass import CaseEntry
from adjudge.extension.configuration import ComponentConfig
from adjudge.extension.protocols import AgentAdapter, Criterion
from adjudge.extension.registry import Registered
from adjudge.extension.specs import AgentAdapterSpec, CriterionSpec
from adjudge.model.base import JsonObject, canonical_sha256
from adjudge.runner.host import RunHost
from adjudge.runner.journal_views import FileRecord
from adjudge.runner.judges import RunJudges
from adjudge.runner.request import RunRequest
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
        return document


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFile:
    """An eval-set file, the cases selected from it, and the criteria that hold for it."""

    eval_set: EvalSetFile
    shown_path: str
    """The path as results show it: as the user wrote it."""
    entries: Sequence[CaseEntry]
    config_source: str | None
    criteria: tuple[PlannedCriterion, ...]

    @property
    def record(self) -> FileRecord:
        """What the journal keeps of it."""
        return FileRecord(
            eval_set_id=self.eval_set.eval_set_id,
            path=self.shown_path,
            config=self.config_source,
            cases=len(self.entries),
            rules=tuple(item.rule for item in self.criteria),
        )

    def document(self) -> JsonObject:
        """What decides its results, as JSON."""
        selected = len(self.entries) < len(self.eval_set.entries)
        return {
            "eval_set_id": self.eval_set.eval_set_id,
            "sha256": self.eval_set.sha256,
            "cases": [entry.eval_id for entry in self.entries] if selected else "all",
            "config": self.config_source,
            "criteria": {item.rule.criterion_name: item.document() for item in self.criteria},
        }


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


@dataclass(frozen=True, slots=True)
class Unit:
    """One repeat of one case: what is run, journalled and resumed as a whole."""

    case_no: int
    """Its place in the plan, over all files, from 0."""
    repeat: int
    """From 1."""
    file: PlannedFile
    entry: CaseEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that a run will do."""

    request: RunRequest
    agent: PlannedAgent
    files: tuple[PlannedFile, ...]
    judges: RunJudges
    host: RunHost
    """What its components are made with. It knows which took part."""
    warnings: tuple[str, ...] = field(default=())

    @property
    def cases(self) -> int:
        """Cases, repeats not counted."""
        return sum(len(file.entries) for file in self.files)

    def units(self) -> Iterator[Unit]:
        """Every repeat of every case; the repeats of one case are beside one another."""
        case_no = 0
        for file in self.files:
            for entry in file.entries:
                for repeat in range(1, self.request.num_runs + 1):
                    yield Unit(case_no, repeat, file, entry)
                case_no += 1

    def document(self) -> JsonObject:
        """What decides the results, as JSON. Its hash must not change between a run and its resumption."""
        return {
            "agent": self.agent.document(),
            "eval_sets": {file.shown_path: file.document() for file in self.files},
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
