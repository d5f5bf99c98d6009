"""A judge backend as the core makes it, asked once."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from adjudge.model import JudgeMessage
from adjudge.plugin import JudgeError, JudgeReply, JudgeRequest
from adjudge.testing import FakeHost, manager

Make = Callable[[ModuleType, Mapping[str, str]], Any]
Ask = Callable[..., JudgeReply]


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def make_judge(tmp_path: Path) -> Make:
    """The one backend of a plugin module, with these environment variables and no others."""

    def make(plugin: ModuleType, environment: Mapping[str, str]) -> Any:
        [registered] = manager(plugin).judge_backends
        spec = registered.spec
        return spec.factory(spec.config(), FakeHost(tmp_path, environment=environment))

    return make


@pytest.fixture
def ask(make_judge: Make) -> Ask:
    """Ask it once; keywords are fields of the request."""

    def ask(plugin: ModuleType, environment: Mapping[str, str], **fields: Any) -> JudgeReply:
        backend = make_judge(plugin, environment)
        messages = (
            JudgeMessage(role="system", text="You judge."),
            JudgeMessage(role="user", text="Is 2 even?"),
        )
        request = JudgeRequest(**{"model": "m", "messages": messages, **fields})

        async def main() -> JudgeReply:
            try:
                return await backend.complete(request)  # type: ignore[no-any-return]
            finally:
                await backend.aclose()

        return asyncio.run(main())

    return ask


class Provider:
    """The server of a provider: what it answers, and what it was asked."""

    def __init__(
        self,
        server: HTTPServer,
        ask: Ask,
        plugin: ModuleType,
        path: str | re.Pattern[str],
        *,
        environment: Callable[[HTTPServer], Mapping[str, str]],
        model: str,
        answer: Any,
        key: str | None = None,
    ) -> None:
        self.requests: list[Request] = []
        self._asked = partial(ask, plugin, environment(server))
        self._model = model
        self._usual = answer
        self._key = key
        self._answer = Response()
        server.expect_request(path, method="POST").respond_with_handler(self._handle)

    def _handle(self, request: Request) -> Response:
        self.requests.append(request)
        return self._answer

    @property
    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = self.requests[-1].get_json()
        return found

    def ask(self, answer: Any = None, /, *, status: int = 200, **fields: Any) -> JudgeReply:
        headers = fields.pop("headers", {})
        content = json.dumps(answer or self._usual)
        self._answer = Response(content, status, headers, content_type="application/json")
        return self._asked(**{"model": self._model, **fields})

    def fails(self, answer: Any = None, /, **fields: Any) -> JudgeError:
        with pytest.raises(JudgeError) as caught:
            self.ask(answer, **fields)
        assert self._key is None or self._key not in f"{caught.value!r} {caught.value}"
        return caught.value


@pytest.fixture
def provider_of(httpserver: HTTPServer, ask: Ask) -> Callable[..., Provider]:
    """A provider of a plugin, at a path of this machine's server."""
    return partial(Provider, httpserver, ask)
