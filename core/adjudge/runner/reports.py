"""Writes the reports of a run from its journal; a file is written completely or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from adjudge.errors import AdjudgeError, RunError
from adjudge.extension.guard import PluginRaisedError, configured, described, lent, make
from adjudge.extension.loader import Extensions
from adjudge.extension.protocols import RunReport
from adjudge.extension.registry import Registered, check_modules, told_apart
from adjudge.extension.secrets import Secrets
from adjudge.extension.specs import ReporterSpec
from adjudge.extension.threads import limited
from adjudge.journal.run_journal import Journal
from adjudge.model.result import RunSummary
from adjudge.model.verdict import Status
from adjudge.runner.host import RunHost
from adjudge.runner.journal_views import KeptSummary, case_results, record_of, reported_cases
from adjudge.runner.problems import Problems
from adjudge.runner.simulated_ends import SimulatedEnds
from adjudge.verdict.algebra import Rule
from adjudge.verdict.summary import summarise


def summary_of(journal: Journal, ends: SimulatedEnds | None = None) -> RunSummary:
    """The summary, computed from the journal; missing results count as not measured.

    Args:
        journal: The run.
        ends: Counts the ends of simulated conversations.
    """
    record = record_of(journal)
    rules: dict[str | None, Sequence[Rule]] = {file.path: file.rules for file in record.files}
    if record.logs is not None:
        rules[None] = record.logs.rules
    summary = summarise(
        case_results(journal) if ends is None else ends.counted(case_results(journal)),
        rules,
        record.run.num_runs,
        incomplete=record.run.finished_at is None,
        decides=record.run.decides,
    )
    return summary.model_copy(update={"judges": record.judges}) if record.judges else summary


def keep_summary(journal: Journal, summary: RunSummary) -> None:
    """Store the summary of a finished run, so that later readers need not read all results.

    For a run with repeats only the status is stored: the summary would contain every case.
    """
    finished_at = record_of(journal).run.finished_at
    if finished_at is not None:
        kept = KeptSummary(
            finished_at=finished_at,
            results=journal.count(),
            status=summary.status,
            summary=None if summary.repeated else summary,
        )
        journal.set_meta({"summary": kept.model_dump(mode="json")})


def known_summary_of(journal: Journal) -> RunSummary:
    """The stored summary if it is still current; otherwise it is computed from the journal."""
    kept = _kept(journal)
    return summary_of(journal) if kept is None or kept.summary is None else kept.summary


def known_status_of(journal: Journal) -> Status | None:
    """The status of a finished run; ``None`` if it is not finished, or its results changed since."""
    kept = _kept(journal)
    return None if kept is None else kept.status


def _kept(journal: Journal) -> KeptSummary | None:
    record = record_of(journal)
    kept = record.summary
    if kept is None or (kept.finished_at, kept.results) != (record.run.finished_at, journal.count()):
        return None
    return kept


def report_of(journal: Journal, summary: RunSummary, *, detailed: bool = False) -> RunReport:
    """Create the report that is passed to reporters."""
    record = record_of(journal)
    return RunReport(
        run=record.run,
        summary=summary,
        cases=lambda: reported_cases(journal),
        warnings=record.warnings,
        detailed=detailed,
    )


def reporter_for(output: Path, extensions: Extensions) -> Registered[ReporterSpec]:
    """The reporter for a file name; the longest suffix wins.

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


def output_paths(outputs: str | Path | Iterable[str | Path]) -> list[Path]:
    """One output or several as absolute paths, before an agent can change the working folder."""
    named = (outputs,) if isinstance(outputs, str | Path) else outputs
    return [Path(output).absolute() for output in named]


def check_outputs(outputs: Iterable[Path], extensions: Extensions, problems: Problems) -> None:
    """Find problems with reports before a run starts."""
    seen: set[Path] = set()
    for output in outputs:
        place = {"file": str(output)}
        with problems.caught(**place):
            reporter = reporter_for(output, extensions)
            check_modules(reporter)
            configured(reporter, {})
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
    """Report every output that is also an input of the run, even through a link."""
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


def write_outputs(report: RunReport, outputs: Iterable[Path], host: RunHost) -> dict[Path, str]:
    """Write a report to every file, each completely or not at all, independently of the others.

    Returns:
        The files that could not be written, each with a message; the run's journal is complete.
    """
    again = f"The run is complete; write it again with: adjudge runs show {report.run.name} --output"
    failures: dict[Path, str] = {}
    for output in outputs:
        registered = reporter_for(output, host.extensions)
        try:
            _write_whole(output, _writer(registered, report, host))
        except Exception as error:
            raised = error.raised if isinstance(error, PluginRaisedError) else error
            reason = raised.strerror if isinstance(raised, OSError) else described(raised)
            if isinstance(raised, AdjudgeError):
                reason = str(raised)
            failed = f"{output} could not be written by {registered.provenance}: {reason}"
            failures[output] = Secrets().masked(f"{failed}\n  {again} {output}")
    return failures


def _writer(
    registered: Registered[ReporterSpec], report: RunReport, host: RunHost
) -> Callable[[BinaryIO], None]:
    reporter = make(registered, configured(registered, {}), host)

    def write(stream: BinaryIO) -> None:
        try:
            limited(registered, "write", lambda: reporter.write(lent(registered, report), stream))
        except PluginRaisedError as error:
            # These errors are of the stream or of the journal, not of the reporter.
            if isinstance(error.raised, OSError | RunError):
                raise error.raised from None
            raise

    return write


def _write_whole(output: Path, write: Callable[[BinaryIO], None]) -> None:
    output = output.resolve()  # keep a link, and replace its target
    descriptor, name = tempfile.mkstemp(prefix=f".{output.name}.", dir=output.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            write(stream)
        # mkstemp creates files that only their owner can read; give the report the permissions of a normal new file.
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


def show(report: RunReport, stream: BinaryIO, host: RunHost) -> None:
    """Write the report for a person.

    Raises:
        RunError: the journal is damaged.
        AdjudgeError: the console reporter is not available, or raised an exception.
    """
    _writer(console(host.extensions), report, host)(stream)
