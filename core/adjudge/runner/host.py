"""The host: the services of the core for components."""

from __future__ import annotations

import copy
import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Self

from adjudge.errors import InputError, Problem
from adjudge.extension.coroutine_guard import awaited
from adjudge.extension.guard import configured, lent, make, returned
from adjudge.extension.guarded_strategy import GuardedStrategy
from adjudge.extension.importing import import_from
from adjudge.extension.judge_options import JudgeModelOptions
from adjudge.extension.judge_protocols import InstalledStrategy, Judge, Recording
from adjudge.extension.loader import Extensions
from adjudge.extension.participants import Participants
from adjudge.extension.plugin_loops import at_home
from adjudge.extension.project import environment_with
from adjudge.extension.protocols import Criterion
from adjudge.extension.registry import Registered, check_modules
from adjudge.extension.specs import CriterionSpec, GranularityStrategySpec
from adjudge.journal.recording import RecordingFile
from adjudge.judge.panel import JudgePanel
from adjudge.model.base import JsonObject, JsonValue
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.measurement import Measurement
from adjudge.model.trajectory import Trajectory
from adjudge.runner.traces import Traces


class _Delegate:
    """A criterion of somebody else's in the hands of another criterion."""

    def __init__(self, registered: Registered[CriterionSpec], criterion: Criterion) -> None:
        self._registered = registered
        self._criterion = criterion

    async def score(self, case: CaseUnderTest) -> Measurement:
        registered = self._registered
        measurement = await at_home(
            lambda: awaited(registered, "score", lambda: self._criterion.score(lent(registered, case)))
        )
        return returned(registered, "the criterion", measurement, Measurement)


class RunHost:
    """The host of one run (see ``adjudge.plugin.Host``)."""

    def __init__(self, extensions: Extensions, working_folder: Path) -> None:
        """Offer what ``extensions`` has, in ``working_folder``."""
        self.extensions = extensions
        """The loaded plugins."""
        self._working_folder = working_folder
        self._environment: Mapping[str, str] = os.environ
        self.judge_of: Callable[[JudgeModelOptions], JudgePanel] | None = None
        """Makes the judge that options choose; ``None``: there are no judges."""
        self._untrusted_file: str | None = None
        self.judge_documents: list[JsonObject] = []
        """What decides the answers of every judge that was asked for here."""
        self.declared: JsonObject = {}
        """What else decides the results of what was made with this."""
        self.decided_once: dict[str, JsonValue] = {}
        """What was decided when the run began, by name."""
        self._strategies: dict[str, InstalledStrategy] = {}
        self.delegates: list[JsonObject] = []
        """What decides the results of every criterion that was asked for here."""
        self.participants = Participants()
        """What took part in the run."""

    def for_criterion(self) -> Self:
        """A copy of this host for one criterion, with separate ``judge_documents``, ``delegates`` and ``declared``."""
        own = copy.copy(self)
        own.judge_documents, own.delegates, own.declared = [], [], {}
        return own

    def for_untrusted(self, file: str) -> Self:
        """A copy of this host for the content of an untrusted file: code that the file names is not run."""
        own = self.for_criterion()
        own._untrusted_file = file
        return own

    def read_environment(self, *, agent_folder: Path | None) -> None:
        """Fill what the environment lacks from the ``.env`` of the agent's folder, then of the working folder.

        Raises:
            InputError: a ``.env`` file cannot be read.
        """
        folders = [folder for folder in (agent_folder, self._working_folder) if folder is not None]
        self._environment = environment_with(folders)

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables, with what ``.env`` files add."""
        return self._environment

    def judge(self, options: JudgeModelOptions) -> Judge:
        """The judge that these options choose.

        Raises:
            UnavailableError: no judge is named, or what it needs is missing.
            InputError: the options are wrong.
        """
        if self.judge_of is None:
            raise InputError(Problem(what="a judge is available only during a run"))
        judge = self.judge_of(options)
        self.judge_documents.append(judge.document())
        return judge

    def granularity_strategies(self) -> tuple[InstalledStrategy, ...]:
        """Every granularity strategy that is installed, with the modules that it requires."""
        found = self.extensions.granularity_strategies
        return tuple(self._strategy(item) for item in found if not item.spec.absent_modules())

    def granularity_strategy(self, name: str) -> InstalledStrategy:
        """The one of that name.

        Raises:
            UnknownNameError: nothing installed has the name, or two have it.
            PluginError: its plugin is not active.
            UnavailableError: a module that it requires is not installed.
        """
        registered = self.extensions.granularity_strategies.resolve(name)
        check_modules(registered)
        return self._strategy(registered)

    def _strategy(self, registered: Registered[GranularityStrategySpec]) -> InstalledStrategy:
        found = self._strategies.get(registered.id)
        if found is None:
            found = self._strategies[registered.id] = GuardedStrategy(registered, self)
        return found

    def once(self, name: str, make: Callable[[], JsonValue]) -> JsonValue:
        """A value that is computed once, when a run begins, and is kept when the run is resumed."""
        if name not in self.decided_once:
            self.decided_once[name] = make()
        return self.decided_once[name]

    def declare(self, document: JsonObject) -> None:
        """Say what else decides the results of the component that is being made."""
        self.declared |= document

    def criterion(self, name: str, options: Mapping[str, Any]) -> Criterion:
        """Another installed criterion, made with these options.

        Raises:
            UnknownNameError: nothing installed has the name.
            PluginError: its plugin is not active.
            UnavailableError: something that it needs is missing.
            InputError: its options are wrong.
        """
        registered = self.extensions.criteria.resolve(name)
        config = configured(registered, options, path=name)
        self.delegates.append(
            {
                "criterion": registered.id,
                **registered.document(),
                "options": config.model_dump(mode="json"),
            }
        )
        criterion = make(registered, config, self)
        return criterion if registered.is_built_in else _Delegate(registered, criterion)

    def open_recording(self, path: Path) -> Recording:
        """The judge calls that ``--record`` wrote to a file.

        Raises:
            InputError: there is no such file, or it is no recording.
        """
        return RecordingFile.open(self._working_folder / path)

    @property
    def working_folder(self) -> Path:
        """The folder that relative paths and importable modules are looked up in."""
        return self._working_folder

    def import_module(self, name: str, folder: Path | None = None) -> ModuleType:
        """Import a module that an option names, from the working folder or the installed packages.

        Args:
            name: Its whole name.
            folder: Where it is looked up, in place of the working folder.

        Raises:
            InputError: the option stands in a file that the user did not name and that does not lie beside
                the agent.
            BaseException: whatever the module raises when it is imported.
        """
        if self._untrusted_file is not None:
            raise InputError(
                Problem(
                    what=f"names code of the module {name!r}, which is not run: you did not name this file, and it is not in the folder of the agent",
                    hint=f"Where you trust it: --config_file_path {shlex.quote(self._untrusted_file or 'FILE')}, or "
                    "--trust-code (trust_code=True from Python), or ADJUDGE_TRUST_CODE=1 in the environment.",
                )
            )
        return import_from(self._working_folder if folder is None else folder, name)

    def read_trajectories(self, path: Path, *, reader: str | None = None) -> Iterator[Trajectory]:
        """Read the trajectories of a log with the installed trace reader that recognises its format.

        Raises:
            InputError: no reader knows the file, or it is broken.
        """
        traces = Traces(self.extensions, self)
        return traces.read(path, traces.reader_of(path, name=reader))
