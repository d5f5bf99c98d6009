"""Violations that a component shows only in use: the kit looks for them where an author would not."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import sleep as nap
from typing import Any

import pytest

from adjudge.kit import logs
from adjudge.model import Choice, Content, Exhibit, Invocation, JudgedItem, Prompt, Question, Step, ToolCall
from adjudge.plugin import (
    AgentAdapterSpec,
    AggregatedSteps,
    CriterionSpec,
    GranularityStrategySpec,
    InputError,
    JudgeBackendSpec,
    JudgeError,
    JudgeModelOptions,
    Measurement,
    Need,
    ObserverSpec,
    Outcome,
    Problem,
    ReporterSpec,
    TraceReaderSpec,
    Trajectory,
    hookimpl,
)
from adjudge.testing import (
    AgentAdapterConformance,
    CriterionConformance,
    GranularityStrategyConformance,
    JudgeBackendConformance,
    ObserverConformance,
    ReporterConformance,
    TraceReaderConformance,
)

Failures = Callable[..., dict[str, str]]


def call_network() -> None:
    with socket.socket() as connection:
        connection.connect(("127.0.0.1", 9))


def run_a_program() -> None:
    subprocess.run([sys.executable, "-c", ""], check=True)


class Component:
    def __init__(self, config: Any = None, host: Any = None) -> None:
        self.host = host


# --- criteria --------------------------------------------------------------------------------


def scoring(before: Callable[[Any], Any]) -> type[Component]:
    """A criterion that does something before it scores."""

    class Scoring(Component):
        async def score(self, case: Any) -> Measurement:
            found = before(self)
            if asyncio.iscoroutine(found):
                await found
            return Measurement(overall=Outcome.scored(1.0, "counted"))

    return Scoring


async def never_ends() -> None:
    await asyncio.Event().wait()


class Forgetful(Component):
    """Asks its judge, and gives every second case the opposite."""

    def __init__(self, config: Any, host: Any) -> None:
        self.judge = host.judge(JudgeModelOptions(num_samples=1))
        self.calls = 0

    async def score(self, case: Any) -> Measurement:
        self.calls += 1
        choices = (
            Choice(label="yes", meaning="it is", value=1.0),
            Choice(label="no", meaning="it is not", value=0.0),
        )
        [decision] = await self.judge.decide(
            Question(
                prompt=Prompt(name="it", version=1, text="Judge."),
                exhibits=(Exhibit(name="run", text="x"),),
                items=(JudgedItem(item_id="one", text="Is it polite?"),),
                choices=choices,
            )
        )
        if decision.value is None:
            return Measurement(overall=Outcome.unsure("split_votes", "no answer"))
        value = decision.value if self.calls % 2 else 1.0 - decision.value
        return Measurement(overall=Outcome.scored(value, "judged"))


def closing(aclose: Callable[[Any], Any]) -> type[Component]:
    return type("Closing", (scoring(lambda self: None),), {"aclose": aclose})


async def raises(self: Any) -> None:
    raise RuntimeError("it was never opened")


# --- judge backends --------------------------------------------------------------------------


class Backend(Component):
    def key(self) -> str | None:
        return self.host.environment.get("ACME_KEY")

    async def complete(self, request: Any) -> Any:
        if self.key() is None:
            raise JudgeError("ACME_KEY is not set", code="auth")
        return await self.call()

    async def call(self) -> Any:
        try:
            await asyncio.open_connection("127.0.0.1", 9)
        except OSError:
            raise JudgeError("there is no way to it", code="network") from None


async def trying_again(self: Any) -> Any:
    for _ in range(3):
        try:
            await asyncio.open_connection("127.0.0.1", 9)
        except OSError:
            await asyncio.sleep(0)
    raise JudgeError("there is no way to it", code="network")


def backend(**members: Any) -> type[Backend]:
    return type("Violating", (Backend,), members)


# --- granularity strategies ------------------------------------------------------------------


def aggregating(head: Callable[[Any, Any], str]) -> type[Component]:
    class Aggregating(Component):
        runs = 0

        async def aggregate(self, trajectory: Trajectory, context: Any) -> AggregatedSteps:
            self.runs += 1
            steps = trajectory.steps[:2]
            return AggregatedSteps(
                granularity="it",
                aggregated_content="\n".join([head(self, context), *(f"Step {s.number}" for s in steps)]),
                step_mapping={f"Step {step.number}": (step.number,) for step in steps},
            )

    return Aggregating


# --- agents, readers, reporters, observers ---------------------------------------------------


class Agent(Component):
    state: Any = None

    async def open_session(self, request: Any, emit: Any) -> Any:
        return self

    async def send(self, content: Content) -> Invocation:
        return Invocation(user_content=content)

    async def aclose(self) -> None:
        pass


class Reader(Component):
    def sniff(self, head: bytes, path: Path) -> bool:
        return head.startswith(b'{"till"')

    def read(self, source: Any, options: Any) -> Any:
        try:
            sold = json.loads(source.path.read_bytes())["till"]
            assert isinstance(sold, str)
        except (ValueError, KeyError, TypeError, AssertionError, RecursionError):
            raise InputError(Problem(what="no till roll", file=str(source.path))) from None
        step = Step(number=1, items=(ToolCall(name=sold),), source_ref="$")
        turn = Invocation(user_content=Content.of_text("sell"), steps=(step,))
        yield Trajectory(invocations=(turn,), source="till.json")


def whole_file(self: Any, head: bytes, path: Path) -> bool:
    try:
        return "till" in json.loads(head)
    except (ValueError, TypeError, RecursionError):
        return False


def writing(write: Callable[[Any, Any], Any]) -> type[Component]:
    return type("Writing", (Component,), {"write": lambda self, report, stream: write(report, stream)})


def reasons(report: Any) -> str:
    return "".join(
        str(found.reasoning)
        for case in report.cases()
        for criterion in case.result.criteria
        for found in criterion.per_invocation
    )


def over_logs(report: Any, stream: Any) -> None:
    if report.run.logs is not None:
        print("over logs")  # noqa: T201
    stream.write(b"x")


def observing(observe: Callable[[Any], Any]) -> type[Component]:
    return type("Observing", (Component,), {"observe": lambda self, event: observe(event)})


def telling(event: Any) -> None:
    threading.Thread(target=call_network, daemon=True).start()


def telling_of_the_end(event: Any) -> None:
    if type(event).__name__ == "CaseFinished":
        telling(event)


KINDS: dict[type[Any], tuple[type[Any], dict[str, Any]]] = {
    CriterionSpec: (CriterionConformance, {}),
    JudgeBackendSpec: (JudgeBackendConformance, {"environment": ("ACME_KEY",)}),
    GranularityStrategySpec: (GranularityStrategyConformance, {"when_to_use": "always"}),
    AgentAdapterSpec: (AgentAdapterConformance, {"shows_state": False}),
    TraceReaderSpec: (TraceReaderConformance, {"example_log": b'{"till": "roll"}'}),
    ReporterSpec: (ReporterConformance, {"suffixes": (".it",)}),
    ObserverSpec: (ObserverConformance, {}),
}

VIOLATIONS: list[tuple[str, type[Any], type[Any], dict[str, Any], str]] = [
    (
        "sleeps under another name",
        CriterionSpec,
        scoring(lambda self: nap(0.01)),
        {},
        "score calls time.sleep",
    ),
    ("waits for a program", CriterionSpec, scoring(lambda self: run_a_program()), {}, "waits for a program"),
    (
        "waits for a command",
        CriterionSpec,
        scoring(lambda self: os.system("true")),  # noqa: S605
        {},
        "waits for a program",
    ),
    (
        "never ends",
        CriterionSpec,
        scoring(lambda self: never_ends()),
        {"longest": 0.5},
        "score did not end within",
    ),
    (
        "remembers the case before",
        CriterionSpec,
        Forgetful,
        {"needs": frozenset({Need.JUDGE})},
        "two different measurements",
    ),
    ("cannot be closed", CriterionSpec, closing(raises), {}, "aclose raised RuntimeError"),
    ("closes at once", CriterionSpec, closing(lambda self: None), {}, "aclose must be `async def`"),
    ("calls more than once", JudgeBackendSpec, backend(call=trying_again), {}, "calls the network 3 times"),
    (
        "takes the key of the process",
        JudgeBackendSpec,
        backend(key=lambda self: os.environ.get("ACME_KEY")),
        {},
        "reads ACME_KEY from os.environ",
    ),
    (
        "keeps the key in its fingerprint",
        JudgeBackendSpec,
        backend(fingerprint=lambda self: {"key": self.key()}),
        {},
        "fingerprint has the key in it",
    ),
    (
        "tells the key where something is missing",
        JudgeBackendSpec,
        backend(missing=lambda self, model: [f"{self.key()} is too old"]),
        {},
        "missing has the key in it",
    ),
    (
        "asks the network for its fingerprint",
        JudgeBackendSpec,
        backend(fingerprint=lambda self: call_network()),
        {},
        "fingerprint calls the network",
    ),
    (
        "always has a budget",
        GranularityStrategySpec,
        aggregating(lambda self, context: f"of {context.token_budget - 1} tokens"),
        {},
        "NoneType",
    ),
    (
        "counts its runs",
        GranularityStrategySpec,
        aggregating(lambda self, context: f"run {self.runs}"),
        {},
        "gives another view",
    ),
    (
        "prints its fingerprint",
        AgentAdapterSpec,
        type("Violating", (Agent,), {"fingerprint": lambda self: print("it") or {}}),  # noqa: T201
        {},
        "fingerprint prints on standard output",
    ),
    (
        "wants the whole file",
        TraceReaderSpec,
        type("Violating", (Reader,), {"sniff": whole_file}),
        {},
        "cut off by one byte, the sample was not recognised",
    ),
    (
        "writes what is no JSON",
        ReporterSpec,
        writing(lambda report, stream: stream.write(b"{'status': 'PASS'}") and None),
        {"suffixes": (".it.json",)},
        "is no JSON",
    ),
    (
        "writes lines that are no JSON",
        ReporterSpec,
        writing(lambda report, stream: stream.write(b"{}\nPASS\n") and None),
        {"suffixes": (".it.jsonl",)},
        "is no JSON Lines",
    ),
    (
        "escapes nothing in HTML",
        ReporterSpec,
        writing(lambda report, stream: stream.write(f"<p>{reasons(report)}</p>".encode()) and None),
        {"suffixes": (".it.html",)},
        "shows a text of the run as HTML",
    ),
    (
        "escapes nothing in XML",
        ReporterSpec,
        writing(lambda report, stream: stream.write(f"<p>{reasons(report)}</p>".encode()) and None),
        {"suffixes": (".it.xml",)},
        "is no XML",
    ),
    ("prints over logs", ReporterSpec, writing(over_logs), {}, "write prints on standard output"),
    ("leaves a thread to its fate", ObserverSpec, observing(telling), {}, "a thread of observe"),
    (
        "leaves a thread of a case to its fate",
        ObserverSpec,
        observing(telling_of_the_end),
        {},
        "raised ConnectionRefusedError",
    ),
    (
        "observes with a program",
        ObserverSpec,
        observing(lambda event: run_a_program()),
        {},
        "waits for a program",
    ),
]


@pytest.mark.parametrize("kind", KINDS)
def test_the_sound_one_passes(kind: type[Any], failures: Failures, tmp_path: Path) -> None:
    sound: dict[type[Any], type[Any]] = {
        CriterionSpec: scoring(lambda self: asyncio.to_thread(run_a_program)),
        JudgeBackendSpec: backend(fingerprint=lambda self: {"url": "x"}, missing=lambda self, model: []),
        GranularityStrategySpec: aggregating(lambda self, context: "all"),
        AgentAdapterSpec: Agent,
        TraceReaderSpec: Reader,
        ReporterSpec: writing(lambda report, stream: stream.write(b"x") and None),
        ObserverSpec: observing(lambda event: None),
    }

    assert found_in(failures, tmp_path, kind, sound[kind]) == {}


def test_a_reader_of_lines_that_opens_its_log_with_the_kit_passes(failures: Failures, tmp_path: Path) -> None:
    class Lines(Component):
        def sniff(self, head: bytes, path: Path) -> bool:
            return head.startswith(b"TILL\n")

        def read(self, source: Any, options: Any) -> Any:
            with logs.open_log(source) as file:
                if next(file, b"") != b"TILL\n":
                    raise InputError(Problem(what="no till roll", file=source.path.name, line=1))
                sold = [line.decode(errors="replace") for line in file]
            steps = tuple(
                Step(number=number, items=(ToolCall(name=name),), source_ref=f"{number}")
                for number, name in enumerate(sold, start=1)
            )
            turn = Invocation(user_content=Content.of_text("sell"), steps=steps)
            yield Trajectory(invocations=(turn,), source=source.path.name)

    assert (
        found_in(failures, tmp_path, TraceReaderSpec, Lines, example_log=b"TILL\nEmma\nMiddlemarch\n") == {}
    )


def found_in(
    failures: Failures, folder: Path, kind: type[Any], made: type[Any], longest: float = 60.0, **fields: Any
) -> dict[str, str]:
    conformance, given = KINDS[kind]
    spec = kind(**{"name": "it", "summary": "Something", "factory": made, **given, **fields})
    return failures(conformance, spec, folder, longest=longest)


@pytest.mark.parametrize(
    ("kind", "made", "spec", "told"), [item[1:] for item in VIOLATIONS], ids=[item[0] for item in VIOLATIONS]
)
def test_a_violation_is_caught_with_a_message(
    kind: type[Any], made: type[Any], spec: dict[str, Any], told: str, failures: Failures, tmp_path: Path
) -> None:
    found = found_in(failures, tmp_path, kind, made, **spec)

    assert any(told in message for message in found.values()), found


@pytest.mark.parametrize(
    ("does", "told"),
    [
        (call_network, "loading the plugin calls the network"),
        (lambda: nap(0.01), "loading the plugin calls time.sleep"),
    ],
    ids=["calls the network", "sleeps"],
)
def test_a_hook_that_does_more_than_describe_is_caught(does: Callable[[], Any], told: str) -> None:
    class Plugin:
        @hookimpl.criteria
        def criteria() -> list[CriterionSpec]:  # type: ignore[misc]
            does()
            return [CriterionSpec(name="it", summary="Something", factory=scoring(lambda self: None))]

    class TestIt(CriterionConformance):
        component = "acme/it"
        plugin = Plugin

    with pytest.raises(AssertionError, match=told):
        TestIt().test_the_spec_is_valid()


def test_an_import_that_calls_the_network_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "acme_calls.py").write_text(
        "import contextlib, socket\n"
        "with contextlib.suppress(OSError), socket.socket() as connection:\n"
        "    connection.connect(('127.0.0.1', 9))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import acme_calls  # type: ignore[import-not-found]

    class TestIt(CriterionConformance):
        component = "acme/it"
        plugin = acme_calls

    with pytest.raises(AssertionError, match="importing acme_calls calls the network"):
        TestIt().test_importing_the_plugin_is_light()
