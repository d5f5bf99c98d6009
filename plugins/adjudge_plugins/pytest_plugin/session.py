"""A pytest session: opens runs when tests need cases, and reports at its end where results are stored."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Generator, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any, Final, cast

import pytest

from adjudge import EvaluatedCase
from adjudge.kit import render
from adjudge_plugins.pytest_plugin import process_end, verdicts
from adjudge_plugins.pytest_plugin.runs import Runs, WantedCase
from adjudge_plugins.pytest_plugin.unmeasured import Unmeasured, applied

NAME: Final = "adjudge-session"
"""Of the plugin that a session is."""

SEVERAL: Final = (
    "counting those of its class and its module. Leave one: it can name several eval sets; "
    "for another agent or other options write another test"
)
"""What is wrong with several marks on a test, and what to do."""

_KEPT: Final = 50
"""Runs that stay in pytest's cache."""
_SHOWN: Final = 5
"""Runs, and warnings, that are told at the end."""
_OUTPUT: Final = "adjudge_runs"
"""Under this key a worker of xdist says what its runs are."""
_APPLIED: Final = pytest.StashKey[dict[str, Any]]()
_MEASURED: Final = pytest.StashKey[tuple[WantedCase, EvaluatedCase]]()


def session_of(config: pytest.Config) -> Session:
    """The session of this process."""
    found = config.pluginmanager.get_plugin(NAME)
    if not isinstance(found, Session):
        raise AssertionError("who opens runs has registered a session")
    return found


class Session:
    """The hooks that every use of the plugin needs, and the runs."""

    def __init__(self, config: pytest.Config) -> None:
        """Prepare; a run is opened where the first test wants one of its cases."""
        self._config = config
        self._runs: Runs | None = None
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._told: list[dict[str, Any]] = []
        self._places: dict[pytest.Item, int] | None = None
        self._unmeasured = Unmeasured()

    @property
    def runs(self) -> Runs:
        """The runs of the session."""
        if self._runs is None:
            names = self._names()
            process_end.never_unnoticed(self._config)
            self._runs = Runs(self._folder(), lambda: next(names))
        return self._runs

    def place_of(self, item: pytest.Item) -> int:
        """Where an item stands in the session."""
        if self._places is None:
            self._places = {other: place for place, other in enumerate(item.session.items)}
        return self._places.get(item, len(self._places))

    def measured(self, item: pytest.Item, wanted: WantedCase) -> EvaluatedCase:
        """The case of a test, run and scored.

        Raises:
            NotMeasured: there is no verdict.
        """
        case = verdicts.run(self.runs, wanted)
        item.stash[_APPLIED] = applied(wanted, case)
        verdicts.require_measured(case, wanted, item)
        item.stash[_MEASURED] = wanted, case
        return case

    # --- hooks ------------------------------------------------------------------------------

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Run the case of a test after its fixtures, unless one of them was the case."""
        wanted = _wanted_by(item)
        if wanted is not None and _MEASURED not in item.stash:
            self.measured(item, wanted)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        """A test that is run again measures its case again."""
        if _MEASURED in item.stash:
            del item.stash[_MEASURED]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Fail a test whose case has failed, after its own assertions."""
        found = item.stash.get(_MEASURED, None)
        try:
            outcome = yield
        except BaseException:
            if found is not None and found[1].status != "PASS":
                item.add_report_section("call", "adjudge", verdicts.failure_text(found[1]))
            raise
        if found is not None:
            verdicts.require_passed(found[1], found[0], item.nodeid)
        return outcome

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """What was not measured is no failure that ``xfail`` expects."""
        report = yield
        if call.when == "setup" and _APPLIED in item.stash:
            cast("Any", report).adjudge_applied = item.stash[_APPLIED]
        if call.excinfo is not None and isinstance(call.excinfo.value, verdicts.NotMeasured):
            report.outcome = "failed"
            report.longrepr = item.repr_failure(call.excinfo)
            if hasattr(report, "wasxfail"):
                del report.wasxfail
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Hear which criteria applied to a case, in whatever process."""
        if (told := getattr(report, "adjudge_applied", None)) is not None:
            self._unmeasured.add(told)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """End the runs; report criteria that measured nothing while every test passed."""
        self._close()
        if hasattr(self._config, "workerinput"):
            return
        for report in self._unmeasured.reports():
            self._config.hook.pytest_runtest_logreport(report=report)
            if session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _close(self) -> None:
        if self._runs is None:
            return
        self._runs.close()
        process_end.as_before()
        self._told += [
            {"name": run.name, "journal": str(run.journal), "warnings": list(run.warnings)}
            for run in self._runs.opened
        ]
        self._runs = None
        if self._temporary is not None:
            self._temporary.cleanup()
        if hasattr(self._config, "workeroutput"):
            cast("Any", self._config).workeroutput[_OUTPUT] = self._told

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a worker of xdist says."""
        self._told += getattr(node, "workeroutput", {}).get(_OUTPUT, ())

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what is odd about the plans, and where the evidence is when something did not pass."""
        lines = [f"warning: {warning}" for warning in dict.fromkeys(self._all_warnings())]
        if len(lines) > _SHOWN:
            lines[_SHOWN:] = [f"and {len(lines) - _SHOWN} more warnings"]
        kept = [run for run in self._told if Path(run["journal"]).exists()]
        unsettled = any(terminalreporter.stats.get(kind) for kind in ("failed", "error"))
        if kept and (unsettled or self._config.getoption("--adjudge-run") is not None):
            lines.append("every turn of the cases that were run:")
            lines += [f"  {_show_command(run)}" for run in kept[:_SHOWN]]
            if len(kept) > _SHOWN:
                lines.append(f"  and {len(kept) - _SHOWN} more runs: {_prefix(kept[0])}adjudge runs list")
        if lines:
            terminalreporter.section("adjudge")
            for line in lines:
                terminalreporter.write_line(render.clean(line))

    def _all_warnings(self) -> Iterator[str]:
        return (warning for run in self._told for warning in run["warnings"])

    # --- where runs are kept ----------------------------------------------------------------

    def _names(self) -> Iterator[str]:
        """A name for every run: that which the user gave, with a number from the second on."""
        given = self._config.getoption("--adjudge-run")
        first = given or f"pytest-{datetime.now(UTC):%Y%m%d-%H%M%S}-{token_hex(2)}"
        if (worker := os.environ.get("PYTEST_XDIST_WORKER")) is not None:
            first += f"-{worker}"
        yield first
        number = 2
        while True:
            yield f"{first}-{number}"
            number += 1

    def _folder(self) -> Path | None:
        """Where journals are kept; ``None``: among the runs of adjudge, where the user named the run."""
        if self._config.getoption("--adjudge-run") is not None:
            return None
        cache: pytest.Cache | None = getattr(self._config, "cache", None)
        if cache is not None:  # without it (-p no:cacheprovider) nothing is to be kept
            with suppress(OSError):  # pytest itself warns where it cannot write there
                folder = cache.mkdir("adjudge") / "runs"
                folder.mkdir(exist_ok=True)
                if os.access(folder, os.W_OK):
                    _forget_old(folder)
                    return folder
        self._temporary = tempfile.TemporaryDirectory(prefix="adjudge-pytest-")
        return Path(self._temporary.name)


def require_case(item: pytest.Item) -> None:
    """See that a test with the mark has a case, and no mark that it has none of.

    Raises:
        NotMeasured: it has none, or several marks.
    """
    if (found := len(list(item.iter_markers("adjudge")))) > 1:
        raise verdicts.NotMeasured(f"@pytest.mark.adjudge: there are {found} on this test, {SEVERAL}")
    if _wanted_by(item) is None:
        raise verdicts.NotMeasured(
            "@pytest.mark.adjudge: this test was given no case, and its agent was not asked. The mark works on test "
            "functions and on methods of classes that are no unittest.TestCase, and has to be there when pytest "
            "collects them: write it above the test, or call the fixture adjudge_eval"
        )


def _wanted_by(item: pytest.Item) -> WantedCase | None:
    """The case of a test; ``None`` where it has none."""
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    for wanted in (getattr(item, "wanted", None), parameters.get("adjudge_case")):
        if isinstance(wanted, WantedCase):
            return wanted
    return None


def _forget_old(folder: Path) -> None:
    """Keep the newest runs."""
    with suppress(OSError):
        journals = sorted(folder.glob("*.sqlite3"), key=lambda path: path.stat().st_mtime)
        for journal in journals[:-_KEPT]:
            for file in folder.glob(f"{journal.name}*"):
                file.unlink(missing_ok=True)


def _show_command(run: dict[str, Any]) -> str:
    return f"{_prefix(run)}{shlex.join(['adjudge', 'runs', 'show', run['name'], '--print_detailed_results'])}"


def _prefix(run: dict[str, Any]) -> str:
    """What tells adjudge where the run is, where it is in pytest's cache."""
    home = Path(run["journal"]).parents[1]
    if "d" not in home.parts[-2:] or home.name != "adjudge":
        return ""
    shown = home.relative_to(Path.cwd()) if home.is_relative_to(Path.cwd()) else home
    return f"ADJUDGE_HOME={shlex.quote(str(shown))} "
