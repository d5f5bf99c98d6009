"""The judge of one criterion: asks a question, collects the votes, and decides."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Final

from adjudge.errors import JudgeError, PluginError, RunError
from adjudge.extension import judge_use as usage
from adjudge.extension.guard import described
from adjudge.extension.judge_options import JudgeModelOptions
from adjudge.extension.judge_protocols import CitationCheck
from adjudge.extension.plugin_loops import at_home
from adjudge.extension.time_limit import not_counted
from adjudge.judge.budget import BudgetSpentError
from adjudge.judge.cache_key import question_key, writing_key
from adjudge.judge.client import JudgeClient, ReplyStore
from adjudge.judge.failure_classes import OF_ONE_QUESTION, OF_ONE_REQUEST
from adjudge.judge.member import Member
from adjudge.judge.parameters import generation_parameters
from adjudge.judge.parsing import WITHHELD, ReadItem, problem_of, read_reply, read_spoken, read_texts
from adjudge.judge.prompt import Composer, flags_of, repair_request, tokens_beside
from adjudge.judge.voting import Ballot, ballots_on, panel_decision, votes_wanted
from adjudge.model.base import JsonObject
from adjudge.model.evidence import Failure
from adjudge.model.judging import Decision, Exhibit, JudgeReply, JudgeRequest, Prompt, Question

ITEMS_AT_A_TIME: Final = 16
"""Maximum number of items in one call. With more, answers are truncated, and judges confuse items."""


class JudgePanel:
    """A ``Judge`` (see ``adjudge.plugin.Judge``) whose members vote."""

    def __init__(
        self,
        client: JudgeClient,
        members: Sequence[Member],
        options: JudgeModelOptions,
        *,
        for_good: ReplyStore | None = None,
    ) -> None:
        """Let ``members`` vote, with ``options``; ``lasting`` returns a judge that stores replies in ``for_good``.

        Raises:
            InputError: ``judge_model_config`` has a key that cannot be set.
        """
        self._client = client
        self._members = tuple(members)
        self._options = options
        self._for_good = for_good
        self._lasting: ReplyStore | None = None
        self._parameters = generation_parameters(options.judge_model_config)
        limit = options.parallelism_limit
        self._slots: AbstractAsyncContextManager[object] = (
            nullcontext() if limit is None else asyncio.Semaphore(limit)
        )

    @property
    def models(self) -> tuple[str, ...]:
        """The voting models, as ``provider/model``."""
        return tuple(member.name for member in self._members)

    @property
    def recorded(self) -> bool:
        """Whether answers come from a recording; results then have the names of the recorded models."""
        return any(member.recorded for member in self._members)

    @property
    def context(self) -> int | None:
        """The maximum number of tokens in a request and its answer for all members; ``None`` if one is unknown."""
        known = [member.context for member in self._members if member.context is not None]
        return min(known) if known and len(known) == len(self._members) else None

    def document(self) -> JsonObject:
        """All settings that determine the answers, except the questions, as JSON."""
        return {
            "models": list(self.models),
            "backends": [member.fingerprint for member in self._members],
        }

    def lasting(self) -> JudgePanel:
        """This judge with a permanent cache: answers are stored and reused in all later runs."""
        judge = copy.copy(self)
        judge._lasting = self._for_good
        return judge

    def tokens_beside(self, question: Question) -> int:
        """The maximum number of tokens of a request without the texts of the exhibits."""
        return tokens_beside(question)

    async def decide(self, question: Question, *, check: CitationCheck | None = None) -> tuple[Decision, ...]:
        """Decide every item of the question by votes; returns the decisions in the question's order."""
        return await at_home(lambda: not_counted(lambda: self._decided(question, check)))

    async def write(
        self, prompt: Prompt, exhibits: Sequence[Exhibit], fields: Mapping[str, str]
    ) -> Mapping[str, str] | None:
        """Let the first model write texts about exhibits, one for each field; ``None`` if the answer is unusable."""
        return await at_home(lambda: not_counted(lambda: self._written(prompt, exhibits, fields)))

    async def speak(
        self, prompt: Prompt, exhibits: Sequence[Exhibit], fields: Mapping[str, str], *, sample: int = 0
    ) -> Mapping[str, str] | Failure:
        """Let the first model write the texts of a role, one for each field; or the failure."""
        return await at_home(lambda: not_counted(lambda: self._spoken(prompt, exhibits, fields, sample)))

    async def _decided(self, question: Question, check: CitationCheck | None) -> tuple[Decision, ...]:
        chunks = [
            question.model_copy(update={"items": question.items[first : first + ITEMS_AT_A_TIME]})
            for first in range(0, len(question.items), ITEMS_AT_A_TIME)
        ]
        decided = await asyncio.gather(*(self._decide(chunk, check) for chunk in chunks))
        return tuple(decision for chunk in decided for decision in chunk)

    async def _written(
        self, prompt: Prompt, exhibits: Sequence[Exhibit], fields: Mapping[str, str]
    ) -> Mapping[str, str] | None:
        member, composer = self._writer(prompt, exhibits, fields)
        reply = await self._reply(member, composer.texts(fields))
        return None if isinstance(reply, Failure) else read_texts(reply, fields)

    async def _spoken(
        self, prompt: Prompt, exhibits: Sequence[Exhibit], fields: Mapping[str, str], sample: int
    ) -> Mapping[str, str] | Failure:
        member, composer = self._writer(prompt, exhibits, fields)
        request = composer.texts(fields, sample)
        reply = await self._reply(member, request)
        found = reply if isinstance(reply, Failure) else read_spoken(reply, fields)
        if isinstance(reply, JudgeReply) and isinstance(found, str) and reply.finish_reason not in WITHHELD:
            reply = await self._reply(member, repair_request(request, reply.text, found, len(fields)))
            found = reply if isinstance(reply, Failure) else read_spoken(reply, fields)
        if isinstance(found, str):
            found = Failure(code="judge_unreadable", message=f"{member.name}: {found}", origin=member.name)
        if isinstance(found, Failure):
            usage.current().lost(member.name)
        return found

    def _writer(
        self, prompt: Prompt, exhibits: Sequence[Exhibit], fields: Mapping[str, str]
    ) -> tuple[Member, Composer]:
        """The model that writes texts, and the composer of its requests."""
        key = writing_key(prompt, exhibits, fields, self._parameters)
        return self._asked(key, prompt, exhibits, self._members[:1])[0]

    async def _decide(self, question: Question, check: CitationCheck | None) -> list[Decision]:
        key = question_key(question, self._parameters)
        asked = self._asked(key, question.prompt, question.exhibits, self._members)
        voted = await asyncio.gather(*(self._vote(*each, question, check) for each in asked))
        flags = flags_of(question)
        return [
            panel_decision(
                [ballot.decision(item.item_id, flags) for ballot in ballots],
                question.choices,
                self._options.panel_rule,
                needs_majority=question.rule == "majority_or_unsure",
            )
            for item, ballots in zip(question.items, zip(*voted, strict=True), strict=True)
        ]

    def _asked(
        self, key: str, prompt: Prompt, exhibits: Sequence[Exhibit], members: Sequence[Member]
    ) -> list[tuple[Member, Composer]]:
        """The models that answer the question with this key, each with the composer of its requests."""
        found = [each for member in members for each in member.for_question(key)]
        self._client.asks(key, found)
        usage.current().asked(prompt)
        secret, parameters = self._client.secret, self._parameters
        return [(each, Composer(prompt, exhibits, key, secret, each.model, parameters)) for each in found]

    async def _vote(
        self, member: Member, composer: Composer, question: Question, check: CitationCheck | None
    ) -> list[Ballot]:
        """Collect the votes of one model: first the minimum that can decide, then more for undecided items.

        Every item counts the same votes, in the order of the samples, as if it were the only item. Answers requested
        for another item are stored until the item needs them.
        """
        ballots = ballots_on(question, member.name, self._options.num_samples, self._options.unsure_below)
        answers: list[Mapping[int, ReadItem | Failure]] = []
        while wanted := votes_wanted(ballots):
            among = tuple(wanted)
            end = max(ballots[at].asked + more for at, more in wanted.items())
            asked = (
                self._answer(member, composer, question, sample, check, among)
                for sample in range(len(answers), end)
            )
            answers += [dict(zip(among, items, strict=True)) for items in await asyncio.gather(*asked)]
            for at, more in wanted.items():
                ballot = ballots[at]
                for sample in range(ballot.asked, ballot.asked + more):
                    item = answers[sample][at]
                    ballot.add(item if isinstance(item, Failure) else item.vote(member.name, sample))
        for ballot in ballots:
            if ballot.unanimous is not None:
                self._client.voted(member, unanimous=ballot.unanimous)
        return ballots

    async def _answer(
        self,
        member: Member,
        composer: Composer,
        question: Question,
        sample: int,
        check: CitationCheck | None,
        among: Sequence[int],
    ) -> Sequence[ReadItem | Failure]:
        """One vote of one model on the items at ``among``; a failure if there was no answer."""
        request = composer.vote(question, sample, among)
        reply = await self._reply(member, request)
        if isinstance(reply, Failure):
            usage.current().lost(member.name)
            return [reply] * len(among)
        read = read_reply(reply, question, check, among)
        problem = problem_of(read)
        if problem is None or reply.finish_reason in WITHHELD:
            return read
        again = await self._reply(member, repair_request(request, reply.text, problem, len(read)))
        if isinstance(again, Failure):
            # A repair that can never succeed, for instance because it is too long: keep the first answer.
            final = again.code.removeprefix("judge_") in OF_ONE_REQUEST
            return [again if item.label is None and not final else item for item in read]
        return [
            second if first.label is None else first.with_evidence_of(second, question)
            for first, second in zip(read, read_reply(again, question, check, among), strict=True)
        ]

    async def _reply(self, member: Member, request: JudgeRequest) -> JudgeReply | Failure:
        """The answer to one request, or the failure.

        Raises:
            RunError: the failure affects the whole run.
        """
        try:
            async with self._slots:
                reply = await self._client.ask(member, request, lasting=self._lasting)
        except RunError as error:
            usage.current().fatal = error
            raise
        except BudgetSpentError as error:
            return Failure(code="judge_budget", message=str(error), origin=member.name, retryable=True)
        except JudgeError as error:
            return Failure(
                code=f"judge_{error.code}",
                message=f"{member.name}: {error}",
                origin=member.name,
                retryable=error.code not in OF_ONE_QUESTION,
            )
        except Exception as error:
            said = str(error) if isinstance(error, PluginError) else described(error)
            message = f"{member.name}: {said}"
            return Failure(code="judge_raised", message=message, origin=member.backend_name)
        usage.current().used(member.name, reply, member.cost(reply))
        return reply
