"""What ``adjudge judge`` and ``adjudge runs show`` print of runs in logs, as a newcomer reads it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Run = Callable[..., "CompletedProcess[str]"]

CLICK = {"action": "click(4)", "error": "Button 4 is not clickable"}


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for logs, in which the command line runs."""
    monkeypatch.delenv("ADJUDGE_JUDGE", raising=False)
    monkeypatch.setenv("COLUMNS", "1000")
    (tmp_path / "logs").mkdir()
    criteria = [{"name": "Loops", "criterion": "action_repeats", "maximum": 2}]
    (tmp_path / "criteria.json").write_text(json.dumps(criteria))
    return tmp_path / "logs"


def steps(count: int, **step: object) -> str:
    return json.dumps([{"step": number, **(step or CLICK)} for number in range(1, count + 1)])


def judged(adjudge: Run, *options: str) -> list[str]:
    done = adjudge("judge", "logs", "--criteria", "criteria.json", "--run", "first", *options)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_a_quote_that_was_cut_ends_with_an_ellipsis(adjudge: Run, logs: Path) -> None:
    (logs / "long.json").write_text(steps(3, action="type " + "the same words again " * 30))
    (logs / "short.json").write_text(steps(3, action="type the same words again"))

    lines = [line.strip() for line in judged(adjudge)]

    [cut, *_] = [line for line in lines if line.startswith("step 1 action: “type the same words again the")]
    assert cut.endswith("…”")
    assert "step 1 action: “type the same words again”" in lines


def test_the_last_line_counts_logs_that_were_not_read(adjudge: Run, logs: Path) -> None:
    (logs / "loops.json").write_text(steps(3))
    (logs / "works.json").write_text(steps(1))
    (logs / "odd.json").write_text('{"foo": 1}')

    lines = judged(adjudge)

    assert lines[-1].startswith("FAIL  1 failed, 1 passed   2 runs, 1 log not read   run first")


def test_the_last_line_counts_what_no_criterion_applies_to(adjudge: Run, logs: Path, tmp_path: Path) -> None:
    criteria = [
        {"name": "Loops", "criterion": "action_repeats", "maximum": 2},
        {"name": "Tools", "criterion": "unknown_tools", "maximum": 0},
    ]
    (tmp_path / "criteria.json").write_text(json.dumps(criteria))
    (logs / "loops.json").write_text(steps(3))
    (logs / "works.json").write_text(steps(1))

    lines = judged(adjudge)

    said = "FAIL  1 verdict failed, 1 passed, 2 not applicable, 1 criterion measured nothing   2 runs   run"
    assert lines[-1].startswith(said)


def test_a_run_without_the_agent_is_counted_as_not_judged(adjudge: Run, logs: Path) -> None:
    asked = {"role": "user", "content": "Buy milk."}
    (logs / "chat.json").write_text(json.dumps([asked]))

    lines = judged(adjudge)

    assert lines[-1].startswith("ERROR  0 runs, 1 run not judged   run first")


def test_a_detailed_report_leaves_nothing_out(adjudge: Run, logs: Path) -> None:
    words = " ".join(f"word{number}" for number in range(60))
    for number in range(12):
        (logs / f"loop{number:02}.json").write_text(steps(13, action=f"type {words}"))
        (logs / f"works{number:02}.json").write_text(steps(1))
    judged(adjudge)

    shown = adjudge("runs", "show", "first").stdout
    assert (
        "and 12 more; these show all of them:\n  adjudge runs show first --print_detailed_results\n" in shown
    )
    assert "      and 8 more\n" in shown

    detailed = adjudge("runs", "show", "first", "--print_detailed_results").stdout
    assert "more" not in detailed.replace("and 3 more", "", 12)
    assert detailed.count("PASS    Loops") == 12
    assert detailed.count("      step 13 action: “type word0") == 12
    assert "steps: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]" in detailed


def test_a_verdict_by_code_says_on_which_side_of_the_threshold_it_is(adjudge: Run, logs: Path) -> None:
    (logs / "loops.json").write_text(steps(3))
    (logs / "works.json").write_text(steps(1))

    lines = judged(adjudge)

    assert "  FAIL    Loops  3.00, above the threshold 2.00" in lines
    assert "  PASS    Loops  1.00, not above the threshold 2.00" in lines
