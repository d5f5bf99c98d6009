"""A fake host for components that are created in a test."""

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
    """A host for components that are created in a test.

    Its judge is the real judge client, with votes; only the model is a fake.
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
        """Create a host.

        Args:
            folder: The working folder, which must exist; for instance pytest's ``tmp_path``.
            logs: The trajectories of log files, by file name.
            judge: The judge: a backend, for instance a ``FakeJudge``; or the label for every item; or a function from
                an item's text to its label.
            environment: The environment variables.
            criteria: Functions that create a criterion from its options, by the criterion's name.
            recordings: Recordings, by file name.
            strategies: The granularity strategies; by default the installed ones.
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
        """The folder in which relative paths and modules are looked up."""
        return self._folder

    def import_module(self, name: str, folder: Path | None = None) -> ModuleType:
        """Import a module from ``folder`` or the working folder, or else from the installed packages."""
        return import_from(self._folder if folder is None else folder, name)

    @property
    def environment(self) -> Mapping[str, str]:
        """The given environment variables, and no others."""
        return self._environment

    def read_trajectories(self, path: Path, *, reader: str | None = None) -> Iterator[Trajectory]:
        """The given trajectories for a file name.

        Raises:
            InputError: there are none for this name.
        """
        if path.name not in self._logs:
            wanted = "" if reader is None else f" with reader {reader!r}"
            raise InputError(Problem(what=f"no trace reader knows this file{wanted}", file=str(path)))
        return iter(self._logs[path.name])

    def judge(self, options: JudgeModelOptions) -> Judge:
        """The given judge, which answers for every model of a panel.

        Raises:
            InputError: no judge was given.
        """
        return self._panel(options)

    def granularity_strategies(self) -> tuple[InstalledStrategy, ...]:
        """The given strategies, or the installed ones."""
        return tuple(map(self._strategy, self._installed()))

    def granularity_strategy(self, name: str) -> InstalledStrategy:
        """The granularity strategy of this name.

        Raises:
            UnknownNameError: there is no such strategy.
        """
        return self._strategy(self._installed().resolve(name))

    def _strategy(self, registered: Registered[GranularityStrategySpec]) -> InstalledStrategy:
        return self._made.setdefault(registered.id, GuardedStrategy(registered, self))

    def _installed(self) -> Registry[GranularityStrategySpec]:
        if self._strategies is None:
            self._strategies = Extensions.load().granularity_strategies
        return self._strategies

    def once(self, name: str, make: Callable[[], JsonValue]) -> JsonValue:
        """The result of ``make``, which is called once for each name."""
        if name not in self._once:
            self._once[name] = make()
        return self._once[name]

    def declare(self, document: JsonObject) -> None:
        """Does nothing: there is no plan."""

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
        """Create the given criterion of this name.

        Raises:
            UnknownNameError: there is no such criterion.
        """
        if name not in self._criteria:
            raise UnknownNameError(f"unknown criterion {name!r}")
        return self._criteria[name](options)

    def open_recording(self, path: Path) -> Recording:
        """The given recording for a file name.

        Raises:
            InputError: there is none for this name.
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
