"""Running with live progress: quiet where nobody watches, and a way back after Ctrl-C."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.exits import INTERRUPTED
from adjudge.extension.events import CaseFinished, RunStarted

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from adjudge.running.api import RunResult
    from adjudge.running.engine import Event, Watch

Start = Callable[["Watch"], "Coroutine[Any, Any, RunResult]"]


class _Progress:
    """A bar on a terminal's standard error, and what is needed to name the run when it is interrupted."""

    def __init__(self) -> None:
        self.run: str | None = None
        self.done = 0
        self.total = 0
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._counts = {"PASS": 0, "FAIL": 0, "error": 0, "UNSURE": 0}

    def __call__(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self.run, self.total = event.run, event.cases
            if sys.stderr.isatty():
                self._start()
        elif isinstance(event, CaseFinished):
            self.done += 1
            self._counts[event.result.status] = self._counts.get(event.result.status, 0) + 1
            if self._bar is not None and self._task is not None:
                self._bar.update(self._task, advance=1, description=self._described())

    def stop(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(self._described(), total=self.total)
        self._bar.start()

    def _described(self) -> str:
        shown = {"PASS": "passed", "FAIL": "failed", "error": "error", "UNSURE": "unsure"}
        counted = [f"{self._counts[key]} {word}" for key, word in shown.items() if self._counts[key]]
        return ", ".join(counted) or "running"


def run_to_end(start: Start) -> RunResult:
    """Run to the end with progress. After Ctrl-C, say how to go on and exit with 130."""
    progress = _Progress()
    try:
        return asyncio.run(start(progress))
    except KeyboardInterrupt:
        progress.stop()
        if progress.run is not None:
            click.echo(
                f"interrupted: {progress.done} of {progress.total} done. "
                f"Finish with: adjudge resume {progress.run}",
                err=True,
            )
        sys.exit(INTERRUPTED)
    finally:
        progress.stop()
