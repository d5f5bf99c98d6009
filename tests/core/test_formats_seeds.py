"""The examples that ADK's documentation prints: with comments and trailing commas, and repaired."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from adjudge.adk.config import load_config
from adjudge.errors import InputError
from adjudge.kit.adk import load_eval_set, open_eval_set

# Our own file with the structure of the first example of seed 001, and its mistakes.
PRINTED = """# Some fields are left out.
{
  "eval_set_id": "lights",
  "name": "",
  "description": "Unit tests of `x`",
  "eval_cases": [
    {
      "eval_id": "off",
      "conversation": [
        {
          "invocation_id": "i-1", # Unique. "Quoted".
          "user_content": { # The query.
            "parts": [{"text": "Turn off lamp #2."}],
            "role": "user"
          },
          "final_response": {"parts": [{"text": "Lamp #2 is off."}], "role": null},
          "intermediate_data": {
            "tool_uses": [{"args": {"lamp": 2, "on": false}, "name": "switch"}],
            "intermediate_responses": [["helper", [{"text": "Switching."}]]]
          },
        }
      ],
      "session_input": {"app_name": "lights", "user_id": "test_user", "state": {}},
    }
  ],
}
"""


def repaired(text: str) -> Any:
    """Without comments, trailing commas and a closing bracket too many."""
    without_comments = re.sub(r'("(?:[^"\\]|\\.)*")|#[^\n]*', lambda match: match[1] or "", text)
    without_commas = re.sub(r",(\s*[}\]])", r"\1", without_comments)
    value, _ = json.JSONDecoder().raw_decode(without_commas.strip())
    return value


def blocks(shared_data: Path, number: str) -> list[str]:
    files = sorted((shared_data.parent / "seeds").glob(f"{number}_*.txt"))
    if not files:
        pytest.skip("the folder of seeds (../shared/seeds) is absent")
    return re.findall(r"```json\n(.*?)```", files[0].read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (PRINTED, ":1:1", "JSON has no comments"),
        (PRINTED.split("\n", 1)[1], ":10:35", "JSON has no comments"),
        (re.sub(r" # .*", "", PRINTED.split("\n", 1)[1]), ":19:12", "no trailing commas"),
    ],
    ids=["first comment", "next comment", "comma"],
)
def test_as_printed_an_example_is_refused_with_its_place(
    tmp_path: Path, text: str, place: str, words: str
) -> None:
    path = tmp_path / "lights.test.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        open_eval_set(path)
    assert f"lights.test.json{place}: " in str(caught.value)
    assert words in str(caught.value)


def test_repaired_an_example_loads(tmp_path: Path) -> None:
    path = tmp_path / "lights.test.json"
    path.write_text(json.dumps(repaired(PRINTED)), encoding="utf-8")
    (case,) = load_eval_set(path).eval_cases
    assert case.conversation is not None
    (turn,) = case.conversation
    assert turn.user_content.text == "Turn off lamp #2."
    assert [(call.name, call.args) for call in turn.tool_calls] == [("switch", {"lamp": 2, "on": False})]
    assert turn.intermediate_texts == (("helper", "Switching."),)


def test_the_eval_sets_of_the_overview(shared_data: Path, tmp_path: Path) -> None:
    path = tmp_path / "seed.evalset.json"
    turns = []
    for block in blocks(shared_data, "001"):
        path.write_text(block, encoding="utf-8")
        with pytest.raises(InputError, match=r"seed\.evalset\.json:1:1: a comment"):
            open_eval_set(path)
        path.write_text(json.dumps(repaired(block)), encoding="utf-8")
        turns.append([entry.turns for entry in open_eval_set(path).entries])
    assert turns == [[1], [1, 2]]


def test_the_configurations_of_the_criteria_page(shared_data: Path, tmp_path: Path) -> None:
    path = tmp_path / "test_config.json"
    names: list[str] = []
    refused = 0
    for block in blocks(shared_data, "004"):
        path.write_text(block, encoding="utf-8")
        try:
            json.loads(block)
        except json.JSONDecodeError:
            refused += 1
            with pytest.raises(InputError, match=r"test_config\.json:\d+:\d+: "):
                load_config(path)
        path.write_text(json.dumps(repaired(block)), encoding="utf-8")
        (entry,) = load_config(path).criteria
        assert entry.threshold is not None
        names.append(entry.name)
    assert len(set(names)) == 7
    assert refused == 2
