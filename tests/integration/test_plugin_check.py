"""`adjudge plugins check` on a machine that lacks what a plugin's criterion needs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

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

    assert done.returncode == 0, done.stdout + done.stderr
    assert "not run: NEEDY_PROJECT is not set; test it with adjudge.testing" in done.stdout
    assert "Traceback" not in done.stdout
