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
    assert "    passed: importing the plugin is light; the spec is valid\n    not run: a " in done.stdout
    assert (
        "      reason: NEEDY_PROJECT is not set\n      To test the rest, use CriterionConformance"
        in done.stdout
    )
    assert done.stdout.endswith("  no problem found, but some tests of needy were not run\n")
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
            [
                "      reason: it needs options (words), and its spec has no example_options",
                "  no problem found, but some tests of one were not run",
            ],
        ),
        (
            {"one": {"words": ["please"]}, "two": {}},
            3,
            ["  no problem found, but some tests of two were not run"],
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


@pytest.mark.parametrize(
    ("source", "status", "told"),
    [
        ('def feed():\n    """Feed all."""\n', 0, "  sound\n"),
        ("def feed():\n    pass\n", 1, "  bad: its function has no docstring"),
        ("feed = 3\n", 1, "is of type int; a click command is expected"),
    ],
    ids=["sound", "without a docstring", "no command"],
)
def test_a_distribution_that_adds_only_commands_is_checked(
    adjudge: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
    source: str,
    status: int,
    told: str,
) -> None:
    installed = tmp_path / "installed"
    decorated = source.replace("def feed", "@click.command()\ndef feed")
    fake_distribution(
        installed,
        "adjudge-zoo",
        commands={"feed": "zoo_plugin:feed"},
        modules={"zoo_plugin": f"import click\n\n{decorated}"},
    )

    done = adjudge("plugins", "check", "adjudge-zoo", PYTHONPATH=str(installed))

    assert done.returncode == status, done.stdout + done.stderr
    assert done.stdout.startswith("command feed (adjudge-zoo 1.0)\n")
    assert told in done.stdout
