"""The fixture ``adjudge_eval``: runs an evaluation inside a test."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adjudge import EvaluatedCase
from adjudge_plugins.pytest_plugin import verdicts
from adjudge_plugins.pytest_plugin.marks import wanted_of
from adjudge_plugins.pytest_plugin.session import session_of


def evaluated(
    request: pytest.FixtureRequest, agent: object, eval_sets: Sequence[str | Path], options: dict[str, Any]
) -> tuple[EvaluatedCase, ...]:
    """Run an agent on eval sets.

    Raises:
        NotMeasured: nothing failed, and there is a case without a verdict, none that passed, or a criterion that
            decides and measured nothing.
        pytest.fail.Exception: a case failed.
    """
    wanted = wanted_of(agent, eval_sets, options, request.path.parent)
    return verdicts.all_passed(session_of(request.config).runs, wanted)
