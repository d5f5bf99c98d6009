"""Deliberate violations of every kind's contract: the conformance kit catches each, and says what is wrong."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import socket
import time
from collections.abc import Callable
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from adjudge.model import (
    Citation,
    Content,
    Evidence,
    Failure,
    Invocation,
    SimulatedConversation,
    Step,
    ToolCall,
    UserTurn,
)
from adjudge.plugin import (
    AgentAdapterSpec,
    AggregatedSteps,
    ComponentConfig,
    CriterionSpec,
    GranularityStrategySpec,
    InputError,
    JudgeBackendSpec,
    JudgeError,
    JudgeModelOptions,
    JudgeReply,
    Measurement,
    Need,
    ObserverSpec,
    Outcome,
    Problem,
    ReporterSpec,
    TraceReaderSpec,
    Trajectory,
    UserSimulatorSpec,
)
from adjudge.testing import (
    AgentAdapterConformance,
    CriterionConformance,
    GranularityStrategyConformance,
    JudgeBackendConformance,
    ObserverConformance,
    ReporterConformance,
    TraceReaderConformance,
    UserSimulatorConformance,
)

Failures = Callable[..., dict[str, str]]

SAMPLE = b'{"till": "roll"}'


def call_network() -> None:
    with socket.socket() as connection:
        connection.connect(("127.0.0.1", 9))


# --- one sound component of each kind; a violation overrides one method ----------------------


class Criterion:
    def __init__(self, config: Any = None, host: Any = None) -> None:
        pass

    async def score(self, case: Any) -> Any:
        return Measurement(per_invocation=tuple(map(self.outcome, case.actual.invocations)))

    def outcome(self, turn: Invocation) -> Outcome:
        return Outcome.scored(0.5, "counted")


class Backend:
    def __init__(self, config: Any, host: Any) -> None:
        self.key = host.environment.get("ACME_KEY")

    async def complete(self, request: Any) -> Any:
        if self.key is None:
            raise JudgeError("ACME_KEY is not set", code="auth")
        try:
            await asyncio.open_connection("127.0.0.1", 9)
        except OSError:
            raise JudgeError("there is no way to it", code="network") from None

    def missing(self, model: str | None) -> Any:
        return [] if self.key else ["ACME_KEY is not set"]

    def fingerprint(self) -> Any:
        return {"url": "https://judge.example"}

    def model_fingerprint(self, model: str) -> Any:
        return {"sha256": "0"}

    def context(self, model: str) -> Any:
        return 32_000

    at_once: Any = 4


class Strategy:
    def __init__(self, config: Any, host: Any) -> None:
        pass

    async def aggregate(self, trajectory: Trajectory, context: Any) -> Any:
        steps = trajectory.steps[:3]
        content = "\n".join(f"Step {step.number}: done" for step in steps)
        return self.made(content, {f"Step {step.number}": (step.number,) for step in steps})

    def made(self, content: str, mapping: dict[str, tuple[int, ...]], **more: Any) -> Any:
        return AggregatedSteps(
            granularity="it", aggregated_content=content, step_mapping=mapping, summary_metadata=more
        )


class Session:
    state: Any = None

    def __init__(self, request: Any, emit: Any) -> None:
        self.emit = emit
        self.steps = (Step(number=1, items=(ToolCall(name="look"),)),)

    async def send(self, content: Content) -> Any:
        for step in self.steps:
            self.emit(step)
        return Invocation(user_content=content, steps=self.steps, final_response=Content.of_text("yes"))

    async def aclose(self) -> None:
        pass


class Agent:
    session: type[Session] = Session

    def __init__(self, config: Any, host: Any) -> None:
        pass

    async def open_session(self, request: Any, emit: Any) -> Any:
        return self.session(request, emit)

    def check_plan(self, cases: Any) -> Any:
        return []

    def plan_notes(self) -> Any:
        return []

    def fingerprint(self) -> Any:
        return {"version": 1}


class Reader:
    def __init__(self, config: Any, host: Any) -> None:
        pass

    def sniff(self, head: bytes, path: Path) -> Any:
        return head.startswith(b'{"till"')

    def read(self, source: Any, options: Any) -> Any:
        if source.path.read_bytes() != SAMPLE:
            raise InputError(Problem(what="no till roll", file=str(source.path)))
        step = Step(number=1, items=(ToolCall(name="sell"),), source_ref="$")
        yield self.run(Invocation(user_content=Content.of_text("sell"), steps=(step,)))

    def run(self, turn: Invocation) -> Any:
        return Trajectory(invocations=(turn,), source="till.json")


class Reporter:
    def __init__(self, config: Any, host: Any) -> None:
        pass

    def write(self, report: Any, stream: Any) -> Any:
        stream.write(f"{report.summary.status}\n".encode())
        for case in report.cases():
            stream.write(f"{case.result.eval_id} {case.result.status}\n".encode())


class Observer:
    def __init__(self, config: Any, host: Any) -> None:
        self.seen = 0

    def observe(self, event: Any) -> Any:
        self.seen += 1


class Simulator:
    def __init__(self, config: Any, host: Any) -> None:
        pass

    async def next_message(self, conversation: SimulatedConversation) -> Any:
        scenario = conversation.case.conversation_scenario
        if conversation.invocations or scenario is None:
            return UserTurn(stop="asked")
        return UserTurn(content=Content.of_text(scenario.starting_prompt, role="user"))


KINDS: dict[type[Any], tuple[type[Any], type[Any], dict[str, Any], dict[str, Any]]] = {
    Criterion: (CriterionConformance, CriterionSpec, {}, {}),
    Backend: (JudgeBackendConformance, JudgeBackendSpec, {"environment": ("ACME_KEY",)}, {}),
    Strategy: (GranularityStrategyConformance, GranularityStrategySpec, {"when_to_use": "always"}, {}),
    Agent: (AgentAdapterConformance, AgentAdapterSpec, {"shows_state": False}, {}),
    Reader: (TraceReaderConformance, TraceReaderSpec, {}, {"sample": SAMPLE}),
    Reporter: (ReporterConformance, ReporterSpec, {}, {}),
    Observer: (ObserverConformance, ObserverSpec, {}, {}),
    Simulator: (UserSimulatorConformance, UserSimulatorSpec, {}, {}),
}


def found_in(failures: Failures, folder: Path, made: type[Any], **spec: Any) -> dict[str, str]:
    base = next(kind for kind in KINDS if issubclass(made, kind))
    conformance, spec_class, fields, members = KINDS[base]
    described = spec_class(**{"name": "it", "summary": "Something", "factory": made, **fields, **spec})
    return failures(conformance, described, folder, **members)


@pytest.mark.parametrize("kind", KINDS)
def test_the_sound_one_of_each_kind_passes(kind: type[Any], failures: Failures, tmp_path: Path) -> None:
    assert found_in(failures, tmp_path, kind) == {}


# --- violations ------------------------------------------------------------------------------


class Asks(Criterion):
    """A criterion that asks a judge and does not look at what became of the votes."""

    def __init__(self, config: Any, host: Any) -> None:
        self.judge = host.judge(JudgeModelOptions(num_samples=1))

    async def score(self, case: Any) -> Any:
        from adjudge.model import Choice, Exhibit, JudgedItem, Prompt, Question

        question = Question(
            prompt=Prompt(name="it", version=1, text="Judge."),
            exhibits=(Exhibit(name="run", text="x"),),
            items=(JudgedItem(item_id="one", text="Is it polite?"),),
            choices=(
                Choice(label="yes", meaning="it is", value=1.0),
                Choice(label="no", meaning="not", value=0.0),
            ),
        )
        [decision] = await self.judge.decide(question)
        return Measurement(overall=Outcome.scored(decision.value or 0.0, "judged"))


def scoring(outcome: Callable[[Invocation], Outcome]) -> type[Criterion]:
    return type("Scoring", (Criterion,), {"outcome": lambda self, turn: outcome(turn)})


def method(base: type[Any], name: str, function: Any) -> type[Any]:
    return type("Violating", (base,), {name: function})


def session(**members: Any) -> type[Agent]:
    return type("Violating", (Agent,), {"session": type("ViolatingSession", (Session,), members)})


async def after(value: Any) -> Any:
    return value


async def sleeping(self: Any, *arguments: Any) -> Any:
    sleep(0.01)


async def quoting(self: Any, case: Any) -> Any:
    cited = Evidence(citations=(Citation(step=9999, field="result", quote="x"),))
    return Measurement(overall=Outcome.scored(1.0, "cited", evidence=cited))


async def all_failed(self: Any, case: Any) -> Any:
    turns = tuple(Outcome.failed("broken", "it broke") for _ in case.actual.invocations)
    return Measurement(per_invocation=turns, overall=Outcome.scored(1.0, "well done"))


class Options(ComponentConfig):
    words: list[str] = []


class Changing(Criterion):
    def __init__(self, config: Options, host: Any) -> None:
        config.words.append("more")


class Printing(Criterion):
    def __init__(self, config: Any, host: Any) -> None:
        print("made")  # noqa: T201


class Environment(Criterion):
    def __init__(self, config: Any, host: Any) -> None:
        os.environ["ACME_WAS_HERE"] = str(random.random())


class Connecting(Backend):
    def __init__(self, config: Any, host: Any) -> None:
        call_network()


class SwallowingConnecting(Criterion):
    def __init__(self, config: Any, host: Any) -> None:
        with contextlib.suppress(OSError):
            socket.getaddrinfo("acme.example", 443)


async def printed(self: Any, case: Any) -> Any:
    print("scoring")  # noqa: T201
    return Measurement(overall=Outcome.scored(1.0, "counted"))


async def leaking(self: Any, request: Any) -> Any:
    raise JudgeError(f"401: {self.key} is wrong", code="auth")


async def wrong_code(self: Any, request: Any) -> Any:
    raise JudgeError("no", code="whatever")  # type: ignore[arg-type]


async def network_error(self: Any, request: Any) -> Any:
    await asyncio.open_connection("127.0.0.1", 9)


async def blocking_network(self: Any, request: Any) -> Any:
    call_network()


def aggregating(make: Callable[[Strategy, Trajectory], Any]) -> type[Strategy]:
    async def aggregate(self: Strategy, trajectory: Trajectory, context: Any) -> Any:
        return make(self, trajectory)

    return method(Strategy, "aggregate", aggregate)


def all_steps(run: Trajectory) -> tuple[int, ...]:
    return tuple(step.number for step in run.steps)


async def emits_nothing(self: Session, content: Content) -> Any:
    return Invocation(user_content=content, steps=self.steps)


async def sends_other_steps(self: Session, content: Content) -> Any:
    self.emit(Step(number=1, items=(ToolCall(name="another"),)))
    return Invocation(user_content=content, steps=self.steps)


async def forgets_the_message(self: Session, content: Content) -> Any:
    return Invocation(user_content=Content.of_text("else"))


def observing(function: Callable[[Any], Any]) -> type[Observer]:
    return method(Observer, "observe", lambda self, event: function(event))


def changing_event(event: Any) -> None:
    if getattr(event, "result", None) is not None and getattr(event.result, "criteria", None):
        event.result.criteria[0].per_invocation[0].details["seen"] = True


def expecting_a_result(event: Any) -> None:
    event.result.eval_id  # noqa: B018


VIOLATIONS: list[tuple[str, type[Any], dict[str, Any], str]] = [
    # any kind
    (
        "factory gives nothing",
        method(Criterion, "__new__", lambda cls, *_: None),
        {},
        "the factory returned None",
    ),
    ("factory is async", Criterion, {"factory": lambda config, host: after(Criterion())}, "is `async def`"),
    ("factory prints", Printing, {}, "the factory prints on standard output"),
    ("factory calls the network", Connecting, {}, "the factory calls the network"),
    ("factory hides a call to the network", SwallowingConnecting, {}, "the factory calls the network"),
    (
        "factory sleeps",
        method(Backend, "__init__", lambda *_: time.sleep(0.01)),
        {},
        "the factory calls time.sleep",
    ),
    ("factory changes its options", Changing, {"config": Options}, "changes its options"),
    ("factory changes the environment", Environment, {}, "changes the environment variables"),
    # criteria
    ("score blocks", method(Criterion, "score", sleeping), {}, "score calls time.sleep"),
    ("score prints", method(Criterion, "score", printed), {}, "score prints on standard output"),
    (
        "score is not async",
        method(Criterion, "score", lambda self, case: Measurement()),
        {},
        "must be `async def`",
    ),
    (
        "score gives a number",
        method(Criterion, "score", lambda self, case: after(1.0)),
        {},
        "expected Measurement",
    ),
    (
        "outside the range",
        scoring(lambda turn: Outcome.scored(7.0, "x")),
        {},
        "score 7.0 is outside 0.0 to 1.0",
    ),
    ("scored without a score", scoring(lambda turn: Outcome(state="scored")), {}, "case 'one_turn'"),
    (
        "a score and an error",
        scoring(lambda turn: Outcome(state="scored", score=1.0, error=Failure(code="x", message="y"))),
        {},
        "case 'one_turn'",
    ),
    (
        "a score and the best possible one",
        scoring(lambda turn: Outcome(state="scored", score=1.0, best_possible=0.5)),
        {},
        "best_possible besides",
    ),
    ("nobody knows why", scoring(lambda turn: Outcome(state="not_applicable")), {}, "without a reasoning"),
    ("a score of failed turns", method(Criterion, "score", all_failed), {}, "and every turn is error"),
    ("cites a step that is not there", method(Criterion, "score", quoting), {}, "cites step 9999"),
    ("drawn by lot", scoring(lambda turn: Outcome.scored(random.random(), "x")), {}, "measured differently"),
    (
        "details are no JSON",
        scoring(lambda turn: Outcome.scored(1.0, "x", details={"at": {1}})),
        {},
        "not JSON",
    ),
    ("scores without its judge", Asks, {"needs": frozenset({Need.JUDGE})}, "its judge gave no answer"),
    # judge backends
    ("complete gives nothing", method(Backend, "complete", lambda *_: after(None)), {}, "returned NoneType"),
    ("complete gives a text", method(Backend, "complete", lambda *_: after("yes")), {}, "returned str"),
    (
        "complete gives an empty answer",
        method(Backend, "complete", lambda *_: after(JudgeReply(text=" "))),
        {},
        "gave an empty answer",
    ),
    (
        "complete raises what it met",
        method(Backend, "complete", network_error),
        {},
        "raised ConnectionRefusedError",
    ),
    ("complete blocks", method(Backend, "complete", sleeping), {}, "complete calls time.sleep"),
    (
        "complete waits for the network",
        method(Backend, "complete", blocking_network),
        {},
        "waits for the network",
    ),
    ("complete tells the key", method(Backend, "complete", leaking), {}, "the message has the key in it"),
    ("a code of its own", method(Backend, "complete", wrong_code), {}, "'whatever' is none of adjudge's"),
    ("missing is a string", method(Backend, "missing", lambda *_: "ACME_KEY"), {}, "missing gave a string"),
    ("missing gives nothing", method(Backend, "missing", lambda *_: None), {}, "missing gave NoneType"),
    (
        "fingerprint is no JSON",
        method(Backend, "fingerprint", lambda _: {"at": Path()}),
        {},
        "fingerprint is not JSON",
    ),
    (
        "fingerprint varies",
        method(Backend, "fingerprint", lambda _: {"at": random.random()}),
        {},
        "differs each time",
    ),
    (
        "the model's is a text",
        method(Backend, "model_fingerprint", lambda *_: "1"),
        {},
        "model_fingerprint gave str",
    ),
    ("shows nothing", method(Backend, "context", lambda *_: 0), {}, "context gave 0"),
    ("no call at a time", method(Backend, "at_once", 0), {}, "at_once is 0"),
    # granularity strategies
    ("content is empty", aggregating(lambda self, run: self.made("", {})), {}, "the content is empty"),
    (
        "labels are not in the content",
        aggregating(
            lambda self, run: self.made("done", {"Part": all_steps(run)[:1]} if len(run.steps) > 1 else {})
        ),
        {},
        "'Part' is not in the content",
    ),
    (
        "a label leads nowhere",
        aggregating(lambda self, run: self.made("Part: done", {"Part": ()})),
        {},
        "leads to no step",
    ),
    (
        "steps that are not there",
        aggregating(lambda self, run: self.made("A", {"A": (99999,)})),
        {},
        "do not exist",
    ),
    (
        "longer than the budget",
        aggregating(lambda self, run: self.made("A " * 5000, {"A": all_steps(run)})),
        {},
        "the budget is 200",
    ),
    (
        "metadata are no JSON",
        aggregating(lambda self, run: self.made("A", {"A": all_steps(run)}, at={1})),
        {},
        "summary_metadata is not JSON",
    ),
    (
        "never the same",
        aggregating(lambda self, run: self.made(f"A {random.random()}", {"A": all_steps(run)})),
        {},
        "gives another view",
    ),
    # agents
    (
        "steps are not emitted",
        session(send=emits_nothing),
        {},
        "0 steps were emitted",
    ),
    ("other steps are emitted", session(send=sends_other_steps), {}, "not those of the turns"),
    (
        "loses the user's message",
        session(send=forgets_the_message),
        {},
        "does not contain the user's message",
    ),
    ("blocks", session(send=sleeping), {}, "a session calls time.sleep"),
    ("gives a text", session(send=lambda self, content: after("yes")), {}, "send returned str"),
    ("state is no JSON", session(state={"at": {1}}), {}, "state is not JSON"),
    (
        "the plan's check is a string",
        method(Agent, "check_plan", lambda *_: "no"),
        {},
        "check_plan gave a string",
    ),
    (
        "the plan's notes are a string",
        method(Agent, "plan_notes", lambda _: "no"),
        {},
        "plan_notes gave a string",
    ),
    (
        "its fingerprint varies",
        method(Agent, "fingerprint", lambda _: {"at": time.time_ns()}),
        {},
        "differs each time",
    ),
    # readers
    ("knows everything", method(Reader, "sniff", lambda *_: True), {}, "was recognised"),
    ("knows nothing", method(Reader, "sniff", lambda *_: False), {}, "the sample was not recognised"),
    ("does not say whether", method(Reader, "sniff", lambda *_: None), {}, "sniff gave NoneType"),
    ("prints what it reads", method(Reader, "sniff", lambda *_: print("head")), {}, "sniff prints"),  # noqa: T201
    ("gives turns", method(Reader, "run", lambda self, turn: turn), {}, "expected Trajectory"),
    (
        "does not say where",
        method(Reader, "run", lambda self, turn: Trajectory(invocations=(turn,))),
        {},
        "read from",
    ),
    # reporters
    (
        "closes the stream",
        method(Reporter, "write", lambda self, report, stream: stream.close()),
        {},
        "closed",
    ),
    ("prints the report", method(Reporter, "write", lambda *_: print("PASS")), {}, "write prints"),  # noqa: T201
    (
        "gives the report",
        method(Reporter, "write", lambda self, report, stream: stream.write(b"x")),
        {},
        "write returned int",
    ),
    (
        "has the time in it",
        method(
            Reporter, "write", lambda self, r, stream: stream.write(str(time.time_ns()).encode()) and None
        ),
        {},
        "the same run is written differently",
    ),
    # observers
    ("observes asynchronously", observing(lambda event: after(None)), {}, "is no coroutine function"),
    ("observes slowly", observing(lambda event: time.sleep(0.01)), {}, "calls time.sleep"),
    ("observes over the network", observing(lambda event: call_network()), {}, "waits for the network"),
    ("observes loudly", observing(lambda event: print(event)), {}, "prints on standard output"),  # noqa: T201
    ("changes what it observes", observing(changing_event), {}, "was changed"),
    ("expects every event to have a result", observing(expecting_a_result), {}, "no attribute 'result'"),
    # simulators
    ("says a text", method(Simulator, "next_message", lambda *_: after("hi")), {}, "returned str"),
    (
        "never ends",
        method(
            Simulator,
            "next_message",
            lambda self, conversation: after(
                UserTurn(
                    content=Content.of_text(
                        getattr(conversation.case.conversation_scenario, "starting_prompt", "?"), role="user"
                    )
                )
            ),
        ),
        {},
        "goes on after 50 messages",
    ),
    (
        "does not begin as planned",
        method(
            Simulator,
            "next_message",
            lambda self, conversation: after(
                UserTurn(stop="over")
                if conversation.invocations
                else UserTurn(content=Content.of_text("Hello!", role="user"))
            ),
        ),
        {},
        "the user began with 'Hello!'",
    ),
]


def test_there_are_violations_of_every_kind() -> None:
    assert len(VIOLATIONS) >= 40
    assert {next(kind for kind in KINDS if issubclass(made, kind)) for _, made, _, _ in VIOLATIONS} == set(
        KINDS
    )


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
@pytest.mark.parametrize(
    ("made", "spec", "told"), [item[1:] for item in VIOLATIONS], ids=[x[0] for x in VIOLATIONS]
)
def test_a_violation_is_caught_with_a_message(
    made: type[Any], spec: dict[str, Any], told: str, failures: Failures, tmp_path: Path
) -> None:
    found = found_in(failures, tmp_path, made, **spec)

    assert any(told in message for message in found.values()), found


def test_what_waits_as_it_should_is_no_violation(failures: Failures, tmp_path: Path) -> None:
    class Patient(Criterion):
        async def score(self, case: Any) -> Any:
            await asyncio.sleep(0.001)
            await asyncio.to_thread(time.sleep, 0.001)
            return await super().score(case)

    assert found_in(failures, tmp_path, Patient) == {}
