"""The client: makes all judge calls of a run, without duplicates."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from adjudge.errors import JudgeError, JudgeUnusableError, RunError
from adjudge.extension.secrets import Secrets
from adjudge.judge.budget import Budget
from adjudge.judge.cache_key import request_key
from adjudge.judge.failure_classes import STOPPING
from adjudge.judge.member import Member
from adjudge.judge.retry import DEFAULT_TIMEOUT, Caller
from adjudge.model.judging import JudgeReply, JudgeRequest
from adjudge.model.result import JudgeCalls

if TYPE_CHECKING:
    from adjudge.journal.recording import RecordingFile  # imports SQLite; plugin tests do not need it
    from adjudge.judge.rehearsal import Rehearsal


class ReplyStore(Protocol):
    """Stores replies, as JSON, by request key and sample."""

    def reply(self, key: str, sample: int) -> bytes | None:
        """The stored reply; ``None`` if there is none."""
        ...

    def add_reply(self, key: str, sample: int, data: bytes) -> None:
        """Store a reply."""
        ...


class JudgeClient:
    """Asks models: returns stored replies, or makes one call within limits, retries and budget."""

    def __init__(
        self,
        *,
        secret: bytes,
        budget: Budget | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        retrying: bool = True,
    ) -> None:
        """Create the client without opening a connection.

        Args:
            secret: The secret from which delimiters and the order of items are derived.
            budget: The budget of the run.
            timeout: The time limit of one request in seconds.
            retrying: Whether calls with temporary failures are retried.
        """
        self.secret = secret
        self._stores: tuple[ReplyStore, ...] = ()
        self._recording: RecordingFile | None = None
        self._tell: Callable[[], None] = lambda: None
        self._secrets = Secrets()
        self._budget = budget or Budget()
        self._timeout = timeout
        self._retrying = retrying
        self._callers: dict[str, Caller] = {}
        self._under_way: dict[tuple[str, int], asyncio.Task[JudgeReply]] = {}
        self._calls: dict[str, JudgeCalls] = {}
        self._stopped: dict[str, str] = {}
        self.rehearsal: Rehearsal | None = None
        """Replaces every model in a rehearsal; its answers are not stored."""
        self._over: RunError | None = None
        """The error that prevents further calls, if there is one."""

    def keep_in(
        self,
        stores: Sequence[ReplyStore],
        recording: RecordingFile | None = None,
        *,
        told: Callable[[], None] = lambda: None,
    ) -> None:
        """Set where replies are stored.

        Args:
            stores: The stores in which replies are looked up, in this order, and stored.
            recording: The recording of calls.
            told: Called after every reply and every call that was given up.
        """
        self._stores = tuple(stores)
        self._recording = recording
        self._tell = told
        self._secrets = Secrets()

    @property
    def calls(self) -> Mapping[str, JudgeCalls]:
        """The calls so far, by model."""
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
        """Record which models are asked the question with this key."""
        if self._recording is not None:
            self._recording.add_question(key, [member.name for member in members])
            self._recording.add_contexts({member.name: member.context for member in members})

    def voted(self, member: Member, *, unanimous: bool) -> None:
        """Record whether two or more votes of a model on an item all agree."""
        self._count(member, JudgeCalls(items=1, unanimous=unanimous))

    async def ask(
        self, member: Member, request: JudgeRequest, *, lasting: ReplyStore | None = None
    ) -> JudgeReply:
        """Get the reply of one model to one request: a stored one, that of a pending call, or of a new call.

        Args:
            member: The model.
            request: The request for one vote.
            lasting: A store that is searched before all others.

        Raises:
            JudgeError: the call failed.
            BudgetSpentError: the budget allows no further call.
            RunError: the judge cannot answer any further call, or the journal cannot be written.
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
                    told = self._secrets.masked(str(error))
                    recording.add_failure(request.key, member.name, request.sample, error.code, told)
                raise
        if recording is not None:
            recording.add_reply(request.key, member.name, request.sample, self._stored(reply))
        return reply

    async def aclose(self) -> None:
        """Cancel pending calls, and prevent further ones."""
        self._over = self._over or RunError("the run is over")
        under_way = list(self._under_way.values())
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    async def _new(
        self, member: Member, request: JudgeRequest, key: str, stores: Sequence[ReplyStore]
    ) -> JudgeReply:
        """The reply of a pending or new call."""
        place = (key, request.sample)
        under_way = self._under_way.get(place)
        if under_way is not None:
            reply = await asyncio.shield(under_way)
            # Count it as cached, as it would be a moment later: counts must not depend on timing.
            self._count(member, JudgeCalls(cached=1))
            return reply
        # In a separate task: the first requester may be cancelled while others wait for the same reply.
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
                self._stopped[member.name] = self._secrets.masked(str(error))
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
        self._tell()  # count the call before storing its reply, so that a killed process does not miss calls
        data = self._stored(reply)
        for store in stores:
            store.add_reply(key, request.sample, data)
        return reply

    def _stored(self, reply: JudgeReply) -> bytes:
        """The reply as JSON, with masked keys: a server may repeat its own."""
        written = reply.model_dump_json(exclude_defaults=True, exclude={"rate"})
        return self._secrets.masked_json(written.encode())

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
            task.exception()  # marks it as retrieved: there may be no waiting task, and asyncio would warn


def _known(stores: Sequence[ReplyStore], key: str, sample: int) -> JudgeReply | None:
    for position, store in enumerate(stores):
        data = store.reply(key, sample)
        if data is None:
            continue
        try:
            reply = JudgeReply.model_validate_json(data)
        except ValueError:  # stored by another version, or damaged: treat it as missing
            continue
        for other in stores[:position]:
            other.add_reply(key, sample, data)
        return reply
    return None
