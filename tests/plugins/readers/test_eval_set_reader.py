"""Eval sets read as what an agent did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.plugin import InputError, ReadOptions, Source, TraceReader
from adjudge_plugins.readers import eval_set_reader as plugin

EVAL_SET = {
    "eval_set_id": "home",
    "eval_cases": [
        {
            "eval_id": "off",
            "conversation": [
                {
                    "user_content": {"parts": [{"text": "off"}]},
                    "final_response": {"parts": [{"text": "done"}]},
                    "intermediate_data": {"tool_uses": [{"name": "switch", "args": {}}]},
                }
            ],
            "session_input": {"app_name": "home", "user_id": "u"},
            "final_session_state": {"light": "off"},
        },
        {"eval_id": "plan", "conversation_scenario": {"starting_prompt": "a", "conversation_plan": "b"}},
    ],
}
TURNS = [{"query": "a", "expected_tool_use": [], "reference": "b"}]


def reader() -> TraceReader:
    (spec,) = plugin.trace_readers()
    return spec.factory(spec.config(), None)  # type: ignore[arg-type]


def test_a_conversation_is_what_the_agent_did(tmp_path: Path) -> None:
    path = tmp_path / "home.evalset.json"
    path.write_text(json.dumps(EVAL_SET))
    (trajectory,) = reader().read(Source(path), ReadOptions())
    assert trajectory.eval_id == "off"
    assert trajectory.agent == "home"
    assert trajectory.final_session_state == {"light": "off"}
    assert [call.name for call in trajectory.invocations[0].tool_calls] == ["switch"]


@pytest.mark.parametrize(
    ("content", "eval_id"),
    [(TURNS, "old"), ([{"name": "first", "data": TURNS}], "first")],
)
def test_the_old_shapes(tmp_path: Path, content: object, eval_id: str) -> None:
    path = tmp_path / "old.test.json"
    path.write_text(json.dumps(content))
    assert reader().sniff(path.read_bytes(), path)
    (trajectory,) = reader().read(Source(path), ReadOptions())
    assert trajectory.eval_id == eval_id
    assert trajectory.invocations[0].user_content.text == "a"


def test_a_gzip_file_is_refused_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Unpack it first"):
        list(reader().read(Source(tmp_path / "a.evalset.json.gz"), ReadOptions()))


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_no_head_makes_it_raise(head: bytes) -> None:
    reader().sniff(head, Path("any"))


def test_every_real_file_is_recognised_and_read(shared_data: Path) -> None:
    files = sorted(
        path
        for pattern in ("*.test.json", "*.evalset.json")
        for path in (shared_data / "adk_eval_files").rglob(pattern)
    )
    assert files
    for path in files:
        assert reader().sniff(path.read_bytes()[: 64 * 1024], path), path
        assert list(reader().read(Source(path), ReadOptions())), path
