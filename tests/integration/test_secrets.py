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
