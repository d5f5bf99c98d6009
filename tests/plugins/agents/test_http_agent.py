"""The ``http`` agent against a real server on this machine."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

import adjudge
from adjudge.model import Blob, Content, Invocation, SessionInput, Step, Text
from adjudge.plugin import (
    AgentAdapter,
    AgentError,
    InputError,
    SessionRequest,
)
from adjudge.testing import FakeHost
from adjudge.testing.conformance import AgentAdapterConformance
from adjudge_plugins.agents import http_agent as plugin

KEY = "sk-test-0123456789"


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def agent_of(target: str, **options: Any) -> AgentAdapter:
    (spec,) = plugin.agent_adapters()
    return spec.factory(spec.config(target=target, **options), FakeHost(Path(), environment=os.environ))


class Talk:
    """What one session did."""

    def __init__(self) -> None:
        self.turns: list[Invocation] = []
        self.emitted: list[Step] = []
        self.state: Mapping[str, Any] | None = None


async def converse(
    adapter: AgentAdapter, *messages: str | Content, turns: int | None = None, **start: Any
) -> Talk:
    done = Talk()
    request = SessionRequest(eval_id="a", repeat=1, session_input=SessionInput(**start), turns=turns)
    session = await adapter.open_session(request, done.emitted.append)
    try:
        for message in messages:
            content = Content.of_text(message, role="user") if isinstance(message, str) else message
            done.turns.append(await session.send(content))
        done.state = session.state
    finally:
        await session.aclose()
    return done


def run(adapter: AgentAdapter, *messages: str | Content, **start: Any) -> Talk:
    async def main() -> Talk:
        try:
            return await converse(adapter, *messages, **start)
        finally:
            await adapter.aclose()  # type: ignore[attr-defined]

    return asyncio.run(main())


def completion(content: str | None, *calls: tuple[str, str], **more: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": content, **more}
    if calls:
        message["tool_calls"] = [
            {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for n, (name, arguments) in enumerate(calls)
        ]
    return {
        "id": "x",
        "object": "chat.completion",
        "model": "m-2026",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
    }


# --- OpenAI-compatible ----------------------------------------------------------------


def test_a_chat_endpoint_is_sent_the_conversation_so_far(httpserver: HTTPServer) -> None:
    bodies: list[Any] = []

    def handle(request: Request) -> Response:
        bodies.append(request.get_json())
        return Response(json.dumps(completion(f"answer {len(bodies)}")), content_type="application/json")

    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(handle)
    done = run(agent_of(httpserver.url_for("/v1"), model="m"), "one", "two", user_id="ann")
    assert [turn.final_response and turn.final_response.text for turn in done.turns] == [
        "answer 1",
        "answer 2",
    ]
    assert [turn.user_content.text for turn in done.turns] == ["one", "two"]
    assert bodies[0] == {"model": "m", "user": "ann", "messages": [{"role": "user", "content": "one"}]}
    assert bodies[1]["messages"] == [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "answer 1"},
        {"role": "user", "content": "two"},
    ]
    (step,) = done.turns[0].steps
    assert step.model == "m-2026"
    assert step.usage is not None
    assert (step.usage.input_tokens, step.usage.output_tokens, step.usage.total_tokens) == (11, 3, 14)
    assert done.turns[0].intermediate_texts == ()
    assert done.turns[0].duration is not None
    assert done.state is None


def test_tool_calls_are_what_the_endpoint_did(httpserver: HTTPServer) -> None:
    bodies: list[Any] = []

    def handle(request: Request) -> Response:
        bodies.append(request.get_json())
        return Response(json.dumps(completion(None, ("look", '{"at": "sky"}'), ("book", "{broken"))))

    httpserver.expect_request("/chat/completions").respond_with_handler(handle)
    done = run(agent_of(httpserver.url_for("/chat/completions")), "one", "two")
    first, second = done.turns[0].tool_calls
    assert (first.name, first.args, first.id) == ("look", {"at": "sky"}, "c0")
    assert (second.name, second.args, second.raw_args) == ("book", None, "{broken")
    assert done.turns[0].final_response is None
    assert len(done.emitted) == 2
    assert bodies[1]["messages"][1] == {"role": "assistant", "content": ""}


PICTURES = [
    (Blob(mime_type="image/png", data="QUJD"), "image/png"),
    (Blob(data="iVBORw0KGgo="), "image/png"),
    (Blob(data="QUJD"), "application/octet-stream"),
]


@pytest.mark.parametrize(("picture", "mime_type"), PICTURES)
def test_a_picture_of_the_user_is_sent(httpserver: HTTPServer, picture: Blob, mime_type: str) -> None:
    httpserver.expect_request(
        "/chat/completions",
        json={
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "see"},
                        {
                            "type": "image_url",
                            "image_url": {"url": f"data:{mime_type};base64,{picture.data}"},
                        },
                    ],
                }
            ]
        },
    ).respond_with_json(completion("seen"))
    seen = Content(role="user", items=(Text(text="see"), picture))
    done = run(agent_of(httpserver.url_for("/")), seen)
    assert done.turns[0].final_response is not None


def test_the_key_is_sent_and_never_shown(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_AGENT_KEY", KEY)
    headers: list[str | None] = []

    def handle(request: Request) -> Response:
        headers.append(request.headers.get("Authorization"))
        return Response(f"wrong key: {KEY}", status=401)

    httpserver.expect_request("/chat/completions").respond_with_handler(handle)
    adapter = agent_of(httpserver.url_for("/"), api_key_env="MY_AGENT_KEY")
    with pytest.raises(AgentError) as caught:
        run(adapter, "hi")
    assert headers == [f"Bearer {KEY}"]
    assert str(caught.value).endswith("answered 401: wrong key: ***")
    assert (caught.value.code, caught.value.retryable) == ("agent_http_error", False)
    assert KEY not in repr(adapter) + repr(caught.value)


def test_the_key_of_openai_goes_to_openai_and_where_the_user_sends_it(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str | None] = []

    def handle(request: Request) -> Response:
        sent.append(request.headers.get("Authorization"))
        return Response(json.dumps(completion("ok")), content_type="application/json")

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(handle)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    run(agent_of(httpserver.url_for("/v1")), "hi")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    run(agent_of(httpserver.url_for("/v1")), "hi")
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    run(agent_of(httpserver.url_for("/v1")), "hi")

    assert sent == [None, None, f"Bearer {KEY}"]


@pytest.mark.parametrize(
    ("target", "key"),
    [
        ("https://api.openai.com/v1", KEY),
        ("https://eu.api.openai.com/v1", KEY),
        ("http://api.openai.com/v1", None),
        ("https://api.openai.com.example.com/v1", None),
        ("https://example.com/v1", None),
        ("https://notapi.openai.com/v1", None),
    ],
)
def test_whose_server_is_sent_the_key_of_openai(
    target: str, key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is asked over the network: what an adapter would send is enough."""
    from adjudge_plugins.agents.http_agent import making

    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert making._default_key(making._address(target), os.environ) == key


def test_a_server_that_wants_a_key_is_told_how_to_get_one(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    httpserver.expect_request("/chat/completions").respond_with_data("who are you?", status=401)
    with pytest.raises(AgentError, match="--agent-option api_key_env=NAME"):
        run(agent_of(httpserver.url_for("/")), "hi")


def test_a_key_that_cannot_be_sent_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_AGENT_KEY", f"{KEY}\nX-Other: 1")
    with pytest.raises(InputError, match="cannot be sent as a key") as caught:
        agent_of("http://127.0.0.1:9/chat/completions", api_key_env="MY_AGENT_KEY")
    assert KEY not in str(caught.value)


def test_a_key_in_the_address_is_in_no_message(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/chat/completions", query_string=f"key={KEY}").respond_with_data(
        f"key {KEY} is not valid", status=403
    )
    with pytest.raises(AgentError, match=r"chat/completions\?key=\*\*\* answered 403") as caught:
        run(agent_of(httpserver.url_for(f"/chat/completions?key={KEY}")), "hi")
    assert KEY not in str(caught.value)


def test_a_server_on_this_machine_is_reached_without_the_proxy(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody is there
    httpserver.expect_request("/chat/completions").respond_with_json(completion("ok"))
    httpserver.expect_request("/list-apps").respond_with_json(["only"])
    answer = run(agent_of(httpserver.url_for("/chat/completions")), "hi").turns[0].final_response
    assert answer is not None and answer.text == "ok"


@pytest.mark.parametrize(
    ("status", "body", "code", "retryable", "message"),
    [
        (500, "boom", "agent_http_error", True, "answered 500: boom"),
        (429, "slow down", "agent_http_error", True, "answered 429"),
        (404, "no such model", "agent_http_error", False, "answered 404: no such model"),
        (302, "", "agent_http_error", True, "answered 302"),
        (200, "<html>hello</html>", "bad_answer", False, "no JSON"),
        (200, '{"choices": [', "bad_answer", False, "no JSON"),
        (200, "", "bad_answer", False, "no chat endpoint"),
        (200, "[]", "bad_answer", False, "no chat endpoint"),
        (200, '{"choices": []}', "bad_answer", False, "no chat endpoint"),
        (200, '{"choices": [{"message": "hi"}]}', "bad_answer", False, "no chat endpoint"),
        (200, '{"choices": [{"message": {"content": 7}}]}', "bad_answer", False, "found int"),
        (200, '{"choices": [{"message": {"role": "robot"}}]}', "bad_answer", False, "found 'robot'"),
    ],
)
def test_what_a_server_can_answer_wrongly(
    httpserver: HTTPServer, status: int, body: str, code: str, retryable: bool, message: str
) -> None:
    httpserver.expect_request("/chat/completions").respond_with_data(body, status=status)
    with pytest.raises(AgentError) as caught:
        run(agent_of(httpserver.url_for("/")), "hi")
    assert message in str(caught.value)
    assert (caught.value.code, caught.value.retryable) == (code, retryable)
    assert len(httpserver.log) == 1, "a turn is never sent twice"


def test_nobody_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(AgentError, match="cannot be reached") as caught:
        run(agent_of(f"http://127.0.0.1:{port}"), "hi")
    assert (caught.value.code, caught.value.retryable) == ("agent_unreachable", True)


@pytest.fixture
def trickle() -> Iterator[str]:
    """A server that sends a byte now and then, and never ends."""
    stop = threading.Event()
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            while not stop.wait(0.05):
                connection.sendall(b" ")

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}"
    stop.set()
    thread.join(5)
    server.close()


def test_a_server_that_takes_too_long(trickle: str) -> None:
    with pytest.raises(AgentError, match=r"did not answer within 0\.3 s") as caught:
        run(agent_of(trickle, timeout="0.3"), "hi")
    assert (caught.value.code, caught.value.retryable) == ("agent_timeout", True)


def test_a_server_that_hangs_up() -> None:
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = server.accept()
        connection.recv(65536)
        connection.close()

    threading.Thread(target=serve, daemon=True).start()
    with server, pytest.raises(AgentError, match="broke") as caught:
        run(agent_of(f"http://127.0.0.1:{server.getsockname()[1]}"), "hi")
    assert (caught.value.code, caught.value.retryable) == ("agent_disconnected", True)


def test_an_endless_answer_is_cut(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    from adjudge_plugins.agents.http_agent import connection

    monkeypatch.setattr(connection, "_LARGEST", 2**20)
    httpserver.expect_request("/chat/completions").respond_with_data(b"x" * (2**20 + 1))
    with pytest.raises(AgentError, match="more than 1 MiB"):
        run(agent_of(httpserver.url_for("/")), "hi")


@pytest.fixture
def crowded() -> Iterator[HTTPServer]:
    with HTTPServer(threaded=True) as server:
        yield server


def test_sessions_of_one_agent_run_at_the_same_time(crowded: HTTPServer) -> None:
    barrier = threading.Barrier(5, timeout=120)

    def handle(request: Request) -> Response:
        barrier.wait()
        return Response(json.dumps(completion(request.get_json()["messages"][-1]["content"])))

    crowded.expect_request("/chat/completions").respond_with_handler(handle)
    adapter = agent_of(crowded.url_for("/"))

    async def main() -> list[Talk]:
        try:
            return await asyncio.gather(*(converse(adapter, str(n)) for n in range(5)))
        finally:
            await adapter.aclose()  # type: ignore[attr-defined]

    said = [done.turns[0].final_response for done in asyncio.run(main())]
    assert [content and content.text for content in said] == ["0", "1", "2", "3", "4"]


# --- the ADK API server ---------------------------------------------------------------


class FakeAdk:
    """The part of ADK's API server that an evaluation needs, answering with given events."""

    def __init__(self, server: HTTPServer, *turns: list[dict[str, Any]]) -> None:
        self.turns = list(turns)
        self.sessions: dict[str, dict[str, Any]] = {}
        self.requests: list[tuple[str, str, Any]] = []
        server.expect_request("/run", method="POST").respond_with_handler(self.run)
        server.expect_request("/apps/home/users/ann/sessions", method="POST").respond_with_handler(
            self.create
        )
        for method in ("GET", "DELETE"):
            pattern = re.compile(r"/apps/home/users/ann/sessions/.+")
            server.expect_request(pattern, method=method).respond_with_handler(self.one)

    def seen(self, request: Request) -> Any:
        body = request.get_json(silent=True)
        self.requests.append((request.method, request.path, body))
        return body

    def create(self, request: Request) -> Response:
        body = self.seen(request)
        session_id = body.get("sessionId") or f"s{len(self.requests)}"
        if session_id in self.sessions:
            return Response('{"detail": "Session already exists"}', status=409)
        session = {
            "id": session_id,
            "appName": "home",
            "userId": "ann",
            "state": dict(body["state"]),
            "events": [],
        }
        self.sessions[session_id] = session
        return Response(json.dumps(session), content_type="application/json")

    def run(self, request: Request) -> Response:
        body = self.seen(request)
        self.sessions[body["sessionId"]]["state"]["turns"] = len(self.turns)
        return Response(json.dumps(self.turns.pop(0)), content_type="application/json")

    def one(self, request: Request) -> Response:
        self.seen(request)
        session_id = request.path.rpartition("/")[2]
        if request.method == "DELETE":
            del self.sessions[session_id]
            return Response("null")
        return Response(json.dumps(self.sessions[session_id]))


def event(*parts: dict[str, Any], author: str = "root", **more: Any) -> dict[str, Any]:
    content = {"content": {"role": "model", "parts": list(parts)}} if parts else {}
    return {
        "id": "e",
        "invocationId": "inv-1",
        "author": author,
        "timestamp": 1.5,
        "actions": {},
        **content,
        **more,
    }


CALL = event(
    {"functionCall": {"id": "f1", "name": "switch", "args": {"to": "off"}}},
    usageMetadata={"promptTokenCount": 9, "candidatesTokenCount": 2, "totalTokenCount": 11},
    modelVersion="gemini-x",
)
RESULT = event({"functionResponse": {"id": "f1", "name": "switch", "response": {"ok": True}}})
ANSWER = event({"text": "It is off."}, modelVersion="gemini-x")


def test_an_adk_server_is_asked_as_it_wants(httpserver: HTTPServer) -> None:
    server = FakeAdk(httpserver, [CALL, RESULT, ANSWER], [event({"text": "Bye."})])
    adapter = agent_of(httpserver.url_for("/"), app="home")
    done = run(adapter, "off", "bye", user_id="ann", state={"k": 1}, turns=2)
    assert [(method, path) for method, path, _ in server.requests] == [
        ("POST", "/apps/home/users/ann/sessions"),
        ("POST", "/run"),
        ("POST", "/run"),
        ("GET", "/apps/home/users/ann/sessions/s1"),
        ("DELETE", "/apps/home/users/ann/sessions/s1"),
    ]
    assert server.requests[0][2] == {"state": {"k": 1}}
    assert server.requests[1][2] == {
        "appName": "home",
        "userId": "ann",
        "sessionId": "s1",
        "newMessage": {"role": "user", "parts": [{"text": "off"}]},
    }
    assert done.state == {"k": 1, "turns": 1}
    turn, bye = done.turns
    assert (turn.form, turn.invocation_id) == ("invocation_events", "inv-1")
    assert turn.final_response is not None
    assert turn.final_response.text == "It is off."
    assert bye.final_response is not None
    assert [(call.name, call.args) for call in turn.tool_calls] == [("switch", {"to": "off"})]
    assert [result.value for result in turn.tool_results] == [{"ok": True}]
    assert turn.intermediate_texts == ()
    assert [step.model for step in turn.steps] == ["gemini-x", None, "gemini-x"]
    assert turn.steps[0].usage is not None
    assert turn.steps[0].usage.total_tokens == 11
    assert turn.duration is not None
    assert len(done.emitted) == 4


def test_the_address_of_run_and_the_app_of_the_case(httpserver: HTTPServer) -> None:
    server = FakeAdk(httpserver, [ANSWER])
    run(agent_of(httpserver.url_for("/run")), "off", user_id="ann", app_name="home")
    assert server.requests[0][1] == "/apps/home/users/ann/sessions"


@pytest.mark.parametrize(
    ("events", "answer", "said"),
    [
        ([event({"text": "sub"}, author="sub"), ANSWER], "It is off.", [("sub", "sub")]),
        ([event({"text": "par"}, partial=True), ANSWER], "It is off.", []),
        ([{"author": "user", "content": {"parts": [{"text": "off"}]}}, ANSWER], "It is off.", []),
        ([ANSWER, event({"inlineData": {"mimeType": "audio/wav", "data": "QUJD"}})], "It is off.", []),
        ([event({"thought": True, "text": "hm"}, {"text": "ok"})], "ok", []),
        ([ANSWER, event()], "It is off.", []),
        (
            [event({"text": "asking"}, {"functionCall": {"id": "l", "name": "wait", "args": {}}}, longRunningToolIds=["l"])],
            "asking",
            [("root", "asking")],
        ),
        ([CALL, event({"functionResponse": {"name": "switch", "response": {}}}, actions={"skipSummarization": True})], "", []),
        ([CALL, RESULT], None, []),
        ([event({"text": "snake"}, author="sub"), {"author": "root", "invocation_id": "i", "model_version": "m", "content": {"parts": [{"text": "ok"}]}}], "ok", [("sub", "snake")]),
    ],
)  # fmt: skip
def test_the_last_final_event_is_the_answer(
    httpserver: HTTPServer, events: list[dict[str, Any]], answer: str | None, said: list[tuple[str, str]]
) -> None:
    FakeAdk(httpserver, events)
    (turn,) = run(agent_of(httpserver.url_for("/"), app="home"), "off", user_id="ann").turns
    assert (None if turn.final_response is None else turn.final_response.text) == answer
    assert list(turn.intermediate_texts) == said


def test_a_model_that_failed_is_an_error_that_keeps_the_steps(httpserver: HTTPServer) -> None:
    FakeAdk(httpserver, [CALL, RESULT, event(errorCode="429", errorMessage="RESOURCE_EXHAUSTED")])
    emitted: list[Step] = []

    async def main() -> None:
        adapter = agent_of(httpserver.url_for("/"), app="home")
        request = SessionRequest(eval_id="a", repeat=1, session_input=SessionInput(user_id="ann"))
        session = await adapter.open_session(request, emitted.append)
        try:
            await session.send(Content.of_text("off"))
        finally:
            await session.aclose()
            await adapter.aclose()  # type: ignore[attr-defined]

    with pytest.raises(AgentError, match="429: RESOURCE_EXHAUSTED"):
        asyncio.run(main())
    assert [call.name for step in emitted for call in step.calls] == ["switch"]


def test_repeats_of_a_case_that_names_its_session_take_turns(httpserver: HTTPServer) -> None:
    server = FakeAdk(httpserver, [ANSWER], [ANSWER], [ANSWER])
    adapter = agent_of(httpserver.url_for("/"), app="home")

    async def main() -> None:
        try:
            await asyncio.gather(
                *(converse(adapter, "off", user_id="ann", session_id="pinned") for _ in range(3))
            )
        finally:
            await adapter.aclose()  # type: ignore[attr-defined]

    asyncio.run(main())
    assert [method for method, path, _ in server.requests if path.endswith("sessions")] == ["POST"] * 3
    assert server.sessions == {}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("{}", "no list of events"),
        ('["x"]', "no list of events"),
        ('[{"author": "a", "content": {"parts": 7}}]', "parts"),
    ],
)
def test_what_an_adk_server_can_answer_wrongly(httpserver: HTTPServer, body: str, message: str) -> None:
    httpserver.expect_request("/apps/home/users/user/sessions").respond_with_json({"id": "s", "state": {}})
    httpserver.expect_request("/run").respond_with_data(body)
    with pytest.raises(AgentError) as caught:
        run(agent_of(httpserver.url_for("/"), app="home"), "off")
    assert message in str(caught.value)
    assert caught.value.code == "bad_answer"


def test_a_case_and_an_address_without_an_app() -> None:
    with pytest.raises(AgentError, match="no app_name") as caught:
        run(agent_of("http://127.0.0.1:9", kind="adk"), "off")
    assert caught.value.code == "no_app"


def test_a_server_that_knows_no_such_app(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/apps/hom/users/user/sessions").respond_with_json(
        {"detail": "Agent not found: 'hom'"}, status=404
    )
    with pytest.raises(AgentError, match=r"answered 404.*Agent not found"):
        run(agent_of(httpserver.url_for("/"), app="hom"), "off")


# --- options --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        ("http://", {}, "not an address"),
        ("ftp://x", {}, "not an address"),
        ("http://[::1", {}, "not an address"),
        ("http://ann:secret@x", {}, "contains a password"),
        ("http://x", {"app": "a", "kind": "openai"}, "'app' is for an ADK API server"),
        ("http://x/run", {"model": "m"}, "'model' is for an OpenAI-compatible"),
        (
            "http://x",
            {"api_key_env": "NO_SUCH_VARIABLE"},
            "'NO_SUCH_VARIABLE' (option 'api_key_env') is not set",
        ),
        ("http://x", {"api_key_env": KEY}, "is the name of an environment variable, not the key"),
    ],
)
def test_options_that_cannot_work_are_refused_before_the_run(
    target: str, options: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        agent_of(target, **options)
    assert message in str(caught.value)
    assert KEY not in str(caught.value)


def case_file(path: Path, **session_input: Any) -> Path:
    case = {
        "eval_id": "light",
        "conversation": [
            {
                "user_content": {"parts": [{"text": "off"}]},
                "intermediate_data": {"tool_uses": [{"name": "switch", "args": {"to": "off"}}]},
            }
        ],
    }
    if session_input:
        case["session_input"] = {"app_name": "home", "user_id": "ann", **session_input}
    path.write_text(json.dumps({"eval_set_id": "s", "eval_cases": [case]}))
    return path


def test_an_evaluation_over_http(httpserver: HTTPServer, tmp_path: Path) -> None:
    httpserver.expect_request("/chat/completions").respond_with_json(
        completion("done", ("switch", '{"to": "off"}'))
    )
    cases = case_file(tmp_path / "cases.json")
    config = {"criteria": {"tool_trajectory_avg_score": 1.0}}
    assert adjudge.evaluate_sync(httpserver.url_for("/"), cases, config=config).passed


def test_a_state_that_a_chat_endpoint_cannot_take_is_refused_by_the_plan(
    httpserver: HTTPServer, tmp_path: Path
) -> None:
    cases = case_file(tmp_path / "cases.json", state={"k": 1})
    config = {"criteria": {"tool_trajectory_avg_score": 1.0}}
    with pytest.raises(InputError, match="cannot start a session with a state, as light does"):
        adjudge.evaluate_sync(httpserver.url_for("/chat/completions"), cases, config=config)
    assert httpserver.log == []


class TestConformance(AgentAdapterConformance):
    component = "http-agent/http"
    messages = ("hello", "bye")

    @pytest.fixture(autouse=True)
    def _server(self, httpserver: HTTPServer) -> None:
        def create(request: Request) -> Response:
            state = request.get_json()["state"]
            return Response(json.dumps({"id": json.dumps(state), "state": state}))

        httpserver.expect_request("/apps/app/users/user/sessions", method="POST").respond_with_handler(create)
        httpserver.expect_request("/run").respond_with_json([ANSWER])
        one = re.compile(r"/apps/app/users/user/sessions/.+")
        httpserver.expect_request(one).respond_with_json({"state": {"conformance": "left"}})
        self.url = httpserver.url_for("/run")

    def options(self, folder: Path) -> Mapping[str, Any]:
        return {"target": self.url}
