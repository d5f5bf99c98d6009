"""Measuring turns with a criterion that is made as adjudge makes it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import adjudge_vertex
from loopback_google import Google

from adjudge.model import Content, EvalCase, Invocation
from adjudge.plugin import (
    CaseUnderTest,
    Measurement,
    Outcome,
    SupportsClose,
    Trajectory,
)
from adjudge.testing import FakeHost, as_candidate, manager


def turn(question: str, answer: str | None, **fields: Any) -> Invocation:
    response = None if answer is None else Content.of_text(answer, role="model")
    return Invocation(user_content=Content.of_text(question, role="user"), final_response=response, **fields)


def measure(
    google: Google,
    folder: Path,
    name: str,
    *turns: Invocation,
    expected: tuple[Invocation, ...] | None = None,
) -> Measurement:
    """One case, measured by a criterion that is made as adjudge makes it."""
    case = CaseUnderTest(
        case=EvalCase(eval_id="c", conversation=expected or turns), actual=Trajectory(invocations=turns)
    )

    async def measured() -> Measurement:
        spec = manager(as_candidate("vertex", adjudge_vertex)).criteria.resolve(f"vertex/{name}").spec
        criterion = spec.factory(spec.config(), FakeHost(folder, environment=google.environment))
        assert isinstance(criterion, SupportsClose)
        try:
            return await criterion.score(case)
        finally:
            await criterion.aclose()

    return asyncio.run(measured())


def outcome(google: Google, folder: Path, name: str = "safety") -> Outcome:
    """What one turn comes to."""
    [found] = measure(google, folder, name, turn("hi", "hello")).per_invocation
    return found
