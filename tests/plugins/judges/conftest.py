"""A judge backend as the core makes it, asked once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from adjudge.plugin import JudgeMessage, JudgeReply, JudgeRequest
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
