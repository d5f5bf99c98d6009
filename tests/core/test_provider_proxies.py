"""Where calls to providers go when the environment names a proxy."""

from __future__ import annotations

import asyncio

import pytest
from pytest_httpserver import HTTPServer

from adjudge.kit import http_judge
from adjudge.model import JsonObject

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*PROXIES, "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def posted(url: str) -> JsonObject:
    async def post() -> JsonObject:
        connection = http_judge.ProviderConnection()
        try:
            return (await connection.post(url, {}, headers={})).body
        finally:
            await connection.aclose()

    return asyncio.run(post())


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_server_on_this_machine_is_reached_without_the_proxy(
    host: str, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in PROXIES:
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody is there
    httpserver.expect_request("/judge").respond_with_json({"answered": "here"})

    assert posted(f"http://{host}:{httpserver.port}/judge") == {"answered": "here"}


def test_a_server_elsewhere_is_reached_through_the_proxy(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{httpserver.port}")
    httpserver.expect_request("/judge", headers={"Host": "judge.invalid"}).respond_with_json(
        {"answered": "elsewhere"}
    )

    assert posted("http://judge.invalid/judge") == {"answered": "elsewhere"}
