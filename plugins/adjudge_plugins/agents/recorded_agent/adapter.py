"""Answers every turn with what was recorded for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from adjudge.plugin import (
    AgentError,
    AgentSession,
    CaseFacts,
    Content,
    Emit,
    Invocation,
    JsonObject,
    SessionRequest,
    Trajectory,
    did_you_mean,
)
from adjudge_plugins.agents.recorded_agent.store import Recordings

_NAMED: Final = 20
"""How many cases without a recording are named; a file for another eval set has thousands."""


class RecordedAgent:
    """Sessions that already happened. Repeat *n* of a case is its *n*-th recording."""

    def __init__(self, trajectories: Iterable[Trajectory], source: str) -> None:
        """Take over the recordings.

        Args:
            trajectories: Every one has an ``eval_id``.
            source: The file that they come from, for messages.

        Raises:
            InputError: a trajectory has no ``eval_id``, or there is none at all.
        """
        self._source = source
        self._recordings = Recordings(trajectories, source)

    def check_plan(self, cases: Iterable[CaseFacts]) -> Iterator[str]:
        """Name every case that has no recording, or fewer than it has repeats."""
        known = self._recordings.ids()
        absent: list[str] = []
        for case in cases:
            count = self._recordings.count(case.eval_id)
            if count == 0:
                absent.append(case.eval_id)
            elif count < case.repeats:
                plural = "" if count == 1 else "s"
                yield (
                    f"{self._source} has {count} recording{plural} of case {case.eval_id!r}, "
                    f"{case.repeats} repeats are asked for."
                )
        for eval_id in absent[:_NAMED]:
            yield f"{self._source} has no recording of case {eval_id!r}.{did_you_mean(eval_id, known)}"
        if len(absent) > _NAMED:
            yield f"{self._source} has no recording of {len(absent) - _NAMED} further cases."

    def fingerprint(self) -> JsonObject:
        """The content of the recordings: a file that was changed is another agent."""
        return {"sha256": self._recordings.sha256}

    async def open_session(self, request: SessionRequest, emit: Emit) -> AgentSession:
        """The recording of this repeat of the case.

        Raises:
            AgentError: there is none (``no_recording``).
        """
        if self._recordings.count(request.eval_id) < request.repeat:
            raise AgentError(
                f"{self._source} has no recording {request.repeat} of case {request.eval_id!r}",
                code="no_recording",
            )
        return _Replay(self._recordings.read(request.eval_id, request.repeat), request.turns, emit)

    async def aclose(self) -> None:
        """Remove the temporary file."""
        self._recordings.close()


class _Replay:
    def __init__(self, recording: Trajectory, turns: int | None, emit: Emit) -> None:
        self._recording = recording
        self._turns = turns
        self._emit = emit
        self._next = 0

    async def send(self, content: Content) -> Invocation:  # noqa: ARG002 - the recording decides
        recorded = self._recording.invocations
        if self._turns is not None and len(recorded) != self._turns:
            # Nothing is scored then, so everything that was recorded is kept with the error.
            for step in self._recording.steps:
                self._emit(step)
            raise _turn_count(len(recorded), f"the case has {self._turns}")
        if self._next == len(recorded):
            raise _turn_count(len(recorded), "the user went on")
        turn = recorded[self._next]
        self._next += 1
        for step in turn.steps:
            self._emit(step)
        return turn

    @property
    def state(self) -> Mapping[str, Any] | None:
        return self._recording.final_session_state

    async def aclose(self) -> None:
        """Nothing is held open."""


def _turn_count(recorded: int, wanted: str) -> AgentError:
    plural = "" if recorded == 1 else "s"
    return AgentError(f"the recording has {recorded} turn{plural}, {wanted}", code="turn_count")
