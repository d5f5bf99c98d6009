"""The pytest plugin: eval sets as tests. It imports nothing of adjudge until a test session uses it.

pytest imports this module in every project that has adjudge installed, before coverage is measured: what is
needed for more than options and fixtures is imported where it is used.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from adjudge import EvaluatedCase

_MARK = (
    "adjudge(agent, eval_set, ..., **options): run the test once for every case of the eval sets, and fail where the "
    "case does not pass. The options are those of adjudge.open_run: config, num_runs, judge, ..."
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of ``adjudge eval`` that a test run needs."""
    group = parser.getgroup("adjudge", "evaluation of LLM agents (adjudge)")
    group.addoption(
        "--adjudge-agent",
        metavar="AGENT",
        type=_name,
        help="Collect *.test.json and *.evalset.json, one test for each case, and run AGENT on them.",
    )
    group.addoption(
        "--adjudge-agent-option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="An option of the agent adapter (repeatable).",
    )
    group.addoption(
        "--adjudge-config",
        metavar="FILE",
        type=_name,
        help="The criteria. Otherwise the test_config.json beside each eval set, or the default criteria.",
    )
    group.addoption(
        "--adjudge-num-runs",
        metavar="N",
        type=_count,
        default=1,
        help="How often every case runs (default: 1).",
    )
    group.addoption(
        "--adjudge-judge",
        action="append",
        type=_name,
        default=[],
        metavar="MODEL",
        help="The model that judges, as provider/model (repeat it for a panel).",
    )
    group.addoption(
        "--adjudge-concurrency",
        metavar="N",
        type=_count,
        default=8,
        help="Cases that run side by side, ahead of the test that is reported (default: 8; 1: each in its turn).",
    )
    group.addoption(
        "--adjudge-timeout",
        metavar="SECONDS",
        type=_seconds,
        default=600.0,
        help="How long a case may take (default: 600).",
    )
    group.addoption(
        "--adjudge-isolate",
        action="store_true",
        help="Run every session with the agent in a process of its own.",
    )
    group.addoption(
        "--adjudge-run",
        metavar="NAME",
        type=_name,
        help="Keep what was found among the runs of adjudge, under this name. Otherwise in pytest's cache.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark; collect eval sets where an agent is named."""
    config.addinivalue_line("markers", _MARK)
    if config.getoption("--adjudge-agent") is not None:
        from adjudge_plugins.pytest_plugin import collection

        collection.options_of(config)
        _activate(config)
        config.pluginmanager.register(collection, "adjudge-collection")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test for each case that the mark of a test names."""
    found = list(metafunc.definition.iter_markers("adjudge"))
    if found:
        from adjudge_plugins.pytest_plugin import marks

        _activate(metafunc.config)
        marks.parametrize(metafunc, found)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let no test pass whose mark was never heard of: pytest asks for parameters of functions alone, and only once."""
    if item.get_closest_marker("adjudge") is not None:
        _activate(item.config)
        from adjudge_plugins.pytest_plugin import session

        session.require_case(item)


@pytest.fixture
def adjudge_case(request: pytest.FixtureRequest) -> EvaluatedCase:
    """The case of a test with the mark ``adjudge``, run and scored: its status, and what the agent did."""
    from adjudge_plugins.pytest_plugin import marks

    return marks.case_of(request)


@pytest.fixture
def adjudge_eval(request: pytest.FixtureRequest) -> Callable[..., tuple[EvaluatedCase, ...]]:
    """``adjudge_eval(agent, eval_sets, **options)``: run an agent on eval sets, and fail unless every case passes.

    The arguments are those of ``adjudge.open_run``. It works inside a running event loop too.
    """
    _activate(request.config)

    def evaluate(agent: object, *eval_sets: str | Path, **options: Any) -> tuple[EvaluatedCase, ...]:
        from adjudge_plugins.pytest_plugin import calls

        return calls.evaluated(request, agent, eval_sets, options)

    return evaluate


def _name(given: str) -> str:
    """What an option names."""
    if not given.strip():
        raise ArgumentTypeError("expected a value, found an empty one")
    return given


def _count(given: str) -> int:
    """A number of things, from 1 on."""
    with suppress(ValueError):
        if (number := int(given)) >= 1:
            return number
    raise ArgumentTypeError(f"expected a whole number from 1 on, found {given!r}")


def _seconds(given: str) -> float:
    """A time that something may take."""
    with suppress(ValueError):
        if (number := float(given)) > 0:
            return number
    raise ArgumentTypeError(f"expected seconds, more than 0, found {given!r}")


def _activate(config: pytest.Config) -> None:
    """Have the runs of this session reported and ended."""
    from adjudge_plugins.pytest_plugin import session

    if not config.pluginmanager.has_plugin(session.NAME):
        config.pluginmanager.register(session.Session(config), session.NAME)
