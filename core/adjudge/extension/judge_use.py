"""Ledgers: the judge calls made for one criterion on one case."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from adjudge.errors import AdjudgeError
from adjudge.model.judging import JudgeReply, JudgeUse, Prompt, total_cost
from adjudge.model.step import Usage, total_usage


class Ledger:
    """Collects the data of a ``JudgeUse``."""

    def __init__(self, parent: Ledger | None = None) -> None:
        """Create an empty ledger. Everything added to it is also added to ``parent``."""
        self._all: tuple[Ledger, ...] = (self,) if parent is None else (self, *parent._all)
        self._fatal: AdjudgeError | None = None
        self._models: dict[str, None] = {}
        self._versions: dict[str, None] = {}
        self._prompts: dict[str, str] = {}
        self._votes = 0
        self._lost = 0
        self._usages: list[Usage] = []
        self._costs: list[float | None] = []

    @property
    def fatal(self) -> AdjudgeError | None:
        """The failure that affects the whole run, if there is one. It is kept here in case a criterion catches it."""
        return self._fatal

    @fatal.setter
    def fatal(self, error: AdjudgeError) -> None:
        for ledger in self._all:
            ledger._fatal = error

    def asked(self, prompt: Prompt) -> None:
        """Record that a question with this prompt was asked."""
        for ledger in self._all:
            ledger._prompts[f"{prompt.name} v{prompt.version}"] = prompt.sha256

    def used(self, model: str, reply: JudgeReply, cost: float | None) -> None:
        """Record that an answer was used."""
        for ledger in self._all:
            ledger._models[model] = None
            if reply.model_version is not None:
                ledger._versions[reply.model_version] = None
            if reply.usage is not None:
                ledger._usages.append(reply.usage)
            ledger._costs.append(cost)
            ledger._votes += 1

    def lost(self, model: str) -> None:
        """Record that a vote was lost for all items of its question."""
        for ledger in self._all:
            ledger._models[model] = None
            ledger._lost += 1

    def use(self) -> JudgeUse | None:
        """The collected data; ``None`` if no judge was asked."""
        if not self._models:
            return None
        return JudgeUse(
            models=tuple(sorted(self._models)),
            model_versions=tuple(sorted(self._versions)),
            prompts=dict(sorted(self._prompts.items())),
            votes=self._votes,
            lost_votes=self._lost,
            usage=total_usage(self._usages),
            cost=total_cost(self._costs),
        )


_CURRENT: ContextVar[Ledger | None] = ContextVar("adjudge_ledger", default=None)


@contextmanager
def judge_use(ledger: Ledger | None = None) -> Generator[Ledger]:
    """A context that records the judge calls made inside, also in tasks started inside, in ``ledger`` or a new ledger.

    Calls in a nested context are also recorded in the outer ledger.
    """
    opened = ledger or Ledger(_CURRENT.get())
    token = _CURRENT.set(opened)
    try:
        yield opened
    finally:
        _CURRENT.reset(token)


def current() -> Ledger:
    """The open ledger, or one that is discarded."""
    return _CURRENT.get() or Ledger()
