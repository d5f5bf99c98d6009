"""Logs whose writer crashed: the last line breaks off in the middle of a record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge import read_log
from adjudge.plugin import InputError
from adjudge.testing.log_runs import judged_sync

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples" / "logs"
CUT = "the last line, which is cut off"
LISTS = {
    "adk_session": "events",
    "autogen_agentchat": "messages",
    "history_log": "steps",
    "openhands": "",
    "openinference": "",
    "otel_genai": "",
}
"""Where examples that are one value have the records that may also stand in lines."""


def records(name: str) -> list[Any]:
    [path] = EXAMPLES.glob(f"{name}.json*")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    value = json.loads(path.read_text())
    found: list[Any] = value[LISTS[name]] if LISTS[name] else value
    return found


@pytest.mark.parametrize("end", [-1, -20])
@pytest.mark.parametrize("name", ["anthropic_sessions", "claude_code", "codex", "langsmith", *LISTS])
def test_a_run_is_read_up_to_a_last_line_that_is_cut_off(tmp_path: Path, name: str, end: int) -> None:
    lines = [json.dumps(record) for record in records(name)]
    whole, cut = tmp_path / "whole" / "log.jsonl", tmp_path / "cut" / "log.jsonl"
    for path, last in (whole, ""), (cut, lines[-1][:end]):
        path.parent.mkdir()
        path.write_text("\n".join([*lines[:-1], last]))
    [wanted], [found] = read_log(whole, reader=name), read_log(cut, reader=name)
    assert CUT in found.lost
    lost = tuple(text for text in found.lost if text != CUT)
    assert found.model_copy(update={"lost": lost}) == wanted


@pytest.mark.parametrize("name", ["history_log", "openhands", "openai_messages", "adk_session"])
def test_a_run_that_is_a_line_is_refused_where_it_is_cut_off_and_those_before_it_are_judged(
    tmp_path: Path, name: str
) -> None:
    value = json.loads((EXAMPLES / f"{name}.json").read_text())
    run = json.dumps({"history": value} if name == "openhands" else value)
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join([run, run, run[:-30]]))
    with pytest.raises(InputError, match=r"log.jsonl:3"):
        list(read_log(path, reader=name))
    judged = judged_sync([path], aggregate_only=True)
    assert [log.run for log in judged.logs] == [1, 2]
    assert [failed.error.code for failed in judged.errors] == ["log_unreadable"]


def test_a_file_that_is_cut_off_in_its_only_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(records("claude_code")[0])[:-10])
    with pytest.raises(InputError, match=r"log.jsonl:1"):
        list(read_log(path, reader="claude_code"))


def test_a_last_line_that_is_whole_is_read_whatever_stands_in_its_texts(tmp_path: Path) -> None:
    first, *_ = records("history_log")
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(json.dumps({**first, "thinking": text}) for text in ("a", "{[ 😀 \\ud800")))
    [run] = read_log(path, reader="history_log")
    assert [step.thinking for step in run.steps] == ["a", "{[ 😀 \\ud800"]
    path.write_text(path.read_text() + " x")
    with pytest.raises(InputError, match=r"log.jsonl:2"):
        list(read_log(path, reader="history_log"))


def test_repairs_of_the_last_line_are_counted_once(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(
        '{"step": 1, "action": "go()", "result": NaN}\n{"step": 2, "action": "go()", "result": NaN}'
    )
    [run] = read_log(path, reader="history_log")
    assert run.lost == ("NaN, which is no number of JSON: kept as a text (2 times)",)
