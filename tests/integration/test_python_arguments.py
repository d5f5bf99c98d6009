"""What the Python functions do with arguments of a wrong type or name: the problems are told before anything runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge import InputError, estimate_logs_sync, evaluate_sync, judge_logs_sync, prepare_criteria_sync

WORDS = [{"name": "kind", "description": "It is kind."}]


@pytest.fixture(autouse=True)
def chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    log = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    (tmp_path / "chat.json").write_text(json.dumps(log), encoding="utf-8")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"timeout": "soon"}, "the option 'timeout': .*, found 'soon'"),
        ({"concurrency": "many"}, "the option 'concurrency': .*, found 'many'"),
        ({"judge": 5}, "the option 'judge': .*, found 5"),
        ({"max_judge_calls": "few"}, "the option 'max_judge_calls': .*, found 'few'"),
        ({"tools": 5}, "the option 'tools': .*, found 5"),
        ({"strict_evidense": False}, "unknown option 'strict_evidense'"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_wrong_argument_of_judge_logs_is_a_problem(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        judge_logs_sync("chat.json", WORDS, aggregate_only=True, **wrong)


def test_a_wrong_argument_of_the_other_functions_over_logs_is_a_problem() -> None:
    with pytest.raises(InputError, match=r"the option 'logs': .*, found 3"):
        estimate_logs_sync(3, WORDS)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"the option 'judge': .*, found 5"):
        prepare_criteria_sync(WORDS, judge=5)


def test_an_option_that_is_switched_off_needs_no_criterion_in_words() -> None:
    criteria = [{"name": "repeats", "criterion": "action_repeats", "maximum": 3}]

    assert judge_logs_sync("chat.json", criteria, strict_evidence=False).summary.cases == 1


def test_one_report_need_not_be_in_a_list(tmp_path: Path) -> None:
    turn = {"user_content": {"parts": [{"text": "hi"}]}, "final_response": {"parts": [{"text": "hello"}]}}
    cases = {"eval_set_id": "set", "eval_cases": [{"eval_id": "one", "conversation": [turn]}]}
    (tmp_path / "set.test.json").write_text(json.dumps(cases), encoding="utf-8")
    config = {"criteria": {"response_match_score": 0.8}}

    result = evaluate_sync(lambda _: "hello", "set.test.json", config=config, outputs="result.json")

    assert result.written == (tmp_path / "result.json",)
    assert json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))["summary"]["status"] == "PASS"
