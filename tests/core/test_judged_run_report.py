"""A judged run from the command line: what its reports say of the judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from click.testing import CliRunner

from adjudge.cli import cli
from adjudge_plugins.reporters.json_reporter.schema import result_schema

CONFIG = {
    "criteria": {
        "rubric_based_final_response_quality_v1": {
            "threshold": 0.8,
            "rubrics": [
                {"rubric_id": "kind", "rubric_content": {"text_property": "The answer is kind."}},
                {"rubric_id": "short", "rubric_content": {"text_property": "The answer is short."}},
            ],
        },
        "final_response_match_v2": 0.8,
    }
}
EVAL_SET = {
    "eval_set_id": "greetings",
    "eval_cases": [
        {
            "eval_id": "ada",
            "conversation": [
                {
                    "user_content": {"parts": [{"text": "Good morning!"}]},
                    "final_response": {"parts": [{"text": "Good morning, Ada."}]},
                }
            ],
        }
    ],
}


def test_every_report_says_what_the_judge_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chat_model: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    chat_model.label = "no"
    Path("greeter.py").write_text("def agent(text):\n    return 'What now?'\n", encoding="utf-8")
    Path("test_config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    Path("set.evalset.json").write_text(json.dumps(EVAL_SET), encoding="utf-8")
    arguments = ["eval", "greeter:agent", "set.evalset.json", "--judge", "openai/m"]
    done = CliRunner().invoke(cli, [*arguments, "--output", "r.json", "--output", "r.xml"])
    lines = [line.strip() for line in done.stdout.splitlines()]

    start = lines.index("kind  no  3 of 3 votes no")
    assert lines[start + 1 : start + 4] == ["because", "short  no  3 of 3 votes no", "because"]
    assert "3 of 3 votes invalid" in lines
    assert any(line.startswith("judge openai/m: 6 calls, 660 tokens, ") for line in lines)
    assert lines[-3].startswith("FAIL  1 of 1 case failed")

    document = json.loads(Path("r.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(result_schema()).validate(document)
    rubric, match = document["cases"][0]["criteria"]
    [turn] = rubric["per_invocation"]
    assert [(item["rubric_id"], item["score"]) for item in turn["rubric_scores"]] == [
        ("kind", 0.0),
        ("short", 0.0),
    ]
    assert turn["rubric_scores"][0]["votes"]["tally"] == {"no": 3}
    judging = match["judging"]
    assert (judging["models"], judging["model_versions"], judging["votes"]) == (
        ["openai/m"],
        ["m-2025-08-07"],
        3,
    )
    [(name, digest)] = judging["prompts"].items()
    assert name.startswith("final_response_match_v2 v")
    assert len(digest) == 64
    assert judging["usage"]["input_tokens"] == 300
    did = document["summary"]["judges"]["openai/m"]
    assert (did["calls"], did["cached"], did["failed"], did["usage"]["total_tokens"]) == (6, 0, 0, 660)

    [failure] = ElementTree.parse("r.xml").getroot().iter("failure")  # noqa: S314 - it is our own
    assert "kind  no  3 of 3 votes no" in str(failure.text)

    again = CliRunner().invoke(cli, arguments)
    assert "judge openai/m: 0 calls, 6 answers known already\n" in again.stdout
