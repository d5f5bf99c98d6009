"""What backends, reporters, readers and agent adapters raise is an error or a warning that names them."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from adjudge import RunResult, evaluate_sync
from adjudge.errors import InputError, RunError
from adjudge.extension.loader import Extensions
from adjudge.model import Content, Invocation
from adjudge.plugin import (
    AgentAdapterSpec,
    ComponentConfig,
    JudgeBackendSpec,
    JudgeReply,
    JudgeRequest,
    ReadOptions,
    ReporterSpec,
    RunReport,
    Source,
    TraceReaderSpec,
    Trajectory,
    hookimpl,
)
from adjudge.testing import ScriptedAgent, fake_distribution
from adjudge.testing.log_runs import judged_sync

Raises = Callable[[], BaseException]
RAISED: tuple[Raises, ...] = (
    lambda: SystemExit(0),
    asyncio.CancelledError,
    lambda: GeneratorExit("gone"),
    lambda: ZeroDivisionError("boom"),
)
ANY = pytest.mark.parametrize("raised", RAISED, ids=lambda make: repr(make()))
ACME = r"plugin acme \(acme-metrics 0\)"
TURN = {"user_content": {"parts": [{"text": "hi"}]}, "final_response": {"parts": [{"text": "hello"}]}}
CASES = {"eval_set_id": "set", "eval_cases": [{"eval_id": name, "conversation": [TURN]} for name in "ab"]}
HI = Content.of_text("hi")
WORDS = {"response_match_score": 0.8}


def hello(text: str) -> str:
    return "hello"


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside_built_ins: Callable[[object], Extensions]
) -> Callable[..., RunResult]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.test.json").write_text(json.dumps(CASES), encoding="utf-8")

    def evaluate(plugin: object, *, agent: object = hello, **options: Any) -> RunResult:
        config = {"criteria": options.pop("criteria", WORDS)}
        return evaluate_sync(
            agent, "set.test.json", config=config, extensions=beside_built_ins(plugin), **options
        )

    return evaluate


# --- judge backends -------------------------------------------------------------------


class Judging:
    """A judge backend that does what it is told in ``complete``."""

    def __init__(self, complete: Callable[[], Any]) -> None:
        self._complete = complete

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        return self._complete()  # type: ignore[no-any-return]

    @hookimpl.judge_backends
    def judge_backends(self) -> Iterable[JudgeBackendSpec]:
        yield JudgeBackendSpec(
            name="odd", summary="Does what it is told", factory=lambda _config, _host: self, prices=""
        )


JUDGED = {"judge": "odd/m", "criteria": {"final_response_match_v2": 0.5, **WORDS}}


@ANY
def test_what_a_backend_raises_is_an_error_of_the_criterion(
    raised: Raises, run: Callable[..., RunResult]
) -> None:
    def complete() -> None:
        raise raised()

    result = run(Judging(complete), **JUDGED)

    assert (result.status, result.summary.exit_status, result.summary.cases) == ("error", 3, 2)
    for case in result.cases():
        judged, matched = case.criteria
        assert (judged.status, matched.status) == ("error", "PASS")
        [outcome] = judged.per_invocation
        assert outcome.error is not None
        said = f"plugin acme (acme-metrics 0) raised in complete: {type(raised()).__name__}"
        assert said in outcome.error.message


def test_a_backend_that_returns_no_reply_is_named(run: Callable[..., RunResult]) -> None:
    result = run(Judging(lambda: None), **JUDGED)

    [first, _] = result.cases()
    [outcome] = first.criteria[0].per_invocation
    assert outcome.error is not None
    expected = "complete gave NoneType, expected JudgeReply (plugin acme (acme-metrics 0))"
    assert expected in outcome.error.message


@ANY
def test_what_a_backend_raises_while_it_is_closed_takes_nothing_away(
    raised: Raises, run: Callable[..., RunResult]
) -> None:
    class Closing(Judging):
        async def aclose(self) -> None:
            raise raised()

    result = run(Closing(lambda: JudgeReply(text='{"verdict": "valid"}')), **JUDGED)

    assert result.summary.cases == 2
    assert any("plugin acme (acme-metrics 0) raised in aclose: " in item for item in result.warnings)


@pytest.mark.parametrize("method", ["missing", "fingerprint", "model_fingerprint"])
@ANY
def test_what_a_backend_raises_before_it_is_asked_stops_the_plan(
    raised: Raises, method: str, run: Callable[..., RunResult]
) -> None:
    def broken(self: object, *args: object) -> Any:
        raise raised()

    kind = type("Unready", (Judging,), {method: broken})
    with pytest.raises(InputError, match=f"{ACME} raised in {method}: {type(raised()).__name__}"):
        run(kind(lambda: None), **JUDGED)


# --- reporters ------------------------------------------------------------------------


class Reporting:
    """A reporter for ``.odd`` that does what it is told."""

    def __init__(self, write: Callable[[RunReport], None]) -> None:
        self._write = write

    def write(self, report: RunReport, stream: BinaryIO) -> None:
        stream.write(b"half")
        self._write(report)

    @hookimpl.reporters
    def reporters(self) -> Iterable[ReporterSpec]:
        yield ReporterSpec(
            name="odd", summary="Writes", factory=lambda _config, _host: self, suffixes=(".odd",)
        )


@ANY
def test_what_a_reporter_raises_is_told_and_leaves_no_half_file(
    raised: Raises, run: Callable[..., RunResult], tmp_path: Path
) -> None:
    def write(_: RunReport) -> None:
        raise raised()

    with pytest.raises(RunError, match=f"written by {ACME}: {type(raised()).__name__}"):
        run(Reporting(write), outputs=["report.odd"])
    assert not list(tmp_path.glob("*report.odd*"))


def test_a_reporter_that_does_not_end_is_left_and_told(
    run: Callable[..., RunResult], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adjudge.extension.guard.LONGEST", 0.2)
    end = threading.Event()

    try:
        with pytest.raises(RunError, match=f"written by {ACME}: write of .* took longer than 0.2 s, "):
            run(Reporting(lambda _: end.wait() and None), outputs=["report.odd", "report.json"])
    finally:
        end.set()

    assert not list(tmp_path.glob("*report.odd*"))
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["summary"]["status"] == "PASS"


# --- agent adapters -------------------------------------------------------------------


class Target(ComponentConfig):
    target: str


class Adapting(ScriptedAgent):
    """An agent adapter whose plan, or whose end, does what it is told."""

    def __init__(self, accepts: Callable[[str], bool] | None = None, **methods: Callable[[], Any]) -> None:
        super().__init__(["hello"])
        self._accepts = accepts
        for name, method in methods.items():
            setattr(self, name, method)

    @hookimpl.agent_adapters
    def agent_adapters(self) -> Iterable[AgentAdapterSpec]:
        yield AgentAdapterSpec(
            name="odd",
            summary="An agent",
            factory=lambda _config, _host: self,
            config=Target,
            accepts=self._accepts,
        )


@ANY
def test_an_adapter_that_cannot_say_what_it_accepts_is_left_out_with_a_warning(
    raised: Raises, run: Callable[..., RunResult], tmp_path: Path
) -> None:
    (tmp_path / "polite.py").write_text("def agent(text):\n    return 'hello'\n", encoding="utf-8")

    def accepts(_: str) -> bool:
        raise raised()

    result = run(Adapting(accepts), agent="polite:agent")

    assert result.passed
    [warning] = result.warnings
    assert warning.startswith(f"plugin acme (acme-metrics 0) raised in accepts: {type(raised()).__name__}")


@pytest.mark.parametrize("method", ["check_plan", "fingerprint"])
@ANY
def test_what_an_adapter_raises_before_the_run_stops_the_plan(
    raised: Raises, method: str, run: Callable[..., RunResult]
) -> None:
    def broken(*_: object) -> Any:
        raise raised()

    with pytest.raises(InputError, match=f"{ACME} raised in {method}: {type(raised()).__name__}"):
        run(Adapting(**{method: broken}), agent="odd:x")


@ANY
def test_what_an_adapter_raises_at_the_end_of_the_run_takes_nothing_away(
    raised: Raises, run: Callable[..., RunResult]
) -> None:
    async def aclose() -> None:
        raise raised()

    result = run(Adapting(aclose=aclose), agent="odd:x")

    assert (result.passed, result.summary.cases) == (True, 2)
    assert any("plugin acme (acme-metrics 0) raised in aclose: " in item for item in result.warnings)


# --- trace readers --------------------------------------------------------------------


class Reading:
    """A trace reader that does what it is told."""

    def __init__(self, sniff: Callable[[], bool], read: Callable[[], Iterator[Any]] | None = None) -> None:
        self._sniff, self._read = sniff, read or (lambda: iter(()))

    def sniff(self, head: bytes, path: Path) -> bool:
        return self._sniff()

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        return self._read()

    @hookimpl.trace_readers
    def trace_readers(self) -> Iterable[TraceReaderSpec]:
        yield TraceReaderSpec(name="odd", summary="Reads", factory=lambda _config, _host: self)


@pytest.fixture
def judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside_built_ins: Callable[[object], Extensions]
) -> Callable[..., Any]:
    monkeypatch.chdir(tmp_path)
    log: Mapping[str, Any] = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]  # type: ignore[assignment]
    (tmp_path / "chat.json").write_text(json.dumps(log), encoding="utf-8")
    (tmp_path / "criteria.json").write_text(
        json.dumps([{"name": "repeats", "criterion": "action_repeats", "maximum": 3}]),
        encoding="utf-8",
    )

    def judge(plugin: object, **options: Any) -> Any:
        return judged_sync("chat.json", "criteria.json", extensions=beside_built_ins(plugin), **options)

    return judge


@ANY
def test_a_reader_that_cannot_say_what_it_knows_is_told_where_another_one_knows_it(
    raised: Raises, judged: Callable[..., Any]
) -> None:
    def sniff() -> bool:
        raise raised()

    result = judged(Reading(sniff))

    assert len(result.logs) == 1
    [warning] = result.warnings
    assert warning.startswith(f"plugin acme (acme-metrics 0) raised in sniff: {type(raised()).__name__}")


@ANY
def test_a_reader_that_raises_half_way_keeps_the_runs_before(
    raised: Raises, judged: Callable[..., Any]
) -> None:
    def read() -> Iterator[Trajectory]:
        yield Trajectory(task="first", invocations=(Invocation(user_content=HI, final_response=HI),))
        raise raised()

    result = judged(Reading(lambda: False, read), reader="odd")

    assert len(result.logs) == 1
    error = next(item for item in result.errors if item.run == 2)
    assert error.error.code == "reader_raised"
    assert error.error.message.startswith(
        f"plugin acme (acme-metrics 0) raised in read: {type(raised()).__name__}"
    )


def test_a_reader_that_gives_no_trajectory_is_named(judged: Callable[..., Any]) -> None:
    result = judged(Reading(lambda: False, lambda: iter([{"steps": []}])), reader="odd")

    [error] = result.errors
    assert error.error.message == "read gave dict, expected Trajectory (plugin acme (acme-metrics 0))"


# --- the command line -----------------------------------------------------------------

EXITS = """
from adjudge.plugin import CriterionSpec, ReporterSpec, JudgeBackendSpec, hookimpl
import asyncio, sys

class Exits:
    async def score(self, case):
        asyncio.get_running_loop().call_soon(sys.exit, 0)  # behind the back of whoever called
        await asyncio.sleep(3600)
    async def complete(self, request):
        raise SystemExit(0)
    def write(self, report, stream):
        raise SystemExit(0)

@hookimpl.criteria
def criteria():
    yield CriterionSpec(name="exits", summary="Exits", factory=lambda config, host: Exits())

@hookimpl.judge_backends
def judge_backends():
    yield JudgeBackendSpec(name="exits", summary="Exits", factory=lambda config, host: Exits(), prices="")

@hookimpl.reporters
def reporters():
    yield ReporterSpec(name="exits", summary="Exits", factory=lambda config, host: Exits(), suffixes=(".exits",))
"""


@pytest.mark.parametrize(
    ("criteria", "options", "status", "said"),
    [
        ({"final_response_match_v2": 0.5}, ("--judge", "exits/m"), 3, "SystemExit"),
        ({"response_match_score": 0.8}, ("--output", "report.exits"), 1, "SystemExit"),
        ({"exits": 0.5}, ("--scoring-timeout", "1"), 3, "took longer than 1 s"),
    ],
    ids=["a backend", "a reporter", "a callback of the event loop"],
)
def test_no_plugin_ends_a_failing_run_with_status_0(
    criteria: Mapping[str, float],
    options: tuple[str, ...],
    status: int,
    said: str,
    adjudge: Callable[..., Any],
    tmp_path: Path,
) -> None:
    fake_distribution(
        tmp_path / "site", "acme-metrics", entry_points={"acme": "acme"}, modules={"acme": EXITS}
    )
    (tmp_path / "set.test.json").write_text(json.dumps(CASES), encoding="utf-8")
    (tmp_path / "test_config.json").write_text(json.dumps({"criteria": criteria}), encoding="utf-8")
    (tmp_path / "rude.py").write_text("def agent(text):\n    return 'go away'\n", encoding="utf-8")

    done = adjudge("eval", "rude:agent", "set.test.json", *options, PYTHONPATH=str(tmp_path / "site"))

    assert done.returncode == status, done.stdout + done.stderr
    assert said in " ".join((done.stdout + done.stderr).split())
