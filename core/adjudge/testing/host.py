"""A host for components that are made in a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from adjudge.errors import InputError, Problem, UnknownNameError
from adjudge.extension.guarded_strategy import GuardedStrategy
from adjudge.extension.importing import import_from
from adjudge.extension.judge_options import JudgeModelOptions
from adjudge.extension.judge_protocols import InstalledStrategy, JudgeBackend, Recording
from adjudge.extension.loader import Extensions
from adjudge.extension.protocols import Criterion
from adjudge.extension.registry import Registered, Registry
from adjudge.extension.specs import GranularityStrategySpec
from adjudge.judge.client import JudgeClient
from adjudge.judge.member import Member
from adjudge.judge.panel import JudgePanel
from adjudge.model.base import JsonObject, JsonValue
from adjudge.model.judging import JudgeRequest
from adjudge.model.trajectory import Trajectory
from adjudge.plugin import Judge
from adjudge.testing.judge import FakeJudge
from adjudge.testing.judge_replies import verdicts


class FakeHost:
    """What a component's factory is given in a test.

    Its judge is the real client with its votes, over a model that is a program.
    """

    def __init__(
        self,
        folder: Path,
        *,
        logs: Mapping[str, Sequence[Trajectory]] | None = None,
        judge: JudgeBackend | str | Callable[[str], str] | None = None,
        environment: Mapping[str, str] | None = None,
        criteria: Mapping[str, Callable[[Mapping[str, Any]], Criterion]] | None = None,
        recordings: Mapping[str, Recording] | None = None,
        strategies: Registry[GranularityStrategySpec] | None = None,
    ) -> None:
        """Offer ``folder``.

        Args:
            folder: An existing folder, for instance pytest's ``tmp_path``.
            logs: File names to the trajectories that reading them gives.
            judge: Who judges: a backend, for instance a ``FakeJudge``; or the label that every item
                gets; or a function from an item's text to its label.
            environment: The environment variables.
            criteria: Names to functions that make a criterion from its options.
            recordings: File names to recordings.
            strategies: The granularity strategies; otherwise those of this environment.
        """
        self._folder = folder
        self._logs = dict(logs or {})
        self._judge = _backend(judge)
        self._environment = dict(environment or {})
        self._criteria = dict(criteria or {})
        self._recordings = dict(recordings or {})
        self._strategies = strategies
        self._once: dict[str, JsonValue] = {}
        self._made: dict[str, InstalledStrategy] = {}

    @property
    def working_folder(self) -> Path:
        """The folder that relative paths and importable modules are looked up in."""
        return self._folder

    def import_module(self, name: str, folder: Path | None = None) -> ModuleType:
        """The module of the folder, else of what is installed."""
        return import_from(self._folder if folder is None else folder, name)

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables that were given, and no others."""
        return self._environment

    def read_trajectories(self, path: Path, *, reader: str | None = None) -> Iterator[Trajectory]:
        """The trajectories that were given for a file of that name.

        Raises:
            InputError: none were given.
        """
        if path.name not in self._logs:
            wanted = "" if reader is None else f" with reader {reader!r}"
            raise InputError(Problem(what=f"no trace reader knows this file{wanted}", file=str(path)))
        return iter(self._logs[path.name])

    def judge(self, options: JudgeModelOptions) -> Judge:
        """The judge that was given; every model of a panel is answered by it.

        Raises:
            InputError: none was given.
        """
        return self._panel(options)

    def granularity_strategies(self) -> tuple[InstalledStrategy, ...]:
        """The strategies that were given, otherwise those of this environment."""
        return tuple(map(self._strategy, self._installed()))

    def granularity_strategy(self, name: str) -> InstalledStrategy:
        """The one of that name.

        Raises:
            UnknownNameError: it is not there.
        """
        return self._strategy(self._installed().resolve(name))

    def _strategy(self, registered: Registered[GranularityStrategySpec]) -> InstalledStrategy:
        return self._made.setdefault(registered.id, GuardedStrategy(registered, self))

    def _installed(self) -> Registry[GranularityStrategySpec]:
        if self._strategies is None:
            self._strategies = Extensions.load().granularity_strategies
        return self._strategies

    def once(self, name: str, make: Callable[[], JsonValue]) -> JsonValue:
        """What ``make`` gives; of each name once."""
        if name not in self._once:
            self._once[name] = make()
        return self._once[name]

    def declare(self, document: JsonObject) -> None:
        """Nothing: there is no plan."""

    def _panel(self, options: JudgeModelOptions) -> JudgePanel:
        if self._judge is None:
            raise InputError(Problem(what="no judge is named, and one is needed"))
        names = options.judges or (options.judge_model or "fake/judge",)
        members = [
            Member(name=name, model=name.partition("/")[2] or name, backend_name="fake", backend=self._judge)
            for name in names
        ]
        return JudgePanel(JudgeClient(secret=b"a secret of this test"), members, options)

    def criterion(self, name: str, options: Mapping[str, Any]) -> Criterion:
        """The criterion that was given under that name.

        Raises:
            UnknownNameError: none was given.
        """
        if name not in self._criteria:
            raise UnknownNameError(f"unknown criterion {name!r}")
        return self._criteria[name](options)

    def open_recording(self, path: Path) -> Recording:
        """The recording that was given for a file of that name.

        Raises:
            InputError: none was given.
        """
        if path.name not in self._recordings:
            raise InputError(Problem(what="there is no such recording", file=str(path)))
        return self._recordings[path.name]


def _backend(judge: JudgeBackend | str | Callable[[str], str] | None) -> JudgeBackend | None:
    if judge is None or hasattr(judge, "complete"):
        return judge  # pyright: ignore[reportReturnType]
    label: str | Callable[[str], str] = judge  # pyright: ignore[reportAssignmentType]

    def answer(request: JudgeRequest) -> str:
        return verdicts(request, label)

    return FakeJudge(answer)
