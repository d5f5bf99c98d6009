"""The client: every judge call of a run goes through here, and none is made twice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from adjudge.errors import AdjudgeError, JudgeError, RunError
from adjudge.errors import JudgeUnusableError as JudgeUnusableError
from adjudge.extension.guard import ADJUDGE, Origin, guarded
from adjudge.extension.judge_protocols import JudgeBackend, SupportsRecordedCalls
from adjudge.judge.budget import Budget, cost_of
from adjudge.judge.cache_key import request_key
from adjudge.judge.circuit_breaker import Breaker
from adjudge.judge.retry import DEFAULT_TIMEOUT, STOPPING, Caller
from adjudge.model.base import JsonObject
from adjudge.model.judging import JudgeReply, JudgeRequest, total_cost
from adjudge.model.result import JudgeCalls
from adjudge.model.step import Usage, total_usage


class ReplyStore(Protocol):
    """Keeps replies, as JSON, by request key and sample."""

    def reply(self, key: str, sample: int) -> bytes | None:
        """What was kept."""
        ...

    def add_reply(self, key: str, sample: int, data: bytes) -> None:
        """Keep it."""
        ...


class CallRecorder(Protocol):
    """Records calls, so that a later run can be answered from them."""

    def add_question(self, key: str, models: Sequence[str]) -> None:
        """Note who is asked a question."""
        ...

    def add_reply(self, key: str, model: str, sample: int, data: bytes) -> None:
        """Record one answer, from wherever it came."""
        ...

    def add_failure(self, key: str, model: str, sample: int, error: JudgeError) -> None:
        """Record why there is no answer."""
        ...


@dataclass(frozen=True, slots=True)
class Member:
    """One model that votes."""

    name: str
    """As ``provider/model``."""
    model: str
    """The provider's name for it."""
    backend_name: str
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


@dataclass(slots=True)
class _Counts:
    calls: int = 0
    retries: int = 0
    cached: int = 0
    failed: int = 0
    items: int = 0
    unanimous: int = 0
    usage: Usage | None = None
    cost: float = 0.0
    unpriced: int = 0
    stopped: str | None = None

    def answered(self, usage: Usage | None, cost: float | None) -> None:
        self.calls += 1
        self.usage = total_usage((self.usage, usage))
        self.cost += cost or 0.0
        self.unpriced += cost is None

    def shown(self) -> JudgeCalls:
        return JudgeCalls(
            calls=self.calls,
            retries=self.retries,
            cached=self.cached,
            failed=self.failed,
            usage=self.usage,
            cost=total_cost([self.cost]) if self.calls and not self.unpriced else None,
            items=self.items,
            unanimous=self.unanimous,
            stopped=self.stopped,
        )


class JudgeClient:
    """Asks models: from what is known already, or by one call within limits, retries and budget."""

    def __init__(
        self,
        *,
        secret: bytes,
        budget: Budget | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        retrying: bool = True,
    ) -> None:
        """Prepare; nothing is opened.

        Args:
            secret: What delimiters and the order of items derive from.
            budget: What may be spent.
            timeout: Seconds that one request may take.
            retrying: Whether a call that failed is made again where that may help.
        """
        self.secret = secret
        self._stores: tuple[ReplyStore, ...] = ()
        self._recorder: CallRecorder | None = None
        self._told: list[Callable[[], None]] = []
        self._budget = budget or Budget()
        self._timeout = timeout
        self._retrying = retrying
        self._callers: dict[str, Caller] = {}
        self._under_way: dict[tuple[str, int], asyncio.Task[JudgeReply]] = {}
        self._counts: dict[str, _Counts] = {}
        self._over: RunError | None = None
        """Why no further call is made."""

    def keep_in(self, stores: Sequence[ReplyStore], recorder: CallRecorder | None = None) -> None:
        """Look for replies in ``stores``, in this order, and keep them there; record calls in ``recorder``."""
        self._stores = tuple(stores)
        self._recorder = recorder

    def tell(self, told: Callable[[], None]) -> None:
        """Add a function that is called whenever a judge has answered or a call was given up."""
        self._told.append(told)

    @property
    def calls(self) -> Mapping[str, JudgeCalls]:
        """What was asked so far, by model."""
        return {name: counts.shown() for name, counts in sorted(self._counts.items())}

    def asks(self, key: str, members: Sequence[Member]) -> None:
        """Note who is asked the question with this key."""
        if self._recorder is not None:
            self._recorder.add_question(key, [member.name for member in members])

    def voted(self, member: Member, *, unanimous: bool) -> None:
        """Note whether the votes of a model on an item, two or more, all agree."""
        counts = self._counts_of(member.name)
        counts.items += 1
        counts.unanimous += unanimous

    async def ask(
        self, member: Member, request: JudgeRequest, *, lasting: ReplyStore | None = None
    ) -> JudgeReply:
        """The reply of one model to one vote: a known one, one under way, or a new one.

        Args:
            member: The model.
            request: The vote.
            lasting: A store that is looked into before all others.

        Raises:
            JudgeError: there is none.
            BudgetSpentError: a call would be needed, and may not be made.
            RunError: no further call makes sense, or the journal cannot be written.
        """
        if self._over is not None:
            raise self._over
        recorder = None if member.recorded else self._recorder
        key = request_key(request.key, member.name, member.fingerprint)
        stores = self._stores if lasting is None else (lasting, *self._stores)
        reply = None if member.recorded else _known(stores, key, request.sample)
        if reply is not None:
            self._counts_of(member.name).cached += 1
        else:
            try:
                reply = await self._new(member, request, key, stores)
            except JudgeError as error:
                if recorder is not None and error.code != "unavailable":
                    recorder.add_failure(request.key, member.name, request.sample, error)
                raise
        if recorder is not None:
            recorder.add_reply(request.key, member.name, request.sample, _stored(reply))
        return reply

    async def aclose(self) -> None:
        """Give up what is still under way, and begin nothing more."""
        self._over = self._over or RunError("the run is over")
        under_way = list(self._under_way.values())
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    async def _new(
        self, member: Member, request: JudgeRequest, key: str, stores: Sequence[ReplyStore]
    ) -> JudgeReply:
        """The reply of a call: one that is under way, or a new one."""
        place = (key, request.sample)
        task = self._under_way.get(place)
        if task is None:
            # A task of its own: whoever asked first may be cancelled while others wait.
            task = asyncio.create_task(self._call(member, request, key, stores))
            self._under_way[place] = task
            task.add_done_callback(lambda done: self._finished(place, done))
        return await asyncio.shield(task)

    async def _call(
        self, member: Member, request: JudgeRequest, key: str, stores: Sequence[ReplyStore]
    ) -> JudgeReply:
        counts = self._counts_of(member.name)
        reserved: list[float] = []

        def retried() -> None:
            counts.retries += 1

        def before() -> None:
            if self._over is not None:
                raise self._over
            if not reserved and not member.recorded:
                reserved.append(self._budget.reserve(member.prices, request))

        cost: float | None = 0.0
        try:
            reply = await self._caller(member).call(request, before=before, retried=retried)
            cost = member.cost(reply)
        except JudgeError as error:
            if error.code == "unavailable":
                counts.stopped = str(error)
                raise
            counts.failed += 1
            self._tell()
            if error.code in STOPPING:
                self._over = JudgeUnusableError(
                    f"the judge {member.name} cannot be asked: {error}", code=error.code
                )
                raise self._over from error
            raise
        finally:
            if reserved:
                self._budget.settle(reserved[0], cost)
        counts.answered(reply.usage, cost)
        self._tell()  # before the reply is kept: a process that is killed between them has asked twice
        if not member.recorded:
            data = _stored(reply)
            for store in stores:
                store.add_reply(key, request.sample, data)
        return reply

    def _tell(self) -> None:
        for told in self._told:
            told()

    def _caller(self, member: Member) -> Caller:
        if member.backend_name not in self._callers:
            self._callers[member.backend_name] = Caller(
                # A recorded failure stays what it was.
                member.backend,
                member.origin,
                timeout=self._timeout,
                # A recorded failure says nothing of the next one.
                breaker=Breaker(
                    member.name.partition("/")[0] or member.backend_name, counting=not member.recorded
                ),
                retrying=self._retrying and not member.recorded,
            )
        return self._callers[member.backend_name]

    def _counts_of(self, name: str) -> _Counts:
        return self._counts.setdefault(name, _Counts())

    def _finished(self, place: tuple[str, int], task: asyncio.Task[JudgeReply]) -> None:
        self._under_way.pop(place, None)
        if not task.cancelled():
            task.exception()  # retrieved: nobody may be waiting for it any more


def _known(stores: Sequence[ReplyStore], key: str, sample: int) -> JudgeReply | None:
    for position, store in enumerate(stores):
        data = store.reply(key, sample)
        if data is None:
            continue
        try:
            reply = JudgeReply.model_validate_json(data)
        except ValueError:  # of another version, or damaged: as good as not there
            continue
        for other in stores[:position]:
            other.add_reply(key, sample, data)
        return reply
    return None


def _stored(reply: JudgeReply) -> bytes:
    return reply.model_dump_json(exclude_defaults=True, exclude={"rate"}).encode()
