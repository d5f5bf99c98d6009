"""The models that vote: their backend, address and cost."""

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
    """The provider's name for the model."""
    backend_name: str
    """The name of the backend. Models of the same backend share its rate limits."""
    backend: JudgeBackend
    origin: Origin = ADJUDGE
    """The distribution of the backend, for error messages."""
    fingerprint: JsonObject | None = None
    """The backend's fingerprint: the settings, such as the address, that determine its answers."""
    context: int | None = None
    """The maximum number of tokens in a request and its answer; ``None`` if it is unknown."""
    prices: str | None = None
    """See ``JudgeBackendSpec.prices``."""
    prices_of: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    """The ``prices`` of every backend by name, for recorded answers."""
    recorded: bool = False
    """Whether its answers come from a recording."""

    def for_question(self, key: str) -> tuple[Member, ...]:
        """The voters on the question with this key: this model, or the models whose answers are recorded."""
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
        """The cost of a reply in USD; ``None`` if it is unknown."""
        return cost_of(self.prices, self.model, reply.usage)
