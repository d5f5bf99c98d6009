"""Verdicts as pytest outcomes: FAIL fails the test; an error or UNSURE is an error of its setup."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, cast

import pytest
from _pytest.outcomes import Failed

from adjudge import EvaluatedCase
from adjudge.kit import render
from adjudge.plugin import AdjudgeError
from adjudge_plugins.pytest_plugin.runs import Runs, Wanted, WantedCase

_FLAGS: Final = {
    "config": "--config_file_path",
    "num_runs": "--num_runs",
    "judge": "--judge",
    "timeout": "--timeout",
    "scoring_timeout": "--scoring-timeout",
    "max_judge_calls": "--max-judge-calls",
    "max_cost": "--max-cost",
}
"""Options that the command line has too."""


class NotMeasured(Failed):
    """There is no verdict. It never passes, is never skipped, and no expected failure explains it."""

    __module__ = "builtins"  # pytest shows the whole name, and does the same with its own

    def __init__(self, message: str) -> None:
        """Say why."""
        super().__init__(message, pytrace=False)


def run(runs: Runs, wanted: WantedCase) -> EvaluatedCase:
    """The case of a test.

    Raises:
        NotMeasured: it could not be run.
    """
    try:
        return runs.case(wanted)
    except AdjudgeError as error:
        raise _not_run(error) from None


def require_measured(case: EvaluatedCase, wanted: WantedCase, item: pytest.Item) -> None:
    """See that a case has a verdict: PASS or FAIL. One to which nothing applies is skipped.

    Raises:
        NotMeasured: there is no verdict.
    """
    item.user_properties.extend(_properties(case))
    if case.status == "not_applicable":
        why = case.overall.error
        pytest.skip("not applicable" if why is None else render.clean(why.message))
    if case.status not in ("PASS", "FAIL"):
        raise NotMeasured(failure_text(case, _again(wanted, item.nodeid)))


def require_passed(case: EvaluatedCase, wanted: WantedCase, nodeid: str) -> None:
    """Fail the test where the case has failed."""
    if case.status != "PASS":
        pytest.fail(failure_text(case, _again(wanted, nodeid)), pytrace=False)


def all_passed(runs: Runs, wanted: Wanted) -> tuple[EvaluatedCase, ...]:
    """All cases of a run.

    Raises:
        NotMeasured: nothing failed, and there is a case without a verdict, none that passed, or a criterion that
            decides and measured nothing.
        pytest.fail.Exception: a case failed.
    """
    try:
        cases, summary = runs.whole(wanted)
    except AdjudgeError as error:
        raise _not_run(error) from None
    statuses = {case.status for case in cases}
    if statuses <= {"PASS", "not_applicable"} and summary.status == "PASS":
        return tuple(cases)
    unsettled = [case for case in cases if case.status != "PASS"]
    told = [render.clean(item.error.message) for item in summary.criteria if item.error is not None]
    text = "\n\n".join([*([_failure_texts(unsettled, len(cases))] if unsettled else ()), *told])
    if "FAIL" in statuses:
        pytest.fail(text, pytrace=False)
    raise NotMeasured(text)


def failure_text(case: EvaluatedCase, again: str | None = None) -> str:
    """Why a case did not pass: each criterion, what was expected and what happened, and the command to see it again."""
    whole = render.WholeCase(overall=case.overall, repeats=case.repeats)
    headline, explained = render.headline(whole), [str(item) for item in render.explained(whole)]
    error = case.overall.error
    said_again = headline if error is None else error.message
    if explained and said_again in " ".join(explained[0].split()):
        del explained[0]
    lines = [headline, *(f"  {item}" for item in explained)]
    if again is not None:
        lines += ["", f"again: {again}"]
    return "\n".join(lines)


def _failure_texts(cases: Sequence[EvaluatedCase], asked: int) -> str:
    """Why several cases did not pass."""
    told = (f"{case.status}  {render.clean(case.name)}: {failure_text(case)}" for case in cases)
    return "\n\n".join([f"{len(cases)} of {asked} cases did not pass", *told])


def _not_run(error: AdjudgeError) -> NotMeasured:
    """Why nothing could be run: what is wrong with the plan, the eval set or the run."""
    return NotMeasured(f"nothing was measured: {render.clean(str(error))}")


def _properties(case: EvaluatedCase) -> Iterator[tuple[str, str]]:
    """The score of every criterion, for JUnit files."""
    for criterion in case.overall.criteria:
        yield criterion.criterion_name, render.brief_text(criterion)


def _again(wanted: WantedCase, nodeid: str) -> str:
    """The command that runs the case again; that of pytest where the agent or an option is an object."""
    return _eval_command(wanted) or shlex.join(["pytest", nodeid])


def _eval_command(wanted: WantedCase) -> str | None:
    run: Wanted = wanted.run
    if not isinstance(run.agent, str):
        return None
    file = wanted.file
    shown = file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file
    command = ["adjudge", "eval", run.agent, f"{shown}:{wanted.eval_id}"]
    for name, value in run.options.items():
        if name == "agent_options":
            for key, option in value.items():
                command += ["--agent-option", f"{key}={option}"]
        elif name == "isolate":
            command += ["--isolate"] if value else []
        elif name in _FLAGS:
            values: list[object] = (
                [*cast("list[object]", value)] if isinstance(value, list | tuple) else [value]
            )
            if not all(isinstance(item, (str, int, float, Path)) for item in values):
                return None
            for item in values:
                command += [_FLAGS[name], str(item)]
    if _names_code(file):
        command.append("--trust-code")
    return shlex.join(command)


def _names_code(file: Path) -> bool:
    """Whether the configuration beside an eval set names code, which the command line runs where it is told to."""
    try:
        return "custom_metrics" in (file.parent / "test_config.json").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
