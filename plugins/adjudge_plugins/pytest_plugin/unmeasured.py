"""Criteria with a threshold that measured no case of an eval set: an error, because its cases would pass unmeasured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from adjudge import EvaluatedCase
from adjudge.kit import render
from adjudge_plugins.pytest_plugin.runs import WantedCase


def applied(wanted: WantedCase, case: EvaluatedCase) -> dict[str, Any]:
    """Which criteria that decide applied to a case, in a form that workers of xdist can send."""
    return {
        "file": case.overall.eval_set_file,
        "cases": wanted.of,
        "run": repr(wanted.run.key[1:]),
        "eval_id": wanted.eval_id,
        "applied": {
            criterion.criterion_name: criterion.status != "not_applicable"
            for criterion in case.overall.criteria
            if criterion.threshold is not None
        },
    }


class Unmeasured:
    """Hears of all cases, whatever process ran them."""

    def __init__(self) -> None:
        self._heard: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}

    def add(self, told: dict[str, Any]) -> None:
        """Hear of a case, told by ``applied``."""
        self._heard.setdefault((told["run"], told["file"]), {})[told["eval_id"]] = told

    def reports(self) -> Iterator[pytest.TestReport]:
        """An error for each criterion that applied to no case of an eval set whose cases have all been run."""
        for (_, file), heard in self._heard.items():
            cases = list(heard.values())
            names = dict.fromkeys(name for case in cases for name in case["applied"])
            for name in names if len(cases) == cases[0]["cases"] else ():
                if not any(case["applied"].get(name) for case in cases):
                    yield _report(render.clean(name), render.clean(file), len(cases))


def _report(criterion: str, file: str, cases: int) -> pytest.TestReport:
    none = "not to the only case of" if cases == 1 else f"to none of the {cases} cases of"
    nodeid = f"{file}::{criterion} measures something"
    return pytest.TestReport(
        nodeid=nodeid,
        location=(file, None, nodeid),
        keywords={"adjudge": 1},
        outcome="failed",
        longrepr=(
            f"the criterion {criterion!r} measured nothing: it applies {none} {file}. Give the agent or the cases "
            "what it needs, or choose other criteria for these cases in a test_config.json."
        ),
        when="setup",
    )
