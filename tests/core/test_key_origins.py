"""A judge's key and the address that it is sent to: which may come from a file in a folder."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

import adjudge
from adjudge import InputError, RunError

KEY = "sk-test-0123456789abcdef"
ANY = re.compile(".*")

PROVIDERS = [
    ("openai/gpt-5-mini", "OPENAI_BASE_URL", "OPENAI_API_KEY", "/v1"),
    ("anthropic/claude-haiku-4-5", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", ""),
    ("gemini/gemini-2.5-flash", "GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY", ""),
    ("gemini/gemini-2.5-flash", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_API_KEY", ""),
    ("azure-openai/mine", "AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY", ""),
    ("azure-openai/mine", "AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_AD_TOKEN", ""),
]
providers = pytest.mark.parametrize(("judge", "address", "key", "path"), PROVIDERS)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., adjudge.RunResult]:
    """A run with one judged case, in a folder of its own and without any key."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if (
            name.startswith(("OPENAI_", "ANTHROPIC_", "GOOGLE_", "GEMINI_", "AZURE_"))
            or "proxy" in name.lower()
        ):
            monkeypatch.delenv(name)
    turn = {"user_content": {"parts": [{"text": "hi"}]}, "final_response": {"parts": [{"text": "hello"}]}}
    cases = [{"eval_id": "hi", "conversation": [turn]}]
    (tmp_path / "set.evalset.json").write_text(json.dumps({"eval_set_id": "s", "eval_cases": cases}))
    options = {"num_samples": 1}
    config = {"criteria": {"final_response_match_v2": {"threshold": 0.5, "judge_model_options": options}}}

    def evaluate(judge: str, **options: Any) -> adjudge.RunResult:
        return adjudge.evaluate_sync(str.title, "set.evalset.json", config=config, judge=judge, **options)

    return evaluate


@providers
def test_an_address_of_a_found_file_gets_no_key_of_the_environment(
    judge: str,
    address: str,
    key: str,
    path: str,
    run: Any,
    httpserver: HTTPServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / ".env").write_text(f"{address}={httpserver.url_for(path)}\n")
    monkeypatch.setenv(key, KEY)

    with pytest.raises(InputError) as refused:
        run(judge)

    assert f"{address} comes from {tmp_path / '.env'}, and {key} from the environment" in str(refused.value)
    assert KEY not in str(refused.value)
    assert httpserver.log == []


@providers
@pytest.mark.parametrize("address_is_in", ["file", "environment"])
def test_an_address_beside_the_key_or_of_the_environment_is_asked(
    judge: str,
    address: str,
    key: str,
    path: str,
    address_is_in: str,
    run: Any,
    httpserver: HTTPServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = [f"{key}={KEY}"]
    if address_is_in == "file":
        lines.append(f"{address}={httpserver.url_for(path)}")
    else:
        monkeypatch.setenv(address, httpserver.url_for(path))
    (tmp_path / ".env").write_text("\n".join(lines))

    # That the server is asked, and with the key, is enough.
    httpserver.expect_request(ANY).respond_with_data("no", status=401)
    with pytest.raises(RunError, match="answered 401"):
        run(judge)
    request, _ = httpserver.log[0]
    assert KEY in str(request.headers)


def test_the_files_of_two_folders_are_two_sources(run: Any, httpserver: HTTPServer, tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("def agent(text): return text\n")
    (tmp_path / "pack" / ".env").write_text(f"OPENAI_API_KEY={KEY}\n")
    (tmp_path / ".env").write_text(f"OPENAI_BASE_URL={httpserver.url_for('/v1')}\n")

    with pytest.raises(InputError, match=r"OPENAI_API_KEY from .*pack/\.env: a key is sent only"):
        adjudge.evaluate_sync(
            "pack:agent",
            "set.evalset.json",
            config={"criteria": {"final_response_match_v2": 0.5}},
            judge="openai/gpt-5-mini",
        )
    assert httpserver.log == []


def test_a_server_that_needs_no_key_may_stand_in_a_file(
    run: Any, httpserver: HTTPServer, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text(f"OPENAI_BASE_URL={httpserver.url_for('/v1')}\n")

    httpserver.expect_request(ANY).respond_with_data("no", status=401)
    with pytest.raises(RunError, match="answered 401"):
        run("openai/small")
    request, _ = httpserver.log[0]
    assert "Authorization" not in request.headers


def test_a_key_that_a_judge_repeats_in_its_answer_is_not_kept(
    chat_model: Any,
    run: Any,
    tmp_path: Path,
    everything_in: Callable[[Path], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", chat_model.address)
    chat_model.label = lambda asked: f"yes {KEY}"

    run("openai/small", record="calls.recording")

    written = everything_in(tmp_path)
    assert "yes ***" in written
    assert KEY not in written
