"""``adjudge agreement``: what labels say of the verdicts of ``adjudge judge`` and ``adjudge eval``."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from adjudge.cli import cli
from adjudge.errors import AdjudgeError
from adjudge.model.evidence import Citation, Evidence, Failure
from adjudge.model.judging import JudgeUse
from adjudge.model.result import CaseResult, CriterionResult
from adjudge.model.verdict import Verdict
from adjudge.testing.log_runs import log_case, report_of
from adjudge_plugins.reporters.json_reporter.writer import JsonReporter

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)

    def run(*args: object) -> Result:
        return CliRunner().invoke(cli, ["agreement", *map(str, args)], standalone_mode=False)

    return run


def verdict(
    verdict: str,
    confidence: float | None = None,
    *,
    step: int | None = None,
    name: str = "done",
    sha: str = "s1",
) -> CriterionResult:
    citations = () if step is None else (Citation(step=step, field="action", quote="x"),)
    return CriterionResult(
        criterion_name=name,
        criterion="ai-judge/ai_judge",
        status=Verdict(verdict).value,
        verdict=Verdict(verdict),
        reasoning="because",
        confidence_score=confidence,
        used_granularity="global_summary",
        evidence=Evidence(citations=citations),
        criterion_sha256=sha,
        judging=JudgeUse(models=("openai/small",)),
    )


def no_verdict(status: Literal["error", "not_applicable"]) -> CriterionResult:
    error = Failure(code="x", message="no") if status == "error" else None
    return CriterionResult(criterion_name="done", criterion="ai-judge/ai_judge", status=status, error=error)


def log(source: str, *results: CriterionResult, number: int = 1, steps: int = 5) -> CaseResult:
    return log_case(source, *results, run=number, steps=steps)


def write_results(path: Path, logs: Sequence[CaseResult]) -> Path:
    with path.open("wb") as stream:
        JsonReporter().write(report_of(logs), stream)
    return path


def write_labels(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    match path.suffix:
        case ".csv":
            names = list(dict.fromkeys(name for row in rows for name in row))
            with path.open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, names)
                writer.writeheader()
                writer.writerows(rows)
        case ".json":
            path.write_text(json.dumps(rows, indent=1), encoding="utf-8")
        case _:
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def label(source: str, value: str, **more: Any) -> dict[str, Any]:
    return {"source": source, "criterion": "done", "label": value, **more}


def a_judge(count: int = 60) -> tuple[list[CaseResult], list[dict[str, Any]]]:
    """Sure verdicts are right; of the unsure ones every second is. Lengths 1 to 12, every fourth in dev."""
    logs, labels = [], []
    for at in range(count):
        truth = "PASS" if at % 3 else "FAIL"
        sure = at % 5 != 0
        right = sure or at % 2 == 0
        said = truth if right else {"PASS": "FAIL", "FAIL": "PASS"}[truth]
        logs.append(log(f"l{at}.json", verdict(said, 0.9375 if sure else 0.6875), steps=at % 12 + 1))
        labels.append(label(f"l{at}.json", truth, split="dev" if at % 4 in (0, 1) else "test"))
    return logs, labels


def report(done: Result) -> dict[str, Any]:
    assert done.exception is None, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# --- figures ------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".csv", ".json", ".jsonl"])
def test_every_form_of_labels_gives_the_same_figures(run: Run, tmp_path: Path, ending: str) -> None:
    logs, labels = a_judge()
    results = write_results(tmp_path / "r.json", logs)
    found = report(run(results, write_labels(tmp_path / f"labels{ending}", labels), "--json"))
    [done] = found["criteria"]

    assert done["counts"] == {"true_pass": 36, "false_fail": 4, "false_pass": 2, "true_fail": 18}
    assert done["figures"]["accuracy"]["value"] == 0.9
    assert done["figures"]["true_positive_rate"]["value"] == 0.9
    assert done["figures"]["true_negative_rate"]["value"] == 0.9
    assert done["figures"]["precision"]["value"] == pytest.approx(36 / 38)
    assert done["figures"]["auroc"]["value"] > 0.8
    low, high = (done["figures"]["kappa"]["interval"][end] for end in ("low", "high"))
    assert low < done["figures"]["kappa"]["value"] < high
    assert done["figures"]["coverage"]["interval"]["method"] == "exact"


def test_the_same_files_give_the_same_report(run: Run, tmp_path: Path) -> None:
    logs, labels = a_judge()
    files = write_results(tmp_path / "r.json", logs), write_labels(tmp_path / "l.csv", labels)

    assert run(*files, "--json").stdout == run(*files, "--json").stdout


def test_a_person_sees_the_figures_and_the_curve(run: Run, tmp_path: Path) -> None:
    logs, labels = a_judge()
    done = run(write_results(tmp_path / "r.json", logs), write_labels(tmp_path / "l.csv", labels))

    assert done.exception is None
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["60", "labels"] in lines
    assert ["done:", "60", "labelled,", "60", "verdicts"] in lines
    assert ["0.938", "0.80", "1.00", "48"] in lines
    assert ["0.688", "1.00", "0.90", "60"] in lines
    assert [row for row in lines if row[:2] == ["recall", "(TPR)"]] != []


def test_unsure_costs_coverage_and_is_never_right(run: Run, tmp_path: Path) -> None:
    logs = [log("a", verdict("PASS", 0.9)), log("b", verdict("UNSURE")), log("c", verdict("FAIL", 0.9))]
    logs.append(log("d", no_verdict("error")))
    labels = [label("a", "PASS"), label("b", "PASS"), label("c", "FAIL"), label("d", "FAIL")]
    found = report(
        run(
            write_results(tmp_path / "r.json", logs),
            write_labels(tmp_path / "l.jsonl", labels),
            "--json",
        )
    )
    [done] = found["criteria"]

    assert (done["labelled"], done["decided"], done["unsure"], done["not_measured"]) == (4, 2, 1, 1)
    assert done["figures"]["coverage"]["value"] == 0.5
    assert done["figures"]["accuracy"]["value"] == 1.0
    assert done["risk_coverage"][-1]["coverage"] == 0.5


def test_a_log_that_could_not_be_read_is_not_measured(run: Run, tmp_path: Path) -> None:
    unread = log_case("b", run=None, error=Failure(code="log_unreadable", message="no"))
    results = write_results(tmp_path / "r.json", [log("a", verdict("PASS", 0.9)), unread])
    labels = write_labels(tmp_path / "l.jsonl", [label("a", "PASS"), label("b", "FAIL")])
    [done] = report(run(results, labels, "--json"))["criteria"]

    assert (done["decided"], done["not_measured"]) == (1, 1)


def test_what_has_no_counterpart_is_counted_and_named(run: Run, tmp_path: Path) -> None:
    logs = [log("a", verdict("PASS", 0.9)), log("b", verdict("PASS", 0.9))]
    labels = [label("a", "PASS"), label("gone", "FAIL")]
    done = run(write_results(tmp_path / "r.json", logs), write_labels(tmp_path / "l.csv", labels))

    assert "2 labels, 1 without a result; 1 result without a label" in done.stdout
    assert "no result: gone, done (line 3)" in done.stdout


def test_criteria_stand_alone_and_together(run: Run, tmp_path: Path) -> None:
    logs = [log(name, verdict("PASS", 0.9), verdict("FAIL", 0.9, name="cheap")) for name in ("a", "b", "c")]
    labels = [label(name, "PASS") for name in ("a", "b", "c")]
    labels += [label(name, "FAIL", criterion="cheap") for name in ("a", "b")]
    found = report(
        run(write_results(tmp_path / "r.json", logs), write_labels(tmp_path / "l.csv", labels), "--json")
    )

    assert [(item["criterion_name"], item["labelled"]) for item in found["criteria"]] == [
        ("done", 3),
        ("cheap", 2),
        ("all criteria", 5),
    ]


def test_lengths_are_binned_and_a_cap_is_a_bin(run: Run, tmp_path: Path) -> None:
    logs, labels = a_judge()
    logs += [log(f"cap{at}.json", verdict("FAIL", 0.9), steps=30) for at in range(20)]
    labels += [label(f"cap{at}.json", "FAIL") for at in range(20)]
    found = report(
        run(write_results(tmp_path / "r.json", logs), write_labels(tmp_path / "l.csv", labels), "--json")
    )
    last = found["criteria"][0]["lengths"][-1]

    assert (last["shortest"], last["longest"], last["labelled"]) == (30, 30, 20)
    assert last["majority_class"] == 1.0
    assert last["kappa"] is None


def test_a_step_is_compared_beside_what_guessing_reaches(run: Run, tmp_path: Path) -> None:
    steps = [(4, 4), (4, 5), (4, 9), (4, None), (9, 9)]
    logs = [log(f"{at}", verdict("FAIL", 0.9, step=found)) for at, (_, found) in enumerate(steps)]
    labels = [label(f"{at}", "FAIL", step=true, agent="web") for at, (true, _) in enumerate(steps)]
    done = run(write_results(tmp_path / "r.json", logs), write_labels(tmp_path / "l.csv", labels))
    lines = [line.split() for line in done.stdout.splitlines()]

    assert "5 labelled, 4 named by the judge" in done.stdout
    assert next(row for row in lines if row[:1] == ["exact"])[1] == "0.40"
    assert next(row for row in lines if row[:1] == ["exact"])[-1] == "0.80"
    assert next(row for row in lines if row[:2] == ["5", "steps"])[2] == "0.80"
    assert "always the most frequent agent: 1.00" in done.stdout


def test_the_pass_rate_without_labels_is_corrected(run: Run, tmp_path: Path) -> None:
    """TPR and TNR 0.9, 50 of 100 without a label judged PASS."""
    logs, labels = a_judge()
    logs += [log(f"new{at}", verdict("PASS" if at % 2 else "FAIL", 0.9)) for at in range(100)]
    found = report(
        run(write_results(tmp_path / "r.json", logs), write_labels(tmp_path / "l.csv", labels), "--json")
    )
    rate = found["criteria"][0]["pass_rate"]

    assert (rate["verdicts"], rate["judged"], rate["corrected"]) == (100, 0.5, pytest.approx(0.5))
    assert rate["interval"][0] < 0.5 < rate["interval"][1]


def test_a_confidence_that_never_varies_is_said_to_tell_nothing(run: Run, tmp_path: Path) -> None:
    logs = [log(f"{at}", verdict("PASS" if at % 2 else "FAIL", 1.0)) for at in range(20)]
    labels = [label(f"{at}", "PASS" if at % 3 else "FAIL") for at in range(20)]
    done = run(write_results(tmp_path / "r.json", logs), write_labels(tmp_path / "l.csv", labels))

    assert "the confidence never varies" in done.stdout


# --- calibration --------------------------------------------------------------------------


def test_a_calibration_is_fitted_on_one_part_and_measured_on_the_other(run: Run, tmp_path: Path) -> None:
    logs, labels = a_judge(240)
    files = write_results(tmp_path / "r.json", logs), write_labels(tmp_path / "l.csv", labels)
    kept = tmp_path / "calibration.json"
    found = report(run(*files, "--fit", kept, "--target-agreement", 0.9, "--json"))
    [done] = found["criteria"]
    document = json.loads(kept.read_text(encoding="utf-8"))
    [calibration] = document["calibrations"]

    assert done["labelled"] == 120
    assert done["calibrated"]["fitted_on"] == calibration["rows"] == 120
    assert done["calibrated"]["brier"]["value"] < done["figures"]["brier"]["value"] + 0.01
    assert 0.75 <= done["calibrated"]["coverage"] < 1
    assert done["calibrated"]["agreement"]["value"] > 0.9
    assert document["format_version"] == 1
    assert calibration["judges"] == ["openai/small"]
    assert calibration["criterion_sha256"] == "s1"
    assert calibration["curve"]["method"] == "platt"
    assert 0.5 < calibration["threshold"] < 1
    assert calibration["wanted_agreement"] == 0.9


def test_labels_that_show_no_threshold_say_so(run: Run, tmp_path: Path) -> None:
    logs, labels = a_judge()
    files = write_results(tmp_path / "r.json", logs), write_labels(tmp_path / "l.csv", labels)
    done = run(*files, "--fit", "c.json", "--target-agreement", 0.99)

    assert "the labels show no confidence from which on 0.99 of the verdicts agree" in done.stdout
    assert json.loads((tmp_path / "c.json").read_text())["calibrations"][0]["threshold"] is None


def test_nothing_is_left_where_everything_was_fitted_to(run: Run, tmp_path: Path) -> None:
    logs, labels = a_judge()
    labels = [{**row, "split": "dev"} for row in labels]
    files = write_results(tmp_path / "r.json", logs), write_labels(tmp_path / "l.csv", labels)
    done = run(*files, "--fit", "c.json")

    assert done.exception is None
    assert "no label is left to measure on" in done.stdout


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda logs, labels: (logs, [{**row, "split": "test"} for row in labels]),
            "no label of the split 'dev'",
        ),
        (
            lambda logs, labels: (logs[:20], labels),
            "has 10 verdicts to fit a calibration to; 20 are the fewest",
        ),
        (
            lambda logs, labels: (logs, [{**row, "label": "PASS"} for row in labels]),
            "all labels of 'done' in the split 'dev' are PASS",
        ),
        (
            lambda logs, labels: ([*logs[:-1], log("l56.json", verdict("PASS", 0.9, sha="s2"))], labels),
            "come from different judges or checks",
        ),
    ],
    ids=["no split", "few", "one label", "mixed"],
)
def test_what_cannot_be_fitted_is_refused(
    run: Run, tmp_path: Path, change: Callable[..., Any], said: str
) -> None:
    logs, labels = change(*a_judge())
    if said.startswith("come"):
        logs = [
            item for item in logs if item.source != "l56.json" or item.criteria[0].criterion_sha256 == "s2"
        ]
    files = write_results(tmp_path / "r.json", logs), write_labels(tmp_path / "l.csv", labels)
    done = run(*files, "--fit", "c.json")

    assert isinstance(done.exception, AdjudgeError)
    assert said in str(done.exception)
    assert not (tmp_path / "c.json").exists()


# --- the picture --------------------------------------------------------------------------


def test_the_picture_is_svg_and_holds_every_criterion(run: Run, tmp_path: Path) -> None:
    logs, labels = a_judge()
    labels[0] = {**labels[0], "criterion": "a<b & c"}
    logs[0] = log("l0.json", verdict("FAIL", 0.6, name="a<b & c"))
    files = write_results(tmp_path / "r.json", logs), write_labels(tmp_path / "l.csv", labels)
    done = run(*files, "--plot", "picture.svg")
    drawn = ElementTree.fromstring((tmp_path / "picture.svg").read_text(encoding="utf-8"))  # noqa: S314 - ours
    texts = [element.text for element in drawn.iter("{http://www.w3.org/2000/svg}text")]

    assert done.exception is None
    assert "a<b & c: 1 label, 1 verdict" in texts
    assert any(text and text.startswith("done: 59 labels") for text in texts)


def test_verdicts_without_a_confidence_give_an_empty_picture(run: Run, tmp_path: Path) -> None:
    files = (
        write_results(tmp_path / "r.json", [log("a", verdict("PASS"))]),
        write_labels(tmp_path / "l.csv", [label("a", "PASS")]),
    )
    done = run(*files, "--plot", "picture.svg")

    assert done.exception is None
    assert "No verdict has a confidence." in (tmp_path / "picture.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "options",
    [("--plot", "picture.png"), ("--target-agreement", "0.9"), ("--fit", "c", "--target-agreement", "1")],
)
def test_options_that_make_no_sense_are_refused(run: Run, tmp_path: Path, options: Sequence[str]) -> None:
    logs, labels = a_judge()
    files = write_results(tmp_path / "r.json", logs), write_labels(tmp_path / "l.csv", labels)

    assert type(run(*files, *options).exception).__name__ in ("UsageError", "BadParameter")


# --- files that cannot be used ------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("l.csv", "source,criterion,label\na,done,pass\n", "l.csv:2, $: 'label' must be PASS or FAIL, found the text 'pass'"),
        ("l.csv", "source,criterion,verdict\na,done,PASS\n", "unknown key 'verdict' in a label"),
        ("l.csv", "source,criterion,lable\na,done,PASS\n", "Did you mean 'label'?"),
        ("l.csv", "source,source,label\n", "the column 'source' is there twice"),
        ("l.csv", "source,criterion,label\na,done\n", "l.csv:2: 2 cells, where the header has 3"),
        ("l.csv", "source,criterion,label\n\"a,done,PASS\n", "not CSV"),
        ("l.csv", "source,criterion,label\n\n,done,PASS\n", "l.csv:3, $: a label names either"),
        ("l.csv", "source,criterion,label,step\na,done,FAIL,x\n", "'step' must be a whole number from 1 on, found the text 'x'"),
        ("l.csv", "source,criterion,label,step\na,done,PASS,3\n", "this one is labelled PASS"),
        ("l.csv", "source,criterion,label\na,done,PASS\na,done,FAIL\n", "l.csv:3: this run has a label for 'done' in line 2"),
        ("l.csv", "source,criterion,label\n", "there is no label in it"),
        ("l.jsonl", '{"source": "a", "criterion": "done", "label": "PASS"}\n\n{"source": 1}\n', "l.jsonl:3, $: a label has no 'criterion'"),
        ("l.jsonl", '{"source": "a"\n', "l.jsonl:1"),
        ("l.json", '[\n {"source": "a", "case": "b", "criterion": "done", "label": "PASS"}\n]', "l.json:2, $: a label names either"),
        ("l.json", '{"source": "a"}', "expected a list"),
        ("l.txt", "", "a file of labels ends with .csv, .json, .jsonl"),
        ("l.csv", "source,criterion,label\nz,done,PASS\n", "none of these labels is about a verdict in the results"),
    ],
)  # fmt: skip
def test_labels_that_cannot_be_used_are_told_with_their_line(
    run: Run, tmp_path: Path, name: str, text: str, said: str
) -> None:
    results = write_results(tmp_path / "r.json", [log("a", verdict("PASS", 0.9))])
    (tmp_path / name).write_text(text, encoding="utf-8")
    done = run(results, name)

    assert isinstance(done.exception, AdjudgeError), done.output
    assert said in str(done.exception)


def test_a_label_says_which_run_where_there_are_several(run: Run, tmp_path: Path) -> None:
    logs = [log("a", verdict("PASS", 0.9)), log("a", verdict("FAIL", 0.9), number=2)]
    results = write_results(tmp_path / "r.json", logs)
    unclear = run(results, write_labels(tmp_path / "l.csv", [label("a", "PASS")]))
    clear = run(results, write_labels(tmp_path / "m.csv", [label("a", "FAIL", run=2)]), "--json")

    assert "l.csv:2: the results have several runs of 'a'" in str(unclear.exception)
    assert "one of 1, 2" in str(unclear.exception)
    assert report(clear)["criteria"][0]["counts"]["true_fail"] == 1


def test_two_labels_of_one_verdict_are_told(run: Run, tmp_path: Path) -> None:
    results = write_results(tmp_path / "r.json", [log("a", verdict("PASS", 0.9))])
    done = run(results, write_labels(tmp_path / "l.csv", [label("a", "PASS"), label("a", "PASS", run=1)]))

    assert "l.csv:3: line 2 labels the same verdict" in str(done.exception)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "this is not a results file of adjudge"),
        ('{"a": 1}', "this is not a results file of adjudge"),
        ('{"logs": [\n{"source": "a"}]}', "r.json:2, $.logs[0]: this is not written by adjudge"),
        ('{"logs": ', "r.json:1"),
    ],
)
def test_results_that_cannot_be_used_are_told(run: Run, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "r.json").write_text(text, encoding="utf-8")
    done = run("r.json", write_labels(tmp_path / "l.csv", [label("a", "PASS")]))

    assert isinstance(done.exception, AdjudgeError), done.output
    assert said in str(done.exception)


# --- end to end ---------------------------------------------------------------------------


def test_the_verdicts_of_adjudge_judge_meet_labels(run: Run, tmp_path: Path, chat_model: Any) -> None:
    chat_model.label = lambda asked: "no" if "amiss" in asked else "yes"
    (tmp_path / "logs").mkdir()
    for at in range(4):
        steps = [
            {"step": 1, "thinking": "look", "action": "click(3)", "observation": "a page"},
            {
                "step": 2,
                "thinking": "end",
                "action": "done()",
                "observation": "amiss" if at % 2 else "as wanted",
            },
        ]
        (tmp_path / "logs" / f"{at}.json").write_text(
            json.dumps({"task": "buy", "steps": steps}), encoding="utf-8"
        )
    (tmp_path / "criteria.yaml").write_text(
        "- {name: done, description: It is done., checks: [It is done.]}\n"
    )
    judged = CliRunner().invoke(
        cli,
        ["judge", "logs", "--criteria", "criteria.yaml", "--judge", "openai/small", "--output", "r.json"],
        standalone_mode=False,
    )
    assert judged.exception is None, judged.output
    labels = [label(f"logs/{at}.json", "FAIL" if at > 1 else "PASS") for at in range(4)]
    found = report(run("r.json", write_labels(tmp_path / "l.csv", labels), "--json"))

    assert judged.exception is None, judged.output
    assert found["criteria"][0]["labelled"] == 4
    assert found["labelled_not_judged"] == []


def test_the_verdicts_of_adjudge_eval_meet_labels(run: Run, tmp_path: Path) -> None:
    cases = [
        {
            "eval_id": f"case {at}",
            "conversation": [
                {
                    "user_content": {"parts": [{"text": "hello"}]},
                    "final_response": {"parts": [{"text": "good day" if at else "farewell"}]},
                }
            ],
        }
        for at in range(3)
    ]
    (tmp_path / "set.evalset.json").write_text(json.dumps({"eval_set_id": "s", "eval_cases": cases}))
    (tmp_path / "test_config.json").write_text('{"criteria": {"response_match_score": 0.5}}')
    (tmp_path / "polite.py").write_text("def agent(message: str) -> str:\n    return 'good day'\n")
    CliRunner().invoke(
        cli, ["eval", "polite:agent", "set.evalset.json", "--output", "r.json"], standalone_mode=False
    )
    labels = [
        {"case": "case 0", "criterion": "response_match_score", "label": "FAIL"},
        {"case": "case 1", "criterion": "response_match_score", "label": "PASS"},
        {"case": "set.evalset.json:case 2", "criterion": "response_match_score", "label": "FAIL"},
    ]
    [found] = report(run("r.json", write_labels(tmp_path / "l.jsonl", labels), "--json"))["criteria"]

    assert found["counts"] == {"true_pass": 1, "false_fail": 0, "false_pass": 1, "true_fail": 1}
    assert found["figures"]["auroc"] is None
    assert found["risk_coverage"] == []
