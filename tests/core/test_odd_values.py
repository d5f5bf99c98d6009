"""What agents, criteria, readers and judges give is kept so that it can be read again, or is an error that says who gave it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from adjudge import RunResult, evaluate_sync
from adjudge.extension.loader import Extensions
from adjudge.model import (
    CaseResult,
    Citation,
    Content,
    Evidence,
    Failure,
    Invocation,
    RubricScore,
    Step,
    ToolCall,
    Usage,
)
from adjudge.plugin import (
    AgentAdapterSpec,
    ComponentConfig,
    CriterionSpec,
    JudgeBackendSpec,
    JudgeReply,
    Measurement,
    Outcome,
    ReadOptions,
    Source,
    TraceReaderSpec,
    Trajectory,
    hookimpl,
)
from adjudge.testing.log_runs import judged_sync

HUGE = 10**4500
SAID = Content.of_text("hello", role="model")
ASKED = Content.of_text("hi", role="user")


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"a": value}
    return value


def turn(**fields: Any) -> Invocation:
    return Invocation(user_content=ASKED, final_response=SAID, **fields)


def calling(**args: Any) -> tuple[Step, ...]:
    return (Step(number=1, items=(ToolCall(name="t", args=args),)),)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., RunResult]:
    monkeypatch.chdir(tmp_path)
    message = {"user_content": {"parts": [{"text": "hi"}]}, "final_response": {"parts": [{"text": "hello"}]}}
    cases = [{"eval_id": name, "conversation": [message]} for name in ("odd", "fine")]
    (tmp_path / "set.test.json").write_text(json.dumps({"eval_set_id": "s", "eval_cases": cases}))

    def evaluate(agent: object, criteria: dict[str, Any] | None = None, **options: Any) -> RunResult:
        config = {"criteria": criteria or {"response_match_score": 0.5}}
        return evaluate_sync(agent, "set.test.json", config=config, run="r", **options)

    return evaluate


def read_again(result: RunResult) -> list[CaseResult]:
    """The results from the journal, with everything that it holds read."""
    found = list(result.details())
    for item in found:
        assert item.case.eval_id == item.result.eval_id
        assert item.actual.invocations is not None
    return [item.result for item in found]


ANSWERS: dict[str, Any] = {
    "huge number": lambda: turn(steps=calling(n=HUGE)),
    "not a number": lambda: turn(steps=calling(n=float("nan"))),
    "deep arguments": lambda: turn(steps=calling(n=nested(210))),
    "deep dictionary": lambda: {
        "final_response": {"parts": [{"text": "hello"}]},
        "intermediate_data": {"tool_uses": [{"name": "t", "args": nested(210)}]},
    },
    "steps of wrong types": lambda: turn().model_copy(
        update={"steps": (Step.model_construct(number="x", items=[]),)}  # type: ignore[arg-type]
    ),
    "no steps": lambda: Invocation.model_construct(user_content=ASKED, steps=None),  # type: ignore[arg-type]
    "no fields": lambda: Invocation.model_construct(),
    "an answer that is text": lambda: turn().model_copy(update={"final_response": "hello"}),
    "a duration that is text": lambda: turn().model_copy(update={"duration": "abc"}),
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_an_answer_that_cannot_be_kept_is_an_error_of_its_case(
    run: Callable[..., RunResult], kind: str
) -> None:
    asked: list[str] = []

    def agent(text: str) -> Any:
        asked.append(text)
        return ANSWERS[kind]() if len(asked) == 1 else "hello"

    odd, fine = read_again(run(agent, concurrency=1))
    assert odd.status == "error"
    assert odd.error is not None
    assert odd.error.code == "bad_answer"
    assert fine.status == "PASS"


@pytest.mark.parametrize("value", [nested(210), HUGE, float("nan")], ids=["deep", "huge", "nan"])
def test_a_state_that_cannot_be_kept_is_an_error_of_its_case(
    run: Callable[..., RunResult], value: object
) -> None:
    def agent(text: str, session: Any) -> str:
        if session.eval_id == "odd":
            session.state["x"] = value
        return "hello"

    odd, fine = read_again(run(agent))
    assert odd.error is not None
    assert odd.error.code == "bad_answer"
    assert fine.status == "PASS"


@pytest.mark.parametrize("count", [HUGE, -5, 2**63], ids=["huge", "negative", "2**63"])
def test_tokens_that_nobody_can_have_used_count_as_not_reported(
    run: Callable[..., RunResult], count: int
) -> None:
    def agent(text: str) -> Invocation:
        return turn(
            steps=tuple(
                Step(number=n, usage=Usage(input_tokens=count, output_tokens=2**63 - 1)) for n in (1, 2)
            )
        )

    for result in read_again(run(agent)):
        assert result.status == "PASS"
        assert result.usage is not None
        assert result.usage.input_tokens is None
        assert result.usage.output_tokens == 2**63 - 1


class Target(ComponentConfig):
    target: str


class Adapter:
    """Somebody's adapter, which gives what it was made with."""

    def __init__(self, answer: Callable[[], Any], emitted: Step | None = None) -> None:
        self._answer, self._emitted = answer, emitted
        self.state = None

    def accepts(self, target: str, host: object) -> bool:
        return target.startswith("odd:")

    async def open_session(self, request: Any, emit: Any) -> Adapter:
        self._emit = emit
        return self

    async def send(self, content: Content) -> Any:
        if self._emitted is not None:
            self._emit(self._emitted)
        return self._answer()

    async def aclose(self) -> None: ...

    @hookimpl.agent_adapters
    def agent_adapters(self) -> Iterable[AgentAdapterSpec]:
        yield AgentAdapterSpec(
            name="odd",
            summary="Odd",
            factory=lambda _config, _host: self,
            config=Target,
            accepts=lambda target, _host: isinstance(target, str) and target.startswith("odd:"),
        )


@pytest.mark.parametrize("kind", [kind for kind in ANSWERS if kind != "deep dictionary"])
def test_what_another_adapter_gives_is_checked_too(
    run: Callable[..., RunResult], kind: str, beside_built_ins: Callable[[object], Extensions]
) -> None:
    for result in read_again(run("odd:x", extensions=beside_built_ins(Adapter(ANSWERS[kind])))):
        assert result.error is not None
        assert result.error.code == "bad_answer"


def test_steps_of_wrong_types_before_a_failure_end_no_run(
    run: Callable[..., RunResult], beside_built_ins: Callable[[object], Extensions]
) -> None:
    def answer() -> Any:
        raise RuntimeError("gone")

    odd: Step = Step.model_construct(number="x", items=[5])  # type: ignore[arg-type, list-item]
    for result in read_again(run("odd:x", extensions=beside_built_ins(Adapter(answer, odd)))):
        assert result.error is not None
        assert result.error.code == "agent_raised"


class Scoring:
    """Somebody's criterion, which gives what it was made with."""

    def __init__(self, measured: Callable[[], Any]) -> None:
        self._measured = measured

    async def score(self, case: object) -> Measurement:
        return self._measured()  # type: ignore[no-any-return]

    @hookimpl.criteria
    def criteria(self) -> Iterable[CriterionSpec]:
        yield CriterionSpec(name="odd", summary="Odd", factory=lambda _config, _host: self)


def scored(**update: Any) -> Measurement:
    return Measurement(overall=Outcome.scored(1.0).model_copy(update=update))


MEASURED: dict[str, Callable[[], Any]] = {
    "huge number": lambda: scored(details={"n": HUGE}),
    "deep": lambda: scored(details=nested(200)),
    "a failure of wrong types": lambda: Measurement(
        overall=Outcome(state="error", error=Failure.model_construct(code=5, message=None))  # type: ignore[arg-type]
    ),
    "evidence of wrong types": lambda: scored(
        evidence=Evidence.model_construct(citations=("x", Citation.model_construct()))  # type: ignore[arg-type]
    ),
    "rubrics of wrong types": lambda: scored(
        rubric_scores=(RubricScore.model_construct(rubric_id=5, score="abc"),)  # type: ignore[arg-type]
    ),
}


@pytest.mark.parametrize("kind", MEASURED)
def test_a_measurement_that_cannot_be_kept_is_an_error_of_its_criterion(
    run: Callable[..., RunResult], kind: str, beside_built_ins: Callable[[object], Extensions]
) -> None:
    criteria = {"odd": 0.5, "response_match_score": 0.5}
    result = run(
        lambda text: "hello", criteria=criteria, extensions=beside_built_ins(Scoring(MEASURED[kind]))
    )
    for case in read_again(result):
        odd, words = case.criteria
        assert odd.status == "error"
        assert odd.error is not None
        assert odd.error.code == "criterion_raised"
        assert "acme" in odd.error.message
        assert words.status == "PASS"


class Judging:
    """Somebody's judge backend, which gives what it was made with."""

    def __init__(self, reply: Callable[[], Any]) -> None:
        self._reply = reply

    async def complete(self, request: object) -> JudgeReply:
        return self._reply()  # type: ignore[no-any-return]

    @hookimpl.judge_backends
    def judge_backends(self) -> Iterable[JudgeBackendSpec]:
        yield JudgeBackendSpec(name="odd", summary="Odd", factory=lambda _config, _host: self, prices="")


@pytest.mark.parametrize(
    "update",
    [{"text": 5}, {"usage": 5}, {"usage": Usage.model_construct(input_tokens=HUGE)}],
    ids=["text", "usage", "tokens"],
)
def test_a_reply_of_wrong_types_is_an_error_of_the_criterion(
    run: Callable[..., RunResult], update: dict[str, Any], beside_built_ins: Callable[[object], Extensions]
) -> None:
    backend = Judging(lambda: JudgeReply(text="{}").model_copy(update=update))
    criteria = {"final_response_match_v2": 0.5, "response_match_score": 0.5}
    result = run(lambda text: "hello", criteria=criteria, judge="odd/m", extensions=beside_built_ins(backend))
    for case in read_again(result):
        assert [item.status for item in case.criteria] == ["error", "PASS"]


class Reading:
    """Somebody's trace reader, whose second run is what it was made with."""

    def __init__(self, second: Callable[[], Any]) -> None:
        self._second = second

    def sniff(self, head: bytes, path: Path) -> bool:
        return head.startswith(b"ODD")

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        yield Trajectory(task="first", invocations=(turn(steps=calling(n=1)),))
        yield self._second()

    @hookimpl.trace_readers
    def trace_readers(self) -> Iterable[TraceReaderSpec]:
        yield TraceReaderSpec(name="odd", summary="Odd", factory=lambda _config, _host: self)


def interrupt() -> Any:
    raise KeyboardInterrupt


RUNS: dict[str, Callable[[], Any]] = {
    "no turns": lambda: Trajectory.model_construct(invocations=None),  # type: ignore[arg-type]
    "a turn without a message": lambda: Trajectory().model_copy(
        update={"invocations": (Invocation.model_construct(),)}
    ),
    "a step that is a number": lambda: Trajectory().model_copy(
        update={"invocations": (turn().model_copy(update={"steps": (5,)}),)}
    ),
    "losses that are a number": lambda: Trajectory(task="x").model_copy(update={"lost": 5, "agent": 7}),
    "a task that is a number": lambda: Trajectory(task="x").model_copy(update={"task": 7}),
    "a huge number": lambda: Trajectory(task="x", invocations=(turn(steps=calling(n=HUGE)),)),
    "an interruption": interrupt,
}


@pytest.mark.parametrize("kind", RUNS)
def test_a_run_that_a_reader_breaks_takes_no_other_verdict_along(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    beside_built_ins: Callable[[object], Extensions],
    kind: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.odd").write_text("ODD")
    criteria = [{"name": "repeats", "criterion": "action_repeats", "maximum": 3}]
    judged = judged_sync(
        "log.odd", criteria, extensions=beside_built_ins(Reading(RUNS[kind])), outputs=["out.json"]
    )
    assert len(judged.logs) == 1
    assert [item.verdict for item in judged.logs[0].results] == ["PASS"]
    [error] = judged.errors
    assert (error.run, error.error.code) == (2, "reader_raised")
    assert "acme" in error.error.message
    assert json.loads((tmp_path / "out.json").read_text())
