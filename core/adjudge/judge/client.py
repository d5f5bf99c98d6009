"""The client: every judge call of a run goes through here, and none is made twice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from adjudge.errors import JudgeError, JudgeUnusableError, RunError
from adjudge.judge.budget import Budget
from adjudge.judge.cache_key import request_key
from adjudge.judge.failure_classes import STOPPING
from adjudge.judge.member import Member
from adjudge.judge.retry import DEFAULT_TIMEOUT, Caller
from adjudge.model.judging import JudgeReply, JudgeRequest
from adjudge.model.result import JudgeCalls

if TYPE_CHECKING:
    from adjudge.journal.recording import RecordingFile  # SQLite, which tests of plugins do without
    from adjudge.judge.rehearsal import Rehearsal


class ReplyStore(Protocol):
    """Keeps replies, as JSON, by request key and sample."""

    def reply(self, key: str, sample: int) -> bytes | None:
        """What was kept."""
        ...

    def add_reply(self, key: str, sample: int, data: bytes) -> None:
        """Keep it."""
        ...


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
        self._recording: RecordingFile | None = None
        self._tell: Callable[[], None] = lambda: None
        self._budget = budget or Budget()
        self._timeout = timeout
        self._retrying = retrying
        self._callers: dict[str, Caller] = {}
        self._under_way: dict[tuple[str, int], asyncio.Task[JudgeReply]] = {}
        self._calls: dict[str, JudgeCalls] = {}
        self._stopped: dict[str, str] = {}
        self.rehearsal: Rehearsal | None = None
        """What answers in place of every model; such answers are kept nowhere."""
        self._over: RunError | None = None
        """Why no further call is made."""

    def keep_in(
        self,
        stores: Sequence[ReplyStore],
        recording: RecordingFile | None = None,
        *,
        told: Callable[[], None] = lambda: None,
    ) -> None:
        """Keep what is answered.

        Args:
            stores: Where replies are looked for, in this order, and kept.
            recording: What calls are recorded in.
            told: Called whenever a judge has answered or a call was given up.
        """
        self._stores = tuple(stores)
        self._recording = recording
        self._tell = told

    @property
    def calls(self) -> Mapping[str, JudgeCalls]:
        """What was asked so far, by model."""
        names = sorted({*self._calls, *self._stopped})
        return {
            name: self._calls.get(name, JudgeCalls()).rounded(stopped=self._stopped.get(name))
            for name in names
        }

    @property
    def left(self) -> tuple[int | None, float | None]:
        """Calls and USD that may still be spent; ``None``: no limit."""
        return self._budget.left

    def asks(self, key: str, members: Sequence[Member]) -> None:
        """Note who is asked the question with this key."""
        if self._recording is not None:
            self._recording.add_question(key, [member.name for member in members])

    def voted(self, member: Member, *, unanimous: bool) -> None:
        """Note whether the votes of a model on an item, two or more, all agree."""
        self._count(member, JudgeCalls(items=1, unanimous=unanimous))

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
        key = request_key(request.key, member.name, member.fingerprint)
        stores: tuple[ReplyStore, ...] = ()
        recording = None
        if not member.recorded:
            stores = self._stores if lasting is None else (lasting, *self._stores)
            recording = self._recording
        reply = _known(stores, key, request.sample)
        if reply is not None:
            self._count(member, JudgeCalls(cached=1))
        elif self.rehearsal is not None and not member.recorded:
            return self.rehearsal.reply(member, request)
        else:
            try:
                reply = await self._new(member, request, key, stores)
            except JudgeError as error:
                if recording is not None and error.code != "unavailable":
                    recording.add_failure(request.key, member.name, request.sample, error)
                raise
        if recording is not None:
            recording.add_reply(request.key, member.name, request.sample, _stored(reply))
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
        reserved: list[float] = []

        def before() -> None:
            if self._over is not None:
                raise self._over
            if not reserved and not member.recorded:
                reserved.append(self._budget.reserve(member.prices, request))

        cost: float | None = 0.0
        try:
            reply = await self._caller(member).call(
                request, before=before, retried=lambda: self._count(member, JudgeCalls(retries=1))
            )
            cost = member.cost(reply)
        except JudgeError as error:
            if error.code == "unavailable":
                self._stopped[member.name] = str(error)
                raise
            self._count(member, JudgeCalls(failed=1))
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
        self._count(member, JudgeCalls(calls=1, usage=reply.usage, cost=cost))
        self._tell()  # before the reply is kept: a process that is killed between them has asked twice
        data = _stored(reply)
        for store in stores:
            store.add_reply(key, request.sample, data)
        return reply

    def _caller(self, member: Member) -> Caller:
        if member.backend_name not in self._callers:
            self._callers[member.backend_name] = Caller(
                member, timeout=self._timeout, retrying=self._retrying
            )
        return self._callers[member.backend_name]

    def _count(self, member: Member, more: JudgeCalls) -> None:
        self._calls[member.name] = self._calls.get(member.name, JudgeCalls()) + more

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
