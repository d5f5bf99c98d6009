"""Answers every turn with the recorded turn."""

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
"""The length limit, in characters, of a user's words or of a loss that a message shows."""
_LOST: Final = 3
"""The number of kinds of losses that a message names."""


class RecordedAgent:
    """Creates sessions that replay recordings. Repeat *n* of a case replays its *n*-th recording."""

    def __init__(
        self, trajectories: Iterable[Trajectory], source: str, *, any_conversation: bool = False
    ) -> None:
        """Store the recordings.

        Args:
            trajectories: The recordings; each must have an ``eval_id``.
            source: The file of the recordings, for messages.
            any_conversation: Whether a recording may belong to another eval set, and its user's words may
            differ from
                those of the case.

        Raises:
            InputError: a trajectory has no ``eval_id``, or there are no trajectories.
        """
        self._source = source
        self._any_conversation = any_conversation
        self._recordings = Recordings(trajectories, source)
        self._pairing = Pairing(self._recordings, source)

    def check_plan(self, cases: Iterable[CaseFacts]) -> Iterator[str]:
        """Report every case that has no recording, or fewer recordings than repeats."""
        return self._pairing.problems(cases)

    def plan_notes(self) -> Iterable[str]:
        """Report recordings whose ``eval_id`` differs from that of their case, and what the reader could not read."""
        return [*self._pairing.notes, *self._lost()]

    def _lost(self) -> Iterator[str]:
        lost = self._recordings.lost()
        if lost:
            told = [f"{_cut(what)} ({count} of the recordings)" for what, count in lost[:_LOST]]
            more = f"; and {len(lost) - _LOST} more" if len(lost) > _LOST else ""
            yield f"{self._source}: not read: {'; '.join(told)}{more}"

    def fingerprint(self) -> JsonObject:
        """A hash of the recordings, so that a changed file counts as another agent."""
        return {"sha256": self._recordings.sha256}

    async def open_session(self, request: SessionRequest, emit: Emit) -> AgentSession:
        """Open the recording of this repeat of the case.

        Raises:
            AgentError: there is none (``no_recording``), it contains no step of the agent (``no_steps``), or
            it
                belongs to another eval set (``not_the_same_conversation``).
        """
        recording = self._recording(request)
        return _Replay(recording, request.turns, emit, compares_users=not self._any_conversation)

    def user_words(self, request: SessionRequest) -> Sequence[Content]:
        """The user's messages in the recording, which replace the user simulator for a scenario.

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
            # The case becomes an error and is not scored, so all recorded steps are emitted to be kept with
            # it.
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
        """Does nothing: the session holds no resources."""


def _same_words(recorded: Content, expected: Content) -> bool:
    """Whether both texts are equal except for white space. An empty recorded text is equal to any text."""
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
