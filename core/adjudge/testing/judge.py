"""A judge backend that answers from a function or a list."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from adjudge.model.judging import JudgeReply, JudgeRequest

Answer: TypeAlias = "str | JudgeReply | Exception"
"""What a judge says: a text, a whole reply, or an exception that it raises."""


class FakeJudge:
    """A ``JudgeBackend`` without a model.

    ``requests`` holds every request that it got, in order.
    """

    def __init__(self, answers: Callable[[JudgeRequest], Answer] | Iterable[Answer]) -> None:
        """Answer from a function of the request, or from ``answers`` one after the other."""
        self.requests: list[JudgeRequest] = []
        self._answer = answers if callable(answers) else _one_after_the_other(answers)

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        """The next answer.

        Raises:
            LookupError: the list of answers is used up.
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
