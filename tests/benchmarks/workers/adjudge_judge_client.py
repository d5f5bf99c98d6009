"""What the judge client adds to a call: ``adjudge_judge_client.py CALLS AT_ONCE`` prints milliseconds a call.

The judge answers at once; everything else is real: the prompt, the key, journal and cache, limiter, reading, votes.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

from adjudge.extension.judge_options import JudgeModelOptions
from adjudge.journal.reply_cache import ReplyCache
from adjudge.journal.run_journal import Journal
from adjudge.judge.client import JudgeClient
from adjudge.judge.member import Member
from adjudge.judge.panel import JudgePanel
from adjudge.model.judging import Choice, Exhibit, JudgedItem, JudgeReply, JudgeRequest, Prompt, Question
from adjudge.testing import verdicts

calls, at_once = map(int, sys.argv[1:])
spent = 0.0


class InstantJudge:
    """Answers at once, and counts what writing its answer takes: that is not the client's."""

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        global spent
        started = time.perf_counter()
        reply = JudgeReply(text=verdicts(request, "valid"))
        spent += time.perf_counter() - started
        return reply


def question(number: int) -> Question:
    return Question(
        prompt=Prompt(name="benchmark", version=1, text="Is the answer right? " * 30),
        exhibits=(
            Exhibit(name="user prompt", text=f"Question {number}: " + "what is this about? " * 20),
            Exhibit(name="reference", text="It is about this. " * 40),
            Exhibit(name="agent response", text="It is about that. " * 40),
        ),
        items=(JudgedItem(item_id="answer", text="The answer agrees with the reference."),),
        choices=(
            Choice(label="valid", meaning="it does", value=1.0),
            Choice(label="invalid", meaning="it does not", value=0.0),
        ),
    )


async def measured(folder: Path) -> float:
    client = JudgeClient(secret=b"secret")
    with Journal.create(folder / "run.sqlite3", {}) as journal:
        client.keep_in([journal, ReplyCache(folder / "cache.sqlite3")])
        member = Member("instant/judge", "judge", "instant", InstantJudge())
        judge = JudgePanel(client, [member], JudgeModelOptions(num_samples=1))
        slots = asyncio.Semaphore(at_once)

        async def ask(number: int) -> None:
            async with slots:
                (decision,) = await judge.decide(question(number))
                assert decision.value == 1.0

        await asyncio.gather(*(ask(-number) for number in range(1, at_once)))
        started, before = time.perf_counter(), spent
        await asyncio.gather(*(ask(number) for number in range(calls)))
        return time.perf_counter() - started - (spent - before)


with tempfile.TemporaryDirectory() as name:
    seconds = asyncio.run(measured(Path(name)))
json.dump({"ms": 1000 * seconds / calls}, sys.stdout)
