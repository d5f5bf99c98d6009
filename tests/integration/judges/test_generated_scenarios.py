"""``adjudge evalset generate``: scenarios that a model writes, behind a real server."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MODEL = ("--judge", "openai/m")


class Writer:
    """A model that writes one scenario after another."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.plan = "Ask for it."

    def __call__(self, asked: Any) -> str:
        self.asked.append(asked.messages[1])
        return json.dumps({"starting_prompt": f"Prompt {len(self.asked)}", "conversation_plan": self.plan})


@pytest.fixture
def writer(model_server: Any) -> Writer:
    model_server.text = writer = Writer()
    return writer


@pytest.fixture
def shop(tmp_path: Path, command_line: Callable[..., Any], writer: Writer) -> Path:
    (tmp_path / "told.txt").write_text("You sell boats. Never give discounts.", encoding="utf-8")
    (tmp_path / "tools.json").write_text('[{"name": "find_boat"}]', encoding="utf-8")
    assert command_line("evalset", "create", "shop.evalset.json").returncode == 0
    return tmp_path / "shop.evalset.json"


def test_a_model_writes_scenarios_from_what_the_agent_is_told(
    shop: Path, writer: Writer, command_line: Callable[..., Any]
) -> None:
    sources = (
        "--instructions",
        "told.txt",
        "--tools",
        "tools.json",
        "--goal",
        "refusals",
        "--persona",
        "NOVICE",
    )
    done = command_line("evalset", "generate", shop.name, *MODEL, "--count", "2", *sources)

    assert done.returncode == 0, done.stderr
    assert done.stdout.count("shop.evalset.json: added ") == 2
    cases = json.loads(shop.read_text(encoding="utf-8"))["eval_cases"]
    assert [case["conversation_scenario"] for case in cases] == [
        {"starting_prompt": f"Prompt {number}", "conversation_plan": "Ask for it.", "user_persona": "NOVICE"}
        for number in (1, 2)
    ]
    first, second = writer.asked
    for word in ("Never give discounts.", "find_boat", "refusals"):
        assert word.split()[0] in first
    assert "Prompt 1" not in first
    assert "Prompt" in second  # what is there already, so that it writes another one


def test_a_log_says_what_the_agent_is_told(
    shop: Path, writer: Writer, command_line: Callable[..., Any], tmp_path: Path
) -> None:
    messages = [
        {"role": "system", "content": "You sell submarines."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
    ]
    (tmp_path / "log.json").write_text(json.dumps({"messages": messages}), encoding="utf-8")
    done = command_line("evalset", "generate", shop.name, *MODEL, "--count", "1", "--log", "log.json")

    assert done.returncode == 0, done.stderr
    assert "submarines" in writer.asked[0]


def test_nothing_is_written_where_the_model_fails(
    shop: Path, writer: Writer, command_line: Callable[..., Any]
) -> None:
    before = shop.read_bytes()
    writer.plan = ""
    done = command_line("evalset", "generate", shop.name, *MODEL, "--instructions", "told.txt")

    assert done.returncode == 2
    assert "wrote 0 of 5 scenarios, then failed" in done.stderr
    assert "Traceback" not in done.stderr
    assert shop.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "give either --instructions, with --tools, or --log"),
        (("--instructions", "no.txt"), "no.txt: cannot be read"),
        (("--instructions", "told.txt", "--persona", "NOBODY"), "there is no persona 'NOBODY'"),
        (("--instructions", "told.txt", "--session_input_file", "told.txt"), "told.txt"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_asked(
    shop: Path, writer: Writer, command_line: Callable[..., Any], options: tuple[str, ...], message: str
) -> None:
    done = command_line("evalset", "generate", shop.name, *MODEL, *options)

    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert writer.asked == []
