"""A judge backend that answers from a function or a list."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from adjudge.model.judging import JudgeReply, JudgeRequest

Answer: TypeAlias = "str | JudgeReply | Exception"
"""An answer of a judge: a text, a complete reply, or an exception to raise."""


class FakeJudge:
    """A ``JudgeBackend`` without a model. ``requests`` contains all received requests, in order."""

    def __init__(self, answers: Callable[[JudgeRequest], Answer] | Iterable[Answer]) -> None:
        """Answer with a function of the request, or with the items of ``answers`` in order."""
        self.requests: list[JudgeRequest] = []
        self._answer = answers if callable(answers) else _one_after_the_other(answers)

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        """Return the next answer.

        Raises:
            LookupError: there are no more answers.
            Exception: the answer is an exception.
        """
        self.requests.append(request)
        answer = self._answer(request)
        if isinstance(answer, Exception):
            raise answer
        return JudgeReply(text=answer) if isinstance(answer, str) else answer


def _one_after_the_other(answers: Iterable[Answer]) -> Callable[[JudgeRequest], Answer]:
    remaining = iter(tuple(answers))

    def answer(request: JudgeRequest) -> Answer:
        for found in remaining:
            return found
        raise LookupError(f"FakeJudge has no answer left for model {request.model!r}")

    return answer
