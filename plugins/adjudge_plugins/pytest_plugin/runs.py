"""The runs of a pytest session: one for each agent with its eval sets, in a thread with its own event loop.

Tests are synchronous, and may themselves run inside an event loop: neither has to care.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Mapping
from concurrent.futures import Future
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from adjudge import EvaluatedCase, OpenRun, open_run
from adjudge.model import RunSummary
from adjudge.plugin import AdjudgeError, InputError

_CLOSING: Final = 30.0
"""Seconds that sessions with an agent have to end when pytest does."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a run is opened with. Two that are equal share one run."""

    agent: object
    files: tuple[str, ...]
    """Eval sets: files, folders, or ``FILE:id1,id2``."""
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Of ``adjudge.open_run``."""

    @property
    def key(self) -> tuple[object, ...]:
        """What makes it equal to another."""
        options = json.dumps(dict(self.options), sort_keys=True, default=repr)
        return (self.agent if isinstance(self.agent, str) else id(self.agent), self.files, options)


@dataclass(frozen=True, slots=True)
class WantedCase:
    """A case of a run."""

    run: Wanted
    file: Path
    eval_id: str
    of: int
    """How many cases of its file the run has."""


class Runs:
    """Opens runs when their first case is wanted, and closes them together."""

    def __init__(self, folder: Path | None, name: Callable[[], str]) -> None:
        """Open runs later.

        Args:
            folder: Where journals are kept; ``None``: among the runs of adjudge.
            name: Gives the next run its name.
        """
        self._folder = folder
        self._name = name
        self._loop: _LoopThread | None = None
        self._stack = AsyncExitStack()
        self._opening: dict[tuple[object, ...], asyncio.Task[dict[str, OpenRun | AdjudgeError]]] = {}
        self._given: Counter[tuple[object, ...]] = Counter()
        self.opened: list[OpenRun] = []

    def case(self, wanted: WantedCase) -> EvaluatedCase:
        """The result of a case; run anew where it was given before: a test that is run again measures again.

        Raises:
            AdjudgeError: the run cannot be made, or cannot go on.
        """
        key = (wanted.run.key, wanted.file, wanted.eval_id)
        found = self._running.start(self._case(wanted, again=self._given[key])).result()
        self._given[key] += 1
        return found

    def begin(self, wanted: WantedCase) -> None:
        """Begin a case whose result will be wanted soon."""
        if not self._given[wanted.run.key, wanted.file, wanted.eval_id]:
            self._running.start(self._case(wanted, again=0))

    def whole(self, wanted: Wanted) -> tuple[list[EvaluatedCase], RunSummary]:
        """The results of all cases of a run of their own, side by side, and what they come to together.

        Raises:
            AdjudgeError: the run cannot be made, or cannot go on.
        """
        return self._running.start(self._whole(wanted)).result()

    def close(self) -> None:
        """End all runs. One whose cases were not all wanted stays unfinished."""
        if self._loop is not None:
            with suppress(Exception):  # whoever waited for a case was told
                self._loop.start(self._close()).result(timeout=_CLOSING)
            self._loop.end()
            self._loop = None

    async def _close(self) -> None:
        await self._stack.aclose()
        waiting = asyncio.all_tasks() - {asyncio.current_task()}
        for task in waiting:
            task.cancel()
        if waiting:
            await asyncio.wait(waiting)

    @property
    def _running(self) -> _LoopThread:
        if self._loop is None:
            self._loop = _LoopThread()
        return self._loop

    async def _case(self, wanted: WantedCase, *, again: int) -> EvaluatedCase:
        key = (wanted.run.key, again)
        if key not in self._opening:
            self._opening[key] = asyncio.create_task(self._open(wanted.run))
        by_file = await asyncio.shield(self._opening[key])
        found = by_file.get(str(wanted.file)) or _having(by_file.values(), wanted)
        if isinstance(found, AdjudgeError):
            raise found
        return await found.case(wanted.file, wanted.eval_id)

    async def _whole(self, wanted: Wanted) -> tuple[list[EvaluatedCase], RunSummary]:
        async with open_run(
            wanted.agent, wanted.files, run=self._name(), folder=self._folder, **wanted.options
        ) as run:
            self.opened.append(run)
            cases = await asyncio.gather(*(run.case(*case) for case in run.cases))
        if run.result is None:
            raise AdjudgeError(f"the run {run.name!r} could not be ended, and has no verdict")
        return cases, run.result.summary

    async def _open(self, wanted: Wanted) -> dict[str, OpenRun | AdjudgeError]:
        """One run over all files; where a file cannot be evaluated, one for each, so that the others can."""
        try:
            run = await self._entered(wanted, wanted.files)
        except InputError as error:
            if len(wanted.files) == 1:
                return {wanted.files[0]: error}
        except AdjudgeError as error:
            return dict.fromkeys(wanted.files, error)
        else:
            return dict.fromkeys(wanted.files, run)
        alone: dict[str, OpenRun | AdjudgeError] = {}
        for file in wanted.files:
            try:
                alone[file] = await self._entered(wanted, (file,))
            except AdjudgeError as error:
                alone[file] = error
        return alone

    async def _entered(self, wanted: Wanted, files: tuple[str, ...]) -> OpenRun:
        run = await self._stack.enter_async_context(
            open_run(wanted.agent, files, run=self._name(), folder=self._folder, **wanted.options)
        )
        self.opened.append(run)
        return run


def _having(opened: Iterable[OpenRun | AdjudgeError], wanted: WantedCase) -> OpenRun | AdjudgeError:
    """The run that has a case, where its file was named otherwise; else why there is none."""
    found = list(opened)
    errors = (item for item in found if isinstance(item, AdjudgeError))
    runs = (item for item in found if isinstance(item, OpenRun))
    return next((run for run in runs if (wanted.file, wanted.eval_id) in run.cases), None) or next(errors)


class _LoopThread:
    """An event loop in a daemon thread: an agent that cannot be stopped does not keep pytest from ending."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._is_ending = False
        self._thread = threading.Thread(target=self._serve, name="adjudge pytest", daemon=True)
        self._thread.start()

    def start(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def end(self) -> None:
        self._is_ending = True
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=_CLOSING)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        while not self._is_ending:
            with suppress(BaseException):  # a task of an agent may raise SystemExit
                self._loop.run_forever()
        self._loop.close()
