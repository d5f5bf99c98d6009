"""What a person reads at the end of a run."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import unicodedata
from textwrap import dedent
from typing import Any

import pytest

from adjudge.model.evidence import Failure
from adjudge.model.measurement import Measurement, Outcome
from adjudge.plugin import RunReport
from adjudge.testing import ReporterConformance
from adjudge_plugins.reporters import console_reporter
from adjudge_plugins.reporters.console_reporter.reporter import ConsoleReporter
from adjudge_plugins.reporters.json_reporter.writer import JsonReporter
from adjudge_plugins.reporters.junit_reporter.reporter import JUnitReporter

SCORED = Outcome.scored


class TestConformance(ReporterConformance):
    plugin = console_reporter
    component = "console"


class Terminal(io.BytesIO):
    """A stream that says that a person looks at it."""

    def isatty(self) -> bool:
        return True


def shown(report: RunReport, stream: io.BytesIO | None = None) -> str:
    stream = stream or io.BytesIO()
    ConsoleReporter().write(report, stream)
    return stream.getvalue().decode("utf-8")


def block(text: str) -> str:
    return dedent(text).strip("\n")


# --- the last lines -----------------------------------------------------------------------


def test_the_last_line_is_the_verdict(run_of: Any) -> None:
    run = run_of()
    for number in range(4):
        run.add(f"good-{number}", {"answer_match": [0.9]})
    for number in range(3):
        run.add(f"bad-{number}", {"answer_match": [0.1]})
    run.add("broken", Failure(code="agent_raised", message="ValueError: boom"))

    assert shown(run.report()).splitlines()[-1] == (
        "FAIL  3 of 8 cases failed, 4 passed, 1 error   run nightly   4.2 s"
    )


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        (1.0, "PASS  1 case passed   run nightly   4.2 s"),
        (Outcome.failed("x", "x"), "ERROR  1 of 1 case could not be measured   run nightly   4.2 s"),
        (Outcome.unsure("split_votes", "x"), "UNSURE  1 of 1 case undecided   run nightly   4.2 s"),
    ],
)
def test_every_verdict_has_its_words(run_of: Any, outcome: Outcome | float, line: str) -> None:
    report = run_of().add("only", {"answer_match": [outcome]}).report()

    assert shown(report).splitlines()[-1] == line


def test_it_says_how_to_see_more_and_how_to_try_again(run_of: Any) -> None:
    run = run_of().add("slow", Failure(code="timeout", message="took longer than 5 s", retryable=True))

    assert "to try 1 of the errors again:  adjudge resume nightly\n" in shown(run.report())
    assert "to see every turn:  adjudge runs show nightly --print_detailed_results\n" in shown(run.report())


def test_a_run_that_is_not_finished_says_so(run_of: Any) -> None:
    run = run_of(run={"name": "cut", "finished_at": None, "duration": 1.0}).add("a", {"answer_match": [1.0]})

    assert "not finished:  adjudge resume cut\n" in shown(run.report())


def test_a_passing_run_is_short(run_of: Any) -> None:
    report = run_of().add("a", {"answer_match": [0.9]}).add("b", {"answer_match": [1.0]}).report()

    assert shown(report) == dedent("""\
        home  home.evalset.json  2 passed
          criterion     mean  threshold  passed
          answer_match  0.95    >= 0.80  2/2

        PASS  2 cases passed   run nightly   4.2 s
        """)


# --- the table ----------------------------------------------------------------------------


def test_each_eval_set_has_a_table_of_its_criteria(run_of: Any) -> None:
    run = run_of(
        rules={"answer_match": 0.8, "tokens": 1000.0, "seconds": None},
        lower_is_better=frozenset({"tokens"}),
        value_range=(0.0, 1e9),
    )
    nothing = Outcome.not_applicable("no reference")
    run.add("a", {"answer_match": [0.9], "tokens": [1500.0], "seconds": [1.5]})
    run.add("b", {"answer_match": [nothing], "tokens": [500.0], "seconds": [2.0]})
    run.add("c", Failure(code="agent_raised", message="boom"))
    run.add("d", {"answer_match": [0.5], "tokens": [10.0], "seconds": [0.5]}, file="office.evalset.json")

    text = shown(run.report())

    assert (
        block("""
        home  home.evalset.json  1 passed, 1 failed, 1 error
          criterion     mean  threshold  passed
          answer_match  0.90    >= 0.80  1/2            1 error, 1 not applicable
          tokens        1000    <= 1000  1/3            1 failed, 1 error
          seconds       1.75          -  informational  1 error
        """)
        in text
    )
    assert "office  office.evalset.json  1 failed\n" in text


# --- failures explained -------------------------------------------------------------------


def test_a_failing_turn_is_shown_with_its_prompt_and_what_differs(run_of: Any, a_turn: Any) -> None:
    expected = [a_turn("Hello", "Hi."), a_turn("Turn it off.", "The light in the bedroom is off now.")]
    actual = [a_turn("Hello", "Hi."), a_turn("Turn it off.", "The light in the bedroom is on now, sorry.")]
    scores = {"answer_match": [1.0, SCORED(0.43, "few common words", details={"recall": 1 / 3})]}
    report = run_of().add("lights", scores, expected=expected, actual=actual).report()

    assert shown(report).startswith(
        block("""
        FAIL   home.evalset.json:lights
          answer_match  0.71, below the threshold 0.80
          turn 2 of 2  Turn it off.
            answer_match  0.43
              few common words
              recall: 0.3333
              expected  The light in the bedroom is [-off-] now.
              actual    The light in the bedroom is {+on+} now{+, sorry+}.
        """)
    )


def test_differences_are_marked_in_languages_without_spaces(run_of: Any, a_turn: Any) -> None:
    expected = a_turn("寝室の照明をオフにして", "照明をオフに設定しました。")
    actual = a_turn("寝室の照明をオフにして", "照明をオンに設定しました。")
    report = run_of().add("jp", {"answer_match": [0.5]}, expected=[expected], actual=[actual]).report()

    assert "expected  照明をオ[-フ-]に設定しました。\n" in shown(report)
    assert "actual    照明をオ{+ン+}に設定しました。\n" in shown(report)


def test_a_long_answer_is_shown_around_its_first_difference(run_of: Any, a_turn: Any) -> None:
    same = "word " * 500
    report = (
        run_of()
        .add(
            "long",
            {"answer_match": [0.5]},
            expected=[a_turn("p", same + "yes " + same)],
            actual=[a_turn("p", same + "no " + same)],
        )
        .report()
    )
    text = shown(report)

    assert "[-yes-]" in text
    assert "{+no+}" in text
    assert len(text) < 2000


def test_calls_are_shown_with_what_became_of_each(run_of: Any, a_turn: Any) -> None:
    def entry(status: str, expected: Any, actual: Any, *differences: Any) -> dict[str, Any]:
        return {"expected": expected, "actual": actual, "status": status, "differences": list(differences)}

    find = {"name": "find", "args": {"id": 1}}
    calls = [
        *[entry("match", find, find)] * 3,
        entry(
            "different_args",
            {"name": "set", "args": {"to": "OFF"}},
            {"name": "set", "args": {"to": "ON", "force": True}},
            {"path": "$.to", "expected": "OFF", "actual": "ON"},
            {"path": "$.force", "actual": True},
        ),
        entry("missing", {"name": "check", "args": None}, None),
        entry("unexpected", None, {"name": "beep", "args": {}}),
        entry("out_of_order", find, find),
    ]
    details = {"match_type": "EXACT", "calls": calls}
    scores = {"answer_match": [SCORED(0.0, details=details)]}
    prompt = [a_turn("Turn it off.", "Done.")]
    report = run_of().add("lights", scores, expected=prompt, actual=prompt).report()

    assert block("""
            answer_match  0.00
              = 3 calls match
              ~ set(to="ON", force=true)   other arguments
                  to: expected "OFF", got "ON"
                  force: expected nothing, got true
              - check()   expected, not made
              + beep()   made, not expected
              > find(id=1)   out of order
        """).replace("\n", "\n    ") in shown(report)


@pytest.mark.parametrize("calls", ["text", [1], [{"status": []}], [{"status": "match", "differences": 1}]])
def test_details_of_a_form_of_their_own_are_shown_as_key_and_value(
    run_of: Any, a_turn: Any, calls: Any
) -> None:
    scores = {"answer_match": [SCORED(0.0, details={"calls": calls, "note": "odd"})]}
    report = run_of().add("x", scores, expected=[a_turn("p", "a")], actual=[a_turn("p", "b")]).report()

    assert "calls: " in shown(report)
    assert 'note: "odd"' in shown(report)


def test_a_criterion_of_the_whole_case_is_explained(run_of: Any) -> None:
    whole = Measurement(overall=SCORED(0.0, "the state differs", details={"missing": ["cart"]}))

    text = shown(run_of().add("state", {"answer_match": whole}).report())

    assert (
        block("""
          answer_match  0.00, below the threshold 0.80
            the state differs
            missing: ["cart"]
        """).replace("\n", "\n  ")
        in text
    )


def test_a_case_that_fails_although_turns_are_missing_says_why(run_of: Any) -> None:
    scores = {"answer_match": [0.1, 0.2, Outcome.failed("judge_lost", "no reply")]}

    text = shown(run_of().add("x", scores).report())

    assert "answer_match  at best 0.43, below the threshold 0.80, 2 of 3 turns scored\n" in text


def test_an_error_is_shown_with_its_code_origin_and_the_turn_it_happened_in(run_of: Any, a_turn: Any) -> None:
    expected = [a_turn("Hello", "Hi."), a_turn("Turn it off.", "Done.")]
    actual = [a_turn("Hello", "Hi."), a_turn("Turn it off.", None, [("find", {"id": 1})])]
    failure = Failure(code="agent_raised", message="ValueError: boom", origin="python-agent/python")

    text = shown(run_of().add("x", failure, expected=expected, actual=actual).report())

    assert text.startswith(
        block("""
        ERROR  home.evalset.json:x
          agent_raised (python-agent/python): ValueError: boom
          no answer in turn 2 of 2  Turn it off.
            called find(id=1)
        """)
    )


def test_calls_that_are_not_shown_before_an_error_are_counted(run_of: Any, a_turn: Any) -> None:
    actual = [a_turn("Turn it off.", None, [("find", {"id": number}) for number in range(9)])]
    failure = Failure(code="turn_limit", message="too long", origin="python-agent/python")

    text = shown(
        run_of().add("x", failure, expected=[a_turn("Turn it off.", "Done.")], actual=actual).report()
    )

    assert block("""
            called 4 more before these
            called find(id=4)
        """) in text.replace("\n    ", "\n")
    assert "find(id=3)" not in text


def test_repeats_are_one_case(run_of: Any, a_turn: Any) -> None:
    run = run_of()
    for repeat, score in enumerate([0.9, 0.5, 0.4], 1):
        run.add(
            "flaky",
            {"answer_match": [score]},
            expected=[a_turn("p", "yes")],
            actual=[a_turn("p", f"answer {repeat}")],
            repeat=repeat,
        )

    text = shown(run.report())

    assert text.startswith(
        block("""
        FAIL   home.evalset.json:flaky
          1 of 3 repeats passed; over all of them:
            answer_match  mean 0.60, below the threshold 0.80, standard deviation 0.26
          Repeat 2:
          answer_match  0.50, below the threshold 0.80
        """)
    )
    assert "answer 2" in text
    assert text.endswith("FAIL  1 of 1 case failed, 3 repeats each   run nightly   4.2 s\n")


def test_many_failures_are_bounded_and_the_rest_is_counted(run_of: Any) -> None:
    run = run_of()
    for number in range(13):
        run.add(f"bad-{number}", {"answer_match": [0.1]})

    text = shown(run.report())

    assert text.count("below the threshold") == 10
    assert "and 3 more that did not pass; these show all of them:\n" in text
    assert "  adjudge runs show nightly --output result.json\n" in text
    assert "FAIL  13 of 13 cases failed" in text


def test_many_failing_turns_are_bounded_too(run_of: Any, a_turn: Any) -> None:
    turns = [a_turn(f"prompt {number}", "a") for number in range(8)]

    text = shown(run_of().add("x", {"answer_match": [0.1] * 8}, expected=turns, actual=turns).report())

    assert "turn 3 of 8" in text
    assert "turn 4 of 8" not in text
    assert "and 5 more turns\n" in text


def test_a_criterion_whose_lower_scores_are_better_says_on_which_side_they_pass(
    run_of: Any, write: Any
) -> None:
    run = run_of(rules={"loops": 2.0}, lower_is_better=frozenset({"loops"}), value_range=(0.0, float("inf")))
    for name, score in (("under", 1.0), ("at", 2.0), ("over", 3.0)):
        run.add(name, {"loops": [score]})

    lines = [line.strip() for line in shown(run.report(detailed=True)).splitlines()]
    assert (
        lines[lines.index("PASS   home.evalset.json:under") + 1]
        == "loops  1.00, not above the threshold 2.00"
    )
    assert (
        lines[lines.index("PASS   home.evalset.json:at") + 1] == "loops  2.00, not above the threshold 2.00"
    )
    assert lines[lines.index("FAIL   home.evalset.json:over") + 1] == "loops  3.00, above the threshold 2.00"

    files = write(JUnitReporter(), run.report()).decode()
    assert "loops: 1.00, maximum 2.00, PASS" in files
    document = json.loads(write(JsonReporter(), run.report()))
    assert [case["criteria"][0]["lower_is_better"] for case in document["cases"]] == [True, True, True]


# --- everything, on request ---------------------------------------------------------------


def test_detailed_results_show_every_turn_of_every_case(run_of: Any, a_turn: Any) -> None:
    expected = [a_turn("Hello\nthere", "Hi.", [("find", {"id": 1})])]
    actual = [a_turn("Hello\nthere", "Good day.")]
    report = (
        run_of()
        .add("x", {"answer_match": [SCORED(0.9, "close")]}, expected=expected, actual=actual)
        .report(detailed=True)
    )

    assert shown(report).startswith(
        block("""
        PASS   home.evalset.json:x
          answer_match  0.90, threshold 0.80
          turn 1 of 1
            prompt    Hello
                      there
            expected  Hi.
            actual    Good day.
            expected calls:
              find {"id": 1}
            actual calls: none
            answer_match  0.90
              close
        """)
    )


# --- terminals ----------------------------------------------------------------------------

HOSTILE = "safe \x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J \x00 \u202eevil [bold]not markup[/bold]"


@pytest.mark.parametrize("detailed", [False, True])
def test_what_an_agent_says_cannot_drive_the_terminal(run_of: Any, a_turn: Any, detailed: bool) -> None:
    scores = {"answer_match": [SCORED(0.1, HOSTILE, details={HOSTILE: HOSTILE})]}
    turns = [a_turn(HOSTILE, HOSTILE, [(HOSTILE, {HOSTILE: HOSTILE})])]
    run = run_of(warnings=(HOSTILE,)).add(HOSTILE, scores, expected=turns, actual=turns, file=HOSTILE)

    text = shown(run.report(detailed=detailed))

    assert [c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c != "\n"] == []
    assert "\u202e" not in text
    assert "[bold]not markup[/bold]" in text
    assert "safe red" in text


def test_colours_are_for_terminals_and_can_be_turned_off(
    run_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    report = run_of().add("x", {"answer_match": [0.1]}).report()
    plain = shown(report)

    coloured = shown(report, Terminal())
    monkeypatch.setenv("NO_COLOR", "1")

    assert "\x1b[" not in plain
    assert "\x1b[31m" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured) == plain
    assert shown(report, Terminal()) == plain


def test_lines_are_wrapped_to_the_width_of_the_terminal(
    run_of: Any, a_turn: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("NO_COLOR", "1")
    expected = [a_turn("A long question. " * 9, "照明をオフに設定しました。" * 9)]
    actual = [a_turn("A long question. " * 9, "some words " * 30)]
    scores = {"answer_match": [SCORED(0.1, "a reason of many words " * 9)]}
    report = run_of().add("x", scores, expected=expected, actual=actual).report()

    lines = shown(report, Terminal()).splitlines()

    wide = [sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line) for line in lines]
    assert max(wide) <= 60
    assert "          some words" in "\n".join(lines)


def test_plain_output_needs_no_library_for_terminals() -> None:
    script = (
        "import sys; import adjudge_plugins.reporters.console_reporter.reporter; print('rich' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"
