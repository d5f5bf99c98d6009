"""Logs to judge, and judges that are programs: what they cite, they read in the prompt."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from adjudge import RunResult, judge_logs_sync
from adjudge.extension.candidates import Candidate
from adjudge.extension.loader import Extensions, discover
from adjudge.model import Citation, JsonObject, JudgeMessage
from adjudge.plugin import (
    Host,
    JudgeBackendSpec,
    JudgeRequest,
    NoConfig,
    hookimpl,
)
from adjudge.testing import FakeJudge, as_candidate, fields_shown, verdicts
from adjudge.testing.log_runs import JudgedLogs, judged

TASK = "Buy the cheapest milk."
STEPS: list[JsonObject] = [
    {
        "step": 2,
        "thinking": "I need a list of what there is.",
        "action": 'search({"query": "milk"})',
        "observation": "17: milk, 1.09. 18: oat milk, 1.49.",
        "next_goal": "Put the cheapest into the cart.",
    },
    {
        "step": 3,
        "thinking": "Number 17 is the cheapest.",
        "action": 'add_to_cart({"item": 17})',
        "result": "1 item in the cart",
    },
]

LONG = [{**STEPS[0], "observation": f"{STEPS[0]['observation']} {'More of it. ' * 20_000}"}, STEPS[1]]
"""The same steps, of which one is longer than any request."""

OUTCOME = {
    "name": "Success",
    "description": "The milk is bought.",
    "about": "outcome",
    "checks": ["The final result: the cheapest milk is in the cart."],
}
PROCESS = {
    "name": "Care",
    "description": "Every step is justified.",
    "about": "process",
    "checks": ["Each tool call follows from what came back before."],
}


def quotes(
    request: JudgeRequest, fields: Sequence[str] = ("result", "observation"), length: int | None = 60
) -> list[Citation]:
    """Places that a judge may cite, as the prompt shows them; of each the first ``length`` characters."""
    return [
        Citation(step=step, field=name, quote=text.strip().split("\n")[0][:length])
        for step, name, text in fields_shown(request)
        if name in fields and text.strip()
    ]


def is_question(request: JudgeRequest) -> bool:
    """Whether checks are to be decided, and not texts to be written."""
    return "# Items" in request.messages[1].text


@dataclass
class Judging:
    """Judges logs with the installed plugins and one more: ``fake/m``, a program."""

    folder: Path
    verdict: str | Callable[[str], str] = "met"
    cite: Callable[[JudgeRequest], Sequence[Citation]] = lambda request: quotes(request)[:1]
    notes: dict[str, str] = field(
        default_factory=lambda: {"rationale": "It says so.", "forbids": "no", "absent_words": ""}
    )
    answer: Callable[[JudgeRequest], Any] | None = None
    requests: list[JudgeRequest] = field(default_factory=list[JudgeRequest])

    def log(
        self, steps: Sequence[JsonObject] = STEPS, name: str = "log.json", task: str | None = TASK
    ) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**({"task": task} if task else {}), "steps": list(steps)}))
        return name

    def __call__(
        self, logs: str | Path | Sequence[str | Path], *criteria: JsonObject, **options: Any
    ) -> JudgedLogs:
        return judged(self.run(logs, *criteria, **options))

    def run(
        self, logs: str | Path | Sequence[str | Path], *criteria: JsonObject, **options: Any
    ) -> RunResult:
        options = {"judge": "fake/m", "extensions": self.extensions(), **options}
        return judge_logs_sync(logs, criteria or None, **options)

    def extensions(self) -> Extensions:
        return Extensions([*discover(), *self.candidates()])

    def candidates(self) -> list[Candidate]:
        return [as_candidate("fake-judge", _Plugin(self))]

    def asked(self, request: JudgeRequest) -> Any:
        self.requests.append(request)
        if self.answer is not None:
            return self.answer(request)
        return verdicts(request, self.verdict, notes=self.notes, citations=self.cite(request))


class _Plugin:
    def __init__(self, judging: Judging) -> None:
        self._judging = judging

    @hookimpl.judge_backends
    def judge_backends(self) -> list[JudgeBackendSpec]:
        def make(_config: NoConfig, _host: Host) -> FakeJudge:
            return FakeJudge(self._judging.asked)

        return [JudgeBackendSpec(name="fake", summary="A program.", factory=make, prices="")]


@pytest.fixture
def judging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Judging:
    """A judge and a folder; the working folder is there."""
    monkeypatch.delenv("ADJUDGE_JUDGE", raising=False)
    monkeypatch.chdir(tmp_path)
    return Judging(tmp_path)


REAL = {
    "adk_session": "adk_eval_files/customer_service/123.session.json",
    "browser_use": "browser_use_history/history_0_1_nested.json",
    "history_log": "web_agent_runs/runs.jsonl.gz",
    "openai_messages": "tau_airline/runs.jsonl.gz",
    "openinference": "otel_spans/openai_agents_openinference_live_spans.json",
    "otel_genai": "otel_spans/adk_live_spans.json",
    "swe_agent": "swe_agent/function_calling_simple.traj",
}
"""A log of other people's agents for each reader that there is one for."""

_OF_MANY = 2
"""Runs that are taken of a file with a hundred and more."""


@pytest.fixture
def real_logs(shared_data: Path, tmp_path: Path) -> dict[str, Path]:
    """Logs of other people's agents, by reader; of files with many runs the first ones."""
    logs = {reader: shared_data / name for reader, name in REAL.items()}
    for reader, path in logs.items():
        if path.suffix == ".gz":
            logs[reader] = tmp_path / f"{reader}.jsonl"
            with gzip.open(path, "rb") as file:
                logs[reader].write_bytes(b"".join(islice(file, _OF_MANY)))
    return logs


@pytest.fixture
def small_logs() -> dict[str, Path]:
    """One small run in every format, by reader: those that users are shown."""
    folder = Path(__file__).parents[3] / "docs" / "examples" / "logs"
    return {path.stem: path for path in sorted(folder.iterdir())}


@pytest.fixture(scope="session")
def of_logs() -> Any:
    """The functions of this file, for test files, which cannot import it."""
    import sys

    return sys.modules[__name__]


class Server:
    """Chat Completions by a program that gives one verdict, and cites the first things that it is shown."""

    def __init__(self, server: HTTPServer) -> None:
        self.verdict = "met"
        self.cited = 2
        self.asked = 0
        server.expect_request("/v1/chat/completions").respond_with_handler(self._answer)
        self.environment = {
            "OPENAI_BASE_URL": server.url_for("/v1"),
            "OPENAI_API_KEY": "sk-loopback-0123456789",
            "no_proxy": "*",
        }

    def _answer(self, http: Request) -> Response:
        self.asked += 1
        body = json.loads(http.get_data())
        request = JudgeRequest(
            model=body["model"],
            messages=tuple(
                JudgeMessage(role=item["role"], text=item["content"]) for item in body["messages"]
            ),
            schema_=body["response_format"]["json_schema"]["schema"],
        )
        cited = quotes(request, ("action", "result", "observation"))[: self.cited]
        text = verdicts(request, self.verdict, citations=cited, notes={"absent_words": ""})
        message = {"role": "assistant", "content": text}
        reply = {
            "model": "m-1",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }
        return Response(json.dumps(reply), content_type="application/json")


@pytest.fixture
def server(httpserver: HTTPServer) -> Server:
    """A server on loopback that speaks OpenAI's protocol; ``environment`` leads there."""
    return Server(httpserver)
