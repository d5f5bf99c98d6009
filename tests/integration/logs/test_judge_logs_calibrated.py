"""Calibration, from labels to verdicts: fitted by ``adjudge agreement``, applied by ``adjudge judge``."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from adjudge import RunResult
from adjudge.cli import cli
from adjudge.errors import InputError, JudgeError
from adjudge.kit.calibration import Calibration
from adjudge.kit.calibration.curve import calibrated_confidence
from adjudge.model import EvaluationResult
from adjudge.plugin import JudgeRequest, NoConfig
from adjudge.testing import FakeHost, manager, verdicts
from adjudge.testing.log_runs import JudgedLogs
from adjudge_plugins.reporters import console_reporter

WORDS = {"name": "done", "description": "It is done.", "granularity": "step_level"}
DONE = {**WORDS, "about": "outcome", "checks": ["The final result: it is done."]}
COUNT = 64


@dataclass
class Bench:
    """A folder of runs that a person labelled, and a judge that is wrong about half of the doubtful ones."""

    judging: Any
    of_logs: Any

    def __post_init__(self) -> None:
        self.judging.answer = self.answer
        rows: list[dict[str, object]] = []
        for at in range(COUNT):
            says, doubtful = at % 3 != 0, at % 5 == 0
            right = not doubtful or at % 2 == 0
            self.write(f"logs/{at:03}.json", says=says, doubtful=doubtful)
            rows.append(
                {
                    "source": f"logs/{at:03}.json",
                    "criterion": "done",
                    "label": "PASS" if says == right else "FAIL",
                    "split": "test" if at % 4 == 0 or at == 15 else "dev",
                }
            )
        with Path("labels.csv").open("w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, list(rows[0]))
            table.writeheader()
            table.writerows(rows)

    def write(self, name: str, *, says: bool, doubtful: bool) -> str:
        shown = f"{name}: {'as wanted' if says else 'broken'}{', blurred' if doubtful else ''}"
        step = {"step": 1, "thinking": "look", "action": "look()", "observation": shown}
        written: str = self.judging.log([step], name=name)
        return written

    def answer(self, request: JudgeRequest) -> str:
        """What is blurred is seen differently now and then."""
        text = request.messages[1].text
        met = "as wanted" in text
        if "blurred" in text and request.sample in (1, 4):
            met = not met
        return verdicts(
            request,
            "met" if met else "not_met",
            citations=self.of_logs.quotes(request)[:1],
            notes={"rationale": "It says so.", "absent_words": "", "checks": "outcome: It is done."},
        )

    def judge(self, logs: str = "logs", criterion: dict[str, Any] = DONE, **options: Any) -> JudgedLogs:
        judged: JudgedLogs = self.judging(logs, criterion, **options)
        return judged

    def fit(self, results: str = "raw.json", to: str = "fitted.json", wanted: float | None = 0.9) -> Result:
        more = () if wanted is None else ("--target-agreement", str(wanted))
        done = agreement(results, "labels.csv", "--fit", to, *more)
        assert done.exception is None, done.output
        return done

    def fitted(self, **options: Any) -> Calibration:
        """Judge the runs, fit to their labels, and leave the calibration where runs find it."""
        self.judge(outputs=["raw.json"], **options)
        self.fit()
        return calibration("fitted.json")


@pytest.fixture
def bench(judging: Any, of_logs: Any) -> Bench:
    return Bench(judging, of_logs)


@pytest.fixture(scope="module")
def once_fitted(of_logs: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which everything is judged and fitted: that takes longer than what follows."""
    folder = tmp_path_factory.mktemp("fitted")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("ADJUDGE_HOME", str(folder / "adjudge-home"))
        Bench(of_logs.Judging(folder), of_logs).fitted()
    return folder


@pytest.fixture
def fitted(bench: Bench, once_fitted: Path) -> Calibration:
    """The calibration that this installation keeps; ``fitted.json`` holds it too."""
    shutil.copytree(once_fitted, bench.judging.folder, dirs_exist_ok=True)
    return calibration("fitted.json")


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], None]:
    """Go on as on another machine: nothing is kept there."""
    return lambda: monkeypatch.setenv("ADJUDGE_HOME", str(tmp_path / "elsewhere"))


def agreement(*args: str) -> Result:
    return CliRunner().invoke(cli, ["agreement", *args], standalone_mode=False)


def calibration(file: str) -> Calibration:
    [only] = json.loads(Path(file).read_text(encoding="utf-8"))["calibrations"]
    return Calibration.model_validate(only)


def results_of(judged: JudgedLogs) -> list[EvaluationResult]:
    return [log.results[0] for log in judged.logs]


def measured(results: str) -> dict[str, Any]:
    done = agreement(results, "labels.csv", "--json")
    assert done.exception is None, done.output
    [found] = json.loads(done.stdout)["criteria"]
    only: dict[str, Any] = found
    return only


# --- applied ------------------------------------------------------------------------------


def test_what_labels_show_is_applied_by_itself(bench: Bench) -> None:
    raw = results_of(bench.judge(outputs=["raw.json"]))
    said = bench.fit().stdout
    fitted = calibration("fitted.json")
    judged = bench.judge()

    assert "done, judged by fake/m, is calibrated from now on" in said
    assert judged.calibrations == (fitted.applied,)
    assert fitted.threshold is not None
    assert {result.calibrated for result in raw} == {False}
    for before, after in zip(raw, results_of(judged), strict=True):
        assert before.confidence_score is not None
        voted = after.before_calibration
        assert voted is not None and after.calibrated
        assert (voted.verdict, voted.confidence_score) == (before.verdict, before.confidence_score)
        said_by_votes = "PASS" if before.verdict == "PASS" else "FAIL"
        worth = calibrated_confidence(fitted.curve, said_by_votes, before.confidence_score)
        if worth >= fitted.threshold:
            assert (after.verdict, after.confidence_score) == (before.verdict, worth)
            assert "low_confidence" not in after.reason_codes
        else:
            assert (after.verdict, after.confidence_score) == ("UNSURE", None)
            assert after.reason_codes[0] == "low_confidence"
            assert f"The votes say {before.verdict} with confidence {before.confidence_score:.3f}" in (
                after.reasoning
            )
            assert f"{worth:.3f}" in after.reasoning
            assert after.evidence == before.evidence
    unsure = [result for result in results_of(judged) if result.verdict == "UNSURE"]
    assert 0 < len(unsure) < COUNT / 2


def test_what_was_left_open_is_not_passed(bench: Bench, fitted: Calibration) -> None:
    bench.write("new.json", says=True, doubtful=True)
    judged = bench.judge("new.json")

    assert (judged.status, judged.exit_status, judged.passed) == ("UNSURE", 3, False)


def test_runs_that_nobody_labelled_are_calibrated_as_the_held_out_ones_were(bench: Bench) -> None:
    """What ``--fit`` says of the other labels is what comes out when it is applied to them."""
    bench.judge(outputs=["raw.json"])
    done = agreement("raw.json", "labels.csv", "--fit", "c.json", "--target-agreement", "0.9", "--json")
    [promised] = json.loads(done.stdout)["criteria"]
    bench.judge(outputs=["calibrated.json"])
    test = [line for line in Path("labels.csv").read_text().splitlines() if not line.endswith("dev")]
    Path("labels.csv").write_text("\n".join(test) + "\n")
    found = measured("calibrated.json")

    assert found["figures"]["coverage"]["value"] == pytest.approx(promised["calibrated"]["coverage"])
    assert found["figures"]["accuracy"]["value"] == promised["calibrated"]["agreement"]["value"]
    assert 0 < found["unsure"] < found["labelled"]


def test_a_calibration_is_fitted_to_the_votes_and_never_to_itself(bench: Bench, fitted: Calibration) -> None:
    bench.judge(outputs=["again.json"])
    bench.fit("again.json", "second.json")
    second = calibration("second.json")

    assert measured("again.json")["unsure"] > 0
    assert (second.curve, second.rows, second.threshold) == (fitted.curve, fitted.rows, fitted.threshold)


def test_a_file_says_the_same_where_nothing_is_kept(
    bench: Bench, fitted: Calibration, elsewhere: Callable[[], None]
) -> None:
    kept = bench.judge()
    elsewhere()
    assert bench.judge().calibrations == ()
    given = bench.judge(calibration="fitted.json")

    assert given.calibrations == kept.calibrations
    assert [result.confidence_score for result in results_of(given)] == [
        result.confidence_score for result in results_of(kept)
    ]


def test_a_verdict_that_labels_speak_against_is_kept_and_never_turned_round(bench: Bench) -> None:
    Path("labels.csv").write_text(
        Path("labels.csv").read_text().replace("PASS", "?").replace("FAIL", "PASS").replace("?", "FAIL")
    )
    bench.judge(outputs=["raw.json"])
    bench.fit(wanted=None)
    bench.write("new.json", says=True, doubtful=False)
    [result] = results_of(bench.judge("new.json"))

    assert result.verdict == "PASS"
    assert result.confidence_score is not None and result.confidence_score < 0.5


def test_recorded_answers_are_calibrated_by_who_gave_them(bench: Bench) -> None:
    bench.judge(outputs=["raw.json"], record="calls.jsonl")
    bench.fit()
    replayed = bench.judge(judge="replay:calls.jsonl")

    assert [item.judges for item in replayed.calibrations] == [("fake/m",)]
    assert {result.calibrated for result in results_of(replayed)} == {True}


def test_checks_that_a_judge_wrote_are_known_by_their_hash(bench: Bench) -> None:
    fitted = bench.fitted(criterion=WORDS)
    judged = bench.judge(criterion=WORDS, calibration="fitted.json")

    assert judged.criteria[0].compiled_by == "fake/m"
    assert fitted.criterion_sha256 == judged.criteria[0].sha256
    assert judged.calibrations == (fitted.applied,)


def test_the_report_says_what_was_applied(bench: Bench, fitted: Calibration) -> None:
    bench.judge(outputs=["report.json"])
    document = json.loads(Path("report.json").read_text(encoding="utf-8"))
    result = document["cases"][1]["criteria"][0]

    declared = document["run"]["logs"]["criteria"]["done"]["declared"]
    assert declared["calibrations"] == [fitted.model_dump(mode="json")]
    assert result["calibrated"] is True
    assert result["before_calibration"] == {"verdict": "PASS", "confidence_score": 0.9375}
    assert result["calibration"] == {
        name: getattr(fitted, name) if name != "judges" else ["fake/m"]
        for name in ("criterion_name", "judges", "rows", "threshold", "fitted_at", "labels_sha256")
    }


def test_the_screen_says_whose_confidence_is_worth_what(bench: Bench, fitted: Calibration) -> None:
    sure = bench.write("new/sure.json", says=True, doubtful=False)
    bench.write("new/unsure.json", says=True, doubtful=True)
    end = {**DONE, "name": "end", "checks": ["It ends.", "It ends well."]}
    lines = screen(bench.judging.run("new", DONE, end))
    raw = screen(bench.judging.run(sure, end))

    assert any(line.startswith("PASS    done  step_level, confidence 0.9") for line in lines)
    assert "UNSURE  done  step_level, PASS by votes of 0.81" in lines
    assert "note: the labels show that such votes are wrong too often" in lines
    assert f"done: confidence calibrated by 47 labels on {fitted.fitted_at[:10]}; UNSURE below" in " ".join(
        lines
    )
    assert "confidence is uncalibrated elsewhere: it measures how consistent the votes are" in lines
    assert "confidence is uncalibrated: it measures how consistent the votes are" in raw


def screen(result: RunResult) -> list[str]:
    """What the console shows, line by line."""
    [registered] = manager(console_reporter).reporters
    stream = io.BytesIO()
    reporter: Any = registered.spec.factory(NoConfig(), FakeHost(Path()))
    with result.report() as report:
        reporter.write(report, stream)
    return [line.strip() for line in stream.getvalue().decode().splitlines()]


# --- not applied --------------------------------------------------------------------------


def test_what_is_kept_of_others_says_nothing(bench: Bench, fitted: Calibration) -> None:
    other_checks = {**DONE, "checks": ["The final result: it is paid."]}
    for judged in (bench.judge(judge="fake/other"), bench.judge(criterion=other_checks)):
        assert judged.calibrations == ()
        for result in results_of(judged):
            assert (result.calibrated, result.before_calibration) == (False, None)
            assert "other_judges" not in result.reason_codes


@pytest.mark.parametrize(
    ("criterion", "judge", "why"),
    [
        (DONE, "fake/other", "'done' was judged by fake/m; this run is judged by fake/other."),
        (DONE, ["fake/m", "fake/other"], "this run is judged by fake/m, fake/other."),
        ({**DONE, "checks": ["It is paid."]}, "fake/m", "'done' is another criterion now"),
        ({**DONE, "name": "paid"}, "fake/m", "'done' is not a criterion of this run."),
        ({**WORDS, "name": "paid"}, "fake/m", "'done' is not a criterion of this run."),
    ],
    ids=["judge", "panel", "checks", "name", "name of unwritten checks"],
)
def test_a_file_of_something_else_stops_the_plan(
    bench: Bench, fitted: Calibration, criterion: dict[str, Any], judge: str | list[str], why: str
) -> None:
    with pytest.raises(
        InputError, match="it contains no calibration for the criteria and the judges"
    ) as error:
        bench.judge(criterion=criterion, judge=judge, calibration="fitted.json")

    assert why in str(error.value)
    assert "fitted.json" in str(error.value)
    assert bench.judging.requests == []


def test_checks_that_turn_out_to_be_others_stop_before_any_run_is_judged(
    bench: Bench, fitted: Calibration
) -> None:
    with pytest.raises(InputError, match="'done' is another criterion now"):
        bench.judge(criterion=WORDS, calibration="fitted.json")

    assert len(bench.judging.requests) == 1
    assert "Break it into" in bench.judging.requests[0].messages[0].text


def test_half_a_panel_keeps_the_confidence_of_its_votes_and_says_so(bench: Bench) -> None:
    panel = ["fake/m", "fake/n"]
    fitted = bench.fitted(judge=panel)
    bench.write("new/a.json", says=True, doubtful=False)
    bench.write("new/b.json", says=True, doubtful=False)

    def answer(request: JudgeRequest) -> Any:
        if request.model == "n" and "new/b.json" in request.messages[1].text:
            return JudgeError("it is gone", code="bad_request")
        return bench.answer(request)

    bench.judging.answer = answer
    whole, half = results_of(bench.judge("new", judge=panel))

    assert fitted.judges == ("fake/m", "fake/n")
    assert whole.calibrated
    assert (half.verdict, half.calibrated, half.reason_codes) == ("PASS", False, ("other_judges",))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "there is no such file"),
        ("{", "c.json:1"),
        ("[]", "this is no file of calibrations"),
        ('{"adjudge_version": "1", "calibrations": []}', "there is no calibration in it"),
        ('{"adjudge_version": "1", "format_version": 2, "calibrations": []}', "$.format_version"),
        ('{"logs": []}', "this is no file of calibrations"),
    ],
)
def test_a_file_that_is_none_stops_the_plan(bench: Bench, text: str | None, said: str) -> None:
    if text is not None:
        Path("c.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        bench.judge(calibration="c.json")

    assert "c.json" in str(error.value)
    assert said in str(error.value)
    assert bench.judging.requests == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"threshold": 80}, "$.calibrations[0].threshold"),
        ({"curve": {"method": "isotonic"}}, "an isotonic curve has points"),
        ({"curve": {"method": "isotonic", "points": [[0.5, 0.1], [0.5, 0.9]]}}, "must increase"),
        ({"curves": {}}, "$.calibrations[0].curves"),
    ],
)
def test_a_calibration_that_was_broken_by_hand_is_told(
    bench: Bench, fitted: Calibration, change: dict[str, Any], said: str
) -> None:
    broken = {"adjudge_version": "1", "calibrations": [{**fitted.model_dump(mode="json"), **change}]}
    Path("c.json").write_text(json.dumps(broken), encoding="utf-8")
    with pytest.raises(InputError) as error:
        bench.judge(calibration="c.json")

    assert said in str(error.value)


def test_a_calibration_of_no_verdicts_is_refused(bench: Bench, fitted: Calibration) -> None:
    with pytest.raises(InputError, match="a calibration needs verdicts"):
        bench.judge(calibration="fitted.json", aggregate_only=True)


def test_a_calibration_of_what_is_counted_by_code_is_refused(bench: Bench, fitted: Calibration) -> None:
    with pytest.raises(InputError, match="calibration applies to criteria in words, and there are none"):
        bench.judge(criterion={"criterion": "action_repeats", "threshold": 3}, calibration="fitted.json")


def test_a_broken_store_stops_the_plan_and_names_its_file(
    bench: Bench, fitted: Calibration, tmp_path: Path
) -> None:
    [store] = (tmp_path / "adjudge-home" / "calibrations").glob("*.json")
    store.write_bytes(b"no calibration" * 1000)
    with pytest.raises(InputError, match=store.name):
        bench.judge()

    assert bench.judging.requests == []
