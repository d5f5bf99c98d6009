"""A judge model behind HTTP, on this machine; and the conformance kit, asked for what it finds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from adjudge.extension.candidates import OWN_DISTRIBUTION
from adjudge.extension.loader import Extensions, discover
from adjudge.model import JudgeMessage
from adjudge.plugin import (
    AgentAdapterSpec,
    CriterionSpec,
    GranularityStrategySpec,
    JudgeBackendSpec,
    JudgeRequest,
    ObserverSpec,
    ReporterSpec,
    TraceReaderSpec,
    UserSimulatorSpec,
    hookimpl,
)
from adjudge.testing import as_candidate, verdicts
from adjudge.testing.conformance import ComponentConformance


class ChatModel:
    """A server of Chat Completions whose model is a program.

    ``label`` decides what is answered: ``"yes"`` for the first choice of the menu, ``"no"`` for the second,
    another label as it is, or a function from everything that was asked to one of these. ``fault`` is
    answered instead where it is set.
    """

    def __init__(self, server: HTTPServer) -> None:
        self.label: str | Callable[[str], str] = "yes"
        self.fault: Response | None = None
        self.asked: list[str] = []
        self.address = server.url_for("/v1")
        server.expect_request("/v1/chat/completions", method="POST").respond_with_handler(self._answer)
        server.expect_request("/v1/models").respond_with_json({"object": "list", "data": []})

    def _answer(self, request: Request) -> Response:
        body: dict[str, Any] = json.loads(request.data)
        messages = tuple(JudgeMessage(role=item["role"], text=item["content"]) for item in body["messages"])
        everything = "\n".join(message.text for message in messages)
        self.asked.append(everything)
        if self.fault is not None:
            return self.fault
        asked = JudgeRequest(
            model=body["model"],
            messages=messages,
            schema_=body["response_format"]["json_schema"]["schema"],
        )
        label = self.label if isinstance(self.label, str) else self.label(everything)
        [first, *_] = (asked.schema_ or {})["properties"].values()
        if "properties" in first:  # otherwise texts are asked for, and no verdict
            menu: list[str] = first["properties"]["verdict"]["enum"]
            label = {"yes": menu[0], "no": menu[1]}.get(label, label)
        answer = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": f"{body['model']}-2025-08-07",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": verdicts(asked, label)},
                    "finish_reason": "stop",
                }
            ],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }
        return Response(json.dumps(answer), content_type="application/json")


KEY = "sk-test-0123456789abcdef"


@pytest.fixture
def chat_model(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> ChatModel:
    """The model that ``openai/…`` reaches in this test."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    model = ChatModel(httpserver)
    monkeypatch.setenv("OPENAI_BASE_URL", model.address)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return model


@pytest.fixture
def beside_built_ins() -> Callable[[object], Extensions]:
    """The built-ins, and the plugin ``acme`` of the distribution ``acme-metrics`` beside them."""

    def load(plugin: object) -> Extensions:
        own = [candidate for candidate in discover() if candidate.distribution == OWN_DISTRIBUTION]
        return Extensions([*own, as_candidate("acme", plugin, distribution="acme-metrics")])

    return load


# --- the conformance kit -------------------------------------------------------------

DECORATORS: dict[type[Any], Callable[..., Any]] = {
    CriterionSpec: hookimpl.criteria,
    JudgeBackendSpec: hookimpl.judge_backends,
    GranularityStrategySpec: hookimpl.granularity_strategies,
    AgentAdapterSpec: hookimpl.agent_adapters,
    TraceReaderSpec: hookimpl.trace_readers,
    ReporterSpec: hookimpl.reporters,
    UserSimulatorSpec: hookimpl.user_simulators,
    ObserverSpec: hookimpl.run_observers,
}


def _failures(
    base: type[ComponentConformance[Any]], spec: Any, folder: Path, **members: Any
) -> dict[str, str]:
    """The tests of the kit that fail for a component, and what they say."""

    def provide() -> Iterable[Any]:
        return [spec]

    plugin = SimpleNamespace(provide=DECORATORS[type(spec)](provide))
    made = type("Made", (base,), {"component": f"acme/{spec.name}", "plugin": plugin, **members})
    found: dict[str, str] = {}
    for name in dir(made):
        if name.startswith("test_"):
            arguments = {"tmp_path": folder} if "tmp_path" in getattr(made, name).__code__.co_varnames else {}
            try:
                getattr(made(), name)(**arguments)
            except Exception as error:
                if type(error).__name__ != "SkipTest":
                    found[name.removeprefix("test_")] = str(error)
    return found


@pytest.fixture
def failures() -> Callable[..., dict[str, str]]:
    """The tests of the kit that fail for a component, and what they say."""
    return _failures
