"""Scoring has a limit of its own: a criterion that never ends is an error, and holds nothing else up."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from adjudge import RunResult, evaluate_sync
from adjudge.errors import InputError
from adjudge.extension.loader import Extensions
from adjudge.model import Choice, Exhibit, JudgedItem, Prompt, Question
from adjudge.plugin import (
    CaseUnderTest,
    Criterion,
    CriterionSpec,
    Host,
    JudgeBackendSpec,
    JudgeModelOptions,
    JudgeReply,
    JudgeRequest,
    Measurement,
    Need,
    Outcome,
    hookimpl,
)
from adjudge.testing import verdicts

Score = Callable[[CaseUnderTest], Coroutine[Any, Any, Measurement]]
TURN = {"user_content": {"parts": [{"text": "hi"}]}, "final_response": {"parts": [{"text": "hello"}]}}
GOOD = Measurement(overall=Outcome.scored(1.0))


class Plugin:
    """A criterion of somebody else's."""

    def __init__(self, score: Score) -> None:
        self.score = score

    @hookimpl.criteria
    def criteria(self) -> Iterable[CriterionSpec]:
        yield CriterionSpec(name="odd", summary="Does what it is told", factory=lambda _config, _host: self)


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside_built_ins: Callable[[object], Extensions]
) -> Callable[..., RunResult]:
    monkeypatch.chdir(tmp_path)

    def evaluate(plugin: object, cases: int = 3, **options: Any) -> RunResult:
        eval_cases = [{"eval_id": str(number), "conversation": [TURN]} for number in range(cases)]
        (tmp_path / "set.test.json").write_text(
            json.dumps({"eval_set_id": "set", "eval_cases": eval_cases}), encoding="utf-8"
        )
        return evaluate_sync(
            lambda _text: "hello",
            "set.test.json",
            config={"criteria": {"odd": 1.0, "response_match_score": 0.8}},
            extensions=beside_built_ins(plugin),
            **options,
        )

    return evaluate


@pytest.fixture
def never() -> Iterator[threading.Event]:
    """An event that nobody sets before the end of the test."""
    event = threading.Event()
    yield event
    event.set()


def statuses(result: RunResult, name: str) -> list[str]:
    return [item.status for case in result.cases() for item in case.criteria if item.criterion_name == name]


def errors(result: RunResult) -> list[tuple[str, str, bool]]:
    found = [item.error for case in result.cases() for item in case.criteria if item.error is not None]
    return [(error.code, error.message, error.retryable) for error in found]


def test_a_criterion_that_never_returns_is_an_error_on_that_case(run: Callable[..., RunResult]) -> None:
    async def score(case: CaseUnderTest) -> Measurement:
        if case.case.eval_id == "1":
            await asyncio.Event().wait()
        return GOOD

    result = run(Plugin(score), scoring_timeout=0.5)

    assert statuses(result, "odd") == ["PASS", "error", "PASS"]
    assert statuses(result, "response_match_score") == ["PASS"] * 3
    assert result.summary.exit_status == 3
    expected = "score of plugin acme (acme-metrics 0) took longer than 0.5 s"
    assert errors(result) == [("criterion_timeout", expected, True)]


def test_a_criterion_that_blocks_is_an_error_on_that_case_and_holds_up_no_other(
    run: Callable[..., RunResult], never: threading.Event
) -> None:
    async def score(case: CaseUnderTest) -> Measurement:
        if case.case.eval_id == "0":
            never.wait()
        return GOOD

    result = run(Plugin(score), scoring_timeout=0.5)

    assert statuses(result, "odd") == ["error", "PASS", "PASS"]
    [(code, message, _)] = errors(result)
    assert code == "criterion_timeout"
    assert message.endswith("it blocks, cannot be stopped, and was left running")


def test_a_criterion_that_blocks_again_and_again_is_not_called_any_more(
    run: Callable[..., RunResult], never: threading.Event
) -> None:
    async def score(_: CaseUnderTest) -> Measurement:
        never.wait()
        return GOOD

    result = run(Plugin(score), cases=6, scoring_timeout=0.2, concurrency=1)

    assert statuses(result, "odd") == ["error"] * 6
    assert statuses(result, "response_match_score") == ["PASS"] * 6
    said = [message for _, message, _ in errors(result)]
    assert sum("took longer than 0.2 s; it blocks" in item for item in said) == 3
    assert sum("was not called: 3 calls into it have blocked" in item for item in said) == 3


def test_a_criterion_that_ignores_its_cancellation_is_left_behind(
    run: Callable[..., RunResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adjudge.extension.guard.GRACE", 0.2)

    async def score(_: CaseUnderTest) -> Measurement:
        for _again in range(100):
            try:
                await asyncio.sleep(0.5)
            except asyncio.CancelledError:
                continue
        return GOOD

    result = run(Plugin(score), cases=1, scoring_timeout=0.1)

    [(_, message, _)] = errors(result)
    assert message.endswith("it ignores that it was cancelled, and was left running")


def test_a_criterion_that_works_on_many_cases_one_after_the_other_is_within_its_limit_on_each(
    run: Callable[..., RunResult],
) -> None:
    turn = threading.Event()

    async def score(_: CaseUnderTest) -> Measurement:
        turn.wait(0.2)  # blocks: the cases wait for one another, and their limits begin when their turns come
        return GOOD

    result = run(Plugin(score), cases=12, scoring_timeout=1.5)

    assert statuses(result, "odd") == ["PASS"] * 12


# --- judges ---------------------------------------------------------------------------


class Judged(Plugin):
    """A criterion of somebody else's that asks a judge, and a judge that takes its time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(self._decided)
        self._seconds = seconds

    @hookimpl.criteria
    def criteria(self) -> Iterable[CriterionSpec]:
        def make(_config: object, host: Host) -> Criterion:
            self._judge = host.judge(JudgeModelOptions(judge_model="slow/m", num_samples=1))
            return self

        yield CriterionSpec(name="odd", summary="Asks", factory=make, needs=frozenset({Need.JUDGE}))

    @hookimpl.judge_backends
    def judge_backends(self) -> Iterable[JudgeBackendSpec]:
        yield JudgeBackendSpec(name="slow", summary="Slow", factory=lambda _config, _host: self, prices="")

    async def _decided(self, _: CaseUnderTest) -> Measurement:
        question = Question(
            prompt=Prompt(name="q", version=1, text="Decide."),
            exhibits=(Exhibit(name="answer", text="hello"),),
            items=(JudgedItem(item_id="a", text="It is so."),),
            choices=(
                Choice(label="yes", meaning="so", value=1.0),
                Choice(label="no", meaning="not", value=0.0),
            ),
        )
        (decision,) = await self._judge.decide(question)
        return Measurement(overall=Outcome.scored(decision.value or 0.0))

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        await asyncio.sleep(self._seconds)
        return JudgeReply(text=verdicts(request, "yes"))


def test_what_a_criterion_waits_for_its_judge_is_not_counted(run: Callable[..., RunResult]) -> None:
    result = run(Judged(2.0), cases=1, scoring_timeout=1.5)

    assert not errors(result), errors(result)
    [case] = result.cases()
    judging = case.criteria[0].judging
    assert judging is not None
    assert (judging.models, judging.votes) == (("slow/m",), 1)


# --- the option -----------------------------------------------------------------------


def test_the_limit_is_kept_in_the_plan_and_inf_is_none(run: Callable[..., RunResult]) -> None:
    async def score(_: CaseUnderTest) -> Measurement:
        return GOOD

    assert run(Plugin(score), scoring_timeout=float("inf")).passed
    with pytest.raises(InputError, match="the timeout of scoring must be more than 0 seconds, found 0"):
        run(Plugin(score), scoring_timeout=0)


def test_the_command_line_has_the_limit(adjudge: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "set.test.json").write_text(
        json.dumps({"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation": [TURN]}]}),
        encoding="utf-8",
    )
    (tmp_path / "polite.py").write_text(
        "import asyncio\n"
        "def agent(text):\n    return 'hello'\n"
        "async def never(metric, actual, expected, scenario=None):\n    await asyncio.Event().wait()\n",
        encoding="utf-8",
    )
    config = {
        "criteria": {"mine": 0.5},
        "custom_metrics": {"mine": {"code_config": {"name": "polite.never"}}},
    }
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    command = ("eval", "polite:agent", "set.test.json", "--config-file-path", "config.json")

    done = adjudge(*command, "--scoring-timeout", "0.5")

    assert done.returncode == 3, done.stdout + done.stderr
    assert "took longer than 0.5 s" in " ".join(done.stdout.split())
    assert adjudge(*command, "--scoring-timeout", "0").returncode == 2
