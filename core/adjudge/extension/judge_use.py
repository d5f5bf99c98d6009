"""Ledgers: what was asked of judges on behalf of one criterion on one case."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from adjudge.errors import AdjudgeError
from adjudge.model.judging import JudgeReply, JudgeUse, Prompt, total_cost
from adjudge.model.step import Usage, total_usage


class Ledger:
    """Collects what ``JudgeUse`` says."""

    def __init__(self, parent: Ledger | None = None) -> None:
        """Begin with nothing. Whatever is noted here is noted in ``parent`` too."""
        self._parent = parent
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
        """What concerns the whole run, in case a criterion catches it."""
        return self._fatal

    @fatal.setter
    def fatal(self, error: AdjudgeError) -> None:
        self._fatal = error
        if self._parent is not None:
            self._parent.fatal = error

    def asked(self, prompt: Prompt) -> None:
        """A question with this prompt was asked."""
        if self._parent is not None:
            self._parent.asked(prompt)
        self._prompts[f"{prompt.name} v{prompt.version}"] = prompt.sha256

    def used(self, model: str, reply: JudgeReply, cost: float | None) -> None:
        """An answer was used."""
        if self._parent is not None:
            self._parent.used(model, reply, cost)
        self._models[model] = None
        if reply.model_version is not None:
            self._versions[reply.model_version] = None
        if reply.usage is not None:
            self._usages.append(reply.usage)
        self._costs.append(cost)
        self._votes += 1

    def lost(self, model: str) -> None:
        """A vote was lost, as a whole."""
        if self._parent is not None:
            self._parent.lost(model)
        self._models[model] = None
        self._lost += 1

    def use(self) -> JudgeUse | None:
        """Everything together; ``None`` where no judge was asked."""
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
    """A ledger for everything that is asked inside, in tasks that are started there too: ``ledger``, or a new one.

    A new one inside another ledger is a part of that one.
    """
    opened = ledger or Ledger(_CURRENT.get())
    token = _CURRENT.set(opened)
    try:
        yield opened
    finally:
        _CURRENT.reset(token)


def current() -> Ledger:
    """The open ledger, or one that nobody reads."""
    return _CURRENT.get() or Ledger()
