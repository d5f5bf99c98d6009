"""The models that vote: who is called, where, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from adjudge.errors import AdjudgeError
from adjudge.extension.guard import ADJUDGE, Origin, guarded
from adjudge.extension.judge_protocols import JudgeBackend, SupportsRecordedCalls
from adjudge.judge.budget import cost_of
from adjudge.model.base import JsonObject
from adjudge.model.judging import JudgeReply


@dataclass(frozen=True, slots=True)
class Member:
    """One model that votes."""

    name: str
    """As ``provider/model``."""
    model: str
    """The provider's name for it."""
    backend_name: str
    """Calls to the backends of one name share its limits."""
    backend: JudgeBackend
    origin: Origin = ADJUDGE
    """Whose code the backend is."""
    fingerprint: JsonObject | None = None
    """Where its calls go."""
    prices: str | None = None
    """See ``JudgeBackendSpec.prices``."""
    prices_of: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    """The prices of every provider, for answers that are recorded."""
    recorded: bool = False
    """Whether its answers are those of an earlier run."""

    def for_question(self, key: str) -> tuple[Member, ...]:
        """Who votes on the question with this key: itself, or those whose answers are recorded."""
        if not isinstance(self.backend, SupportsRecordedCalls):
            return (self,)
        with guarded(self.origin, "recorded", passing=(AdjudgeError,)):
            recorded = dict(self.backend.recorded(self.model, key))
        return tuple(
            replace(
                self,
                name=name,
                model=name.partition("/")[2],
                backend_name=f"{self.backend_name} {name}",
                backend=backend,
                prices=self.prices_of.get(name.partition("/")[0]),
            )
            for name, backend in recorded.items()
        ) or (self,)

    def cost(self, reply: JudgeReply) -> float | None:
        """USD for a reply."""
        return cost_of(self.prices, self.model, reply.usage)
