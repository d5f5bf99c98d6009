"""Plans a run over logs: finds all problems before the first call and reports them together."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from adjudge.adk.config import parse_config, read_entry
from adjudge.adk.json_input import read_json
from adjudge.adk.validation import Findings, is_object
from adjudge.errors import AdjudgeError, UnavailableError
from adjudge.extension.guard import guarded
from adjudge.extension.loader import Extensions
from adjudge.model.base import JsonObject
from adjudge.model.config import CriterionEntry
from adjudge.runner.criteria import check_for_logs, make_criterion, plan_criteria, words_component
from adjudge.runner.groundwork import Groundwork
from adjudge.runner.log_files import found_logs
from adjudge.runner.log_source import LogSource, PlannedLog
from adjudge.runner.plan import Plan, PlannedCriterion
from adjudge.runner.reports import check_not_read
from adjudge.runner.request import LogsRequest
from adjudge.runner.told_agent import ToldAgent
from adjudge.runner.traces import Traces

_AGGREGATION = "aggregation"
"""The name of what is measured where no criterion is named and nothing is decided."""


def plan_logs(request: LogsRequest, ground: Groundwork) -> Plan:
    """Check everything that is needed.

    Raises:
        InputError: with every problem that was found.
    """
    problems, folder, outputs = ground.problems, ground.folder, ground.outputs
    traces = Traces(ground.extensions, ground.host)
    beside = [Path(name) for name in _read_beside(request)]
    own = _same_file([*outputs, *beside], folder)
    logs = _logs(request, ground, traces, _same_file(outputs, folder), own)
    read = [*(log.path for log in logs), *beside]
    check_not_read(outputs, (folder / path for path in read), problems)
    ground.read_environment()
    ground.make_observers()
    criteria = criteria_of(request, ground)
    told = ToldAgent.read(request.instructions, request.tools, problems)
    problems.raise_any(ground.extensions.warnings)
    return ground.plan(LogSource(request=request, logs=logs, criteria=criteria, traces=traces, told=told))


def criteria_of(request: LogsRequest, ground: Groundwork) -> tuple[PlannedCriterion, ...]:
    """The criteria that were named, made."""
    return plan_criteria(
        _with_options(request, _entries(request, ground), ground),
        ground,
        check_for_logs,
        source=request.criteria_file,
        path="criterion {!r}",
        deciding=not request.aggregate_only,
    )


def _entries(request: LogsRequest, ground: Groundwork) -> Sequence[CriterionEntry]:
    """The criteria that were named."""
    extensions, problems = ground.extensions, ground.problems
    entries: Sequence[CriterionEntry] = ()
    with problems.caught():
        if request.criteria_file is not None:
            file = Path(request.criteria_file)
            entries = _configured(file, ground) or _read(file, extensions)
        elif request.criteria:
            entries = _read(request.criteria, extensions)
        elif request.aggregate_only:
            entries = [CriterionEntry(name=_AGGREGATION, criterion="", is_in_words=True)]
        else:
            problems.add("there are no criteria", hint="Name a file with --criteria FILE.")
    if request.aggregate_only:
        # Nothing is decided, so that there is nothing to measure either.
        entries = [entry for entry in entries if entry.is_in_words]
    return entries


def _configured(file: Path, ground: Groundwork) -> Sequence[CriterionEntry]:
    """The entries of a ``test_config.json``; none where the file is of another kind."""
    if file.suffix.lower() != ".json" or not is_object(data := read_json(file)) or "criteria" not in data:
        return ()
    config = parse_config(data, source=str(file))
    ground.problems.warn(config.warnings)
    return [
        entry.model_copy(update={"is_in_words": _judges_words(ground.extensions, entry.criterion)})
        for entry in config.criteria
    ]


def _judges_words(extensions: Extensions, name: str) -> bool:
    """Whether an installed criterion of that name judges by a criterion in words."""
    try:
        return extensions.criteria.resolve(name).spec.read_criteria is not None
    except AdjudgeError:
        return False


def _read(source: Path | Sequence[object], extensions: Extensions) -> Sequence[CriterionEntry]:
    """The entries of a criteria file, or of its content made in Python."""
    judges_words = partial(_judges_words, extensions)
    component = words_component(extensions)
    findings = Findings(str(source) if isinstance(source, Path) else None)
    entries: list[CriterionEntry] = []
    with guarded(component, "read_criteria", passing=(AdjudgeError,)):
        read = component.spec.read_criteria
        given = [] if read is None else [dict(entry) for entry in read(source, judges_words)]
        names = [str(entry.pop("name")) for entry in given]
    for at, (name, options) in enumerate(zip(names, given, strict=True)):
        named = str(options.get("criterion") or "")
        if named and not judges_words(named):
            entries.append(read_entry(name, options, f"$[{at}]", findings))
            continue
        options.pop("criterion", None)
        words = {"name": name, **options}
        entries.append(CriterionEntry(name=name, criterion=named, options=words, is_in_words=True))
    findings.raise_problems()
    return entries


def _with_options(
    request: LogsRequest, entries: Sequence[CriterionEntry], ground: Groundwork
) -> Sequence[CriterionEntry]:
    """The criteria, those in words with what the user says of all of them.

    What is wrong with that is told once, and not of each; so is a judge that is missing.
    """
    problems = ground.problems
    if entries and not any(entry.is_in_words for entry in entries):
        for name in (name for name, value in request.options.items() if value is not False):
            problems.add(
                f"{name} applies to criteria in words, and there are none",
                file=request.criteria_file,
                hint="An installed criterion has options of its own, for instance 'judge_model_options'.",
            )
        return entries
    before = len(problems)
    options: JsonObject = {}
    with problems.caught():
        spec = words_component(ground.extensions).spec
        options = spec.config.of_run(
            request.options, decides=not request.aggregate_only, has_judge=bool(request.judging.judges)
        )
        example = {**spec.example_options, **options, "calibration": None}
        entry = CriterionEntry(name=spec.name, criterion="", options=example, is_in_words=True)
        try:
            make_criterion(entry, ground, {})
        except UnavailableError:
            # Where the criteria are wrong themselves, nobody knows whether they need what is missing.
            if entries:
                entries = ()
                raise
    if len(problems) > before:
        # The entry of aggregation alone has no options of its own that could be wrong too.
        return [entry for entry in entries if entry.options]
    return [
        entry.model_copy(update={"options": {**options, **entry.options}}) if entry.is_in_words else entry
        for entry in entries
    ]


def _logs(
    request: LogsRequest,
    ground: Groundwork,
    traces: Traces,
    is_output: Callable[[Path], bool],
    is_of_the_run: Callable[[Path], bool],
) -> tuple[PlannedLog, ...]:
    """The logs with their readers. Where not one can be read there is nothing to judge, and that is a problem.

    A report of an earlier run that is written again is no log, although it may lie among them.
    """
    problems, readers = ground.problems, ground.extensions.trace_readers
    if not request.logs:
        problems.add("no log is named")
    paths = found_logs(request.logs, ground.folder, readers, problems, is_of_the_run)
    if request.reader is not None:
        try:
            readers.resolve(request.reader)
        except AdjudgeError as error:
            problems.add(str(error))
            return ()
    logs: list[PlannedLog] = []
    for path in paths:
        try:
            reader = traces.reader_of(path, name=request.reader)
            if request.roles:
                with problems.caught():
                    traces.check_roles(path, reader)
            logs.append(PlannedLog(path=path, reader=reader, sha256=_sha256(ground.folder / path)))
        except AdjudgeError as error:
            if not is_output(path):
                logs.append(PlannedLog(path=path, reader=error, sha256=None))
    if paths and not logs:
        problems.add("there is no log, only the report that is to be written", file=str(paths[0]))
    unread = [log.reader for log in logs if isinstance(log.reader, AdjudgeError)]
    if len(unread) == len(logs):
        for reason in unread:
            with problems.caught():
                raise reason
    return tuple(logs)


def _sha256(path: Path) -> str | None:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None


def _read_beside(request: LogsRequest) -> list[str]:
    """The files that the request names beside the logs, and those that it writes."""
    judging = request.judging
    replayed = [name.partition(":")[2] for name in judging.judges if name.startswith("replay:")]
    options: list[Any] = list(request.options.values())
    named = (
        request.criteria_file, request.instructions, request.tools, judging.record, *replayed, *options,
    )  # fmt: skip
    return [name for name in named if isinstance(name, str) and name]


def _same_file(outputs: Sequence[Path], folder: Path) -> Callable[[Path], bool]:
    files = {(folder / output).resolve() for output in outputs}
    return lambda path: (folder / path).resolve() in files
