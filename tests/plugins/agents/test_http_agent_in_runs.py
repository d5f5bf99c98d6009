"""The ``http`` agent in whole runs: which server is asked, with which key, and what is written of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

import adjudge
from adjudge.plugin import InputError

KEY = "sk-secret-0123456789"
CONFIG = {"criteria": {"response_match_score": 0.8}}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def case_file(tmp_path: Path) -> Callable[..., Path]:
    """An eval set of one case that expects the answer "off"."""

    def write(**more: Any) -> Path:
        turn = {
            "user_content": {"parts": [{"text": "Turn it off."}]},
            "final_response": {"parts": [{"text": "off"}]},
        }
        case = {"eval_id": "light", "conversation": [turn], **more}
        path = tmp_path / "light.test.json"
        path.write_text(json.dumps({"eval_set_id": "s", "eval_cases": [case]}))
        return path

    return write


def answering(text: str) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": text}}]}


class AdkServer:
    """The part of ADK's API server that a run needs."""

    def __init__(self, server: HTTPServer, *apps: str) -> None:
        self.created: list[str] = []
        self.address = server.url_for("/")
        server.expect_request("/list-apps", method="GET").respond_with_json(list(apps))
        server.expect_request("/run", method="POST").respond_with_json(
            [{"author": "home", "content": {"role": "model", "parts": [{"text": "off"}]}}]
        )
        for app in apps:
            place = f"/apps/{app}/users/test_user_id/sessions"
            server.expect_request(place, method="POST").respond_with_handler(self._create)
            server.expect_request(f"{place}/s1").respond_with_json({"id": "s1", "state": {}})

    def _create(self, request: Request) -> Response:
        self.created.append(request.path.split("/")[2])
        return Response(json.dumps({"id": "s1", "state": {}}), content_type="application/json")


# --- which server ---------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"kind": "adk"}], ids=["detected", "named"])
def test_a_case_without_an_app_goes_to_the_only_app_of_the_server(
    options: dict[str, str], httpserver: HTTPServer, case_file: Callable[..., Path]
) -> None:
    server = AdkServer(httpserver, "home")

    result = adjudge.evaluate_sync(server.address, case_file(), config=CONFIG, agent_options=options)

    assert result.passed, [item.result.model_dump() for item in result.details()]
    assert server.created == ["home"]


def test_a_server_of_several_apps_stops_the_run_with_their_names(
    httpserver: HTTPServer, case_file: Callable[..., Path]
) -> None:
    server = AdkServer(httpserver, "home", "garden")

    with pytest.raises(InputError) as refused:
        adjudge.evaluate_sync(server.address, case_file(), config=CONFIG)

    assert "the server has garden, home" in str(refused.value)
    assert "--agent-option app=NAME" in str(refused.value)
    assert server.created == []
    assert adjudge.evaluate_sync(
        server.address, case_file(), config=CONFIG, agent_options={"app": "garden"}
    ).passed
    assert server.created == ["garden"]


def test_a_server_of_several_apps_is_sent_what_the_case_names(
    httpserver: HTTPServer, case_file: Callable[..., Path]
) -> None:
    server = AdkServer(httpserver, "home", "garden")
    cases = case_file(session_input={"app_name": "home", "user_id": "test_user_id"})

    assert adjudge.evaluate_sync(server.address, cases, config=CONFIG).passed
    assert server.created == ["home"]


def test_a_server_that_does_not_list_its_apps_is_no_guess(
    httpserver: HTTPServer, case_file: Callable[..., Path]
) -> None:
    httpserver.expect_request("/list-apps").respond_with_data("nothing here", status=404)

    with pytest.raises(InputError, match="does not say which apps there are"):
        adjudge.evaluate_sync(
            httpserver.url_for("/"), case_file(), config=CONFIG, agent_options={"kind": "adk"}
        )


def test_a_server_that_lists_no_apps_is_a_chat_endpoint(
    httpserver: HTTPServer, case_file: Callable[..., Path]
) -> None:
    httpserver.expect_request("/v1/list-apps").respond_with_json({"detail": "Not Found"})
    httpserver.expect_request("/v1/chat/completions").respond_with_json(answering("off"))

    assert adjudge.evaluate_sync(httpserver.url_for("/v1"), case_file(), config=CONFIG).passed


# --- keys -----------------------------------------------------------------------------


def test_a_key_may_stand_in_the_env_file(
    httpserver: HTTPServer, tmp_path: Path, case_file: Callable[..., Path]
) -> None:
    (tmp_path / ".env").write_text(f"MY_AGENT_KEY={KEY}\n")
    httpserver.expect_request(
        "/chat/completions", headers={"Authorization": f"Bearer {KEY}"}
    ).respond_with_json(answering("off"))

    assert adjudge.evaluate_sync(
        httpserver.url_for("/chat/completions"),
        case_file(),
        config=CONFIG,
        agent_options={"api_key_env": "MY_AGENT_KEY"},
    ).passed


def test_an_address_of_an_env_file_gets_no_key_of_the_environment(
    httpserver: HTTPServer, tmp_path: Path, case_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str | None] = []

    def handle(request: Request) -> Response:
        sent.append(request.headers.get("Authorization"))
        return Response(json.dumps(answering("off")), content_type="application/json")

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(handle)
    address = httpserver.url_for("/v1")
    (tmp_path / ".env").write_text(f"OPENAI_BASE_URL={address}\n")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    adjudge.evaluate_sync(f"{address}/chat/completions", case_file(), config=CONFIG)

    assert sent == [None]


# --- what is written ------------------------------------------------------------------


def test_a_key_in_the_address_and_one_that_is_echoed_are_written_nowhere(
    httpserver: HTTPServer,
    tmp_path: Path,
    case_file: Callable[..., Path],
    everything_in: Callable[[Path], str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    other = "tok-of-the-header-42"
    monkeypatch.setenv("MY_AGENT_KEY", other)
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": json.dumps({"k": other})}}
    message = {"role": "assistant", "content": f"off {KEY} {other}", "tool_calls": [call]}
    httpserver.expect_request("/v1/chat/completions", query_string=f"key={KEY}").respond_with_data(
        # Escapes hide the key from whoever looks for its bytes.
        json.dumps({"choices": [{"message": message}]}).replace("sk-secret", "sk\\u002dsecret")
    )
    outputs = [tmp_path / "out.json", tmp_path / "out.xml"]
    address = f"{httpserver.url_for('/v1/chat/completions')}?key={KEY}"

    result = adjudge.evaluate_sync(
        address,
        case_file(),
        config=CONFIG,
        agent_options={"api_key_env": "MY_AGENT_KEY"},
        outputs=outputs,
        run="one",
    )

    [case] = result.details()
    assert "off *** ***" in case.actual.model_dump_json()
    printed = capsys.readouterr()
    written = everything_in(tmp_path) + printed.out + printed.err
    assert "chat/completions?key=***" in written
    assert KEY not in written
    assert other not in written


def test_a_run_at_an_address_with_a_query_is_resumed_with_the_address(
    httpserver: HTTPServer, case_file: Callable[..., Path]
) -> None:
    httpserver.expect_oneshot_request("/chat/completions", query_string=f"key={KEY}").respond_with_data(
        "busy", status=503
    )
    address = f"{httpserver.url_for('/chat/completions')}?key={KEY}"
    assert adjudge.evaluate_sync(address, case_file(), config=CONFIG, run="one").status == "error"
    httpserver.expect_request("/chat/completions", query_string=f"key={KEY}").respond_with_json(
        answering("off")
    )

    with pytest.raises(adjudge.RunError, match="--agent ADDRESS"):
        adjudge.resume_sync("one")
    with pytest.raises(adjudge.RunError, match=r"not 'http://127\.0\.0\.1:9/'"):
        adjudge.resume_sync("one", agent="http://127.0.0.1:9/")
    assert adjudge.resume_sync("one", agent=address).passed
