"""Every report of ``adjudge eval`` and ``adjudge runs show`` as it is."""

from __future__ import annotations

from collections.abc import Callable
from subprocess import CompletedProcess
from typing import Any

import pytest

Run = Callable[..., CompletedProcess[str]]

EVAL = ("eval", "bot:agent", "--run", "golden", "--concurrency", "1")
OUTPUTS = ("--output", "out.json", "--output", "out.xml")
PLAIN = ("--config_file_path", "plain.json")
JUDGED = ("--config_file_path", "judged.json", "--judge", "scripted/m")


def reports(golden: Any, name: str) -> None:
    """Compare the JSON and the JUnit that were written."""
    golden.json(f"{name}.json", (golden.folder / "out.json").read_bytes().decode())
    golden.text(f"{name}.xml", (golden.folder / "out.xml").read_bytes().decode())


def test_a_run_with_every_status(golden: Any, adjudge_here: Run) -> None:
    done = adjudge_here(*EVAL, "shop.test.json", *OUTPUTS)
    golden.command("eval/statuses.txt", done)
    reports(golden, "eval/statuses")

    every_turn = adjudge_here("runs", "show", "golden", "--print_detailed_results")
    golden.command("eval/statuses-detailed.txt", every_turn)


def test_a_run_whose_judge_is_a_recording(golden: Any, adjudge_here: Run) -> None:
    judged = (*EVAL[:2], "shop.test.json:wrong-answer,undecided", "--concurrency", "1")
    adjudge_here(*judged, "--run", "recorded", "--record", "calls.rec")
    done = adjudge_here(*judged, "--run", "golden", "--judge", "replay:calls.rec", "--no-cache", *OUTPUTS)
    golden.command("eval/replayed.txt", done)
    reports(golden, "eval/replayed")


def test_a_run_of_every_kind_of_judged_criterion(golden: Any, adjudge_here: Run) -> None:
    done = adjudge_here(*EVAL, "judged.test.json", *JUDGED, *OUTPUTS)
    golden.command("eval/judged.txt", done)
    reports(golden, "eval/judged")
    golden.command("agreement/of-cases.txt", adjudge_here("agreement", "out.json", "eval-labels.csv"))


def test_a_run_with_repeats(golden: Any, adjudge_here: Run) -> None:
    sets = ("repeats.test.json", *PLAIN, "--num_runs", "2")
    golden.command("eval/repeats.txt", adjudge_here(*EVAL, *sets, *OUTPUTS))
    reports(golden, "eval/repeats")


def test_a_run_that_passes(golden: Any, adjudge_here: Run) -> None:
    golden.command("eval/passes.txt", adjudge_here(*EVAL, "repeats.test.json:steady", *PLAIN, *OUTPUTS))
    reports(golden, "eval/passes")


def test_an_agent_that_is_too_slow(golden: Any, adjudge_here: Run) -> None:
    done = adjudge_here(*EVAL, "slow.test.json", *PLAIN, "--timeout", "0.1", *OUTPUTS)
    (golden.folder / "over").touch()
    golden.command("eval/slow.txt", done)
    reports(golden, "eval/slow")


def test_a_run_that_was_killed(golden: Any, adjudge: Run, adjudge_here: Run) -> None:
    (golden.folder / "deadly").touch()
    killed = adjudge(*EVAL, "killed.test.json", *PLAIN)
    assert killed.returncode == -9, killed.stderr
    golden.command("eval/killed.txt", adjudge_here("runs", "show", "golden", *OUTPUTS))
    reports(golden, "eval/killed")
    golden.command("eval/killed-screen.txt", adjudge_here("runs", "show", "golden"))
    adjudge_here("eval", "bot:agent", "killed.test.json:first", *PLAIN, "--run", "finished")
    golden.command("lists/runs.txt", adjudge_here("runs", "list"))
    golden.command("lists/runs.json", adjudge_here("runs", "list", "--json"))

    (golden.folder / "deadly").unlink()
    golden.command("eval/resumed.txt", adjudge_here("resume", "golden"))
    golden.command("eval/resumed-again.txt", adjudge_here("resume", "golden"))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("no-such-agent", ("eval", "bot:agnt", "shop.test.json")),
        ("no-such-case", ("eval", "bot:agent", "shop.test.json:pases")),
        ("no-such-criterion", ("eval", "bot:agent", "shop.test.json", "--config_file_path", "misspelt.json")),
        ("no-such-run", ("runs", "show", "absent")),
        ("no-such-option", ("eval", "bot:agent", "shop.test.json", "--num-run", "2")),
    ],
)
def test_what_stops_a_command(golden: Any, adjudge_here: Run, name: str, arguments: tuple[str, ...]) -> None:
    golden.command(f"stopped/{name}.txt", adjudge_here(*arguments))
