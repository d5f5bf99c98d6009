"""Judging many logs: which runs, at which granularity, by which checks, and what is told of the rest."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.errors import InputError, JudgeError, RunError
from adjudge.model import Verdict, WordedCriterion
from adjudge.plugin import CaseFinished, JudgeRequest
from adjudge.testing import verdicts
from adjudge.testing.log_runs import judged_sync

BROAD = {"name": "Goal", "description": "The final result is what the task asked for."}


def told(judging: Any, *arguments: Any, **options: Any) -> list[str]:
    """The problems that stop a plan; no judge is asked."""
    with pytest.raises(InputError) as caught:
        judging(*arguments, **options)
    assert judging.requests == []
    return str(caught.value).splitlines()


# --- granularity ------------------------------------------------------------------------


def test_auto_chooses_by_the_criterion_and_says_why(judging: Any, of_logs: Any) -> None:
    step = {**of_logs.PROCESS, "name": "Hallucination"}
    judged = judging(judging.log(), of_logs.OUTCOME, step)
    broad, close = judged.logs[0].results

    assert (broad.used_granularity, broad.granularity.chosen_by) == ("global_summary", "rules")
    assert (close.used_granularity, close.granularity.chosen_by) == ("step_level", "rules")
    assert "hallucinat" in close.granularity.reason
    assert [view.granularity for view in judged.logs[0].aggregated_steps] == ["global_summary", "step_level"]


@pytest.mark.parametrize("name", ["step_level", "phase_level", "global_summary"])
def test_a_granularity_is_named_by_the_criterion_or_for_all(judging: Any, of_logs: Any, name: str) -> None:
    log = judging.log()
    own = judging(log, {**of_logs.OUTCOME, "granularity": name}).logs[0].results[0]
    assert (own.used_granularity, own.granularity.chosen_by) == (name, "criterion")

    other = {**of_logs.OUTCOME, "granularity": "global_summary"}
    for_all = judging(log, other, granularity=name).logs[0].results[0]
    assert (for_all.used_granularity, for_all.granularity.chosen_by) == (name, "option")


def test_aggregation_alone_needs_no_judge(judging: Any, of_logs: Any) -> None:
    judged = judging(judging.log(), aggregate_only=True, judge=())
    [log] = judged.logs
    views = {view.granularity: view for view in log.aggregated_steps}

    assert views["step_level"].step_mapping == {"Step 2": (2,), "Step 3": (3,)}
    assert views["global_summary"].step_mapping == {"global_trace": (2, 3)}
    assert sorted(step for steps in views["phase_level"].step_mapping.values() for step in steps) == [2, 3]
    assert log.task == of_logs.TASK
    assert (judged.status, judged.exit_status, judged.criteria) == (None, 0, ())
    assert judging.requests == []


def test_aggregation_goes_by_the_criteria_where_there_are_some(judging: Any, of_logs: Any) -> None:
    close = {**of_logs.PROCESS, "granularity": "step_level"}
    judged = judging(judging.log(), close, {**close, "name": "Twin"}, aggregate_only=True, judge=())
    assert [view.granularity for view in judged.logs[0].aggregated_steps] == ["step_level"]

    named = judging(judging.log(), close, aggregate_only=True, judge=(), granularity="phase_level")
    assert [view.granularity for view in named.logs[0].aggregated_steps] == ["phase_level"]


def test_a_judge_may_correct_where_phases_begin(judging: Any) -> None:
    pages = [f"https://{site}.example/" for site in "aaabbb"]
    log = judging.log(
        [{"step": at, "url": page, "action": f"scroll({at})"} for at, page in enumerate(pages, 2)]
    )
    judging.notes |= {"beginnings": "2, 4", "part_1": "Search", "part_2": "Compare"}

    def phases(**options: Any) -> list[tuple[str, tuple[int, ...]]]:
        [found] = judging(log, aggregate_only=True, granularity="phase_level", **options).logs
        return [(cluster.name, cluster.steps) for cluster in found.task_decomposition.clusters]

    assert phases() == [("Search", (2, 3, 4)), ("Compare", (5, 6, 7))]
    assert phases(correct_phases=True) == [("Search", (2, 3)), ("Compare", (4, 5, 6, 7))]
    with pytest.raises(InputError, match="it is a judge who corrects phases, and none is named"):
        phases(correct_phases=True, judge=())


# --- checks -----------------------------------------------------------------------------


def test_a_criterion_is_broken_into_checks_once_for_good(judging: Any, of_logs: Any) -> None:
    judging.notes["checks"] = "process: It searches first.\noutcome: The milk is in the cart."
    first = judging([judging.log(name="a.json"), judging.log(name="b.json")], BROAD)
    compiling = [request for request in judging.requests if "Break it into" in request.messages[0].text]

    assert len(compiling) == 1
    assert [check.text for check in first.criteria[0].checks] == [
        "It searches first.",
        "The milk is in the cart.",
    ]
    assert first.criteria[0].compiled_by == "fake/m"
    assert {log.results[0].criterion_sha256 for log in first.logs} == {first.criteria[0].sha256}

    judging.notes["checks"] = "outcome: Something else."
    second = judging("a.json", BROAD, use_cache=False)
    assert second.criteria == first.criteria
    other = judging("a.json", {**BROAD, "description": "The final result pleases."}, use_cache=False)
    assert [check.text for check in other.criteria[0].checks] == ["Something else."]


@pytest.mark.parametrize(
    ("written", "checks"),
    [
        (
            "Here are the checks:\n\n1. **process:** It plans.\n2) outcome: The milk is there.\n- It is cheap.",
            [("It plans.", "process"), ("The milk is there.", "outcome"), ("It is cheap.", "outcome")],
        ),
        (
            "process: none\noutcome: The milk is there.\nOutcome: The milk is there.",
            [("The milk is there.", "outcome")],
        ),
        ("process: It recovers from errors.", [("It recovers from errors.", "process")]),
        (
            "answer: It stays polite.\noutcome: It is right.",
            [("It stays polite.", "answer"), ("It is right.", "outcome")],
        ),
    ],
)
def test_what_a_judge_writes_is_read_as_checks(
    judging: Any, written: str, checks: list[tuple[str, str]]
) -> None:
    judging.notes["checks"] = written
    [criterion] = judging(judging.log(), BROAD).criteria

    assert [(check.text, check.about) for check in criterion.checks] == checks
    assert criterion.compiled_by == "fake/m"


def asked_to_compile(judging: Any) -> list[JudgeRequest]:
    return [request for request in judging.requests if "prepare the evaluation" in request.messages[0].text]


@pytest.mark.parametrize("about", ["process", "outcome", "answer"])
def test_what_a_check_is_about_is_its_authors_to_say(judging: Any, of_logs: Any, about: str) -> None:
    """Whatever its words suggest: this one speaks of a task that is completed."""
    said = {**of_logs.OUTCOME, "about": about, "checks": ["The task is completed."]}
    [criterion] = judging(judging.log(), said).criteria

    assert [check.about for check in criterion.checks] == [about]
    assert asked_to_compile(judging) == []


def test_what_its_author_does_not_say_the_compiler_says_once_for_all_runs(judging: Any, of_logs: Any) -> None:
    statements = [
        "The agent stays polite.",
        "It recovers from errors.",
        "The mail is sent.",
        "It did not make anything up.",
    ]
    said = {"name": "Sound", "description": "It is sound.", "checks": statements}
    kinds = {
        "statement_1": "answer",
        "statement_2": "Process.",
        "statement_3": "**outcome**",
        "statement_4": "who knows",
    }
    judging.notes |= kinds
    judged = judging([judging.log(), judging.log(name="b.json", task="Sell milk.")], said)

    [criterion] = judged.criteria
    assert [check.about for check in criterion.checks] == ["answer", "process", "outcome", "outcome"]
    assert [check.text for check in criterion.checks] == statements
    assert (criterion.compiled_by, len(asked_to_compile(judging))) == ("author", 1)
    judging(judging.log(), said, use_cache=False)
    assert len(asked_to_compile(judging)) == 1, "it is kept for good"


def test_an_author_may_say_it_of_each_check_and_the_compiler_says_the_rest(
    judging: Any, of_logs: Any
) -> None:
    said = {
        **of_logs.OUTCOME,
        "about": "outcome",
        "checks": [{"answer": "The agent is polite."}, "The milk is bought."],
    }
    [criterion] = judging(judging.log(), said).criteria
    assert [check.about for check in criterion.checks] == ["answer", "outcome"]
    assert asked_to_compile(judging) == [], "its author has said it of all"

    judging.notes |= {"statement_2": "process"}
    checks = [{"answer": "The agent is polite."}, "Prices are compared.", {"outcome": "The milk is bought."}]
    mixed = {**of_logs.OUTCOME, "about": None, "checks": checks}
    [criterion] = judging(judging.log(), mixed).criteria
    assert [check.about for check in criterion.checks] == ["answer", "process", "outcome"]
    [request] = asked_to_compile(judging)
    assert "statement_2: Prices are compared." in request.messages[1].text
    assert "The agent is polite." not in request.messages[1].text


def test_an_about_that_is_no_kind_is_told_before_the_first_call(judging: Any, of_logs: Any) -> None:
    with pytest.raises(InputError, match=r"'about' must be process .* found 'result'"):
        judging(judging.log(), {**of_logs.OUTCOME, "about": "result"})
    assert judging.requests == []


@pytest.mark.parametrize(
    "written",
    [
        "outcome: The milk is there.\nAnd it has to be cheap.",
        "I cannot help with that.",
        "process: none",
        "",
        "\n".join(f"outcome: c{number} is so." for number in range(6)),
    ],
)
def test_a_criterion_is_its_own_check_where_something_may_be_missing(judging: Any, written: str) -> None:
    judging.notes["checks"] = written
    [criterion] = judging(judging.log(), BROAD).criteria

    assert [check.text for check in criterion.checks] == [BROAD["description"]]
    assert criterion.compiled_by == "code"


def test_an_authors_checks_are_taken_as_they_are(judging: Any, of_logs: Any) -> None:
    judged = judging(judging.log(), WordedCriterion(**of_logs.OUTCOME))
    assert judged.criteria[0].compiled_by == "author"
    assert [check.text for check in judged.criteria[0].checks] == of_logs.OUTCOME["checks"]
    assert not [request for request in judging.requests if "Break it into" in request.messages[0].text]


@pytest.mark.parametrize(("threshold", "verdict"), [(0.5, Verdict.PASS), (1.0, Verdict.FAIL)])
def test_the_share_of_checks_decides(judging: Any, of_logs: Any, threshold: float, verdict: Verdict) -> None:
    judging.verdict = lambda text: "not_met" if "lost" in text else "met"
    criterion = {**BROAD, "checks": ["The result is there.", "The result is lost."], "threshold": threshold}
    assert judging(judging.log(), criterion).logs[0].results[0].verdict == verdict


@pytest.mark.parametrize(("wanted", "asked"), [({}, 3), ({"num_samples": 1}, 1), ({"num_samples": 9}, 5)])
def test_votes_that_agree_are_asked_for_until_the_rest_changes_nothing(
    judging: Any, of_logs: Any, wanted: Any, asked: int
) -> None:
    [check] = judging(judging.log(), of_logs.OUTCOME, **wanted).logs[0].results[0].checks
    assert len(check.votes.votes) == asked
    assert len(list(filter(of_logs.is_question, judging.requests))) == asked


# --- logs -------------------------------------------------------------------------------


def test_a_folder_a_glob_and_a_file_give_each_log_once(judging: Any, of_logs: Any) -> None:
    for name in ("runs/b.json", "runs/deep/a.jsonl", "runs/.hidden/c.json", "other.json"):
        judging.log(name=name)
    (judging.folder / "runs/notes.txt").write_text("no log")
    absolute = str(judging.folder / "runs/b.json")
    named = ["other.json", "runs", "runs/*.json", "runs/**/*.jsonl", "./runs/../other.json", absolute]
    judged = judging(named, aggregate_only=True)

    assert [log.source for log in judged.logs] == ["other.json", "runs/b.json", "runs/deep/a.jsonl"]
    assert judged.errors == ()


def test_a_link_is_read_where_it_leads_to_a_file_and_told_where_it_leads_nowhere(
    judging: Any, of_logs: Any
) -> None:
    judging.log(name="logs/a.json")
    judging.log(name="elsewhere/b.json")
    (judging.folder / "logs/b.json").symlink_to(judging.folder / "elsewhere/b.json")
    (judging.folder / "logs/round").symlink_to(judging.folder / "logs", target_is_directory=True)
    (judging.folder / "logs/gone.json").symlink_to(judging.folder / "nowhere.json")
    judged = judging("logs", of_logs.OUTCOME)

    assert [log.source for log in judged.logs] == ["logs/a.json", "logs/b.json"]
    [error] = judged.errors
    assert error.source == "logs/gone.json"
    assert "No such file" in error.error.message


@pytest.mark.parametrize("output", ["logs/a.json", "criteria.json"])
def test_a_report_is_never_written_over_what_is_read(judging: Any, of_logs: Any, output: str) -> None:
    judging.log(name="logs/a.json")
    (judging.folder / "criteria.json").write_text(json.dumps([of_logs.OUTCOME]))
    before = (judging.folder / output).read_text()
    with pytest.raises(InputError) as caught:
        judged_sync(
            "logs", "criteria.json", judge="fake/m", extensions=judging.extensions(), outputs=[f"./{output}"]
        )

    assert f"{output}: it is read by this run, and a report would take its place" in str(caught.value)
    assert (judging.folder / output).read_text() == before
    assert judging.requests == []


def test_the_report_of_an_earlier_run_may_lie_among_the_logs(judging: Any, of_logs: Any) -> None:
    judging.log(name="logs/a.json")
    for _ in range(2):
        judged = judging("logs", of_logs.OUTCOME, outputs=["logs/out.json"])

        assert [log.source for log in judged.logs] == ["logs/a.json"]
        assert judged.errors == ()
    with pytest.raises(InputError, match=r"out.json: there is no log, only the report"):
        judging("logs/out.json", of_logs.OUTCOME, outputs=["logs/out.json"])


def test_a_pipe_and_a_name_that_is_blank_are_no_logs(judging: Any, of_logs: Any) -> None:
    os.mkfifo(judging.folder / "pipe.json")
    with pytest.raises(InputError) as caught:
        judging(["pipe.json", " "], of_logs.OUTCOME)

    assert "pipe.json: it is neither a file nor a folder: it cannot be read twice" in str(caught.value)
    assert "the name of a log is blank" in str(caught.value)


def test_every_run_of_a_log_is_judged_in_order(judging: Any, of_logs: Any) -> None:
    lines = [json.dumps({"task": f"task {n}", "steps": of_logs.STEPS}) for n in range(20)]
    Path("many.jsonl").write_text("\n".join(lines))
    judged = judging("many.jsonl", of_logs.OUTCOME)

    assert [(log.source, log.run, log.task) for log in judged.logs] == [
        ("many.jsonl", n + 1, f"task {n}") for n in range(20)
    ]
    assert all(len(log.results) == 1 for log in judged.logs)


def test_a_task_is_told_where_the_log_names_none(judging: Any, of_logs: Any) -> None:
    named = [judging.log(name="own.json"), judging.log(name="none.json", task=None)]
    judged = judging(named, of_logs.OUTCOME, task="Buy bread.")

    assert [log.task for log in judged.logs] == [of_logs.TASK, "Buy bread."]


def test_what_cannot_be_read_is_an_error_beside_the_others(judging: Any, of_logs: Any) -> None:
    judging.log(name="good.json")
    Path("broken.json").write_text('{"steps": [{"step": 1, "thinking": "a", "action": "b"}, {')
    Path("odd.json").write_text('{"foo": 1}')
    Path("empty.json").write_text('{"task": "nothing", "steps": []}')
    judged = judging(["broken.json", "odd.json", "good.json"], of_logs.OUTCOME)

    assert [log.source for log in judged.logs] == ["good.json"]
    broken, odd = judged.errors
    assert (broken.source, broken.error.code, broken.criterion_name) == (
        "broken.json",
        "log_unreadable",
        None,
    )
    assert broken.error.origin == "history-log-reader/history_log"
    assert (odd.source, odd.error.code) == ("odd.json", "log_unreadable")
    assert "an object with the keys foo" in odd.error.message
    assert (judged.status, judged.exit_status) == ("error", 3)


def test_a_failing_verdict_comes_before_errors(judging: Any, of_logs: Any) -> None:
    judging.verdict = "not_met"
    Path("odd.json").write_text('{"foo": 1}')
    assert judging(["odd.json", judging.log()], of_logs.OUTCOME).exit_status == 1


def test_a_criterion_that_cannot_be_measured_is_an_error_and_no_verdict(judging: Any, of_logs: Any) -> None:
    def answer(request: JudgeRequest) -> Any:
        if "Each tool call" in request.messages[1].text:
            return JudgeError("the request was refused", code="bad_request")
        return verdicts(request, "met", notes=judging.notes, citations=judging.cite(request))

    judging.answer = answer
    judged = judging(judging.log(), of_logs.PROCESS, of_logs.OUTCOME)

    assert [result.criterion_name for result in judged.logs[0].results] == ["Success"]
    [error] = judged.errors
    assert (error.source, error.run, error.criterion_name) == ("log.json", 1, "Care")
    assert error.error.code == "judge_bad_request"
    assert [check.state for check in error.checks] == ["error"]
    assert judged.exit_status == 3


def test_a_budget_of_calls_leaves_errors(judging: Any, of_logs: Any) -> None:
    judged = judging(judging.log(), of_logs.OUTCOME, max_judge_calls=1)
    assert [error.error.code for error in judged.errors] == ["judge_budget"]
    assert judged.logs[0].results == ()


def test_a_judge_that_cannot_be_asked_at_all_ends_everything(judging: Any, of_logs: Any) -> None:
    judging.answer = lambda request: JudgeError("the key is wrong", code="auth")
    with pytest.raises(RunError, match="the key is wrong"):
        judging(judging.log(), of_logs.OUTCOME)


# --- the same again ---------------------------------------------------------------------


def test_a_rerun_asks_nothing_twice(judging: Any, of_logs: Any) -> None:
    log = judging.log()
    first = judging(log, of_logs.OUTCOME, BROAD)
    asked = len(judging.requests)
    second = judging(log, of_logs.OUTCOME, BROAD)

    assert (second.logs, second.criteria) == (first.logs, first.criteria)
    assert len(judging.requests) == asked


def test_a_replay_gives_the_same(judging: Any, of_logs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    judging.notes["checks"] = "outcome: The milk is in the cart."
    judging.verdict = lambda text: "not_met" if "tool call" in text else "met"
    criteria = (of_logs.OUTCOME, of_logs.PROCESS, BROAD)
    log = judging.log()
    judging(log, BROAD)  # the checks are in the store already, and yet in the recording
    first = judging(log, *criteria, record="calls.rec")
    asked = len(judging.requests)
    # Another installation: no cache, no store of checks.
    monkeypatch.setenv("ADJUDGE_HOME", str(judging.folder / "elsewhere"))
    again = judging(log, *criteria, judge="replay:calls.rec")

    assert len(judging.requests) == asked
    assert (again.logs, again.errors, again.criteria) == (first.logs, first.errors, first.criteria)
    assert again.exit_status == 1
    assert {"fake/m"} == set(again.judges)


# --- plans that cannot work --------------------------------------------------------------


def test_every_problem_is_told_before_the_first_call(judging: Any, of_logs: Any) -> None:
    Path("calls.rec").write_text("in the way")
    lines = told(
        judging,
        ["absent.json", "no/*.json"],
        {**of_logs.OUTCOME, "granularity": "step_levle"},
        {**of_logs.PROCESS, "threshold": 0.5},
        reader="history",
        token_budget=100,
        num_samples=0,
        record="calls.rec",
        outputs=["absent/out.json", "out.pdf"],
    )

    text = "\n".join(lines)
    for expected in (
        "calls.rec: exists; a recording is not written over another file",
        "the folder",
        "no reporter writes 'out.pdf'",
        "token_budget: Input should be greater than or equal to 4000, found 100",
        "judge_model_options.num_samples: Input should be greater than or equal to 1, found 0",
        "criterion 'Success': unknown granularity strategy 'step_levle'. Did you mean 'step_level'?",
        "absent.json: there is no such file or folder",
        "no/*.json: no file matches",
        "unknown trace reader 'history'",
    ):
        assert expected in text, text


def test_the_beginning_of_a_name_is_enough_to_guess_it(judging: Any, of_logs: Any) -> None:
    [line] = told(judging, judging.log(), of_logs.OUTCOME, granularity="phase")
    assert line.startswith("unknown granularity strategy 'phase'. Did you mean 'phase_level'? Installed: ")


def test_where_no_log_can_be_read_there_is_nothing_to_judge(judging: Any, of_logs: Any) -> None:
    Path("odd.json").write_text('{"foo": 1}')
    lines = told(judging, "odd.json", of_logs.OUTCOME)
    assert lines[0].startswith("odd.json: no trace reader knows this format; the file begins with")
    assert "    history_log: not found:" in "\n".join(lines)


def test_a_folder_without_logs(judging: Any, of_logs: Any) -> None:
    Path("void").mkdir()
    assert told(judging, "void", of_logs.OUTCOME)[0] == "void: there is no log in this folder"


@pytest.mark.parametrize(
    ("criteria", "message"),
    [
        ((), "there are no criteria"),
        (({"name": "x"},), "$[0]: criterion has no 'description'."),
    ],
)
def test_criteria_that_are_not_there(judging: Any, criteria: Any, message: str) -> None:
    assert told(judging, judging.log(), *criteria)[0] == message


def test_without_a_judge_the_ways_to_get_one_are_told(judging: Any, of_logs: Any) -> None:
    lines = told(judging, judging.log(), of_logs.OUTCOME, judge=())
    assert "no judge is named" in lines[0]
    assert any("--judge MODEL" in line for line in lines)


def test_a_reader_can_be_insisted_on(judging: Any, of_logs: Any) -> None:
    judged = judging(judging.log(), reader="openai_messages", aggregate_only=True)
    [error] = judged.errors
    assert error.error.origin == "openai-messages-reader/openai_messages"


def test_a_watcher_is_told_how_far_it_has_come(judging: Any, of_logs: Any) -> None:
    told: list[Any] = []
    Path("odd.json").write_text('{"foo": 1}')
    judging([judging.log(name="a.json"), judging.log(name="b.json"), "odd.json"], BROAD, watch=told.append)

    first, *_ = told
    assert (first.cases, first.criteria) == (None, (BROAD["name"],))
    kinds = Counter(type(event).__name__ for event in told)
    [*_, last] = (event for event in told if type(event).__name__ == "JudgesAsked")
    assert last.judges["fake/m"].calls == kinds.pop("JudgesAsked")
    assert kinds == {"RunStarted": 1, "CaseStarted": 3, "CriterionScored": 2, "CaseFinished": 3}
    finished = [event.result for event in told if isinstance(event, CaseFinished)]
    assert {(result.source, result.run, result.status) for result in finished} == {
        ("a.json", 1, "PASS"),
        ("b.json", 1, "PASS"),
        ("odd.json", None, "error"),
    }


def test_from_a_running_loop(judging: Any, of_logs: Any) -> None:
    import asyncio

    async def main() -> adjudge.RunResult:
        return await adjudge.judge_logs(
            judging.log(), [of_logs.OUTCOME], judge="fake/m", extensions=judging.extensions()
        )

    assert asyncio.run(main()).passed


def test_what_a_file_says_moves_nothing_on_the_terminal(tmp_path: Path, adjudge: Any, judging: Any) -> None:
    (tmp_path / "odd.json").write_text(json.dumps({"a\x1b[2Jb\u202ec\x07": 1}))
    done = adjudge("judge", "odd.json", "--aggregate-only")

    assert done.returncode == 2
    assert "an object with the keys ab" in done.stderr
    assert not {"\x1b", "\u202e", "\x07"} & set(done.stderr)
