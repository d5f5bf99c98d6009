"""A judge on 25 runs of an airline agent and 25 of web agents: ``nox -s experiment -- --judge MODEL``.

Prints every verdict beside its label, and how many verdicts there are, how many are right, and what they cost. Arguments
that are not named here go to ``adjudge judge``: ``--record FILE`` keeps the answers, ``--judge replay:FILE`` answers from them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from figures import figures_of
from labelled_logs import AIRLINE, WEB, LabelledLog, sample
from page import figure, table
from web_runs import DATA

CRITERION = "done"
STATEMENT = "The run does what the user asked, as far as the agent's instructions allow it."
"""One for both data sets, so that one command asks about all runs and one recording answers for all. The airline's reward
is given for a refusal too, where its policy asks for one."""
RUNS = 25
FINISHED = (0, 1, 3)
"""How `adjudge judge` ends when every run was looked at."""
COLUMNS = (
    "data set",
    "label",
    "runs",
    "decided",
    "right",
    "kappa",
    "UNSURE",
    "error",
    "requests a run",
    "times the log's tokens",
    "injection flags",
)

Results = Mapping[str, Mapping[str, Any]]
"""By the path of the log: what `adjudge judge` wrote of it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--judge", metavar="MODEL", required=True, help="as `adjudge judge` has it")
    parser.add_argument(
        "--data", metavar="FOLDER", type=Path, default=DATA, help="which has tau_airline and web_agent_runs"
    )
    parser.add_argument(
        "--runs", metavar="N", type=int, default=RUNS, help=f"how many of each data set; otherwise {RUNS}"
    )
    options, passed_on = parser.parse_known_args()
    if options.runs < 1:
        parser.error("--runs must be at least 1")
    for name in (AIRLINE, WEB):
        if not (wanted := options.data / name / "runs.jsonl.gz").is_file():
            sys.exit(f"the runs are absent: there is no {wanted}; --data FOLDER names another folder")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        logs = {str(log.write(folder / "logs")): log for log in sample(options.data, options.runs)}
        written = judge(options.judge, passed_on, logs, folder)
        results = _read(written)
        print(_verdicts(logs, results))  # noqa: T201
        print("".join(f"{told}\n" for told in _errors(logs, results)))  # noqa: T201
        print(f"The check: {STATEMENT}\nThe judge: {options.judge}. 95 % intervals in brackets.\n")  # noqa: T201
        print(_table(logs, results, written, folder))  # noqa: T201


def judge(model: str, passed_on: Sequence[str], logs: Iterable[str], folder: Path) -> Path:
    """Ask, with one vote unless another number is passed on; the JSON of the run."""
    criteria, output = folder / "criteria.json", folder / "results.json"
    worded = {
        "name": CRITERION,
        "description": STATEMENT,
        "about": "outcome",
        "granularity": "step_level",
        "checks": [STATEMENT],
    }
    criteria.write_text(json.dumps([worded]), encoding="utf-8")
    command = [sys.executable, "-m", "adjudge", "judge", *logs, "--criteria", str(criteria)]
    command += ["--judge", model, "--output", str(output), "--num-samples", "1", *passed_on]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if (
        done.returncode not in FINISHED or not output.exists()
    ):  # its message is on the terminal; --dry-run says what it found and asks nothing
        print(done.stdout, end="")  # noqa: T201
        sys.exit(done.returncode)
    return output


def _read(results: Path) -> Results:
    cases = json.loads(results.read_text(encoding="utf-8"))["cases"]
    return {case["source"]: case for case in cases}


def _verdicts(logs: Mapping[str, LabelledLog], results: Results) -> str:
    rows: list[list[str]] = []
    for path, log in logs.items():
        said = _criterion(results.get(path))
        error = _error(results.get(path))
        codes = [*said.get("reason_codes", ()), *([error["code"]] if error else [])]
        labels = ", ".join(f"{label} ({who})" for who, label in log.labels.items() if label)
        rows.append([log.data_set, log.run_id, said.get("verdict") or "error", labels, ", ".join(codes)])
    return table(("data set", "run", "verdict", "labels", "codes"), rows)


def _errors(logs: Iterable[str], results: Results) -> list[str]:
    """Why runs could not be measured, each reason once."""
    found = [error for path in logs if (error := _error(results.get(path)))]
    return list(dict.fromkeys(f"{error['code']}: {error['message']}" for error in found))


def _table(logs: Mapping[str, LabelledLog], results: Results, written: Path, folder: Path) -> str:
    rows: list[list[str]] = []
    for name in (AIRLINE, WEB):
        mine = {path: log for path, log in logs.items() if log.data_set == name}
        cost = _cost(mine, results)
        for who in dict.fromkeys(who for log in mine.values() for who in log.labels):
            labelled = [
                {"source": path, "criterion": CRITERION, "label": label}
                for path, log in mine.items()
                if (label := log.labels[who])
            ]
            if labelled:
                found = figures_of(written, labelled, folder)[CRITERION]
                rows.append([name, who, *_agreement(found), *cost])
    return table(COLUMNS, rows)


def _agreement(found: Mapping[str, Any]) -> list[str]:
    figures = found["figures"]
    return [
        str(found["labelled"]),
        f"{found['decided']}: {figure(figures['coverage'])}",
        f"{found['counts']['true_pass'] + found['counts']['true_fail']}: {figure(figures['accuracy'])}",
        figure(figures["kappa"]),
        str(found["unsure"]),
        str(found["not_measured"]),
    ]


def _cost(logs: Mapping[str, LabelledLog], results: Results) -> list[str]:
    """What was asked about the runs of a data set, answers that were known already included."""
    said = [_criterion(results.get(path)) for path in logs]
    uses = [result["judging"] for result in said if result.get("judging")]
    asked = sum(use["votes"] + use["lost_votes"] for use in uses)
    usages = [use["usage"] for use in uses if use["usage"]]
    tokens = sum((usage[kind] or 0) for usage in usages for kind in ("input_tokens", "output_tokens"))
    own = sum(log.tokens for log in logs.values())
    flagged = sum("addresses_judge" in result.get("reason_codes", ()) for result in said)
    return [f"{asked / len(logs):.1f}", f"{tokens / own:.1f}" if tokens else "-", str(flagged)]


def _criterion(case: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """What was concluded of a run; empty where nothing could be measured at all."""
    return next(iter(case["criteria"]), {}) if case else {}


def _error(case: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Why there is no verdict on a run; ``None`` where there is one, or the judge left it open."""
    return _criterion(case).get("error") or (case or {}).get("error")


if __name__ == "__main__":
    main()
