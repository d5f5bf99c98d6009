"""The client that every judge call of a run goes through: calls that are shared, given up, counted and limited."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from adjudge.errors import JudgeError, RunError
from adjudge.extension.judge_options import JudgeModelOptions
from adjudge.extension.judge_use import judge_use
from adjudge.judge.budget import Budget
from adjudge.judge.client import JudgeClient
from adjudge.judge.member import Member
from adjudge.judge.panel import JudgePanel
from adjudge.judge.rate_limit import AdaptiveLimiter
from adjudge.model import Choice, Citation, Exhibit, JudgedItem, Question, Usage
from adjudge.model.judging import JudgeMessage, Prompt, RateLimit
from adjudge.plugin import JudgeReply, JudgeRequest
from adjudge.testing import verdicts

Answer = Callable[[JudgeRequest], Awaitable[JudgeReply]]


class _SteadyLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock stands still while there is work, and then jumps to the next timer."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0

    def time(self) -> float:
        return self._now

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]
            self._now = max(self._now, self._scheduled[0].when())  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]


def run_steadily(main: Coroutine[Any, Any, None]) -> None:
    """``asyncio.run`` on a clock that no other process on this machine can slow down."""
    with asyncio.Runner(loop_factory=_SteadyLoop) as runner:
        runner.run(main)


class Program:
    """A backend whose model is a coroutine."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.calls = 0

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        self.calls += 1
        return await self.answer(request)


def member(backend: Any, *, prices: str | None = None) -> Member:
    return Member(name="x/m", model="m", backend_name="x", backend=backend, prices=prices)


def request(text: str = "?", sample: int = 0) -> JudgeRequest:
    return JudgeRequest(
        model="m", messages=(JudgeMessage(role="user", text=text),), key=f"{hash(text):x}", sample=sample
    )


def question(text: str = "2 + 2 = 4") -> Question:
    return Question(
        prompt=Prompt(name="q", version=1, text="Decide."),
        exhibits=(Exhibit(name="answer", text=text),),
        items=(JudgedItem(item_id="i", text="Is it so?"),),
        choices=(Choice(label="yes", meaning="yes", value=1.0), Choice(label="no", meaning="no", value=0.0)),
    )


def judge(client: JudgeClient, backend: Any, **options: Any) -> JudgePanel:
    return JudgePanel(client, [member(backend)], JudgeModelOptions(**options))


def test_who_asked_first_may_be_cancelled_while_others_wait() -> None:
    gate = asyncio.Event()

    async def answer(_: JudgeRequest) -> JudgeReply:
        await gate.wait()
        return JudgeReply(text="here")

    async def main() -> None:
        backend = Program(answer)
        client = JudgeClient(secret=b"s")
        first, second = (asyncio.create_task(client.ask(member(backend), request())) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0)
        gate.set()
        assert (await second).text == "here"
        assert backend.calls == 1
        with pytest.raises(asyncio.CancelledError):
            await first

    asyncio.run(main())


def test_a_failure_that_nobody_waits_for_any_more_is_no_noise(caplog: pytest.LogCaptureFixture) -> None:
    async def answer(_: JudgeRequest) -> JudgeReply:
        await asyncio.sleep(0.01)
        raise JudgeError("gone", code="bad_request")

    async def main() -> None:
        client = JudgeClient(secret=b"s")
        only = asyncio.create_task(client.ask(member(Program(answer)), request()))
        await asyncio.sleep(0)
        only.cancel()
        await asyncio.sleep(0.05)

    run_steadily(main())
    assert "never retrieved" not in caplog.text


def test_after_the_end_nothing_is_begun() -> None:
    async def answer(_: JudgeRequest) -> JudgeReply:
        return JudgeReply(text="here")

    async def main() -> None:
        backend = Program(answer)
        client = JudgeClient(secret=b"s")
        await client.aclose()
        with pytest.raises(RunError):
            await client.ask(member(backend), request())
        assert backend.calls == 0

    asyncio.run(main())


def test_what_a_criterion_asks_in_tasks_of_its_own_is_on_its_account_and_on_no_other() -> None:
    async def answer(asked: JudgeRequest) -> JudgeReply:
        await asyncio.sleep(0)
        return JudgeReply(text=verdicts(asked, "yes"), usage=Usage(input_tokens=10, output_tokens=1))

    async def main() -> None:
        asked = judge(JudgeClient(secret=b"s"), Program(answer), num_samples=3)

        async def criterion(number: int) -> int:
            with judge_use() as account:
                tasks = [asyncio.create_task(asked.decide(question(f"{number} {n}"))) for n in range(number)]
                await asyncio.gather(*tasks)
            use = account.use()
            return 0 if use is None else use.votes

        assert await asyncio.gather(*(criterion(number) for number in range(5))) == [0, 2, 4, 6, 8]

    asyncio.run(main())


def test_a_criterion_cannot_swallow_what_concerns_the_whole_run() -> None:
    async def answer(_: JudgeRequest) -> JudgeReply:
        raise JudgeError("wrong key", code="auth")

    async def main() -> None:
        asked = judge(JudgeClient(secret=b"s"), Program(answer))
        with judge_use() as account:
            with pytest.raises(RunError, match="wrong key"):
                await asked.decide(question())
            assert isinstance(account.fatal, RunError)

    asyncio.run(main())


def test_sums_of_costs_do_not_depend_on_who_answered_first() -> None:
    pytest.importorskip("genai_prices")

    async def cost(order: list[int]) -> float | None:
        async def answer(asked: JudgeRequest) -> JudgeReply:
            return JudgeReply(text="", usage=Usage(input_tokens=7 + asked.sample, output_tokens=3))

        priced = Member(
            name="openai/gpt-4o-mini",
            model="gpt-4o-mini",
            backend_name="x",
            backend=Program(answer),
            prices="openai",
        )
        client = JudgeClient(secret=b"s")
        for sample in order:
            await client.ask(priced, request(sample=sample).model_copy(update={"model": "gpt-4o-mini"}))
        return client.calls["openai/gpt-4o-mini"].cost

    numbers = list(range(50))
    forwards = asyncio.run(cost(numbers))
    assert forwards is not None
    assert forwards > 0
    assert asyncio.run(cost(numbers[::-1])) == forwards


def test_retries_cost_no_budget_and_a_call_that_was_given_up_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.judge.retry._FIRST_WAIT", 0.001)
    tries: list[int] = []

    async def answer(_: JudgeRequest) -> JudgeReply:
        tries.append(1)
        if len(tries) < 3:
            raise JudgeError("busy", code="overload")
        return JudgeReply(text="here")

    async def main() -> None:
        client = JudgeClient(secret=b"s", budget=Budget(max_calls=2))
        backend = Program(answer)
        for text in ("one", "two"):
            await client.ask(member(backend), request(text))
        with pytest.raises(Exception, match="2 judge calls is used up"):
            await client.ask(member(backend), request("three"))
        assert backend.calls == 4
        assert (client.calls["x/m"].calls, client.calls["x/m"].retries) == (2, 2)

    asyncio.run(main())


def test_time_is_for_the_whole_call_and_waiting_for_a_turn_is_not_in_it() -> None:
    async def answer(_: JudgeRequest) -> JudgeReply:
        await asyncio.sleep(0.05)
        return JudgeReply(text="here")

    async def main() -> None:
        # The last one waits for several others before its turn: longer than a call may take.
        client = JudgeClient(secret=b"s", timeout=2.0)
        backend = Program(answer)
        backend.at_once = 1  # type: ignore[attr-defined]
        many = [client.ask(member(backend), request(str(n))) for n in range(50)]
        assert len(await asyncio.gather(*many)) == 50
        assert client.calls["x/m"].retries == 0

    run_steadily(main())


# --- the limiter ------------------------------------------------------------------------


async def _run(limiter: AdaptiveLimiter, calls: int, rate: Callable[[int], RateLimit | None]) -> int:
    most = running = 0

    async def call(number: int) -> None:
        nonlocal most, running
        async with limiter.slot():
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.001)
            running -= 1
            limiter.succeeded(rate(number))

    await asyncio.gather(*(call(number) for number in range(calls)))
    return most


def test_the_limit_grows_while_it_works() -> None:
    async def main() -> None:
        limiter = AdaptiveLimiter()
        assert await _run(limiter, 16, lambda _: None) == 16
        assert await _run(limiter, 400, lambda _: None) > 64
        assert limiter.limit <= 256

    run_steadily(main())


def test_one_round_of_refusals_halves_it_once() -> None:
    async def main() -> None:
        limiter = AdaptiveLimiter()

        async def refused() -> None:
            async with limiter.slot() as round_:
                await asyncio.sleep(0.001)
                limiter.refused(round_, None)

        await asyncio.gather(*(refused() for _ in range(16)))
        assert limiter.limit == 8
        for _ in range(20):
            await refused()
        assert limiter.limit == 1
        await _run(limiter, 30, lambda _: None)
        assert limiter.limit > 2, "it recovers"

    run_steadily(main())


def test_a_refusal_of_few_calls_holds_for_the_many_that_follow() -> None:
    async def main() -> None:
        limiter = AdaptiveLimiter()
        async with limiter.slot() as round_:
            limiter.refused(round_, None)
        gate = asyncio.Event()
        running = 0

        async def call() -> None:
            nonlocal running
            async with limiter.slot():
                running += 1
                await gate.wait()

        async with asyncio.TaskGroup() as tasks:
            for _ in range(16):
                tasks.create_task(call())
            await asyncio.sleep(0.001)
            assert (limiter.limit, running) == (8, 8)
            gate.set()
        assert running == 16

    run_steadily(main())


def test_a_pause_after_the_last_call_ends_for_those_who_wait() -> None:
    async def main() -> None:
        full = RateLimit(remaining_requests=0, reset_after=0.05)
        async with asyncio.timeout(10):
            await _run(AdaptiveLimiter(2), 7, lambda _: full)

    run_steadily(main())


def test_who_waits_may_be_cancelled_and_nobody_loses_a_turn() -> None:
    async def main() -> None:
        limiter = AdaptiveLimiter(1)
        gate = asyncio.Event()
        done: list[int] = []

        async def call(number: int) -> None:
            async with limiter.slot():
                await gate.wait()
                done.append(number)

        tasks = [asyncio.create_task(call(number)) for number in range(6)]
        await asyncio.sleep(0)
        for number in (1, 3):
            tasks[number].cancel()
        gate.set()
        async with asyncio.timeout(10):
            await asyncio.gather(*tasks, return_exceptions=True)
        assert sorted(done) == [0, 2, 4, 5]

    asyncio.run(main())


def test_long_questions_go_in_pieces_and_come_back_in_order(tmp_path: Path) -> None:
    async def answer(asked: JudgeRequest) -> JudgeReply:
        return JudgeReply(text=verdicts(asked, lambda text: "yes" if int(text.split()[-1]) % 3 else "no"))

    items = tuple(JudgedItem(item_id=f"i{n}", text=f"number {n}") for n in range(40))
    backend = Program(answer)
    asked = judge(JudgeClient(secret=b"s"), backend, num_samples=1)
    decisions = asyncio.run(asked.decide(question().model_copy(update={"items": items})))
    assert [decision.item_id for decision in decisions] == [item.item_id for item in items]
    assert [decision.value for decision in decisions] == [float(n % 3 > 0) for n in range(40)]
    assert backend.calls == 3


def test_later_votes_ask_only_about_what_is_still_open() -> None:
    """Two items, five votes: the first is decided by three alike; the second needs all five."""
    labels = {"item_1": ["yes"] * 5, "item_2": ["yes", "no", "yes", "no", "no"]}
    asked: list[tuple[int, list[str]]] = []

    async def answer(request: JudgeRequest) -> JudgeReply:
        items = list((request.schema_ or {})["properties"])
        asked.append((request.sample, sorted(items)))
        return JudgeReply(
            text=json.dumps({at: {"rationale": "so", "verdict": labels[at][request.sample]} for at in items})
        )

    two = question().model_copy(
        update={"items": (JudgedItem(item_id="i", text="Is it so?"), JudgedItem(item_id="j", text="And it?"))}
    )

    async def main() -> None:
        panel = judge(JudgeClient(secret=b"s"), Program(answer), num_samples=5)
        alone = judge(JudgeClient(secret=b"s"), Program(answer), num_samples=5)
        first, second = await panel.decide(two)
        [by_itself] = await alone.decide(question())
        assert (first.value, second.value) == (1.0, 0.0)
        assert (first.tally, first.confidence) == (by_itself.tally, by_itself.confidence)

    asyncio.run(main())
    together = sorted(asked)[:8]
    assert [items for sample, items in together if len(items) == 2] == [["item_1", "item_2"]] * 3
    assert [sample for sample, items in asked if items == ["item_2"]] == [3, 4]


def test_items_may_be_cited_from_fields_of_their_own() -> None:
    items = (
        JudgedItem(item_id="a", text="The milk is paid for.", purpose="Purchase: it is paid.", kind="outcome", cites=("result",)),
        JudgedItem(item_id="b", text="It is polite.", purpose="Tone: it stays polite.", cites=("text", "result")),
        JudgedItem(item_id="c", text="Nothing is shown.", purpose="Purchase: it is paid.", cites=()),
    )  # fmt: skip
    seen: list[JudgeRequest] = []

    async def answer(request: JudgeRequest) -> JudgeReply:
        seen.append(request)
        cited = [{"step": 1, "field": "text", "quote": "Hello"}]
        return JudgeReply(text=verdicts(request, "yes", citations=[Citation(**item) for item in cited]))

    mixed = question().model_copy(update={"items": items, "cites": ("action",)})

    async def main() -> None:
        first, second, third = await judge(JudgeClient(secret=b"s"), Program(answer)).decide(mixed)
        assert [len(item.citations) for item in (first, second, third)] == [0, 1, 0]

    asyncio.run(main())
    schema = (seen[0].schema_ or {})["properties"]
    field = {key: of["properties"].get("citations", {}).get("items", {}).get("properties", {}).get("field") for key, of in schema.items()}  # fmt: skip
    assert field["item_1"]["enum"] == ["result"]
    assert field["item_2"]["enum"] == ["text", "result"]
    assert field["item_3"] is None
    told = seen[0].messages[1].text.partition("# Items\n")[2].splitlines()
    assert told == [
        "Asked for: Purchase: it is paid.",
        "item_1: The milk is paid for.",
        "(item_1 is of the kind: outcome)",
        "item_3: Nothing is shown.",
        "Asked for: Tone: it stays polite.",
        "item_2: It is polite.",
    ]
    assert "for item_1 one of: result; for item_2 one of: text, result" in seen[0].messages[0].text
