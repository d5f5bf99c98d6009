"""From the name of a model to its file: what is found, what is missing, and what a file is."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from adjudge.plugin import JudgeError, JudgeRequest

Make = Callable[..., Any]
Ask = Callable[..., JudgeRequest]

HUB = "someone/small-judge-GGUF/q4/small.gguf"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache of huggingface-hub of our own."""
    return tmp_path / "hub-cache"


@pytest.fixture
def hub(httpserver: HTTPServer, weights: Path) -> HTTPServer:
    """A hub that has one file, and answers as huggingface.co does: size, hash and commit in the headers."""
    content = weights.read_bytes()
    headers = {"ETag": f'"{hashlib.sha256(content).hexdigest()}"', "X-Repo-Commit": "c" * 40}

    def answer(request: Request) -> Response:
        body = b"" if request.method == "HEAD" else content
        response = Response(body, headers=headers)
        response.content_length = len(content)
        return response

    httpserver.expect_request("/someone/small-judge-GGUF/resolve/main/q4/small.gguf").respond_with_handler(
        answer
    )
    httpserver.expect_request("/someone/small-judge-GGUF/resolve/main/other.gguf").respond_with_data(
        "Entry not found", status=404, headers={"X-Error-Code": "EntryNotFound"}
    )
    return httpserver


def fetched(backend: Any, request: JudgeRequest) -> str:
    async def ask() -> str:
        try:
            text: str = (await backend.complete(request)).text
            return text
        finally:
            await backend.aclose()

    return asyncio.run(ask())


@pytest.mark.parametrize("spelling", ["small.gguf", "./small.gguf", "models/deep/down/small.gguf"])
def test_a_path_is_looked_up_in_the_working_folder(spelling: str, tmp_path: Path, backend: Make) -> None:
    (tmp_path / spelling).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / spelling).write_bytes(b"GGUF....")

    assert list(backend().missing(spelling)) == []


def test_a_path_may_be_absolute_or_in_the_home_folder(
    tmp_path: Path, backend: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "small.gguf").write_bytes(b"GGUF....")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))

    assert list(backend().missing(str(home / "small.gguf"))) == []
    assert list(backend().missing("~/small.gguf")) == []


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("absent.gguf", "no file .*absent.gguf; name a GGUF file, or ORG/REPO/FILE.gguf"),
        ("/nowhere/at/all/absent.gguf", "no file /nowhere/at/all/absent.gguf"),
        ("notes.txt", "notes.txt is not a GGUF file"),
        ("empty.gguf", "empty.gguf is not a GGUF file"),
        ("models", "models cannot be read: "),
    ],
)
def test_what_is_no_model_is_missing(model: str, message: str, tmp_path: Path, backend: Make) -> None:
    (tmp_path / "notes.txt").write_text("a judge?")
    (tmp_path / "empty.gguf").touch()
    (tmp_path / "models").mkdir()

    [found] = backend().missing(model)

    assert re.search(message, found), found


def test_a_missing_package_is_named(backend: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)

    [runtime] = backend().missing(None)
    [_, hub] = backend().missing(HUB)

    assert "pip install xllamacpp" in runtime
    assert "pip install 'adjudge-local[hub]'" in hub


def test_a_copy_is_the_same_model_and_other_weights_are_not(
    tmp_path: Path, weights: Path, backend: Make
) -> None:
    for name in ("one.gguf", "copy.gguf", "trained.gguf", "cut.gguf"):
        shutil.copyfile(weights, tmp_path / name)
    os.utime(tmp_path / "copy.gguf", (1, 1))
    with (tmp_path / "trained.gguf").open("r+b") as file:
        for place in range(50_000_000, 98_000_000, 40_000):
            file.seek(place)
            file.write(b"!")
    with (tmp_path / "cut.gguf").open("r+b") as file:
        file.truncate(98_000_000)

    made = backend()
    one, copy, trained, cut = (
        made.model_fingerprint(f"{name}.gguf") for name in ("one", "copy", "trained", "cut")
    )

    assert one == copy
    assert len({str(item) for item in (one, trained, cut)}) == 3
    assert made.model_fingerprint("absent.gguf") == {}


def test_a_file_of_a_hub_is_fetched_once_and_judges_offline_from_then_on(
    hub: HTTPServer, cache: Path, backend: Make, question: Ask
) -> None:
    environment = {"HF_ENDPOINT": hub.url_for("").rstrip("/"), "HF_HUB_CACHE": str(cache)}
    online = backend(environment)
    assert list(online.missing(HUB)) == []

    first = fetched(online, question("Is 4 even?", model=HUB))
    requests = len(hub.log)
    offline = backend({"HF_HUB_CACHE": str(cache), "HF_HUB_OFFLINE": "1"})

    assert list(offline.missing(HUB)) == []
    assert fetched(offline, question("Is 4 even?", model=HUB)) == first
    assert len(hub.log) == requests
    assert offline.model_fingerprint(HUB) == online.model_fingerprint(HUB)


def test_offline_a_file_that_the_cache_lacks_is_missing(cache: Path, backend: Make) -> None:
    [found] = backend({"HF_HUB_CACHE": str(cache), "HF_HUB_OFFLINE": "1"}).missing(HUB)

    assert "not in the cache" in found


@pytest.mark.parametrize(
    ("model", "code"), [("someone/small-judge-GGUF/other.gguf", "unknown_model"), (HUB, "auth")]
)
def test_what_cannot_be_fetched_says_why_and_never_the_token(
    model: str, code: str, hub: HTTPServer, cache: Path, backend: Make, question: Ask
) -> None:
    if code == "auth":
        hub.clear()
        hub.expect_request(re.compile(".*")).respond_with_data("not with hf_secret", status=403)
    environment = {
        "HF_ENDPOINT": hub.url_for("").rstrip("/"),
        "HF_HUB_CACHE": str(cache),
        "HF_TOKEN": "hf_secret",
    }

    with pytest.raises(JudgeError) as caught:
        fetched(backend(environment), question("?", model=model))

    assert caught.value.code == code
    assert model in str(caught.value)
    assert "hf_secret" not in str(caught.value)
    assert any(item.headers.get("authorization") == "Bearer hf_secret" for item, _ in hub.log)
