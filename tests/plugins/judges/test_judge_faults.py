"""What any server can do wrong, to every backend that speaks HTTP."""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from adjudge.plugin import JudgeError, JudgeReply
from adjudge_plugins.judges import (
    anthropic_judge,
    azure_openai_judge,
    gemini_judge,
    ollama_judge,
    openai_judge,
)

KEY = "sk-test-0123456789abcdef"

Ask = Callable[..., JudgeReply]

CHAT = {"choices": [{"message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}]}

# Plugin, the environment that leads it to a server, and an answer of its provider.
BACKENDS: dict[str, tuple[ModuleType, Callable[[str], Mapping[str, str]], dict[str, Any]]] = {
    "anthropic": (
        anthropic_judge,
        lambda url: {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": KEY},
        {"content": [{"type": "text", "text": "hello"}], "stop_reason": "end_turn"},
    ),
    "azure-openai": (
        azure_openai_judge,
        lambda url: {"AZURE_OPENAI_ENDPOINT": url, "AZURE_OPENAI_API_KEY": KEY},
        CHAT,
    ),
    "gemini": (
        gemini_judge,
        lambda url: {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": KEY},
        {"candidates": [{"content": {"parts": [{"text": "hello"}]}, "finishReason": "STOP"}]},
    ),
    "ollama": (
        ollama_judge,
        lambda url: {"OLLAMA_HOST": url},
        {"message": {"role": "assistant", "content": "hello"}, "done": True, "done_reason": "stop"},
    ),
    "openai": (openai_judge, lambda url: {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": KEY}, CHAT),
}

KEYED = [name for name, (_, environment, _) in BACKENDS.items() if KEY in environment("").values()]


@pytest.fixture(params=BACKENDS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def failed(ask: Ask, name: str) -> Callable[[str], JudgeError]:
    """The error of a call to the server at an address."""

    def failed(url: str) -> JudgeError:
        plugin, environment, _ = BACKENDS[name]
        with pytest.raises(JudgeError) as caught:
            ask(plugin, environment(url.rstrip("/")))
        assert KEY not in f"{caught.value!r} {caught.value}"
        assert caught.value.__cause__ is None
        return caught.value

    return failed


def serve(httpserver: HTTPServer, response: Response) -> list[Request]:
    seen: list[Request] = []

    def handle(request: Request) -> Response:
        seen.append(request)
        return response

    httpserver.expect_request(re.compile(".*"), method="POST").respond_with_handler(handle)
    return seen


@pytest.fixture
def answer(name: str) -> bytes:
    return json.dumps(BACKENDS[name][2]).encode()


def test_an_answer(httpserver: HTTPServer, ask: Ask, name: str, answer: bytes) -> None:
    seen = serve(httpserver, Response(answer))
    plugin, environment, _ = BACKENDS[name]

    assert ask(plugin, environment(httpserver.url_for(""))).text == "hello"
    assert len(seen) == 1


@pytest.mark.parametrize("deep", [1, 2], ids=["JSON in the answer", "JSON in JSON in the answer"])
def test_a_key_that_is_repeated_with_escapes_is_taken_out(
    httpserver: HTTPServer, ask: Ask, name: str, answer: bytes, deep: int
) -> None:
    text = '{"note": "' + "".join(f"\\u{ord(letter):04X}" for letter in KEY) + '"}'
    for _ in range(deep - 1):
        text = json.dumps({"inner": text})
    body = answer.replace(b'"hello"', json.dumps(text).encode())
    assert body != answer
    serve(httpserver, Response(body))
    plugin, environment, _ = BACKENDS[name]

    said = ask(plugin, environment(httpserver.url_for(""))).text

    for _ in range(deep):
        said = json.loads(said)["note" if '"note"' in said[:9] else "inner"]
    assert said == ("***" if name in KEYED else KEY)


@pytest.mark.parametrize(
    "status",
    [(401, "auth"), (403, "auth"), (402, "quota"), (429, "rate_limit"), (500, "server"), (502, "server"),
     (503, "overload"), (504, "server"), (400, "bad_request"), (418, "bad_request")],
    ids=lambda pair: str(pair[0]),
)  # fmt: skip
def test_a_status_with_a_page_that_repeats_the_key(
    httpserver: HTTPServer, failed: Callable[[str], JudgeError], name: str, status: tuple[int, str]
) -> None:
    sent = KEY if name in KEYED else "***"
    serve(httpserver, Response(f"<html><p>No. {sent}</p></html>", status=status[0], content_type="text/html"))

    error = failed(httpserver.url_for(""))

    assert error.code == status[1]
    assert f"answered {status[0]}: <html><p>No. ***</p></html>" in str(error)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"retry-after": "7"}, 7.0), ({"retry-after-ms": "250", "retry-after": "1"}, 0.25), ({}, None)],
    ids=["seconds", "milliseconds", "none"],
)
def test_how_long_to_wait(
    httpserver: HTTPServer,
    failed: Callable[[str], JudgeError],
    headers: dict[str, str],
    seconds: float | None,
) -> None:
    serve(httpserver, Response("{}", status=429, headers=headers))

    assert failed(httpserver.url_for("")).retry_after == seconds


@pytest.mark.parametrize(
    "body",
    [
        b"<html>It works!</html>",
        b"",
        b"[1, 2]",
        b'"text"',
        b"null",
        b'{"choices": [{"mess',
        b'{"choices": "\xff\xfe"}',
        b"\x00\x01\x02",
        b'{"a": 1} {"b": 2}',
        b"{}",
    ],
    ids=["HTML", "empty", "list", "text", "null", "truncated", "not UTF-8", "binary", "two values", "object"],
)
def test_what_is_not_the_protocol(
    httpserver: HTTPServer, failed: Callable[[str], JudgeError], body: bytes
) -> None:
    serve(httpserver, Response(body, content_type="application/json"))

    assert failed(httpserver.url_for("")).code == "malformed"


def test_an_answer_without_an_end_is_cut(httpserver: HTTPServer, failed: Callable[[str], JudgeError]) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(100):
            yield b" " * 2**20

    serve(httpserver, Response(pieces(), content_type="application/json"))

    error = failed(httpserver.url_for(""))

    assert error.code == "malformed"
    assert "more than 8 MiB" in str(error)


def test_a_redirect_is_not_followed(
    httpserver: HTTPServer, failed: Callable[[str], JudgeError], answer: bytes
) -> None:
    with HTTPServer() as elsewhere:
        asked = serve(elsewhere, Response(answer))
        serve(httpserver, Response("", status=307, headers={"location": elsewhere.url_for("/")}))

        assert failed(httpserver.url_for("")).code == "malformed"
        assert asked == []


@pytest.fixture
def cut() -> Iterator[str]:
    """A server that resets the connection in the middle of its answer."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve_one() -> None:
        connection, _ = server.accept()
        request = b""
        while b"\r\n\r\n" not in request:
            request += connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n" + b'{"choices": [')
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    thread = threading.Thread(target=serve_one, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}"
    server.close()
    thread.join(5)


def test_a_connection_that_breaks_in_the_middle(cut: str, failed: Callable[[str], JudgeError]) -> None:
    assert failed(cut).code == "network"


def test_a_server_that_is_not_there(failed: Callable[[str], JudgeError]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

    error = failed(f"http://127.0.0.1:{port}")

    assert error.code == "network"
    assert str(port) in str(error)


def test_half_a_character_is_no_crash(httpserver: HTTPServer, ask: Ask, name: str, answer: bytes) -> None:
    seen = serve(httpserver, Response(answer))
    plugin, environment, _ = BACKENDS[name]

    ask(plugin, environment(httpserver.url_for("")), provider_options={"note": "\ud83d"})

    assert b'"?"' in seen[0].get_data()


@pytest.mark.parametrize("name", KEYED)
def test_a_key_that_cannot_be_sent(httpserver: HTTPServer, ask: Ask, name: str) -> None:
    plugin, environment, _ = BACKENDS[name]
    bad = {
        variable: value.replace(KEY, f"{KEY}\né")
        for variable, value in environment("http://127.0.0.1:9").items()
    }

    with pytest.raises(JudgeError, match="characters that cannot be sent") as caught:
        ask(plugin, bad)

    assert caught.value.code == "auth"
    assert KEY not in str(caught.value)
