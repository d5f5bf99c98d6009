"""``adjudge judges try MODEL --labelled``: what a model gets right, and what later runs say of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from werkzeug import Response

import adjudge
from adjudge.cli import cli
from adjudge.errors import InputError

Run = Callable[..., Result]

HEADER = [
    "criterion",
    "language",
    "difficulty",
    "measured",
    "accuracy",
    "kappa",
    "TPR",
    "TNR",
    "not measured",
]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chat_model: Any) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    chat_model.label = lambda asked: "no" if "amiss" in asked else "yes"

    def run(*args: object) -> Result:
        return CliRunner().invoke(cli, [str(arg) for arg in args], standalone_mode=False)

    return run


def row(row_id: str, label: str, answer: str, **changes: Any) -> dict[str, Any]:
    def turn(text: str) -> dict[str, Any]:
        return {
            "user_content": {"parts": [{"text": f"question {row_id}"}]},
            "final_response": {"parts": [{"text": text}]},
        }

    return {
        "id": row_id,
        "criterion": "final_response_match_v2",
        "options": {},
        "expected": turn("the reference"),
        "actual": turn(answer),
        "label": label,
        "language": "en",
        "difficulty": "easy",
    } | changes


def write(path: Path, rows: list[Any]) -> Path:
    lines = [item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def labels(**changes: Any) -> list[dict[str, Any]]:
    """Six turns of each label; the model gets all of them right."""
    return [
        row(f"{label}-{at}", label, "right" if label == "PASS" else "amiss", **changes)
        for at in range(6)
        for label in ("PASS", "FAIL")
    ]


def table(output: str) -> list[list[str]]:
    lines = [line.split() for line in output.splitlines()]
    start = next(at for at, cells in enumerate(lines) if cells[:1] == ["criterion"])
    return lines[start + 1 : lines.index([], start) if [] in lines[start:] else None]


def test_what_a_model_gets_right_is_told_by_criterion_language_and_difficulty(
    run: Run, tmp_path: Path
) -> None:
    english = labels()
    korean = [
        row(f"ko-{at}", label, "right", language="ko", difficulty="hard")
        for at, label in enumerate(["PASS", "FAIL"] * 3)
    ]
    file = write(tmp_path / "labels.jsonl", english + korean)
    done = run("judges", "try", "openai/m", "--labelled", file)

    assert done.return_value == 0
    assert done.stdout.splitlines()[0] == "openai/m (m-2025-08-07): 18 calls, 0 answers known already"
    assert table(done.stdout) == [
        ["final_response_match_v2", "en", "easy", "12", "1.00", "1.00", "1.00", "1.00"],
        ["final_response_match_v2", "ko", "hard", "6", "0.50", "0.00", "1.00", "0.00"],
        ["final_response_match_v2", "all", "all", "18", "0.83", "0.67", "1.00", "0.67"],
        ["all", "all", "all", "18", "0.83", "0.67", "1.00", "0.67"],
    ]
    again = run("judges", "try", "openai/m", "--labelled", file)
    assert again.stdout.splitlines()[0] == "openai/m (m-2025-08-07): 0 calls, 18 answers known already"


def test_several_files_several_criteria_and_thresholds(run: Run, tmp_path: Path) -> None:
    rubrics = [
        {"rubric_id": "kind", "rubric_content": {"text_property": "It is kind."}},
        {"rubric_id": "short", "rubric_content": {"text_property": "It is short."}},
    ]
    rubric = {"criterion": "rubric_based_final_response_quality_v1"}
    one = write(tmp_path / "one.jsonl", labels())
    two = write(
        tmp_path / "two.jsonl",
        [
            row("all-hold", "PASS", "right", options={"rubrics": rubrics}, **rubric),
            row("none-holds", "FAIL", "amiss", options={"rubrics": rubrics}, **rubric),
            row("half-need", "PASS", "right", options={"rubrics": rubrics, "threshold": 0.5}, **rubric),
            row("safe", "PASS", "right", criterion="safety_v1", expected=None),
        ],
    )
    told = json.loads(run("judges", "try", "openai/m", "--labelled", one, two, "--json").stdout)

    measured = {item["criterion"].partition("/")[2]: item for item in told["criteria"]}
    assert measured["rubric_based_final_response_quality_v1"]["counts"] == {
        "true_pass": 2,
        "false_fail": 0,
        "false_pass": 0,
        "true_fail": 1,
    }
    assert measured["safety_v1"]["measured"] == 1
    assert measured["final_response_match_v2"]["doubt"] is None
    assert measured["safety_v1"]["doubt"] == "too_few"
    assert set(measured["safety_v1"]["labels"]) == {str(one), str(two)}
    assert told["total"]["measured"] == 16
    assert [turn["id"] for turn in told["turns"]][-4:] == ["all-hold", "none-holds", "half-need", "safe"]
    assert told["calls"]["calls"] == 16


def test_votes_are_asked_for_where_they_are_wanted(run: Run, chat_model: Any, tmp_path: Path) -> None:
    file = write(tmp_path / "labels.jsonl", [row("one", "PASS", "right")])

    run("judges", "try", "openai/m", "--labelled", file, "--num-samples", 5)
    assert len(chat_model.asked) == 3, "five votes are decided by three that agree"


def test_what_cannot_be_measured_is_listed_and_counts_for_nothing(
    run: Run, chat_model: Any, tmp_path: Path
) -> None:
    def label(asked: str) -> str:
        return "perhaps" if "puzzling" in asked else "no" if "amiss" in asked else "yes"

    chat_model.label = label
    odd = [
        row("odd", "PASS", "puzzling"),
        row("odder", "FAIL", "puzzling too"),
        row("bare", "PASS", "right", criterion="rubric_based_final_response_quality_v1"),
    ]
    file = write(tmp_path / "labels.jsonl", [*labels(), *odd])
    done = run("judges", "try", "openai/m", "--labelled", file)

    assert done.return_value == 3
    assert table(done.stdout)[-1] == ["all", "all", "all", "12", "1.00", "1.00", "1.00", "1.00", "3"]
    assert "\nnot measured: 3\n" in done.stdout
    assert "the verdict of 'item_1' is not one of the possible values\n    odd, odder\n" in done.stdout
    assert "  not_applicable: there is no rubric for it\n    bare\n" in done.stdout


def test_a_budget_leaves_the_rest_unmeasured(run: Run, chat_model: Any, tmp_path: Path) -> None:
    file = write(tmp_path / "labels.jsonl", labels())
    done = run("judges", "try", "openai/m", "--labelled", file, "--max-judge-calls", 4)

    assert done.return_value == 3
    assert len(chat_model.asked) == 4
    assert "not measured: 8\n  error: the budget of 4 judge calls is used up\n" in done.stdout


def test_a_wrong_key_is_one_message(run: Run, chat_model: Any, tmp_path: Path) -> None:
    error = {"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}
    chat_model.fault = Response(json.dumps(error), 401, content_type="application/json")
    done = run("judges", "try", "openai/m", "--labelled", write(tmp_path / "labels.jsonl", labels()))

    assert done.return_value == 3
    assert done.stderr.startswith("error (auth): the judge openai/m cannot be asked: ")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


# --- the file -----------------------------------------------------------------------------


def test_every_mistake_is_told_with_its_line_and_nothing_is_asked(
    run: Run, chat_model: Any, tmp_path: Path
) -> None:
    file = write(
        tmp_path / "labels.jsonl",
        [
            row("good", "PASS", "right"),
            '{"id": "cut", ',
            row("good", "PASS", "right"),
            row("colour", "YES", "right", colour="red"),
            row("odd", "PASS", "right", actual={"user_content": {"parts": 3}}),
            "",
            {"id": " "},
            row("misspelt", "PASS", "right", criterion="final_response_mtch_v2"),
            row("judgeless", "PASS", "right", criterion="response_match_score"),
            row("option", "PASS", "right", options={"judge_model_options": {"num_sample": 3}}),
            row("high", "PASS", "right", options={"threshold": 2}),
            row("low", "PASS", "right", options={"threshold": 0}),
        ],
    )
    done = run("judges", "try", "openai/m", "--labelled", file)
    assert isinstance(done.exception, InputError)
    first = [str(problem) for problem in done.exception.problems]

    assert any(text.startswith(f"{file}:2:") for text in first)
    assert f"{file}:3: the id 'good' is that of line 1 too" in first
    assert any(text.startswith(f"{file}:4, $: unknown key 'colour'") for text in first)
    assert f"{file}:4, $: 'label' must be \"PASS\" or \"FAIL\", found the text 'YES'." in first
    assert any(text.startswith(f"{file}:5, $.actual.user_content") for text in first)
    assert f"{file}:7, $: a row has no 'actual'." in first
    assert f"{file}:7, $: 'id' is blank." in first
    rest = write(tmp_path / "rest.jsonl", file.read_text(encoding="utf-8").splitlines()[7:])
    done = run("judges", "try", "openai/m", "--labelled", rest)
    assert isinstance(done.exception, InputError)
    second = [str(problem) for problem in done.exception.problems]

    assert any(text.startswith(f"{rest}:1, ") and "final_response_match_v2" in text for text in second)
    assert f"{rest}:2, $.options: criterion 'response_match_score' asks no judge" in second
    assert any(text.startswith(f"{rest}:3, ") and "Did you mean 'num_samples'?" in text for text in second)
    assert any(text.startswith(f"{rest}:4, ") and "the threshold 2.0 is outside" in text for text in second)
    assert any(text.startswith(f"{rest}:5, ") and "every score reaches" in text for text in second)
    assert chat_model.asked == []


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_a_file_without_a_row_is_no_measurement(run: Run, tmp_path: Path, content: str) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text(content, encoding="utf-8")

    assert "there is no labelled turn in it" in str(
        run("judges", "try", "openai/m", "--labelled", file).exception
    )


def test_a_file_that_is_not_there_and_one_that_belongs_to_nothing(run: Run, tmp_path: Path) -> None:
    missing = run("judges", "try", "openai/m", "--labelled", tmp_path / "nowhere.jsonl").exception
    stray = run("judges", "try", "openai/m", "labels.jsonl").exception

    assert "there is no such file" in str(missing)
    assert str(stray) == "unexpected argument 'labels.jsonl'; files of labels follow --labelled"


def test_a_judge_that_cannot_be_asked_is_told_once(run: Run, tmp_path: Path) -> None:
    rows = [row(f"r{at}", "PASS", "right", options={"threshold": at / 10}) for at in range(3)]
    file = write(tmp_path / "labels.jsonl", [*rows, "{"])
    done = run("judges", "try", "anthropic/m", "--labelled", file)

    assert isinstance(done.exception, InputError)
    assert [str(problem) for problem in done.exception.problems][1:] == [
        "judge 'anthropic/m': ANTHROPIC_API_KEY is not set"
    ]


# --- later --------------------------------------------------------------------------------


def evaluated(criterion: str = "final_response_match_v2", judge: str = "openai/m") -> tuple[str, ...]:
    eval_set = {
        "eval_set_id": "s",
        "eval_cases": [{"eval_id": "one", "conversation": [row("one", "PASS", "right")["expected"]]}],
    }
    file = write(Path("set.evalset.json"), [eval_set])
    done = adjudge.evaluate_sync(
        lambda text: "right", file, config={"criteria": {criterion: 0.5}}, judge=judge
    )
    return done.warnings


def test_a_run_with_a_judge_near_chance_says_so(run: Run, tmp_path: Path) -> None:
    rows = [row(f"r{at}", label, "right") for at, label in enumerate(["PASS", "FAIL"] * 6)]
    file = write(tmp_path / "labels.jsonl", rows)
    assert evaluated() == ()
    done = run("judges", "try", "openai/m", "--labelled", file)

    [said] = evaluated()
    assert said.startswith(
        "openai/m was near chance on final_response_match_v2: kappa 0.00 over 12 labelled turns, measured 20"
    )
    assert f"runs with this judge will warn:\n  {said}\n" in done.stdout
    assert evaluated(criterion="safety_v1") == (), "it was measured on another criterion"
    assert evaluated(judge="openai/n") == (), "another model was measured"
    assert "openai/m on final_response_match_v2: kappa 0.00, 12 labels, 20" in run("judges").stdout
    [measured] = json.loads(run("judges", "openai", "--json").stdout)["measured"]
    assert measured["doubt"] == "near_chance"


def test_a_run_says_that_the_labels_were_too_few(run: Run, tmp_path: Path) -> None:
    rows = [row("one", "PASS", "right"), row("two", "FAIL", "amiss")]
    run("judges", "try", "openai/m", "--labelled", write(tmp_path / "labels.jsonl", rows))

    [said] = evaluated()
    assert (
        "could not be distinguished from chance on final_response_match_v2: kappa 1.00 over 2 labelled"
        in said
    )


def test_a_run_names_the_languages_in_which_its_judge_is_near_chance(run: Run, tmp_path: Path) -> None:
    korean = [row(f"ko-{at}", label, "right", language="ko") for at, label in enumerate(["PASS", "FAIL"] * 3)]
    run("judges", "try", "openai/m", "--labelled", write(tmp_path / "labels.jsonl", labels() + korean))

    [said] = evaluated()
    assert "was near chance on final_response_match_v2 in ko (kappa 0.00 over 6 labelled turns)" in said


def test_a_better_measurement_takes_the_place_of_an_older_one(
    run: Run, chat_model: Any, tmp_path: Path
) -> None:
    rows = [row(f"r{at}", label, "right") for at, label in enumerate(["PASS", "FAIL"] * 6)]
    run("judges", "try", "openai/m", "--labelled", write(tmp_path / "poor.jsonl", rows))
    run("judges", "try", "openai/m", "--labelled", write(tmp_path / "good.jsonl", labels()))

    assert evaluated() == ()


def test_the_same_name_at_another_address_was_not_measured(
    run: Run, chat_model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [row(f"r{at}", label, "right") for at, label in enumerate(["PASS", "FAIL"] * 6)]
    run("judges", "try", "openai/m", "--labelled", write(tmp_path / "labels.jsonl", rows))
    monkeypatch.setenv("OPENAI_BASE_URL", chat_model.address.replace("localhost", "127.0.0.1"))

    assert evaluated() == ()


def test_a_broken_store_is_a_warning_and_stops_nothing(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "adjudge-home" / "measured-judges.sqlite3"
    store.parent.mkdir(exist_ok=True)
    store.write_bytes(b"no database at all, but long enough to look like one" * 20)

    [said] = evaluated()
    assert said.startswith("what was measured cannot be read from ")
    listed = run("judges")
    assert listed.exception is None
    assert "warning: what was measured cannot be read" in listed.stderr
