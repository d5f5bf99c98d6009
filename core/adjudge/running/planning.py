"""Planning: from a request to a checked plan. Every problem is found before the first call, all at once."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from adjudge.errors import AdjudgeError, InputError, Problem
from adjudge.extension.configuration import ComponentConfig, known_keys, validated_config
from adjudge.extension.loader import Extensions
from adjudge.extension.protocols import CaseFacts, ChecksPlan
from adjudge.extension.registry import Registered
from adjudge.extension.specs import AgentAdapterSpec, CriterionSpec, Need
from adjudge.formats.config import default_config, load_config, parse_config
from adjudge.formats.eval_set_file import CaseEntry, EvalSetFile, open_eval_set
from adjudge.formats.selection import split_selection
from adjudge.model.config import CriterionEntry, EvalConfig
from adjudge.running.host import RunHost, describe
from adjudge.running.plan import Plan, PlannedAgent, PlannedCriterion, PlannedFile
from adjudge.running.request import RunRequest
from adjudge.statistics.algebra import Rule

CONFIG_FILE_NAME: Final = "test_config.json"

_MAXIMUM: Final = "maximum"
"""The clear name for the threshold of a criterion whose lower scores are better."""


@dataclass(frozen=True, slots=True)
class _Selected:
    eval_set: EvalSetFile
    shown_path: str
    entries: list[CaseEntry]


class _Planner:
    """Collects problems while it makes the parts of a plan."""

    def __init__(self, request: RunRequest, extensions: Extensions) -> None:
        self.request = request
        self.extensions = extensions
        self.folder = Path(request.working_folder)
        self.host = RunHost(extensions, self.folder)
        self.problems: list[Problem] = []
        self.warnings: list[str] = []

    def problem(self, what: str, **place: Any) -> None:
        self.problems.append(Problem(what=what, **place))

    def caught(self, error: AdjudgeError) -> None:
        if isinstance(error, InputError):
            self.problems += error.problems
        else:
            self.problem(str(error))

    # --- eval sets --------------------------------------------------------------------

    def selected(self) -> list[_Selected]:
        """The named files with the cases selected from them; a file named twice runs once."""
        chosen: dict[Path, tuple[str, set[str] | None]] = {}
        for argument in self.request.eval_sets:
            try:
                for path, ids in self._expanded(argument):
                    shown, before = chosen.get(path.resolve(), (str(path), set()))
                    chosen[path.resolve()] = (
                        shown,
                        None if before is None or ids is None else {*before, *ids},
                    )
            except AdjudgeError as error:
                self.caught(error)
        found: list[_Selected] = []
        for path, (shown, wanted) in chosen.items():
            try:
                eval_set = open_eval_set(path)
                entries = list(eval_set.entries) if wanted is None else self._in_order(eval_set, wanted)
            except AdjudgeError as error:
                self.caught(error)
                continue
            self.warnings += eval_set.warnings
            found.append(_Selected(eval_set, shown, entries))
        if not found and not self.problems:
            self.problem("no eval set is named", hint="Name at least one file or folder.")
        return found

    @staticmethod
    def _in_order(eval_set: EvalSetFile, ids: set[str]) -> list[CaseEntry]:
        wanted = {entry.eval_id for entry in eval_set.select(sorted(ids))}
        return [entry for entry in eval_set.entries if entry.eval_id in wanted]

    def _expanded(self, argument: str) -> list[tuple[Path, tuple[str, ...] | None]]:
        path, ids = split_selection(str(self.folder / argument))
        shown = _shown(path, self.folder)
        if not path.is_dir():
            return [(shown, ids)]
        files = sorted(item for item in path.rglob("*.test.json") if item.is_file())
        if not files:
            raise InputError(
                Problem(
                    what="the folder holds no file whose name ends in .test.json",
                    file=str(shown),
                    hint="Name the eval-set files themselves, or rename them.",
                )
            )
        return [(_shown(file, self.folder), None) for file in files]

    # --- criteria ---------------------------------------------------------------------

    def config_of(self, selected: _Selected) -> EvalConfig | None:
        """The configuration that holds for a file; ``None`` where it is broken."""
        try:
            if self.request.config_file is not None:
                return load_config(self.folder / self.request.config_file)
            if self.request.config is not None:
                return parse_config(self.request.config, source=None)
            beside = selected.eval_set.path.parent / CONFIG_FILE_NAME
            return load_config(beside) if beside.exists() else default_config()
        except AdjudgeError as error:
            self.caught(error)
            return None

    def criteria_of(self, config: EvalConfig) -> tuple[PlannedCriterion, ...]:
        """The criteria of a configuration, made."""
        self.warnings += config.warnings
        made = [self._criterion(entry, config.source) for entry in config.criteria]
        planned = tuple(item for item in made if item is not None)
        if None not in made and not any(item.rule.gates for item in planned):
            self.problem(
                "no criterion has a threshold, so nothing could pass or fail",
                file=config.source,
                path="$.criteria",
                hint="Give at least one criterion a threshold.",
            )
        return planned

    def _criterion(self, entry: CriterionEntry, source: str | None) -> PlannedCriterion | None:
        path = f"$.criteria.{entry.name}"
        try:
            component = self.extensions.criteria.resolve(entry.criterion)
        except AdjudgeError as error:
            self.problem(str(error), file=source, path=path)
            return None
        spec = component.spec
        before = len(self.problems)
        self._check_spec(spec, source, path)
        options, threshold = self._threshold(entry, spec, source, path)
        try:
            config, warnings = validated_config(spec.config, options, file=source, path=path)
            self.warnings += warnings
            criterion = spec.factory(config, self.host)
        except InputError as error:
            self.caught(error)
            return None
        except Exception as error:
            self.problem(
                f"{component.provenance} could not make it: {type(error).__name__}: {error}",
                file=source,
                path=path,
            )
            return None
        if len(self.problems) > before:
            return None
        rule = Rule(
            criterion_name=entry.name,
            criterion=component.id,
            threshold=threshold,
            lower_is_better=spec.lower_is_better,
            value_range=spec.value_range,
        )
        return PlannedCriterion(rule=rule, component=component, config=config, criterion=criterion)

    def _check_spec(self, spec: CriterionSpec, source: str | None, path: str) -> None:
        for module in spec.requires:
            if importlib.util.find_spec(module) is None:
                self.problem(
                    f"criterion {spec.name!r} needs the module {module!r}, which is not installed",
                    file=source,
                    path=path,
                )
        if Need.JUDGE in spec.needs:
            self.problem(
                f"criterion {spec.name!r} needs a judge model, and this version of adjudge has none",
                file=source,
                path=path,
            )

    def _threshold(
        self, entry: CriterionEntry, spec: CriterionSpec, source: str | None, path: str
    ) -> tuple[dict[str, Any], float | None]:
        options = dict(entry.options)
        threshold = entry.threshold if entry.threshold is not None else spec.default_threshold
        if spec.lower_is_better and _MAXIMUM in options and _MAXIMUM not in known_keys(spec.config):
            value = options.pop(_MAXIMUM)
            if entry.threshold is not None:
                self.problem(
                    "has both 'threshold' and 'maximum', which mean the same", file=source, path=path
                )
            elif isinstance(value, bool) or not isinstance(value, int | float):
                self.problem(f"must be a number, found {value!r}", file=source, path=f"{path}.{_MAXIMUM}")
            else:
                threshold = float(value)
        low, high = spec.value_range
        if threshold is not None and not low <= threshold <= high:
            self.problem(
                f"the threshold {threshold} is outside the value range {low} to {high} of {spec.name!r}",
                file=source,
                path=path,
            )
        return options, threshold

    def check_applicable(
        self, criteria: Iterable[PlannedCriterion], files: list[_Selected], source: str | None
    ) -> None:
        """Report every criterion that applies to none of the cases that it is asked of."""
        for planned in criteria:
            if not any(applies(planned, entry) for file in files for entry in file.entries):
                needs = (
                    ", ".join(sorted(planned.component.spec.needs)) or "a conversation that is not simulated"
                )
                self.problem(
                    f"criterion {planned.rule.criterion_name!r} applies to none of the selected cases: it needs {needs}",
                    file=source or ", ".join(file.shown_path for file in files),
                    hint="Remove the criterion, or add to the cases what it needs.",
                )

    # --- the agent --------------------------------------------------------------------

    def agent(self, agent: object, files: list[_Selected]) -> PlannedAgent | None:
        """The agent, made, and asked whether it can serve the selected cases."""
        try:
            component, target = self._resolved(agent)
            options: dict[str, Any] = {**self.request.agent_options, "target": target}
            config, _ = validated_config(component.spec.config, options, path="--agent-option")
            adapter = component.spec.factory(config, self.host)
        except AdjudgeError as error:
            self.caught(error)
            return None
        except Exception as error:
            self.problem(f"the agent could not be made: {type(error).__name__}: {error}")
            return None
        self._check_cases(component.spec, files)
        if isinstance(adapter, ChecksPlan):
            facts = (
                CaseFacts(
                    eval_id=entry.eval_id,
                    turns=entry.turns,
                    repeats=self.request.num_runs,
                    has_state=entry.has_state,
                )
                for file in files
                for entry in file.entries
            )
            try:
                for message in adapter.check_plan(facts):
                    self.problem(message)
            except AdjudgeError as error:
                self.caught(error)
        return PlannedAgent(
            component=component, target=describe(target), options=_shown_options(config), adapter=adapter
        )

    def _resolved(self, agent: object) -> tuple[Registered[AgentAdapterSpec], object]:
        adapters = self.extensions.agent_adapters
        if not isinstance(agent, str):
            return adapters.resolve("python"), agent
        scheme, colon, target = agent.partition(":")
        if colon and scheme in adapters.names():
            registered = adapters.resolve(scheme)
            accepts = registered.spec.accepts
            # "http://…" is an address, not the scheme "http" before "//…".
            return registered, agent if accepts is not None and accepts(agent) else target
        accepting = [item for item in adapters if item.spec.accepts is not None and item.spec.accepts(agent)]
        if len(accepting) == 1:
            return accepting[0], agent
        kinds = ", ".join(f"{item.spec.name}:…" for item in adapters)
        if accepting:
            raise InputError(
                Problem(what=f"agent {agent!r} could be one of several kinds", hint=f"Write one of: {kinds}")
            )
        hint = f"Write one of: {kinds}"
        if (self.folder / agent).is_dir():
            hint = f"A folder with an ADK agent cannot be run yet; serve it with `adk api_server`, or write one of: {kinds}"
        raise InputError(Problem(what=f"agent {agent!r} is of no known kind", hint=hint))

    def _check_cases(self, spec: AgentAdapterSpec, files: list[_Selected]) -> None:
        for file in files:
            for entry in file.entries:
                if entry.is_scenario:
                    self.problem(
                        "has a conversation_scenario; simulated users are not supported by this version of adjudge",
                        file=file.shown_path,
                        case=entry.eval_id,
                        hint="Select the other cases with FILE:id1,id2.",
                    )
                if entry.has_state and not spec.takes_state:
                    self.problem(
                        f"starts with a session state, which a {spec.name!r} agent cannot take",
                        file=file.shown_path,
                        case=entry.eval_id,
                    )


def applies(planned: PlannedCriterion, entry: CaseEntry) -> bool:
    """Whether a criterion can measure a case, as far as the case itself shows."""
    spec = planned.component.spec
    if entry.is_scenario and not spec.simulated_conversations:
        return False
    met = {
        Need.EXPECTED_INVOCATIONS: not entry.is_scenario,
        Need.REFERENCE_RESPONSE: entry.has_reference_response,
        Need.REFERENCE_INTERMEDIATE_RESPONSES: entry.has_reference_intermediate,
        Need.FINAL_SESSION_STATE: entry.has_final_session_state,
        Need.RUBRICS: entry.has_rubrics or bool(getattr(planned.config, "rubrics", ())),
        Need.JUDGE: True,
    }
    return all(met[need] for need in spec.needs)


def make_plan(request: RunRequest, extensions: Extensions, *, agent: object = None) -> Plan:
    """Check everything that a run needs.

    Args:
        request: What the user asks for.
        extensions: The loaded plugins.
        agent: The agent itself where ``request.agent`` is ``None``.

    Raises:
        InputError: with every problem that was found.
    """
    planner = _Planner(request, extensions)
    if request.num_runs < 1:
        planner.problem(f"the number of runs must be at least 1, found {request.num_runs}")
    if request.timeout is not None and not request.timeout > 0:
        planner.problem(f"the timeout must be more than 0 seconds, found {request.timeout}")
    selected = planner.selected()
    groups: dict[str | None, tuple[EvalConfig, list[_Selected]]] = {}
    for item in selected:
        config = planner.config_of(item)
        if config is not None:
            groups.setdefault(config.source, (config, []))[1].append(item)
    files: dict[int, PlannedFile] = {}
    for source, (config, members) in groups.items():
        criteria = planner.criteria_of(config)
        planner.check_applicable(criteria, members, source)
        for item in members:
            files[id(item)] = PlannedFile(
                eval_set=item.eval_set,
                shown_path=item.shown_path,
                entries=item.entries,
                config_source=source,
                criteria=criteria,
            )
    planned_agent = planner.agent(request.agent if request.agent is not None else agent, selected)
    if planner.problems or planned_agent is None:
        raise InputError(_unique(planner.problems))
    return Plan(
        request=request,
        agent=planned_agent,
        files=tuple(files[id(item)] for item in selected),
        warnings=tuple(dict.fromkeys(planner.warnings)),
    )


def _unique(problems: Iterable[Problem]) -> list[Problem]:
    return list(dict.fromkeys(problems))


def _shown(path: Path, folder: Path) -> Path:
    """A path as messages and results show it: relative to the working folder where it lies below it."""
    return path.relative_to(folder) if path.is_relative_to(folder) else path


def _shown_options(config: ComponentConfig) -> dict[str, Any]:
    return config.model_dump(mode="json", exclude={"target"})
