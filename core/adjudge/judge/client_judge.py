"""The judge of one criterion: from a question to votes, and from votes to decisions."""

from __future__ import annotations

import asyncio
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
from adjudge.judge.cache_key import question_key
from adjudge.judge.citations import problem_of_evidence, with_evidence_of
from adjudge.judge.client import JudgeClient, Member, ReplyStore
from adjudge.judge.decision import decide, panel_decision
from adjudge.judge.generation import writing_request, written
from adjudge.judge.parameters import split_config
from adjudge.judge.parsing import WITHHELD, ReadItem, read_reply
from adjudge.judge.prompt import Composer, flags_of, tokens_beside
from adjudge.judge.tally import VoteRule, rule_for
from adjudge.judge.voting import Ballot, Poll
from adjudge.model.base import JsonObject
from adjudge.model.evidence import Failure
from adjudge.model.judging import Decision, Exhibit, JudgeReply, JudgeRequest, Prompt, Question

ITEMS_AT_A_TIME: Final = 16
"""Items of one call. Longer lists make answers that are cut off, and judges that lose their place."""

_UNREPAIRABLE: Final = frozenset({"context_too_long", "schema_rejected", "bad_request"})
"""Failures of one request, which asking it again would meet again."""

_FINAL: Final = _UNREPAIRABLE | {"not_recorded"}
"""Failures that ``adjudge resume`` would meet again."""


class ClientJudge:
    """A ``Judge`` (see ``adjudge.plugin.Judge``): the members' votes through the client."""

    def __init__(
        self,
        client: JudgeClient,
        members: Sequence[Member],
        options: JudgeModelOptions,
        *,
        for_good: ReplyStore | None = None,
        is_lasting: bool = False,
    ) -> None:
        """Let ``members`` vote, with ``options``; where ``is_lasting``, what ``for_good`` holds is never asked again.

        Raises:
            InputError: ``judge_model_config`` has a key that cannot be set.
        """
        self._client = client
        self._members = tuple(members)
        self._options = options
        self._for_good = for_good
        self._lasting = for_good if is_lasting else None
        self._parameters, self._provider_options = split_config(options.judge_model_config)
        limit = options.parallelism_limit
        self._slots: AbstractAsyncContextManager[object] = (
            nullcontext() if limit is None else asyncio.Semaphore(limit)
        )

    @property
    def models(self) -> tuple[str, ...]:
        """Who decides, as ``provider/model``."""
        return tuple(member.name for member in self._members)

    @property
    def recorded(self) -> bool:
        """Whether recorded calls answer: then in the names of those who were asked."""
        return any(member.recorded for member in self._members)

    def document(self) -> JsonObject:
        """What decides the answers besides the questions, as JSON."""
        return {
            "models": list(self.models),
            "backends": [member.fingerprint for member in self._members],
        }

    def lasting(self) -> ClientJudge:
        """The same judge, whose answers are kept for good and taken from there first."""
        return ClientJudge(
            self._client, self._members, self._options, for_good=self._for_good, is_lasting=True
        )

    def tokens_beside(self, question: Question) -> int:
        """The most tokens that a request has besides the texts of the exhibits."""
        return tokens_beside(question)

    async def decide(self, question: Question, *, check: CitationCheck | None = None) -> tuple[Decision, ...]:
        """What the votes say of every item, in the question's order."""
        return await at_home(lambda: not_counted(lambda: self._decided(question, check)))

    async def write(
        self, prompt: Prompt, exhibits: Sequence[Exhibit], fields: Mapping[str, str]
    ) -> Mapping[str, str] | None:
        """Texts about exhibits, by the first model; ``None`` where it gives none that can be used."""
        return await at_home(lambda: not_counted(lambda: self._written(prompt, exhibits, fields)))

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
        member = self._members[0]
        request = writing_request(
            prompt,
            exhibits,
            fields,
            secret=self._client.secret,
            model=member.model,
            parameters=self._parameters,
            provider_options=self._provider_options,
        )
        (member, *_) = member.for_question(request.key)
        self._client.asks(request.key, [member])
        usage.current().asked(prompt)
        reply = await self._reply(member, request)
        return None if isinstance(reply, Failure) else written(reply, fields)

    async def _decide(self, question: Question, check: CitationCheck | None) -> tuple[Decision, ...]:
        key = question_key(question, self._parameters, self._provider_options)
        members = [found for member in self._members for found in member.for_question(key)]
        self._client.asks(key, members)
        usage.current().asked(question.prompt)
        rule = rule_for(question.choices, question.rule, self._options.unsure_below)
        polled = await asyncio.gather(*(self._poll(member, question, key, rule, check) for member in members))
        flags = flags_of(question)
        decisions: list[Decision] = []
        for position, item in enumerate(question.items):
            of_members = [
                decide(item.item_id, ballots[position], question.choices, rule, flags) for ballots in polled
            ]
            decisions.append(
                panel_decision(
                    of_members,
                    question.choices,
                    self._options.panel_rule,
                    needs_majority=question.rule == "majority_or_unsure",
                )
            )
        return tuple(decisions)

    async def _poll(
        self, member: Member, question: Question, key: str, rule: VoteRule, check: CitationCheck | None
    ) -> list[Ballot]:
        """The votes of one model: the fewest that can decide first, then only what is needed."""
        poll = Poll(question, member.name, rule, self._options.num_samples, check)
        composer = Composer(
            question,
            key,
            self._client.secret,
            model=member.model,
            parameters=self._parameters,
            provider_options=self._provider_options,
        )
        while more := poll.wanted():
            asked = range(poll.asked, poll.asked + more)
            votes = (self._vote(member, composer, question, at, check) for at in asked)
            poll.add(await asyncio.gather(*votes))
        for unanimous in poll.unanimities():
            self._client.voted(member, unanimous=unanimous)
        return poll.ballots

    async def _vote(
        self,
        member: Member,
        composer: Composer,
        question: Question,
        sample: int,
        check: CitationCheck | None,
    ) -> Sequence[ReadItem | Failure]:
        """What one model says of every item in one vote; a failure where it could not say anything."""
        request = composer.request(sample)
        reply = await self._reply(member, request)
        if isinstance(reply, Failure):
            usage.current().lost(member.name)
            return [reply] * len(question.items)
        read = read_reply(reply, question)
        problem = next((item.lost for item in read if item.lost), None) or problem_of_evidence(
            read, question, check
        )
        if problem is None or reply.finish_reason in WITHHELD:
            return read
        again = await self._reply(member, composer.repair(request, reply.text, problem))
        if isinstance(again, Failure):
            # Too long with the first answer in it, for instance: then that answer is all there is.
            final = again.code.removeprefix("judge_") in _UNREPAIRABLE
            return [again if item.lost and not final else item for item in read]
        repaired = read_reply(again, question)
        return [
            second if first.lost else with_evidence_of(first, second, question, check)
            for first, second in zip(read, repaired, strict=True)
        ]

    async def _reply(self, member: Member, request: JudgeRequest) -> JudgeReply | Failure:
        """The answer to one request, or why there is none.

        Raises:
            RunError: it concerns the whole run.
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
                retryable=error.code not in _FINAL,
            )
        except Exception as error:
            said = str(error) if isinstance(error, PluginError) else described(error)
            message = f"{member.name}: {said}"
            return Failure(code="judge_raised", message=message, origin=member.backend_name)
        usage.current().used(member.name, reply, member.cost(reply))
        return reply
