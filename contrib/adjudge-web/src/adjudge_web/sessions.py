"""Sessions with agents: one process each, what was said so far, and the file that keeps it."""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from adjudge.model import Content, ErrorItem, Failure, Invocation, Step, Trajectory, numbered
from adjudge.plugin import InputError, Problem, home, make_folder
from adjudge_web.eval_set_folder import Kept
from adjudge_web.workers import Work, Workers

_SUFFIX: Final = ".json"


class Session:
    """A conversation with an agent, now or earlier."""

    def __init__(self, name: str, agent: str) -> None:
        """Begin with nothing said."""
        self.name = name
        self.agent = agent
        self.turns: list[Invocation] = []
        self.asked: str | None = None
        """What the user said last, while the agent has not answered."""
        self.steps: list[Step] = []
        """What the agent has done since then."""
        self.state: dict[str, Any] | None = None
        self.problems: list[str] = []
        self.version = 0
        """Raised by everything that happens."""
        self.is_open = False
        self._work: Work | None = None

    def begin(self, workers: Workers) -> None:
        """Open the session in a process of its own."""
        self._work = workers.begin(self._hear, self._end, do="session", agent=self.agent, session=self.name)

    @property
    def can_hear(self) -> bool:
        """Whether the agent waits for something to be said."""
        return self.is_open and self.asked is None and not self.is_over

    def send(self, text: str) -> None:
        """Say something to the agent, which must be waiting."""
        if self._work is not None and self.can_hear:
            self.asked = text
            self.version += 1
            self._work.tell(send=text)

    async def stop(self) -> None:
        """End the session, also in the middle of an answer; what was said is kept."""
        if self._work is not None:
            await self._work.stop()

    @property
    def is_over(self) -> bool:
        """Whether nothing can be said any more."""
        return self._work is None

    @property
    def trajectory(self) -> Trajectory:
        """What happened, as a run has it."""
        turns = list(self.turns)
        if self.asked is not None:
            turns.append(
                Invocation(user_content=Content.of_text(self.asked, "user"), steps=tuple(self.steps))
            )
        return Trajectory(
            invocations=numbered(turns),
            eval_id=self.name,
            agent=self.agent,
            session_id=self.name,
            final_session_state=self.state,
            source=f"session {self.name}",
        )

    def _hear(self, said: dict[str, Any]) -> None:
        self._take(said)
        self.version += 1

    def _end(self, work: Work) -> None:
        self._work = None
        self._break_off()
        if not self.is_open and not self.problems:
            self.problems.append(f"the agent could not be started.\n{work.trouble}")
        self.version += 1

    def _break_off(self, *failed: ErrorItem) -> None:
        """Keep what was asked and done although no answer will come, and why not."""
        if self.asked is None:
            return
        if failed:
            number = 1 + max((step.number for step in self.trajectory.steps), default=0)
            self.steps.append(Step(number=number, items=failed))
        self.turns = list(self.trajectory.invocations)
        self.asked, self.steps = None, []
        keep(self)

    def _take(self, said: dict[str, Any]) -> None:
        match said:
            case {"open": _, "state": state}:
                self.is_open, self.state = True, state
            case {"step": step}:
                self.steps.append(Step.model_validate(step))
            case {"answer": answer, "state": state}:
                self.turns.append(Invocation.model_validate(answer))
                self.asked, self.steps, self.state = None, [], state
                keep(self)
            case {"failure": failure}:
                found = Failure.model_validate(failure)
                if self.asked is None:
                    self.problems.append(f"{found.code}: {found.message}")
                self._break_off(ErrorItem(message=f"{found.code}: {found.message}", code=found.code))
            case {"problems": problems}:
                self.problems += problems
            case _:
                pass


@dataclass(frozen=True, slots=True)
class Listed:
    """A session as the list shows it."""

    name: str
    agent: str
    first: str
    """What the user said first; empty where nothing was said yet."""
    turns: int
    is_open: bool


class Sessions:
    """The sessions that are open, and those that were kept."""

    def __init__(self, workers: Workers) -> None:
        """Begin with those that were kept; each that is opened will be a process of ``workers``."""
        self._workers = workers
        self._open: dict[str, Session] = {}
        self._listed = Kept(_listed, 2_000)

    def begin(self, agent: str) -> Session:
        """Open a session with an agent."""
        name = f"session-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
        session = Session(name, agent)
        session.begin(self._workers)
        self._open[name] = session
        return session

    def get(self, name: str) -> Session:
        """A session that is open, or was kept.

        Raises:
            InputError: there is none of that name.
        """
        if name in self._open:
            return self._open[name]
        if name not in kept():
            raise InputError(Problem(what=f"there is no session {name!r}."))
        try:
            found = Trajectory.model_validate_json((_folder() / f"{name}{_SUFFIX}").read_bytes())
        except (OSError, ValueError) as error:
            raise InputError(Problem(what=f"the session {name!r} cannot be read: {error}")) from None
        session = Session(name, found.agent or "")
        session.turns = list(found.invocations)
        session.state = found.final_session_state
        return session

    def listed(self) -> list[Listed]:
        """Every session, the latest first."""
        found: list[Listed] = []
        for name in sorted({*self._open, *kept()}, reverse=True):
            if (session := self._open.get(name)) is not None:
                found.append(_line(name, session.trajectory, is_open=not session.is_over))
            else:
                with suppress(OSError):  # somebody has deleted it meanwhile
                    found.append(self._listed.of(_folder() / f"{name}{_SUFFIX}"))
        return found

    def delete(self, name: str) -> None:
        """Forget a session that is over."""
        self._open.pop(name, None)
        if name in kept():
            (_folder() / f"{name}{_SUFFIX}").unlink(missing_ok=True)


def _line(name: str, said: Trajectory, *, is_open: bool = False) -> Listed:
    turns = said.invocations
    return Listed(name, said.agent or "", turns[0].user_content.text if turns else "", len(turns), is_open)


def _listed(path: Path) -> Listed:
    name = path.name.removesuffix(_SUFFIX)
    try:
        return _line(name, Trajectory.model_validate_json(path.read_bytes()))
    except ValueError:  # whoever opens it is told
        return Listed(name, "", "", 0, is_open=False)


def _folder() -> Path:
    return home() / "sessions"


def kept() -> list[str]:
    """The names of the sessions that are in files."""
    return [path.name.removesuffix(_SUFFIX) for path in _folder().glob(f"session-*{_SUFFIX}")]


def keep(session: Session) -> None:
    """Write a session into its file."""
    make_folder(_folder())
    path = _folder() / f"{session.name}{_SUFFIX}"
    partial = path.with_suffix(".partial")
    partial.write_text(session.trajectory.model_dump_json(), encoding="utf-8")
    partial.replace(path)
