"""One call to one model, tried again where that may help."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final, cast

from adjudge.errors import JudgeError, JudgeErrorCode, PluginError, RunError
from adjudge.extension.guard import Origin, PluginTimeoutError, awaited, guarded, lent, returned
from adjudge.extension.judge_protocols import JudgeBackend, SupportsRateLimit
from adjudge.extension.shortage import shortage_of
from adjudge.judge.circuit_breaker import Breaker
from adjudge.judge.rate_limit import LONGEST_PAUSE, AdaptiveLimiter
from adjudge.model.judging import JudgeReply, JudgeRequest

DEFAULT_TIMEOUT: Final = 120.0
"""Seconds that one request may take from the first to the last byte."""

ATTEMPTS: Final[dict[JudgeErrorCode, int]] = {
    "rate_limit": 10,
    "overload": 10,
    "server": 8,
    "network": 8,
    "timeout": 3,
    "malformed": 4,
    "shortage": 8,
}
"""How often a call is made at most, by the class of its last failure. Other failures are final."""

STOPPING: Final[frozenset[JudgeErrorCode]] = frozenset({"auth", "quota", "unknown_model"})
"""Failures that every further call would meet."""

_FIRST_WAIT: Final = 0.5
_LONGEST_WAIT: Final = 30.0


class Caller:
    """Calls one backend: within its limiter, in time, and again where the failure may pass."""

    def __init__(
        self,
        backend: JudgeBackend,
        origin: Origin,
        *,
        timeout: float,
        breaker: Breaker,
        retrying: bool = True,
    ) -> None:
        """Call ``backend`` of the plugin ``origin``; one request may take ``timeout`` seconds."""
        self._backend = backend
        self._origin = origin
        self._retrying = retrying
        self._timeout = timeout
        with guarded(origin, "at_once"):
            at_once = backend.at_once if isinstance(backend, SupportsRateLimit) else None
            self._limiter = AdaptiveLimiter() if at_once is None else AdaptiveLimiter(at_once)
        self._breaker = breaker

    async def call(
        self, request: JudgeRequest, *, before: Callable[[], None], retried: Callable[[], None]
    ) -> JudgeReply:
        """The reply to one request.

        Args:
            request: What is asked.
            before: Called before every attempt; what it raises comes out of here.
            retried: Told every retry.

        Raises:
            JudgeError: the last failure.
            PluginError: the backend raised something else, or returned what is no reply.
        """
        from tenacity import AsyncRetrying, RetryCallState

        def again(state: RetryCallState) -> bool:
            error = state.outcome.exception() if state.outcome else None
            return (
                self._retrying
                and isinstance(error, JudgeError)
                and state.attempt_number < ATTEMPTS.get(error.code, 1)
                and (error.retry_after or 0) <= LONGEST_PAUSE
            )

        def noted(state: RetryCallState) -> None:  # noqa: ARG001 - tenacity's signature
            retried()

        retrying = AsyncRetrying(
            retry=again, wait=_wait, before_sleep=noted, sleep=self._breaker.sleep, reraise=True
        )
        try:
            return await retrying(self._attempt, request, before)
        except JudgeError as error:
            self._breaker.call_failed(error)
            raise

    async def _attempt(self, request: JudgeRequest, before: Callable[[], None]) -> JudgeReply:
        async with self._limiter.slot() as round_:
            self._breaker.check()
            before()
            try:
                reply = await self._in_time(request)
            except Exception as raised:
                error = _judge_error(request, raised)
                if error is None:
                    raise
                self._breaker.attempt_failed(error)
                if error.code in ("rate_limit", "overload"):
                    self._limiter.refused(round_, error.retry_after)
                if error is raised:
                    raise
                raise error from raised
            self._breaker.answered()
            self._limiter.succeeded(reply.rate)
            return reply

    async def _in_time(self, request: JudgeRequest) -> JudgeReply:
        try:
            reply = await awaited(
                self._origin,
                "complete",
                lambda: self._backend.complete(lent(self._origin, request)),
                passing=(JudgeError, RunError) if self._origin.is_built_in else (JudgeError,),
                within=self._timeout,
            )
        except PluginTimeoutError:
            raise JudgeError(
                f"{request.model} did not answer within {self._timeout:g} s", code="timeout"
            ) from None
        if not isinstance(cast("object", reply), JudgeReply):
            what = f"complete of {self._origin.provenance} returned {type(reply).__name__}"
            raise PluginError(f"{what}; expected a JudgeReply")
        return returned(self._origin, "complete", reply, JudgeReply)


def _judge_error(request: JudgeRequest, raised: Exception) -> JudgeError | None:
    """What was raised as a failure of a judge; ``None`` where it is none.

    What this machine has no more of is named, whatever a library makes of it.
    """
    if not isinstance(raised, RunError) and (shortage := shortage_of(raised)) is not None:
        return JudgeError(f"{request.model} could not be asked: {shortage}", code="shortage")
    return raised if isinstance(raised, JudgeError) else None


def _wait(state: object) -> float:
    """Seconds before the next attempt: what the provider asks for, and jitter so that not all come at once."""
    outcome = getattr(state, "outcome", None)
    number: int = getattr(state, "attempt_number", 1)
    error = outcome.exception() if outcome else None
    asked = error.retry_after if isinstance(error, JudgeError) else None
    backoff = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (number - 1))
    jitter = random.uniform(0.5, 1.0) * backoff  # noqa: S311 - no secret
    return jitter if asked is None else asked + random.uniform(0.0, 0.25) * _FIRST_WAIT  # noqa: S311 - no secret
