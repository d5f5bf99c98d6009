"""Answers every turn with what was recorded for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from adjudge.model import Content, Invocation, JsonObject
from adjudge.plugin import (
    AgentError,
    AgentSession,
    CaseFacts,
    Emit,
    SessionRequest,
    Trajectory,
)
from adjudge_plugins.agents.recorded_agent.pairing import Pairing
from adjudge_plugins.agents.recorded_agent.store import Recordings

_SHOWN: Final = 80
"""Characters of what a user said, or of what was not read, that a message shows."""
_LOST: Final = 3
"""Kinds of what was not read that a message names."""


class RecordedAgent:
    """Sessions that already happened. Repeat *n* of a case is its *n*-th recording."""

    def __init__(
        self, trajectories: Iterable[Trajectory], source: str, *, any_conversation: bool = False
    ) -> None:
        """Take over the recordings.

        Args:
            trajectories: Every one has an ``eval_id``.
            source: The file that they come from, for messages.
            any_conversation: Whether a recording may belong to another eval set, and its user may say
                something else than the case.

        Raises:
            InputError: a trajectory has no ``eval_id``, or there is none at all.
        """
        self._source = source
        self._any_conversation = any_conversation
        self._recordings = Recordings(trajectories, source)
        self._pairing = Pairing(self._recordings, source)

    def check_plan(self, cases: Iterable[CaseFacts]) -> Iterator[str]:
        """Name every case that has no recording, or fewer than it has repeats."""
        return self._pairing.problems(cases)

    def plan_notes(self) -> Iterable[str]:
        """Name the recordings that have another ``eval_id`` than their case, and what was not read of them."""
        return [*self._pairing.notes, *self._lost()]

    def _lost(self) -> Iterator[str]:
        lost = self._recordings.lost()
        if lost:
            told = [f"{_cut(what)} ({count} of the recordings)" for what, count in lost[:_LOST]]
            more = f"; and {len(lost) - _LOST} more" if len(lost) > _LOST else ""
            yield f"{self._source}: not read: {'; '.join(told)}{more}"

    def fingerprint(self) -> JsonObject:
        """The content of the recordings: a file that was changed is another agent."""
        return {"sha256": self._recordings.sha256}

    async def open_session(self, request: SessionRequest, emit: Emit) -> AgentSession:
        """The recording of this repeat of the case.

        Raises:
            AgentError: there is none (``no_recording``), nothing of the agent was read of it (``no_steps``), or
                it belongs to another eval set (``not_the_same_conversation``).
        """
        recording = self._recording(request)
        return _Replay(recording, request.turns, emit, compares_users=not self._any_conversation)

    def user_words(self, request: SessionRequest) -> Sequence[Content]:
        """What the user said in the recording: of a scenario, nobody can say it again.

        Raises:
            AgentError: see ``open_session``.
        """
        return [turn.user_content for turn in self._recording(request).invocations]

    def _recording(self, request: SessionRequest) -> Trajectory:
        recorded = self._pairing.recording_of(request.eval_id)
        if recorded is None or self._recordings.count(recorded) < request.repeat:
            raise AgentError(
                f"{self._source} has no recording {request.repeat} of case {request.eval_id!r}",
                code="no_recording",
            )
        recording = self._recordings.read(recorded, request.repeat)
        if (nothing := recording.nothing_of_the_agent) is not None:
            raise AgentError(nothing, code="no_steps")
        theirs, ours = recording.eval_set_id, request.eval_set_id
        if not self._any_conversation and theirs is not None and ours is not None and theirs != ours:
            raise _another(f"the recording belongs to the eval set {theirs!r}, the case to {ours!r}")
        return recording

    async def aclose(self) -> None:
        """Remove the temporary file."""
        self._recordings.close()


class _Replay:
    def __init__(self, recording: Trajectory, turns: int | None, emit: Emit, *, compares_users: bool) -> None:
        self._recording = recording
        self._turns = turns
        self._emit = emit
        self._compares_users = compares_users
        self._next = 0

    async def send(self, content: Content) -> Invocation:
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
        if self._compares_users and not _same_words(turn.user_content, content):
            raise _another(
                f"in turn {self._next} of the recording the user says {_shown(turn.user_content)}, "
                f"in the case {_shown(content)}"
            )
        return turn

    @property
    def state(self) -> Mapping[str, Any] | None:
        return self._recording.final_session_state

    async def aclose(self) -> None:
        """Nothing is held open."""


def _same_words(recorded: Content, expected: Content) -> bool:
    """Whether both say the same, white space aside; a log that kept nothing of the user contradicts nothing."""
    return not recorded.items or recorded.text.split() == expected.text.split()


def _shown(content: Content) -> str:
    return repr(_cut(" ".join(content.text.split())))


def _cut(words: str) -> str:
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN]}…"


def _another(what: str) -> AgentError:
    return AgentError(
        f"{what}; --agent-option any_conversation=true scores it all the same",
        code="not_the_same_conversation",
    )


def _turn_count(recorded: int, wanted: str) -> AgentError:
    plural = "" if recorded == 1 else "s"
    return AgentError(f"the recording has {recorded} turn{plural}, {wanted}", code="turn_count")
