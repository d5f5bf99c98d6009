"""Running with live progress: quiet where nobody watches, and a way back after Ctrl-C."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import click

from adjudge.cli.exits import INTERRUPTED
from adjudge.cli.signals import noticing_signals
from adjudge.extension.events import CaseFinished, RunStarted
from adjudge.extension.terminal import say

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from adjudge.model.judged_logs import JudgedLogs
    from adjudge.runner.api import RunResult
    from adjudge.runner.engine import Event, Watch
    from adjudge.runner.logs.progress import LogsProgress, LogsWatch

_ResultT = TypeVar("_ResultT")

_SHOWN: Final = {"PASS": "passed", "FAIL": "failed", "error": "error", "UNSURE": "unsure"}


class _Watcher(Protocol):
    """Shows how something goes, and knows what is said when it is interrupted."""

    line: _Line

    def interrupted(self) -> str | None:
        """What was done, and how to go on; ``None`` where nothing had begun."""
        ...


class _Line:
    """A bar with a text on a terminal's standard error; nothing where there is no terminal."""

    def __init__(self) -> None:
        self.watched = sys.stderr.isatty()
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def show(self, text: str, done: int, total: int | None) -> None:
        """Show ``done`` of ``total``; of an unknown total where it is ``None``."""
        if not self.watched:
            return
        if self._bar is None or self._task is None:
            self._bar = _bar()
            self._task = self._bar.add_task(text, total=total, completed=done)
            self._bar.start()
        else:
            self._bar.update(self._task, description=text, total=total, completed=done)

    def stop(self) -> None:
        """Take it away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = self._task = None


class _EvalProgress:
    """What is needed to name a run when it is interrupted, and the cases that are done."""

    def __init__(self) -> None:
        self.line = _Line()
        self._run: str | None = None
        self._done = 0
        self._total = 0
        self._counts: dict[str, int] = {}

    def __call__(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self._run, self._total = event.run, event.cases
        elif isinstance(event, CaseFinished):
            self._done += 1
            self._counts[event.result.status] = self._counts.get(event.result.status, 0) + 1
        else:
            return
        self.line.show(", ".join(_counted(self._counts)) or "running", self._done, self._total)

    def interrupted(self) -> str | None:
        if self._run is None:
            return None
        return f"interrupted: {self._done} of {self._total} done. Finish with: adjudge resume {self._run}"


class _LogsProgress:
    """The verdicts that are known. Their total is known when every log is read to its end."""

    def __init__(self, interrupted: str) -> None:
        self.line = _Line()
        self._interrupted = interrupted

    def __call__(self, now: LogsProgress) -> None:
        if not self.line.watched:
            return
        whole = now.logs_read == now.logs
        if now.criteria:
            verdicts, total = sum(now.verdicts.values()), now.runs * now.criteria
        else:
            verdicts, total = now.runs_done, now.runs
        self.line.show(", ".join(_told(now)), verdicts, max(total, verdicts) if whole else None)

    def interrupted(self) -> str | None:
        return self._interrupted


def run_to_end(start: Callable[[Watch], Coroutine[Any, Any, RunResult]]) -> RunResult:
    """Evaluate to the end with progress. After Ctrl-C, say how to go on and exit with 130."""
    progress = _EvalProgress()
    return _to_end(start(progress), progress)


def judge_to_end(
    start: Callable[[LogsWatch], Coroutine[Any, Any, JudgedLogs]], *, interrupted: str
) -> JudgedLogs:
    """Judge logs to the end with progress. After Ctrl-C, say ``interrupted`` and exit with 130."""
    progress = _LogsProgress(interrupted)
    return _to_end(start(progress), progress)


def _to_end(running: Coroutine[Any, Any, _ResultT], watcher: _Watcher) -> _ResultT:
    try:
        return asyncio.run(noticing_signals(running))
    except KeyboardInterrupt:
        watcher.line.stop()
        if (said := watcher.interrupted()) is not None:
            say(said, err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    finally:
        watcher.line.stop()


def _told(now: LogsProgress) -> Iterator[str]:
    from adjudge.kit.render.judges import cost_text, counted

    yield f"{now.logs_read}/{now.logs} logs read" if now.logs_read < now.logs else counted(now.logs, "log")
    yield f"{now.runs_done}/{now.runs} runs"
    yield from _counted(now.verdicts)
    if now.calls:
        yield counted(now.calls, "call")
    if now.cost:
        yield cost_text(now.cost)


def _counted(counts: Mapping[str, int]) -> Iterator[str]:
    for status, word in _SHOWN.items():
        if counts.get(status):
            yield f"{counts[status]} {word}"


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
