"""Runs with live progress on a terminal, without it elsewhere, and handles Ctrl-C."""

from __future__ import annotations

import asyncio
import math
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import click

from adjudge.cli.exits import INTERRUPTED
from adjudge.cli.signals import noticing_signals
from adjudge.errors import InputError, Problem
from adjudge.extension.hooks import CaseFinished, CaseStarted, CriterionScored, RunStarted
from adjudge.extension.terminal import say

if TYPE_CHECKING:
    from rich.progress import Progress

    from adjudge.model.result import JudgeCalls
    from adjudge.runner.engine import Event, Watch
    from adjudge.runner.execution import RunResult

_INTERVAL: Final = "ADJUDGE_PROGRESS"
"""The environment variable with the interval in seconds between lines about the progress, without a terminal."""

_SHOWN: Final = {"PASS": "passed", "FAIL": "failed", "error": "error", "UNSURE": "unsure"}


class _Progress:
    """Shows the progress on standard error: a bar on a terminal, elsewhere a line at intervals."""

    def __init__(self) -> None:
        self._is_watched = sys.stderr.isatty()
        self._between = _interval()
        self._said_at = time.monotonic()
        self._bar: Progress | None = None
        self._run: str | None = None
        self._done = 0
        self._total: int | None = 0
        self._counts: Counter[str] = Counter()
        self._asked: list[str] = []

    def __call__(self, event: Event) -> None:
        """Update the progress with an event."""
        if isinstance(event, RunStarted):
            self._run, self._total = event.run, event.cases
        elif isinstance(event, CaseFinished):
            self._done += 1
            self._counts[event.result.status] += 1
        elif isinstance(event, CaseStarted | CriterionScored):
            return
        else:
            self._asked = list(_in_words(event.judges.values(), event.left))
        said = [f"{self._counts[status]} {word}" for status, word in _SHOWN.items() if self._counts[status]]
        if self._total is None:
            said.insert(0, f"{self._done} run{'' if self._done == 1 else 's'}")
        text = ", ".join([*said, *self._asked]) or "running"
        if not self._is_watched:
            if isinstance(event, CaseFinished):
                self._say(text)
            return
        if self._bar is None:
            self._bar = _bar()
            self._bar.add_task("", total=None)
        [task] = self._bar.task_ids
        self._bar.update(task, description=text, total=self._total, completed=self._done)
        self._bar.start()  # only now, when there is something to show

    def _say(self, text: str) -> None:
        """Print a line about the progress, unless the interval since the last one is too short."""
        now = time.monotonic()
        if self._done and now - self._said_at >= self._between:
            self._said_at = now
            say(f"{self._done}{self._of()} done: {text}", err=True)

    def _of(self) -> str:
        return "" if self._total is None else f" of {self._total}"

    @contextmanager
    def preparing(self) -> Generator[None]:
        """A context for preparations; if they take long, a message says so: an import of a module may never end."""
        if not math.isfinite(self._between):
            yield
            return

        def told() -> None:
            if self._run is None:
                say("still preparing: loading the agent, the criteria and the judges", err=True)

        timer = threading.Timer(self._between, told)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def stop(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def how_to_go_on(self) -> str | None:
        """The message after Ctrl-C; ``None`` if no run has begun."""
        if self._run is None:
            return None
        return f"interrupted: {self._done}{self._of()} done. Finish with: adjudge resume {self._run}"


def _interval() -> float:
    """Seconds between two lines about the progress: from the environment variable, or 10."""
    said = os.environ.get(_INTERVAL) or "10"
    try:
        seconds = float(said)
    except ValueError:
        seconds = math.nan
    if not seconds >= 0:
        hint = f"For instance {_INTERVAL}=60, or {_INTERVAL}=inf for no lines."
        raise InputError(Problem(what=f"{_INTERVAL} must be a number of seconds, found {said!r}", hint=hint))
    return seconds


def _in_words(judges: Iterable[JudgeCalls], left: tuple[int | None, float | None]) -> Iterator[str]:
    """Texts about the judges' calls so far, their cost if it is known, and the remaining budget."""
    asked = [calls for calls in judges if calls.calls]
    calls_left, cost_left = left
    if asked:
        count = sum(calls.calls for calls in asked)
        more = "" if calls_left is None else f" ({calls_left} left)"
        yield f"{count} call{'' if count == 1 else 's'}{more}"
    if (cost := sum(calls.cost or 0 for calls in asked)) or cost_left is not None:
        yield _usd(cost) + ("" if cost_left is None else f" ({_usd(cost_left)} left)")


def _usd(cost: float) -> str:
    return f"${cost:.2f}" if cost >= 0.01 or not cost else f"${cost:.6f}"


def run_to_end(start: Callable[[Watch], Coroutine[Any, Any, RunResult]]) -> RunResult:
    """Run to the end with progress. After Ctrl-C, print how to resume, and exit with 130."""
    progress = _Progress()
    try:
        with progress.preparing():
            return asyncio.run(noticing_signals(start(progress)))
    except KeyboardInterrupt:
        progress.stop()
        if (said := progress.how_to_go_on()) is not None:
            say(said, err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    finally:
        progress.stop()


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
