"""The kit for authors: the fakes do what they say, and the conformance classes catch what is wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from adjudge.model import Content, Invocation, JudgeMessage, SessionInput, Step
from adjudge.plugin import (
    AgentAdapterSpec,
    AggregatedSteps,
    ComponentConfig,
    CriterionSpec,
    GranularityStrategySpec,
    Host,
    InputError,
    JudgeBackendSpec,
    JudgeReply,
    JudgeRequest,
    Measurement,
    Outcome,
    ReporterSpec,
    SessionRequest,
    TraceReaderSpec,
    Trajectory,
)
from adjudge.testing import (
    AgentAdapterConformance,
    CriterionConformance,
    FakeHost,
    FakeJudge,
    GranularityStrategyConformance,
    JudgeBackendConformance,
    ReporterConformance,
    ScriptedAgent,
    TraceReaderConformance,
    Turn,
    criterion_conformance,
)

# --- fakes ----------------------------------------------------------------------------


def talk(agent: ScriptedAgent, *messages: str, eval_id: str = "case", **state: Any) -> tuple[Any, list[Step]]:
    """What the session answered, exceptions included, and the steps that it emitted."""

    async def converse() -> tuple[list[Any], list[Step]]:
        emitted: list[Step] = []
        request = SessionRequest(eval_id=eval_id, repeat=1, session_input=SessionInput(state=state))
        session = await agent.open_session(request, emitted.append)
        answers: list[Any] = []
        for message in messages:
            try:
                answers.append(await session.send(Content.of_text(message)))
            except Exception as error:
                answers.append(error)
        await session.aclose()
        return answers, emitted

    return asyncio.run(converse())


def test_a_scripted_agent_answers_turn_by_turn() -> None:
    whole = Invocation(user_content=Content.of_text("c"), steps=(Step(number=9),))
    agent = ScriptedAgent(["plain", (["look", ("book", {"seat": 1})], "booked"), whole])

    answers, emitted = talk(agent, "a", "b", "c")

    assert [answer.final_response.text for answer in answers[:2]] == ["plain", "booked"]
    assert [(call.name, call.args) for call in answers[1].tool_calls] == [
        ("look", None),
        ("book", {"seat": 1}),
    ]
    assert answers[2] is whole
    assert [step.number for step in emitted] == [1, 2, 9]
    [session] = agent.sessions
    assert [content.text for content in session.received] == ["a", "b", "c"]
    assert session.closed == 1


def test_a_scripted_agent_raises_where_the_script_says_so_or_ends() -> None:
    answers, _ = talk(ScriptedAgent([ValueError("no seat"), "after"]), "a", "b", "c")

    assert str(answers[0]) == "no seat"
    assert answers[1].final_response.text == "after"
    assert "turn 3 was asked for" in str(answers[2])


def test_a_scripted_agent_keeps_state_per_session() -> None:
    agent = ScriptedAgent([Turn(text="ok", state={"seat": 1})])

    talk(agent, "a", cart=["book"])
    talk(agent, "a")

    assert [session.state for session in agent.sessions] == [{"cart": ["book"], "seat": 1}, {"seat": 1}]


def test_a_scripted_agent_has_a_script_per_case_or_per_request() -> None:
    by_case = ScriptedAgent({"one": ["1"], "two": ["2"]})
    by_request = ScriptedAgent(lambda request: [f"repeat {request.repeat} of {request.eval_id}"])

    assert talk(by_case, "a", eval_id="two")[0][0].final_response.text == "2"
    assert talk(by_request, "a")[0][0].final_response.text == "repeat 1 of case"
    with pytest.raises(LookupError, match="no turns for case 'three'"):
        talk(by_case, "a", eval_id="three")


def test_a_hanging_turn_never_answers_but_its_steps_are_seen() -> None:
    agent = ScriptedAgent([Turn(calls=["look"], hangs=True)])
    emitted: list[Step] = []

    async def converse() -> None:
        request = SessionRequest(eval_id="case", repeat=1, session_input=SessionInput())
        session = await agent.open_session(request, emitted.append)
        await asyncio.wait_for(session.send(Content.of_text("a")), timeout=0.01)

    with pytest.raises(TimeoutError):
        asyncio.run(converse())
    assert len(emitted) == 1


def test_a_fake_judge_answers_from_a_list_or_a_function_and_records() -> None:
    request = JudgeRequest(model="m", messages=(JudgeMessage(role="user", text="Is it good?"),))
    listed = FakeJudge(["yes", JudgeReply(text="no", finish_reason="length"), ValueError("busy")])
    computed = FakeJudge(lambda asked: asked.messages[0].text.upper())

    assert asyncio.run(listed.complete(request)).text == "yes"
    assert asyncio.run(listed.complete(request)).finish_reason == "length"
    with pytest.raises(ValueError, match="busy"):
        asyncio.run(listed.complete(request))
    with pytest.raises(LookupError, match="no answer left"):
        asyncio.run(listed.complete(request))
    assert asyncio.run(computed.complete(request)).text == "IS IT GOOD?"
    assert len(listed.requests) == 4


def test_a_fake_host_reads_the_logs_that_it_is_given(tmp_path: Path) -> None:
    host: Host = FakeHost(tmp_path, logs={"a.json": [Trajectory(agent="it")]})

    assert [trajectory.agent for trajectory in host.read_trajectories(tmp_path / "a.json")] == ["it"]
    with pytest.raises(InputError, match=r"b\.json: no trace reader knows this file"):
        host.read_trajectories(tmp_path / "b.json")


# --- conformance ----------------------------------------------------------------------

Failures = Callable[..., dict[str, str]]


def criterion(score: Callable[[Any], Any], **fields: Any) -> CriterionSpec:
    async def scoring(self: object, case: Any) -> Measurement:
        return Measurement(per_invocation=tuple(map(score, case.actual.invocations)))

    made = type("Made", (), {"score": scoring})
    fields = {"name": "it", "summary": "Something", "factory": lambda config, host: made(), **fields}
    return CriterionSpec(**fields)


def test_a_sound_criterion_passes(tmp_path: Path, failures: Failures) -> None:
    assert failures(CriterionConformance, criterion(lambda turn: Outcome.scored(0.5)), tmp_path) == {}


MEASURED = "every_case_is_measured_as_the_spec_promises"


@pytest.mark.parametrize(
    ("score", "test", "told"),
    [
        (lambda turn: Outcome.scored(2.0), MEASURED, "score 2.0 is outside 0 to 1"),
        (lambda turn: Outcome.scored(float("nan")), MEASURED, "score nan"),
        (lambda turn: Outcome(state="scored"), MEASURED, "case 'one_turn'"),
        (lambda turn: Outcome(state="unsure"), MEASURED, "case 'one_turn'"),
        (lambda turn: Outcome.scored(1.0, details={"at": object()}), MEASURED, "not JSON serializable"),
        (lambda turn: turn.final_response.text and Outcome.scored(1.0), MEASURED, "'NoneType' object"),
        (
            lambda turn, seen=[]: (seen.append(turn), Outcome.scored(1 / len(seen)))[1],
            "cases_at_the_same_time_score_as_one_by_one",
            "gave two different measurements",
        ),
        (
            lambda turn: ([call.args.clear() for call in turn.tool_calls if call.args], Outcome.scored(1.0))[
                1
            ],
            "the_case_is_left_as_it_was",
            "was changed",
        ),
    ],
)
def test_a_criterion_that_breaks_its_contract_is_caught(
    score: Callable[[Any], Any], test: str, told: str, tmp_path: Path, failures: Failures
) -> None:
    found = failures(CriterionConformance, criterion(score, value_range=(0, 1)), tmp_path)

    assert told in found[test]


def test_a_criterion_with_the_wrong_number_of_outcomes_is_caught(tmp_path: Path, failures: Failures) -> None:
    class Made:
        async def score(self, case: Any) -> Measurement:
            return Measurement(per_invocation=(Outcome.scored(1.0),))

    spec = CriterionSpec(name="it", summary="x", factory=lambda config, host: Made())

    assert "1 outcomes for 25 turns" in failures(CriterionConformance, spec, tmp_path)[MEASURED]


def test_options_that_json_cannot_hold_and_factories_of_another_form_are_caught(
    tmp_path: Path, failures: Failures
) -> None:
    class Config(ComponentConfig):
        limit: float = float("inf")

    spec = criterion(lambda turn: Outcome.scored(1.0), config=Config, factory=lambda config, host, more: None)
    found = failures(CriterionConformance, spec, tmp_path)

    assert "found 3 required parameters" in found["the_spec_is_valid"]
    assert "Out of range float" in found["the_configuration_survives_json"]


def test_a_plugin_that_imports_what_is_heavy_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "import sqlite3\nfrom adjudge.plugin import hookimpl\n"
    (tmp_path / "heavy_one.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    made = type("Made", (CriterionConformance,), {"component": "acme/it", "plugin": ModuleType("heavy_one")})

    with pytest.raises(
        AssertionError, match="importing heavy_one imports sqlite3; import them inside the factory"
    ):
        made().test_importing_the_plugin_is_light()


def test_a_component_that_is_not_installed_is_told() -> None:
    made = criterion_conformance("absent/it")

    with pytest.raises(AssertionError, match="no plugin 'absent' is installed"):
        made().test_the_spec_is_valid()


def test_a_scripted_agent_passes_as_an_adapter_and_a_leaking_one_does_not(
    tmp_path: Path, failures: Failures
) -> None:
    leaked: dict[str, Any] = {}

    class Leaking:
        async def open_session(self, request: Any, emit: Any) -> Any:
            leaked.update(request.session_input.state)
            return Session()

    class Session:
        state = leaked

        async def send(self, content: Content) -> Invocation:
            leaked["turns"] = leaked.get("turns", 0) + 1
            return Invocation(user_content=content, steps=(Step(number=1),))

        async def aclose(self) -> None: ...

    def spec(made: Callable[[], Any]) -> AgentAdapterSpec:
        return AgentAdapterSpec(name="it", summary="x", factory=lambda config, host: made())

    sound = spec(lambda: ScriptedAgent([(["look"], "hi")]))
    assert failures(AgentAdapterConformance, sound, tmp_path) == {}
    found = failures(AgentAdapterConformance, spec(Leaking), tmp_path)
    assert set(found) == {"every_message_is_answered", "sessions_do_not_share_state"}
    assert "0 steps were emitted, the turns have 1" in found["every_message_is_answered"]


def test_a_reader_that_takes_anything_is_caught(tmp_path: Path, failures: Failures) -> None:
    class Greedy:
        def sniff(self, head: bytes, path: Path) -> bool:
            return bool(head)

        def read(self, source: Any, options: Any) -> Iterable[Trajectory]:
            yield Trajectory(
                invocations=(Invocation(user_content=Content.of_text("a"), steps=(Step(number=1),)),)
            )

    spec = TraceReaderSpec(name="it", summary="x", factory=lambda config, host: Greedy())
    found = failures(TraceReaderConformance, spec, tmp_path, sample=b"{}")

    assert set(found) == {
        "rubbish_is_not_recognised",
        "rubbish_is_refused_with_a_message",
        "a_packed_log_is_read_as_it_is",
        "steps_have_unique_numbers_and_a_place_in_the_source",
    }


def test_a_reporter_that_closes_the_stream_or_cannot_write_a_status_is_caught(
    tmp_path: Path, failures: Failures
) -> None:
    class Closing:
        def write(self, report: Any, stream: Any) -> None:
            for case in report.cases():
                stream.write(f"{case.result.criteria[0].score:.2f}".encode())
            stream.close()

    spec = ReporterSpec(name="it", summary="x", factory=lambda config, host: Closing())
    found = failures(ReporterConformance, spec, tmp_path)

    assert {"a_run_without_cases_is_written", "every_status_is_written"} <= set(found)


def test_strategies_and_judges_are_checked_for_their_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failures: Failures
) -> None:
    import os

    monkeypatch.setenv("ACME_KEY", "secret")

    class Inventing:
        async def aggregate(self, trajectory: Trajectory, context: Any) -> AggregatedSteps:
            return AggregatedSteps(granularity="it", aggregated_content="", step_mapping={"Step": (99999,)})

    class Keyed:
        def __init__(self) -> None:
            os.environ["ACME_KEY"]

        def complete(self, request: Any) -> None: ...

    strategy = GranularityStrategySpec(
        name="it", summary="x", factory=lambda config, host: Inventing(), when_to_use="always"
    )
    judge = JudgeBackendSpec(
        name="it", summary="x", factory=lambda config, host: Keyed(), environment=("ACME_KEY",)
    )

    assert set(failures(GranularityStrategyConformance, strategy, tmp_path)) == {
        "the_mapping_names_steps_of_the_trajectory",
        "whatever_a_judge_writes_the_contract_holds",
    }
    found = failures(JudgeBackendConformance, judge, tmp_path)
    assert found["making_one_needs_no_key"] == "'ACME_KEY'"
    assert (
        "complete must be `async def`" in found["without_a_network_there_is_a_judge_error_and_nothing_else"]
    )


def test_a_fake_judge_passes_as_a_backend(tmp_path: Path, failures: Failures) -> None:
    spec = JudgeBackendSpec(name="it", summary="x", factory=lambda config, host: FakeJudge(["yes"]))

    assert failures(JudgeBackendConformance, spec, tmp_path) == {}
