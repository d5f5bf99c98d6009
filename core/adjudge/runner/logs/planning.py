"""Planning: everything that judging logs needs is checked before the first call, all problems at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from adjudge.adk.criteria_file import FileCriterion, load_criteria, parse_criteria
from adjudge.errors import AdjudgeError
from adjudge.extension.judge_options import MOST_NUM_SAMPLES, JudgeModelOptions
from adjudge.extension.loader import Extensions
from adjudge.extension.registry import Registered
from adjudge.extension.settings import find_settings
from adjudge.extension.specs import TraceReaderSpec
from adjudge.granularity.compiling import compiled_by_author
from adjudge.granularity.viewing import LEAST_BUDGET, check_lengths
from adjudge.judge.client_judge import ClientJudge
from adjudge.judge.tokens import head_and_tail
from adjudge.kit.calibration.file import read_calibrations
from adjudge.model.calibration import Calibration
from adjudge.model.config import CriterionEntry
from adjudge.model.evaluation import WordedCriterion
from adjudge.runner.calibration_choice import NamedHash, check_given
from adjudge.runner.host import RunHost
from adjudge.runner.judges import RunJudges
from adjudge.runner.logs.finding import found_logs
from adjudge.runner.logs.measured import PlannedMeasure, plan_measured
from adjudge.runner.logs.request import AUTO, LogsRequest
from adjudge.runner.problems import Problems
from adjudge.runner.reports import check_log_outputs, check_not_read
from adjudge.runner.traces import Traces


@dataclass(frozen=True, slots=True)
class PlannedLog:
    """A file, and who reads it."""

    path: Path
    reader: Registered[TraceReaderSpec] | AdjudgeError
    """The reader; or why there is none, which is told beside the results of the other logs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogsPlan:
    """A checked plan."""

    request: LogsRequest
    logs: tuple[PlannedLog, ...]
    criteria: tuple[WordedCriterion, ...]
    measured: tuple[PlannedMeasure, ...]
    """Installed criteria, made and ready to score; none where it ends after aggregation."""
    judge: ClientJudge | None
    """``None`` where no criterion in words is to be judged, and nobody named a judge for summaries."""
    judges: RunJudges
    host: RunHost
    traces: Traces
    warnings: tuple[str, ...]
    """What is odd and not wrong."""


def make_plan(request: LogsRequest, extensions: Extensions, outputs: Sequence[Path]) -> LogsPlan:
    """Check everything that is needed.

    Raises:
        InputError: with every problem that was found.
    """
    problems = Problems()
    folder = request.working_folder
    host = RunHost(extensions, folder)
    settings = find_settings(folder).judge
    calibrations = _calibrations(request, problems)
    judges = RunJudges(request.judging, extensions, host, settings, calibrations=calibrations)
    judges.check(problems, resuming=False)
    check_log_outputs(outputs, extensions, host, problems)
    if request.token_budget < LEAST_BUDGET:
        problems.add(
            f"the token budget must be at least {LEAST_BUDGET}, found {request.token_budget}",
            hint="It is the size of one request to a judge.",
        )
    is_number_of_votes = 1 <= request.num_samples <= MOST_NUM_SAMPLES
    if not is_number_of_votes:
        problems.add(
            f"the number of samples must be from 1 to {MOST_NUM_SAMPLES}, found {request.num_samples}",
            hint="It is the most votes that a judge has on each decision.",
        )
    named = _criteria(request, problems)
    criteria = tuple(item for item in named if isinstance(item, WordedCriterion))
    entries = [item for item in named if isinstance(item, CriterionEntry)]
    _check_granularities(request, criteria, extensions, problems)
    _check_lengths(request, criteria, problems)
    traces = Traces(extensions.trace_readers, host, extensions.warn)
    logs = _logs(
        request,
        extensions,
        traces,
        _same_file(outputs, folder),
        _same_file(_own(request, outputs), folder),
        problems,
    )
    _check_outputs(request, outputs, logs, problems)
    with problems.caught():
        host.read_environment(agent_folder=None)
    judge: ClientJudge | None = None
    # Without a judge aggregation is extractive; one that is named for it writes summaries.
    in_words = bool(criteria) or not entries
    if (in_words and not request.aggregate_only) or request.judging.judges:
        with problems.caught():
            votes = request.num_samples if is_number_of_votes else 1
            judge = judges.judge(JudgeModelOptions(num_samples=votes))
    if request.correct_phases and request.aggregate_only and not request.judging.judges:
        problems.add("it is a judge who corrects phases, and none is named", hint="Add --judge MODEL.")
    measured: tuple[PlannedMeasure, ...] = ()
    if not request.aggregate_only:
        measured = plan_measured(entries, extensions, host, problems, _shown(request))
    if request.calibration is not None and request.aggregate_only:
        problems.add("a calibration is of verdicts, and there are none where it ends after aggregation")
    elif request.calibration is not None and entries and not criteria:
        problems.add("a calibration is of criteria in words, and there are none", file=_shown(request))
    elif judge is not None and not request.aggregate_only:
        with problems.caught():
            known = judges.calibrations  # read here, where what is wrong with them can still be told
            if request.calibration is not None and known:
                check_given(known, request.calibration, [_named_hash(item) for item in criteria], judge)
    problems.raise_any(extensions.warnings)
    return LogsPlan(
        request=request,
        logs=logs,
        criteria=criteria,
        measured=measured,
        judge=judge,
        judges=judges,
        host=host,
        traces=traces,
        warnings=problems.warnings,
    )


def _criteria(request: LogsRequest, problems: Problems) -> tuple[FileCriterion, ...]:
    named = request.criteria
    if named is None:
        if not request.aggregate_only:
            problems.add("there are no criteria", hint="Name a file with --criteria FILE.")
        return ()
    with problems.caught():
        if isinstance(named, str | Path):
            return load_criteria(Path(named))
        return parse_criteria([_as_written(item) for item in named])
    return ()


def _calibrations(request: LogsRequest, problems: Problems) -> tuple[Calibration, ...] | None:
    """Those of the file that the user named; ``None`` where none is named."""
    if request.calibration is None:
        return None
    with problems.caught():
        return read_calibrations(Path(request.calibration))
    return ()


def _named_hash(criterion: WordedCriterion) -> NamedHash:
    known = compiled_by_author(criterion)
    return criterion.name, None if known is None else known.sha256


def _as_written(criterion: object) -> object:
    """A criterion made in Python as a file has it, so that it is checked in the same way."""
    if isinstance(criterion, WordedCriterion):
        return criterion.model_dump(mode="json", exclude_defaults=True)
    return dict(cast("Mapping[str, object]", criterion)) if isinstance(criterion, Mapping) else criterion


def _check_granularities(
    request: LogsRequest, criteria: Sequence[WordedCriterion], extensions: Extensions, problems: Problems
) -> None:
    strategies = extensions.granularity_strategies
    if request.granularity != AUTO:
        with problems.caught():
            strategies.resolve(request.granularity)
    elif not len(strategies):
        problems.add("no granularity strategy is installed")
    for criterion in criteria:
        if criterion.granularity is not None:
            with problems.caught(file=_shown(request), path=_path(criterion)):
                strategies.resolve(criterion.granularity)


def _check_lengths(request: LogsRequest, criteria: Sequence[WordedCriterion], problems: Problems) -> None:
    for criterion in criteria:
        with problems.caught(file=_shown(request), path=_path(criterion)):
            check_lengths(criterion, max(LEAST_BUDGET, request.token_budget))


def _path(criterion: WordedCriterion) -> str:
    return f"criterion {head_and_tail(criterion.name, 80)!r}"


def _shown(request: LogsRequest) -> str | None:
    return str(request.criteria) if isinstance(request.criteria, str | Path) else None


def _logs(
    request: LogsRequest,
    extensions: Extensions,
    traces: Traces,
    is_output: Callable[[Path], bool],
    is_of_the_run: Callable[[Path], bool],
    problems: Problems,
) -> tuple[PlannedLog, ...]:
    """The logs with their readers. Where not one can be read there is nothing to judge, and that is a problem.

    A report of an earlier run that is written again is no log, although it may lie among them.
    """
    if not request.logs:
        problems.add("no log is named")
    paths = found_logs(
        request.logs, request.working_folder, extensions.trace_readers, problems, is_of_the_run
    )
    if request.reader is not None:
        try:
            extensions.trace_readers.resolve(request.reader)
        except AdjudgeError as error:
            problems.add(str(error))
            return ()
    logs: list[PlannedLog] = []
    for path in paths:
        try:
            logs.append(PlannedLog(path, traces.reader_of(path, name=request.reader)))
        except AdjudgeError as error:
            if not is_output(path):
                logs.append(PlannedLog(path, error))
    if paths and not logs:
        problems.add("there is no log but the report that is to be written", file=str(paths[0]))
    unread = [log.reader for log in logs if isinstance(log.reader, AdjudgeError)]
    if len(unread) == len(logs):
        for reason in unread:
            with problems.caught():
                raise reason
    return tuple(logs)


def _check_outputs(
    request: LogsRequest, outputs: Sequence[Path], logs: Sequence[PlannedLog], problems: Problems
) -> None:
    """That no report is written over what is read."""
    read = [log.path for log in logs] + _own(request, ())
    check_not_read(outputs, (request.working_folder / path for path in read), problems)


def _own(request: LogsRequest, outputs: Sequence[Path]) -> list[Path]:
    """The files that the request names beside the logs, and those that it writes."""
    judging = request.judging
    replayed = [name.partition(":")[2] for name in judging.judges if name.startswith("replay:")]
    named = (request.criteria, request.calibration, judging.record, *replayed)
    return [*outputs, *(Path(name) for name in named if isinstance(name, str | Path) and str(name))]


def _same_file(outputs: Sequence[Path], folder: Path) -> Callable[[Path], bool]:
    files = {(folder / output).resolve() for output in outputs}
    return lambda path: (folder / path).resolve() in files
