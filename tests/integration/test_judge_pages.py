"""The example of every judge's page, run by the command line against a server of that provider's protocol."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

DOCS = Path(__file__).parents[2] / "docs" / "judges"
TITLED = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
KEY = "key-of-the-page-0123456789"

Body = dict[str, Any]


def of_anthropic(body: Body) -> tuple[Body, Callable[[str], Body]]:
    return body["tools"][0]["input_schema"], lambda text: {
        "model": body["model"],
        "content": [{"type": "tool_use", "name": "answer", "input": json.loads(text)}],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }


def of_gemini(body: Body) -> tuple[Body, Callable[[str], Body]]:
    return body["generationConfig"]["responseJsonSchema"], lambda text: {
        "candidates": [{"content": {"parts": [{"text": text}], "role": "model"}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
    }


def of_ollama(body: Body) -> tuple[Body, Callable[[str], Body]]:
    return body["format"], lambda text: {
        "model": body["model"],
        "message": {"role": "assistant", "content": text},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 10,
        "eval_count": 5,
    }


# What reads the provider's requests and writes its answers, and the environment that leads to a server.
PAGES: dict[
    str, tuple[Callable[[Body], tuple[Body, Callable[[str], Body]]], Callable[[str], Mapping[str, str]]]
] = {
    "anthropic": (of_anthropic, lambda url: {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": KEY}),
    "gemini": (of_gemini, lambda url: {"GOOGLE_GEMINI_BASE_URL": url, "GOOGLE_API_KEY": KEY}),
    "ollama": (of_ollama, lambda url: {"OLLAMA_HOST": url}),
}


class Provider:
    """Says of every item what the test says."""

    def __init__(self, server: HTTPServer, name: str) -> None:
        self.label = "valid"
        self.calls = 0
        self._read, environment = PAGES[name]
        self.environment = environment(server.url_for("").rstrip("/"))
        models = {"models": [{"name": "llama3.2:3b"}]}
        server.expect_request("/api/tags").respond_with_json(models)
        server.expect_request(re.compile("/.*"), method="POST").respond_with_handler(self._handle)

    def _handle(self, request: Request) -> Response:
        self.calls += 1
        schema, answer = self._read(request.get_json())
        said = {
            item: {
                name: self.label if "enum" in field else "because"
                for name, field in entry["properties"].items()
            }
            for item, entry in schema["properties"].items()
        }
        return Response(json.dumps(answer(json.dumps(said))), content_type="application/json")


@pytest.fixture(params=PAGES)
def page(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    name = str(request.param)
    for title, text in TITLED.findall((DOCS / f"{name}.md").read_text(encoding="utf-8")):
        (tmp_path / title).write_text(text, encoding="utf-8")
    return name


@pytest.fixture
def provider(httpserver: HTTPServer, page: str) -> Provider:
    return Provider(httpserver, page)


Run = Callable[..., subprocess.CompletedProcess[str]]


def test_the_example_gives_the_judges_verdict(
    adjudge: Run, provider: Provider, page: str, tmp_path: Path
) -> None:
    provider.label = "invalid" if page == "gemini" else "valid"

    done = adjudge("eval", "home:agent", "home.test.json", **provider.environment)

    assert done.returncode == (1 if page == "gemini" else 0), done.stdout + done.stderr
    assert provider.calls >= 1
    everything = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(KEY.encode() in content for content in [*everything, (done.stdout + done.stderr).encode()])


@pytest.mark.parametrize("page", ["gemini"], indirect=True)
def test_another_provider_by_one_word(adjudge: Run, httpserver: HTTPServer, page: str) -> None:
    other = Provider(httpserver, "ollama")

    done = adjudge(
        "eval", "home:agent", "home.test.json", "--judge", "ollama/llama3.2:3b", **other.environment
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert other.calls >= 1


def test_without_what_it_needs_nothing_is_asked(
    adjudge: Run, provider: Provider, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in provider.environment:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    absent = {"OLLAMA_HOST": "127.0.0.1:1"} if page == "ollama" else {}

    done = adjudge("eval", "home:agent", "home.test.json", **absent)

    assert done.returncode == 2
    needed = {"anthropic": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY", "ollama": "ollama serve"}[page]
    assert needed in done.stderr
    assert provider.calls == 0
