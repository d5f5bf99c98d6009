"""`adjudge plugins check` on a machine that lacks what a plugin's criterion needs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from adjudge.testing import fake_distribution

NEEDY = """
from adjudge.plugin import CriterionSpec, InputError, Measurement, Outcome, Problem, hookimpl


class Needy:
    async def score(self, case):
        return Measurement(per_invocation=tuple(Outcome.scored(1.0) for _ in case.actual.invocations))


def make(config, host):
    if not host.environment.get("NEEDY_PROJECT"):
        raise InputError(Problem(what="NEEDY_PROJECT is not set", hint="Set it."))
    return Needy()


@hookimpl.criteria
def criteria():
    return [CriterionSpec(name="needy", summary="Needs a project", factory=make)]
"""


def test_a_criterion_that_cannot_be_made_here_is_said_and_not_called_bad(
    adjudge: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    installed = tmp_path / "installed"
    fake_distribution(
        installed, "adjudge-needy", entry_points={"needy": "needy_plugin"}, modules={"needy_plugin": NEEDY}
    )

    done = adjudge("plugins", "check", "adjudge-needy", PYTHONPATH=str(installed))

    assert done.returncode == 3, done.stdout + done.stderr
    assert "not run: NEEDY_PROJECT is not set; test it with adjudge.testing" in done.stdout
    assert done.stdout.endswith("  not known to be sound: not all tests of needy were run\n")
    assert "Traceback" not in done.stdout


CHOOSY = """
import sys
from adjudge.plugin import AgentAdapterSpec, ComponentConfig, CriterionSpec, Measurement, Outcome, hookimpl


class Words(ComponentConfig):
    words: tuple[str, ...]


class Choosy:
    def __init__(self, config):
        self.config = config

    async def score(self, case):
        if "leave" in self.config.words:
            sys.exit(0)
        return Measurement(per_invocation=tuple(Outcome.scored(1.0) for _ in case.actual.invocations))


@hookimpl.criteria
def criteria():
    for name, example in {examples!r}.items():
        yield CriterionSpec(
            name=name, summary="Some words", factory=lambda config, host: Choosy(config), config=Words,
            example_options=example,
        )
"""


@pytest.mark.parametrize(
    ("examples", "status", "told"),
    [
        ({"one": {"words": ["please"]}}, 0, ["  sound"]),
        (
            {"one": {}},
            3,
            ["    not run: it needs options (words)", "  not known to be sound: not all tests of one"],
        ),
        (
            {"one": {"words": ["please"]}, "two": {}},
            3,
            ["  not known to be sound: not all tests of two were run"],
        ),
        ({"one": {"wrods": ["please"]}}, 1, ["    bad: the spec is valid: it raised"]),
        (
            {"one": {"words": ["leave"]}},
            1,
            ["    bad: every case is measured as the spec promises: it raised"],
        ),
    ],
    ids=["example", "no example", "one of two", "wrong example", "leaves"],
)
def test_only_what_was_tested_is_called_sound(
    adjudge: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
    examples: dict[str, dict[str, list[str]]],
    status: int,
    told: list[str],
) -> None:
    installed = tmp_path / "installed"
    module = CHOOSY.replace("{examples!r}", repr(examples))
    fake_distribution(
        installed,
        "adjudge-choosy",
        entry_points={"choosy": "choosy_plugin"},
        modules={"choosy_plugin": module},
    )

    done = adjudge("plugins", "check", "adjudge-choosy", PYTHONPATH=str(installed))

    assert done.returncode == status, done.stdout + done.stderr
    for line in told:
        assert any(shown.startswith(line) for shown in done.stdout.splitlines()), done.stdout
    assert (done.stdout.splitlines()[-1] == "  sound") == (status == 0)


@pytest.mark.parametrize("plugin", ["python-agent", "eval-set-reader", "custom-metric"])
def test_a_built_in_that_needs_more_than_itself_is_not_called_sound(
    adjudge: Callable[..., subprocess.CompletedProcess[str]], plugin: str
) -> None:
    done = adjudge("plugins", "check", plugin)

    assert done.returncode == 3, done.stdout + done.stderr
    assert "not run: " in done.stdout
    assert "\n  sound" not in done.stdout
