"""The criterion ``ai_judge``: live runs judged by the same criteria in words as logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import adjudge
from adjudge.cli import cli
from adjudge.errors import InputError, JudgeError
from adjudge.kit.calibration import Calibration, Curve
from adjudge.kit.calibration.curve import calibrated_confidence
from adjudge.kit.calibration.store import KeptCalibrations

AGENT = """
def agent(text):
    calls = [{"name": "search", "args": {"query": text}, "id": "1"}]
    responses = [{"name": "search", "response": {"found": "milk at 1.09"}, "id": "1"}]
    return {
        "intermediate_data": {"tool_uses": calls, "tool_responses": responses},
        "final_response": {"parts": [{"text": "Milk is 1.09."}]},
    }
"""
EVAL_SET = {
    "eval_set_id": "shop",
    "eval_cases": [
        {"eval_id": name, "conversation": [{"user_content": {"parts": [{"text": f"Find {name}."}]}}]}
        for name in ("milk", "bread")
    ],
}
CHECKED = {
    "description": "It looks for prices.",
    "about": "outcome",
    "checks": ["The final result: a price was found."],
}


@pytest.fixture
def live(judging: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Evaluate an agent by one ``ai_judge`` with these options; the results of the cases."""
    Path("shop_agent.py").write_text(AGENT)
    Path("shop.evalset.json").write_text(json.dumps(EVAL_SET))
    monkeypatch.syspath_prepend(judging.folder)

    def live(options: dict[str, Any], **arguments: Any) -> list[Any]:
        run = adjudge.evaluate_sync(
            "shop_agent:agent",
            "shop.evalset.json",
            config={"criteria": {"prices": {"criterion": "ai_judge", **options}}},
            judge="fake/m",
            extensions=judging.extensions(),
            **arguments,
        )
        return [case.criteria[0] for case in run.cases()]

    return live


@pytest.mark.parametrize(
    ("label", "score", "verdict"),
    [("met", 1.0, "PASS"), ("not_met", 0.0, "FAIL"), ("cannot_tell", None, "UNSURE")],
)
def test_verdicts_become_scores(
    judging: Any, live: Any, label: str, score: float | None, verdict: str
) -> None:
    judging.verdict = label
    for result in live(CHECKED):
        assert (result.criterion_name, result.score, result.verdict) == ("prices", score, verdict)
        assert result.threshold == 1.0
        assert result.model_dump(mode="json")["verdict"] == verdict
        assert result.judging.models == ("fake/m",)
        if score is not None:
            assert result.evidence.citations[0].field == "result"
            assert "milk at 1.09" in result.evidence.citations[0].quote


def test_without_evidence_there_is_no_score(judging: Any, live: Any) -> None:
    judging.cite = lambda request: []
    result = live(CHECKED)[0]
    assert (result.verdict, result.score) == ("UNSURE", None)
    assert result.model_dump(mode="json")["reason_codes"] == ["no_evidence"]


def test_what_cannot_be_judged_is_an_error(judging: Any, live: Any) -> None:
    judging.answer = lambda request: JudgeError("too long", code="context_too_long")
    result = live(CHECKED)[0]
    assert (result.status, result.verdict) == ("error", None)
    assert result.error.code == "judge_context_too_long"


def test_the_share_of_checks_and_the_granularity_are_options(judging: Any, live: Any) -> None:
    judging.verdict = lambda text: "met" if "found" in text else "not_met"
    two = {**CHECKED, "checks": ["The result is found.", "The result is cheap."], "granularity": "step_level"}
    assert live(two)[0].verdict == "FAIL"
    half = live({**two, "checks_threshold": 0.5})[0]
    assert half.verdict == "PASS"
    assert half.model_dump(mode="json")["used_granularity"] == "step_level"


def test_the_same_words_are_the_same_checks_as_in_a_criteria_file(judging: Any, live: Any) -> None:
    judging.notes["checks"] = "outcome: A price was found."
    words = {"name": "Prices", "description": "It looks for prices."}
    live(words)
    asked = len([request for request in judging.requests if "Break it into" in request.messages[0].text])
    judged = judging(judging.log(), words, use_cache=False)

    assert asked == 1
    assert [check.text for check in judged.criteria[0].checks] == ["A price was found."]
    assert len([request for request in judging.requests if "Break it into" in request.messages[0].text]) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"\$\.criteria\.prices: .*the description is blank"),
        ({**CHECKED, "granularity": "phase"}, "unknown granularity strategy 'phase'"),
        ({**CHECKED, "checks_threshold": 0}, "checks_threshold: Input should be greater than 0"),
        ({**CHECKED, "treshold": 1}, "unknown option 'treshold'"),
        ({**CHECKED, "checks": [" "]}, "a check is blank"),
        ({**CHECKED, "checks": ["a", "a "]}, "this check is listed twice"),
        ({**CHECKED, "description": " "}, "the description is blank"),
    ],
)
def test_wrong_options_stop_the_plan(judging: Any, live: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        live(options)
    assert judging.requests == []


# --- calibration --------------------------------------------------------------------------


@pytest.fixture
def keep() -> Any:
    """Keep a calibration of what a run shows, as ``adjudge agreement --fit`` does."""

    def keep(result: Any, **changes: Any) -> Calibration:
        values = {
            "criterion_name": "prices",
            "criterion_sha256": result.model_dump(mode="json")["criterion_sha256"],
            "judges": result.judging.models,
            "curve": Curve(method="platt", slope=0.5),
            "rows": 50,
            "fitted_at": "2026-01-01T00:00:00+00:00",
            "labels_sha256": "0" * 64,
            **changes,
        }
        calibration = Calibration.model_validate(values)
        KeptCalibrations().keep([calibration])
        return calibration

    return keep


def test_what_labels_show_of_checks_is_applied_wherever_they_are_asked(live: Any, keep: Any) -> None:
    raw = live(CHECKED)[0]
    calibration = keep(raw)
    result = live(CHECKED)[0]
    evaluation = result.model_dump(mode="json")
    voted = raw.model_dump(mode="json")["confidence_score"]

    assert raw.calibrated is False
    assert (result.verdict, result.score) == ("PASS", 1.0)
    assert evaluation["calibrated"] is True
    assert evaluation["confidence_score"] == calibrated_confidence(calibration.curve, "PASS", voted)
    assert evaluation["before_calibration"] == {"verdict": "PASS", "confidence_score": voted}


def test_what_labels_show_to_be_wrong_too_often_has_no_score(live: Any, keep: Any) -> None:
    keep(live(CHECKED)[0], threshold=0.9)
    result = live(CHECKED)[0]

    assert (result.verdict, result.score) == ("UNSURE", None)
    assert result.model_dump(mode="json")["reason_codes"][0] == "low_confidence"
    assert "The votes say PASS with confidence 0.938" in result.reasoning


def test_a_resumed_run_goes_on_with_the_calibrations_that_it_began_with(
    judging: Any, live: Any, keep: Any
) -> None:
    keep(live(CHECKED)[0])
    [unasked, _] = live(CHECKED, run="begun", use_cache=False, max_judge_calls=1)
    keep_later = live(CHECKED)[0]
    keep(keep_later, curve=Curve(method="platt", slope=0.01))
    run = adjudge.resume_sync("begun", max_judge_calls=100, extensions=judging.extensions())
    later = live(CHECKED)[0]

    [begun, _] = [case.criteria[0] for case in run.cases()]
    assert unasked.error.code == "judge_budget"
    assert (
        begun.model_dump(mode="json")["confidence_score"]
        == (keep_later.model_dump(mode="json")["confidence_score"])
    )
    assert (
        later.model_dump(mode="json")["confidence_score"] != begun.model_dump(mode="json")["confidence_score"]
    )


def test_the_plan_of_a_run_says_by_what_it_is_calibrated(live: Any, keep: Any) -> None:
    calibration = keep(live(CHECKED)[0])
    keep(live({**CHECKED, "description": "Other words."})[0])
    live(CHECKED, outputs=["result.json"])
    document = json.loads(Path("result.json").read_text(encoding="utf-8"))
    planned = document["run"]["eval_sets"]["shop.evalset.json"]["criteria"]["prices"]

    assert planned["declared"]["calibrations"] == [calibration.model_dump(mode="json")]


def test_calibrations_are_fitted_to_the_votes_of_live_runs_too(live: Any, tmp_path: Path) -> None:
    with (tmp_path / "labels.jsonl").open("w") as file:
        for case in ("milk", "bread"):
            for repeat in range(1, 13):
                label = "FAIL" if repeat == 12 else "PASS"
                row = {"case": case, "run": repeat, "criterion": "prices", "label": label, "split": "dev"}
                file.write(json.dumps(row) + "\n")

    def fitted(name: str) -> Any:
        live(CHECKED, num_runs=12, outputs=[f"{name}.json"])
        fit = ["agreement", f"{name}.json", "labels.jsonl", "--fit", f"{name}.fit.json"]
        done = CliRunner().invoke(cli, [*fit, "--target-agreement", "0.99"], standalone_mode=False)
        assert done.exception is None, done.output
        [calibration] = json.loads(Path(f"{name}.fit.json").read_text())["calibrations"]
        return calibration

    first, second = fitted("first"), fitted("second")
    assert (first["rows"], first["judges"]) == (24, ["fake/m"])
    assert first["criterion_sha256"] is not None
    assert (second["curve"], second["rows"]) == (first["curve"], first["rows"])
    assert live(CHECKED)[0].model_dump(mode="json")["calibrated"] is True
