"""A plugin written for version 1.0 of the plugin interface works with every 1.x. Its source is never changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from adjudge.plugin import API_VERSION

Run = Callable[..., CompletedProcess[str]]

# Written when the interface was 1.0. Do not adapt it to a change: the change would break people's plugins.
PLUGIN = '''
from adjudge.kit import digests, judged_criteria, logs
from adjudge.model import (
    Choice, Content, Invocation, JudgedItem, Prompt, Question, Step, ToolCall, ToolResult,
)
from adjudge.plugin import (
    AgentAdapterSpec, AggregatedSteps, CaseFinished, ComponentConfig, CriterionSpec, GranularityStrategySpec,
    JudgeBackendSpec, JudgeError, Measurement, Need, Outcome, ReporterSpec, TraceReaderSpec, Trajectory, hookimpl,
)

adjudge_api = (1, 0)


class WordsConfig(ComponentConfig):
    most: int = 5
    """How many words an answer may have."""


class Words:
    def __init__(self, config, host):
        self.most = config.most

    async def score(self, case):
        return Measurement(per_invocation=tuple(map(self.outcome, case.actual.invocations)))

    def outcome(self, turn):
        if turn.final_response is None:
            return Outcome.not_applicable("no answer")
        found = len(turn.final_response.text.split())
        return Outcome.scored(float(found <= self.most), f"{found} words", details={"words": found})


class Kind:
    def __init__(self, config, host):
        self.judge = host.judge(config.judge_model_options)

    async def score(self, case):
        return await judged_criteria.turn_by_turn(case, self.turn)

    async def turn(self, turn):
        exhibits = judged_criteria.not_blank(judged_criteria.agent_response(turn.actual))
        if not exhibits:
            return Outcome.not_applicable("no answer")
        [decision] = await self.judge.decide(
            Question(
                prompt=Prompt(name="kind", version=1, text="Is it kind?"),
                exhibits=exhibits,
                items=(JudgedItem(item_id="it", text="Is it kind?"),),
                choices=(Choice(label="yes", meaning="it is", value=1.0), Choice(label="no", meaning="not", value=0.0)),
            )
        )
        return judged_criteria.outcome_of(decision)


@hookimpl.criteria
def criteria():
    yield CriterionSpec(name="old_words", summary="Few words", factory=Words, config=WordsConfig, default_threshold=1.0)
    yield CriterionSpec(
        name="old_kind", summary="Kind words", factory=Kind, config=judged_criteria.JudgedConfig,
        needs=frozenset({Need.JUDGE}),
    )


class Nobody:
    def __init__(self, config, host):
        pass

    async def complete(self, request):
        raise JudgeError("nobody is there", code="unknown_model")


@hookimpl.judge_backends
def judge_backends():
    return [JudgeBackendSpec(name="old-nobody", summary="Nobody", factory=Nobody)]


class Lines:
    def __init__(self, config, host):
        pass

    async def aggregate(self, trajectory, context):
        lines = digests.fitted_lines(trajectory.steps, context.token_budget)
        return AggregatedSteps(
            granularity="old_lines",
            aggregated_content="\\n".join(map(str, lines)),
            step_mapping={line.label: line.steps for line in lines},
        )


@hookimpl.granularity_strategies
def granularity_strategies():
    return [GranularityStrategySpec(name="old_lines", summary="Lines", factory=Lines, when_to_use="Always.")]


class EchoConfig(ComponentConfig):
    target: str


class EchoSession:
    state = None

    def __init__(self, emit):
        self.emit = emit

    async def send(self, content):
        step = Step(number=1, items=(ToolCall(name="echo", args={}), ToolResult(name="echo", value="done")))
        self.emit(step)
        return Invocation(user_content=content, steps=(step,), final_response=Content.of_text("hello", role="model"))

    async def aclose(self):
        pass


class Echo:
    def __init__(self, config, host):
        pass

    async def open_session(self, request, emit):
        return EchoSession(emit)


@hookimpl.agent_adapters
def agent_adapters():
    return [
        AgentAdapterSpec(
            name="old-echo", summary="Says hello", factory=Echo, config=EchoConfig,
            example_options={"target": "any"}, takes_state=False, shows_state=False,
        )
    ]


class OldLog:
    def __init__(self, config, host):
        pass

    def sniff(self, head, path):
        return "old_log" in logs.outline(head).keys

    def read(self, source, options):
        place = logs.Place(source.path.name)
        with logs.opened(source) as stream:
            document = place.as_object(stream.value())
            stream.finish()
        if "old_log" not in document:
            place.fail("no old log")
        step = Step(number=1, items=(ToolCall(name=logs.text_of(document.get("old_log"))),), source_ref=str(place))
        turn = Invocation(user_content=Content.of_text("go", role="user"), steps=(step,))
        yield Trajectory(invocations=(turn,), source=str(place))


@hookimpl.trace_readers
def trace_readers():
    return [TraceReaderSpec(name="old_log", summary="Old logs", factory=OldLog)]


class OldReport:
    def __init__(self, config, host):
        pass

    def write(self, report, stream):
        stream.write(f"{report.summary.status}\\n".encode())
        for case in report.cases():
            stream.write(f"{case.result.eval_id} {case.result.status}\\n".encode())


@hookimpl.reporters
def reporters():
    return [ReporterSpec(name="old_report", summary="Lines", factory=OldReport, suffixes=(".old",))]


@hookimpl.case_finished
def tell(event: CaseFinished):
    with open("told.txt", "a") as file:
        file.write(f"{event.result.eval_id} {event.result.status}\\n")
'''


def test_a_plugin_of_1_0_works(adjudge: Run, tmp_path: Path) -> None:
    assert API_VERSION[0] == 1, "a new major version: this plugin may stop working, and needs a copy for 2.0"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "old.py").write_text(PLUGIN, encoding="utf-8")
    turn = {"user_content": {"parts": [{"text": "hi"}]}, "final_response": {"parts": [{"text": "hello"}]}}
    eval_set = {"eval_set_id": "set", "eval_cases": [{"eval_id": "case", "conversation": [turn]}]}
    (tmp_path / "set.evalset.json").write_text(json.dumps(eval_set))
    (tmp_path / "test_config.json").write_text('{"criteria": {"old_words": {"threshold": 1.0, "most": 2}}}')
    (tmp_path / "run.json").write_text('{"old_log": "look"}')
    common = ("--plugin-folder", "mine")

    evaluated = adjudge(*common, "eval", "old-echo:any", "set.evalset.json", "--output", "run.old")
    read = adjudge(*common, "logs", "show", "run.json")
    checked = adjudge(*common, "plugins", "check", "old")

    assert evaluated.returncode == 0, evaluated.stdout + evaluated.stderr
    assert (tmp_path / "run.old").read_text() == "PASS\ncase PASS\n"
    assert (tmp_path / "told.txt").read_text() == "case PASS\n"
    assert read.returncode == 0, read.stderr
    assert "look" in read.stdout
    assert "bad:" not in checked.stdout, checked.stdout
