"""Running with live progress: quiet where nobody watches, and a way back after Ctrl-C."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from adjudge.cli.exits import INTERRUPTED
from adjudge.cli.signals import noticing_signals
from adjudge.extension.hooks import CaseFinished, RunStarted
from adjudge.extension.terminal import say

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from adjudge.runner.engine import Event, Watch
    from adjudge.runner.execution import RunResult

_SHOWN: Final = {"PASS": "passed", "FAIL": "failed", "error": "error", "UNSURE": "unsure"}


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


class _Progress:
    """What is needed to name a run when it is interrupted, and the cases that are done."""

    def __init__(self) -> None:
        self.line = _Line()
        self._run: str | None = None
        self._done = 0
        self._total: int | None = 0
        self._counts: dict[str, int] = {}

    def __call__(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self._run, self._total = event.run, event.cases
        elif isinstance(event, CaseFinished):
            self._done += 1
            self._counts[event.result.status] = self._counts.get(event.result.status, 0) + 1
        else:
            return
        said = list(_counted(self._counts))
        if self._total is None:
            said.insert(0, f"{self._done} run{'' if self._done == 1 else 's'}")
        self.line.show(", ".join(said) or "running", self._done, self._total)

    def interrupted(self) -> str | None:
        if self._run is None:
            return None
        done = f"{self._done} done" if self._total is None else f"{self._done} of {self._total} done"
        return f"interrupted: {done}. Finish with: adjudge resume {self._run}"


def run_to_end(start: Callable[[Watch], Coroutine[Any, Any, RunResult]]) -> RunResult:
    """Run to the end with progress. After Ctrl-C, say how to go on and exit with 130."""
    watcher = _Progress()
    try:
        return asyncio.run(noticing_signals(start(watcher)))
    except KeyboardInterrupt:
        watcher.line.stop()
        if (said := watcher.interrupted()) is not None:
            say(said, err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    finally:
        watcher.line.stop()


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
