"""Keys of the environment are written nowhere, whoever says them."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Cli = Callable[..., CompletedProcess[str]]

KEY = 'sk-9f3"a7/b1'
AGENT = """
import os

from dotenv import dotenv_values

KEY = os.environ.get("SHOP_API_KEY") or dotenv_values(".env")["SHOP_API_KEY"]

def says(text):
    return {
        "final_response": {"parts": [{"text": f"I use {KEY}"}]},
        "intermediate_data": {"tool_uses": [{"name": "call", "args": {"key": KEY}}]},
    }

def raises(text):
    raise ValueError(f"401 for https://shop.example/?key={KEY}")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(AGENT)
    (tmp_path / "broken.py").write_text("import shop\nraise ValueError(shop.KEY)\n")
    turn = {"user_content": {"parts": [{"text": "Hello."}]}, "final_response": {"parts": [{"text": "Hi."}]}}
    cases = [{"eval_id": "one", "conversation": [turn]}]
    (tmp_path / "set.test.json").write_text(json.dumps({"eval_set_id": "set", "eval_cases": cases}))
    return tmp_path


def in_page(page: Path) -> str:
    """What a page shows; nothing where the run never began."""
    parts = (
        re.findall(r'data-part="\w+">([\w+/=]+)<', page.read_text(encoding="utf-8")) if page.exists() else []
    )
    return "".join(zlib.decompress(base64.b64decode(part)).decode() for part in parts)


@pytest.mark.parametrize("agent", ["shop:says", "shop:raises", "broken:agent"])
@pytest.mark.parametrize("isolate", [False, True])
@pytest.mark.parametrize("place", ["environment", ".env"])
def test_a_key_of_the_environment_is_written_nowhere(
    folder: Path, adjudge: Cli, everything_in: Callable[[Path], str], agent: str, isolate: bool, place: str
) -> None:
    if place == ".env":
        (folder / ".env").write_text(f"SHOP_API_KEY='{KEY}'\n")
    done = adjudge(
        "eval",
        agent,
        "set.test.json",
        "--print-detailed-results",
        "--output",
        "result.json",
        "--output",
        "result.xml",
        "--output",
        "result.md",
        "--output",
        "result.html",
        *(["--isolate"] if isolate else []),
        **({"SHOP_API_KEY": KEY} if place == "environment" else {}),
        ADJUDGE_HOME=str(folder / "home"),
    )

    assert done.returncode in (1, 2, 3), done.stderr
    shown = done.stdout + done.stderr
    assert "***" in shown
    (folder / ".env").unlink(missing_ok=True)
    written = shown + everything_in(folder) + in_page(folder / "result.html")
    for form in (KEY, json.dumps(KEY)[1:-1]):
        assert form not in written


TELLING = """
import os
from adjudge.plugin import (
    CriterionSpec, JudgeBackendSpec, JudgeError, JudgeReply, Measurement, Outcome, ReporterSpec, hookimpl
)

KEY = os.environ["SHOP_API_KEY"]

class Good:
    async def prepare(self):
        return {"sent": KEY}
    async def score(self, case):
        return Measurement(overall=Outcome.scored(1.0))
    def write(self, report, stream):
        raise ValueError(KEY)
    async def complete(self, request):
        if request.sample:
            raise JudgeError(f"401 for {KEY}", code="bad_request")
        return JudgeReply(text=f"no label, but {KEY}")

@hookimpl.case_finished
def tell(event):
    raise ValueError(f"401 for https://shop.example/?key={KEY}")

@hookimpl.criteria
def criteria():
    return [CriterionSpec(name="good", summary="Good", factory=lambda config, host: Good())]

@hookimpl.judge_backends
def judge_backends():
    return [JudgeBackendSpec(name="odd", summary="Odd", factory=lambda config, host: Good(), prices="")]

@hookimpl.reporters
def reporters():
    return [ReporterSpec(name="odd", summary="Odd", factory=lambda config, host: Good(), suffixes=(".odd",))]
"""


def test_a_key_that_a_plugin_tells_is_written_nowhere(
    folder: Path, adjudge: Cli, everything_in: Callable[[Path], str]
) -> None:
    plugins = folder / "plugins"
    plugins.mkdir()
    (plugins / "telling.py").write_text(TELLING)
    judged = {"threshold": 0.5, "judge_model_options": {"judge_model": "odd/m", "num_samples": 2}}
    config = {"criteria": {"good": 1.0, "final_response_match_v2": judged}}
    (folder / "test_config.json").write_text(json.dumps(config))

    done = adjudge(
        "--plugin-folder",
        "plugins",
        "eval",
        "shop:says",
        "set.test.json",
        "--output",
        "result.json",
        "--output",
        "result.odd",
        "--record",
        "calls.recording",
        SHOP_API_KEY=KEY,
        ADJUDGE_HOME=str(folder / "home"),
    )

    assert done.returncode == 3
    assert "https://shop.example/?key=***" in done.stdout
    assert "result.odd could not be written" in done.stderr
    result = json.loads((folder / "result.json").read_text())
    assert result["run"]["prepared"] == {"good": {"sent": "***"}}
    written = done.stdout + done.stderr + everything_in(folder)
    for form in (KEY, json.dumps(KEY)[1:-1]):
        assert form not in written


def test_words_are_no_keys(folder: Path, adjudge: Cli) -> None:
    (folder / "shop.py").write_text("def agent(text):\n    return 'production of short7 goods'\n")

    done = adjudge(
        "eval",
        "shop:agent",
        "set.test.json",
        "--print-detailed-results",
        CACHE_KEY="production",
        SHOP_TOKEN="short7",  # noqa: S106 - no key
    )

    assert "production of short7 goods" in done.stdout
