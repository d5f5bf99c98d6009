"""A judge backend that takes its time, for the benchmarks: ``slow/SECONDS-AGREEMENT``."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable

from adjudge.plugin import Host, JudgeBackend, JudgeBackendSpec, JudgeReply, JudgeRequest, NoConfig, hookimpl
from adjudge.testing import verdicts

calls = 0


class SlowJudge:
    """Agrees with itself as often as it is told to, the same way for the same vote."""

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        global calls
        calls += 1
        seconds, agreement = map(float, request.model.split("-"))
        await asyncio.sleep(seconds)
        digest = hashlib.sha256(f"{request.key} {request.sample}".encode()).digest()
        agrees = int.from_bytes(digest[:8], "big") / 2**64 < agreement
        return JudgeReply(text=verdicts(request, "valid" if agrees else "invalid"))


def _make(config: NoConfig, host: Host) -> JudgeBackend:
    return SlowJudge()


@hookimpl.judge_backends
def judge_backends() -> Iterable[JudgeBackendSpec]:
    return [JudgeBackendSpec(name="slow", summary="A judge that takes its time", factory=_make)]
