"""Reports: a run's journal handed to reporters, and files that are whole or not there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TypeVar

from adjudge.errors import RunError
from adjudge.extension.guard import PluginRaisedError, described, guarded, lent, make
from adjudge.extension.loader import Extensions
from adjudge.extension.protocols import Host, Reporter, RunReport
from adjudge.extension.registry import Registered, told_apart
from adjudge.extension.specs import ReporterSpec
from adjudge.journal.run_journal import Journal
from adjudge.model.result import CaseResult, RunSummary
from adjudge.runner.journal_views import case_results, record_of, reported_cases
from adjudge.runner.problems import Problems
from adjudge.runner.simulated_ends import SimulatedEnds
from adjudge.verdict.algebra import Rule
from adjudge.verdict.summary import summarise

DocumentT = TypeVar("DocumentT")


def summary_of(journal: Journal, ends: SimulatedEnds | None = None) -> RunSummary:
    """The summary, folded from the journal; what is not there counts as not measured.

    Args:
        journal: The run.
        ends: Counts what goes by.
    """
    record = record_of(journal)
    rules: dict[str | None, Sequence[Rule]] = {file.path: file.rules for file in record.files}
    if record.logs is not None:
        rules[None] = record.logs.rules
    summary = summarise(
        case_results(journal) if ends is None else _counted(case_results(journal), ends),
        rules,
        record.run.num_runs,
        incomplete=record.run.finished_at is None,
        decides=record.run.decides,
    )
    return summary.model_copy(update={"judges": record.judges}) if record.judges else summary


def _counted(results: Iterable[CaseResult], ends: SimulatedEnds) -> Iterator[CaseResult]:
    for result in results:
        ends.add(result)
        yield result


def report_of(journal: Journal, summary: RunSummary, *, detailed: bool = False) -> RunReport:
    """The run as reporters see it."""
    record = record_of(journal)
    return RunReport(
        run=record.run,
        summary=summary,
        cases=lambda: reported_cases(journal),
        warnings=record.warnings,
        detailed=detailed,
    )


def reporter_for(output: Path, extensions: Extensions) -> Registered[ReporterSpec]:
    """The reporter that a file name asks for; the longest suffix wins.

    Raises:
        RunError: no reporter writes such files, or two do and no alias decides.
    """
    reporters = extensions.reporters
    known = sorted({suffix for item in reporters for suffix in item.spec.suffixes})
    fitting = [suffix for suffix in known if output.name.lower().endswith(suffix)]
    if not fitting:
        raise RunError(f"no reporter writes {output.name!r}; known endings: {', '.join(known) or 'none'}")
    suffix = max(fitting, key=len)
    if suffix in reporters.names():
        return reporters.resolve(suffix)
    found = [item for item in reporters if suffix in item.spec.suffixes]
    if len(found) > 1:
        raise RunError(
            f"{len(found)} reporters write {suffix} files: {told_apart(found)}. "
            f'Choose one under [aliases] in adjudge.toml, for instance "{suffix}" = "{found[0].id}"'
        )
    return found[0]


def check_outputs(outputs: Iterable[Path], extensions: Extensions, problems: Problems) -> None:
    """Find what would go wrong at the end of a run, before it starts."""
    seen: set[Path] = set()
    for output in outputs:
        place = {"file": str(output)}
        with problems.caught(**place):
            reporter_for(output, extensions)
        folder = output.resolve().parent
        if output.exists() and not output.is_file() and not output.is_dir():
            target = f"leads to {output.resolve()}, which is" if output.is_symlink() else "is"
            problems.add(f"{target} no ordinary file (a device, a pipe or a socket); name a file", **place)
        elif not folder.is_dir():
            problems.add(f"the folder {folder} does not exist", hint="Create it first.", **place)
        elif not os.access(folder, os.W_OK):
            problems.add(f"the folder {folder} cannot be written", **place)
        elif output.is_dir():
            problems.add("is a folder; name a file", **place)
        if output.resolve() in seen:
            problems.add("is named twice as an output", **place)
        seen.add(output.resolve())


def check_not_read(outputs: Iterable[Path], read: Iterable[Path], problems: Problems) -> None:
    """Report every output that is a file which the run reads, also where one of them is a link."""
    inputs = list(read)
    for output in outputs:
        if any(_same_file(output, path) for path in inputs):
            problems.add(
                "it is read by this run, and a report would take its place",
                file=str(output),
                hint="Name another file.",
            )


def _same_file(one: Path, other: Path) -> bool:
    with suppress(OSError, ValueError):
        return one.resolve() == other.resolve() or one.samefile(other)
    return False


def write_outputs(
    report: RunReport, outputs: Iterable[Path], extensions: Extensions, host: Host
) -> tuple[str, ...]:
    """Write a report to every file, each whole or not at all, whatever becomes of the others.

    Returns:
        What could not be written, one message for each file; the run's journal is complete.
    """
    again = f"The run is complete; write it again with: adjudge runs show {report.run.name} --output"
    failures: list[str] = []
    for output in outputs:
        registered = reporter_for(output, extensions)
        with _told(output, registered, f"{again} {output}", failures):
            _write_whole(output, _guarded(registered, _made(registered, host).write, report))
    return tuple(failures)


def _made(registered: Registered[ReporterSpec], host: Host) -> Reporter:
    return make(registered, registered.spec.config(), host)


def _guarded(
    registered: Registered[ReporterSpec],
    write: Callable[[DocumentT, BinaryIO], None],
    document: DocumentT,
) -> Callable[[BinaryIO], None]:
    def call(stream: BinaryIO) -> None:
        try:
            with guarded(registered, "write"):
                write(lent(registered, document), stream)
        except PluginRaisedError as error:
            # Trouble of the stream or of the journal, and not of the reporter.
            if isinstance(error.raised, OSError | RunError):
                raise error.raised from None
            raise

    return call


@contextmanager
def _told(
    output: Path, registered: Registered[ReporterSpec], again: str, failures: list[str]
) -> Generator[None]:
    """Add what goes wrong inside to ``failures``, as one message that says how to get the report all the same."""
    try:
        yield
    except Exception as error:
        raised = error.raised if isinstance(error, PluginRaisedError) else error
        reason = raised.strerror if isinstance(raised, OSError) else described(raised)
        failures.append(f"{output} could not be written by {registered.provenance}: {reason}\n  {again}")


def _write_whole(output: Path, write: Callable[[BinaryIO], None]) -> None:
    output = output.resolve()  # a link stays, and what it leads to is replaced
    descriptor, name = tempfile.mkstemp(prefix=f".{output.name}.", dir=output.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            write(stream)
        # mkstemp makes files for the owner alone; a report is as readable as any other new file.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(output)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def console(extensions: Extensions) -> Registered[ReporterSpec]:
    """The reporter that writes for a person.

    Raises:
        AdjudgeError: it is disabled, missing or failed.
    """
    return extensions.reporters.said_to_be("is_default", "writes on standard output")


def show(report: RunReport, stream: BinaryIO, extensions: Extensions, host: Host) -> None:
    """Write the report for a person.

    Raises:
        RunError: the journal is damaged.
        AdjudgeError: the console reporter is not there, or raised something.
    """
    registered = console(extensions)
    _guarded(registered, _made(registered, host).write, report)(stream)
