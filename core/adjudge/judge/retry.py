"""Makes one call to one model, with retries for temporary failures."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from adjudge.errors import JudgeError, RunError
from adjudge.extension.coroutine_guard import awaited
from adjudge.extension.guard import PluginTimeoutError, guarded, lent, returned
from adjudge.extension.judge_protocols import SupportsRateLimit
from adjudge.extension.shortage import shortage_of
from adjudge.judge.circuit_breaker import Breaker
from adjudge.judge.failure_classes import ATTEMPTS
from adjudge.judge.member import Member
from adjudge.judge.rate_limit import LONGEST_PAUSE, AdaptiveLimiter
from adjudge.model.judging import JudgeReply, JudgeRequest

if TYPE_CHECKING:
    from tenacity import RetryCallState

DEFAULT_TIMEOUT: Final = 120.0
"""The default time limit of one request in seconds, until its reply is complete."""

_FIRST_WAIT: Final = 0.5
_LONGEST_WAIT: Final = 30.0


class Caller:
    """Calls one backend with its rate limit, a time limit, and retries of temporary failures."""

    def __init__(self, member: Member, *, timeout: float, retrying: bool) -> None:
        """Call the backend of ``member``; ``timeout`` is the time limit of one request in seconds."""
        self._backend = member.backend
        self._origin = member.origin
        self._timeout = timeout
        # Recorded failures are not retried, and do not stop later calls.
        self._retrying = retrying and not member.recorded
        self._breaker = Breaker(
            member.name.partition("/")[0] or member.backend_name, counting=not member.recorded
        )
        with guarded(member.origin, "at_once"):
            at_once = member.backend.at_once if isinstance(member.backend, SupportsRateLimit) else None
            self._limiter = AdaptiveLimiter() if at_once is None else AdaptiveLimiter(at_once)

    async def call(
        self, request: JudgeRequest, *, before: Callable[[], None], retried: Callable[[], None]
    ) -> JudgeReply:
        """The reply to one request.

        Args:
            request: The request.
            before: Called before every attempt; its exceptions are passed on.
            retried: Called before every attempt except the first.

        Raises:
            JudgeError: the last failure.
            PluginError: the backend raised another exception, or did not return a reply.
        """
        from tenacity import AsyncRetrying

        retrying = AsyncRetrying(
            retry=self._may_pass,
            wait=_wait,
            before_sleep=lambda _: retried(),
            sleep=self._breaker.sleep,
            reraise=True,
        )
        try:
            return await retrying(self._attempt, request, before)
        except JudgeError as error:
            self._breaker.call_failed(error)
            raise

    def _may_pass(self, state: RetryCallState) -> bool:
        error = _error_of(state)
        return (
            self._retrying
            and error is not None
            and state.attempt_number < ATTEMPTS.get(error.code, 1)
            and (error.retry_after or 0) <= LONGEST_PAUSE
        )

    async def _attempt(self, request: JudgeRequest, before: Callable[[], None]) -> JudgeReply:
        async with self._limiter.slot() as round_:
            self._breaker.check()
            before()
            try:
                reply = await self._in_time(request)
            except JudgeError as error:
                self._breaker.attempt_failed(error)
                if error.code in ("rate_limit", "overload"):
                    self._limiter.refused(round_, error.retry_after)
                raise
            self._breaker.answered()
            self._limiter.succeeded(reply.rate)
            return reply

    async def _in_time(self, request: JudgeRequest) -> JudgeReply:
        """The reply of the backend; exhausted resources of this machine are a temporary failure."""
        origin = self._origin
        try:
            reply = await awaited(
                origin,
                "complete",
                lambda: self._backend.complete(lent(origin, request)),
                passing=(JudgeError, RunError) if origin.is_built_in else (JudgeError,),
                within=self._timeout,
            )
            return returned(origin, "complete", reply, JudgeReply)
        except PluginTimeoutError:
            said = f"{request.model} did not answer within {self._timeout:g} s"
            raise JudgeError(said, code="timeout") from None
        except RunError:
            raise
        except Exception as error:
            if (shortage := shortage_of(error)) is None:
                raise
            said = f"{request.model} could not be asked: {shortage}"
            raise JudgeError(said, code="shortage") from error


def _error_of(state: RetryCallState) -> JudgeError | None:
    error = state.outcome.exception() if state.outcome else None
    return error if isinstance(error, JudgeError) else None


def _wait(state: RetryCallState) -> float:
    """Seconds until the next attempt: as the provider asks, else exponential backoff; both with random jitter."""
    error = _error_of(state)
    if error is not None and error.retry_after is not None:
        return error.retry_after + random.uniform(0.0, 0.25) * _FIRST_WAIT  # noqa: S311 - no secret
    backoff = min(_LONGEST_WAIT, _FIRST_WAIT * 2.0 ** (state.attempt_number - 1))
    return random.uniform(0.5, 1.0) * backoff  # noqa: S311 - no secret
