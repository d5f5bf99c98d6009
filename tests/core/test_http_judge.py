"""A judge backend of an author on ``HttpJudge``: what it has without a word of its own."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from adjudge.kit import http_judge
from adjudge.model import JsonObject, JudgeMessage
from adjudge.plugin import (
    JudgeError,
    JudgeErrorCode,
    JudgeReply,
    JudgeRequest,
    NoConfig,
)
from adjudge.testing import FakeHost

KEY = "sk-test-0123456789abcdef"
REQUEST = JudgeRequest(model="m", messages=(JudgeMessage(role="user", text="Is 2 even?"),))


class Echo(http_judge.HttpJudge):
    """A provider that answers what it was asked."""

    address_variable = "ECHO_URL"
    path = "/echo"
    key_variables = ("ECHO_KEY", "ECHO_TOKEN")

    def body(self, request: JudgeRequest) -> JsonObject:
        return http_judge.with_options({"text": request.messages[0].text}, request.provider_options)

    def reply(self, answer: http_judge.HttpAnswer) -> JudgeReply:
        if answer.status != 200:
            return JudgeReply(text="", finish_reason="safety")
        return JudgeReply(text=http_judge.text_or_empty(answer.body.get("text")))

    def error_code(self, status: int, body: Any) -> JudgeErrorCode | None:
        return "quota" if http_judge.object_or_empty(body).get("why") == "unpaid" else None

    def retry_after(self, body: Any) -> float | None:
        return http_judge.object_or_empty(body).get("seconds")

    def is_answer(self, status: int, body: Any) -> bool:
        return http_judge.object_or_empty(body).get("why") == "blocked"


class EchoOfOpenAI(http_judge.ChatCompletionsJudge):
    """Chat Completions somewhere else."""

    default_address = "https://api.example"
    key_variables = ("ECHO_KEY",)


def judge(folder: Path, environment: dict[str, str]) -> Echo:
    return Echo(NoConfig(), FakeHost(folder, environment=environment))


def ask(folder: Path, environment: dict[str, str], **fields: Any) -> JudgeReply:
    async def asked() -> JudgeReply:
        backend = judge(folder, environment)
        try:
            return await backend.complete(REQUEST.model_copy(update=fields))
        finally:
            await backend.aclose()

    return asyncio.run(asked())


@pytest.fixture
def environment(httpserver: HTTPServer) -> dict[str, str]:
    return {"ECHO_URL": f"{httpserver.url_for('')} ", "ECHO_KEY": KEY}


def test_a_plan_says_what_is_missing(tmp_path: Path) -> None:
    assert list(judge(tmp_path, {}).missing(None)) == [
        "ECHO_URL is not set",
        "ECHO_KEY or ECHO_TOKEN is not set",
    ]
    assert judge(tmp_path, {}).fingerprint() == {"base_url": None}
    assert list(EchoOfOpenAI(NoConfig(), FakeHost(tmp_path)).missing(None)) == ["ECHO_KEY is not set"]


def test_what_is_missing_is_said_by_a_call_too(tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match="ECHO_URL is not set") as caught:
        ask(tmp_path, {"ECHO_KEY": KEY})

    assert caught.value.code == "auth"


@pytest.mark.parametrize("url", ["ftp://there", "https://me:secret@there", "https://there?key=secret"])
def test_an_address_that_cannot_be_used_is_no_fingerprint(url: str, tmp_path: Path) -> None:
    backend = judge(tmp_path, {"ECHO_URL": url, "ECHO_KEY": KEY})
    [problem] = backend.missing(None)

    assert problem.startswith("ECHO_URL ")
    assert "secret" not in problem
    assert backend.fingerprint() == {"base_url": None}


@pytest.mark.parametrize("name", ["ECHO_KEY", "ECHO_TOKEN"])
def test_the_key_that_is_set_is_sent(
    name: str, environment: dict[str, str], httpserver: HTTPServer, tmp_path: Path
) -> None:
    del environment["ECHO_KEY"]
    httpserver.expect_request(
        "/echo", headers={"Authorization": f"Bearer {KEY}"}, json={"text": "Is 2 even?", "size": 1}
    ).respond_with_json({"text": f"yes, {KEY}"})

    reply = ask(tmp_path, {**environment, name: KEY}, provider_options={"size": 1})

    assert reply.text == "yes, ***"


def test_of_two_keys_the_first_is_sent_and_neither_is_repeated(
    environment: dict[str, str], httpserver: HTTPServer, tmp_path: Path
) -> None:
    other = "another key that is set"
    httpserver.expect_request("/echo", headers={"Authorization": f"Bearer {KEY}"}).respond_with_data(
        f"{KEY} {other}", status=401
    )

    with pytest.raises(JudgeError, match=r"answered 401: \*\*\* \*\*\*$"):
        ask(tmp_path, {**environment, "ECHO_TOKEN": other})


def test_the_body_of_a_failure_says_what_it_means_and_how_long_to_wait(
    environment: dict[str, str], httpserver: HTTPServer, tmp_path: Path
) -> None:
    httpserver.expect_request(re.compile(".*")).respond_with_json({"why": "unpaid", "seconds": 3}, status=429)

    with pytest.raises(JudgeError) as caught:
        ask(tmp_path, environment)

    assert (caught.value.code, caught.value.retry_after) == ("quota", 3)


def test_a_failure_that_is_an_answer_is_read_as_one(
    environment: dict[str, str], httpserver: HTTPServer, tmp_path: Path
) -> None:
    httpserver.expect_request(re.compile(".*")).respond_with_json({"why": "blocked"}, status=400)

    assert ask(tmp_path, environment).finish_reason == "safety"


def test_an_option_that_the_client_sets_is_refused(environment: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match="judge_model_config cannot set 'text'"):
        ask(tmp_path, environment, provider_options={"text": "other"})
