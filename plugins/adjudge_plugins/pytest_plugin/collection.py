"""Eval sets as test files: one test for each case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, cast

import pytest

from adjudge.kit import render
from adjudge.kit.adk import open_eval_set
from adjudge.plugin import AdjudgeError
from adjudge_plugins.pytest_plugin.runs import Wanted, WantedCase
from adjudge_plugins.pytest_plugin.session import session_of

_PATTERNS: Final = ("*.test.json", "*.evalset.json")
_WANTED: Final = pytest.StashKey[Wanted]()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect eval sets."""
    if any(fnmatchcase(file_path.name, pattern) for pattern in _PATTERNS):
        found: EvalSetFile = EvalSetFile.from_parent(parent, path=file_path)  # pyright: ignore[reportUnknownMemberType]
        return found
    return None


def pytest_report_header(config: pytest.Config) -> str:
    """Say which agent is tested."""
    return f"adjudge: {config.getoption('--adjudge-agent')}"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Begin the cases that come next, so that the agent answers several side by side."""
    if not isinstance(item, EvalCaseItem):
        return
    session = session_of(item.config)
    concurrency: int = cast("Any", item.config).getoption("--adjudge-concurrency")
    if hasattr(item.config, "workerinput"):  # xdist says no more than what comes next
        following: Iterable[pytest.Item | None] = [nextitem]
    else:
        place = session.place_of(item)
        following = item.session.items[place + 1 : place + concurrency]
    if concurrency > 1:
        for other in [item, *following]:
            if isinstance(other, EvalCaseItem):
                session.runs.begin(other.wanted)


class EvalSetFile(pytest.File):
    """An eval set."""

    def collect(self) -> Iterator[pytest.Item]:
        """Make a test of each case."""
        entries = open_eval_set(self.path).entries
        for entry in entries:
            item: EvalCaseItem = EvalCaseItem.from_parent(  # pyright: ignore[reportUnknownMemberType]
                self, name=render.line(entry.eval_id).pieces[0][0], eval_id=entry.eval_id, of=len(entries)
            )
            yield item

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:  # noqa: ARG002
        """Show what is wrong with the file, and no traceback."""
        if isinstance(excinfo.value, AdjudgeError):
            return render.clean(str(excinfo.value))
        return super().repr_failure(excinfo)


class EvalCaseItem(pytest.Item):
    """A case. Its agent runs in the setup, so that what cannot be measured is an error and not a failure."""

    def __init__(self, *, eval_id: str, of: int, **arguments: Any) -> None:
        """Make the test of a case."""
        super().__init__(**arguments)  # pyright: ignore[reportUnknownMemberType]
        self.add_marker("adjudge")
        self._eval_id, self._of = eval_id, of

    @property
    def wanted(self) -> WantedCase:
        """The case, of the run that all cases of the session share."""
        if _WANTED not in self.session.stash:
            self.session.stash[_WANTED] = _wanted_of(self.session)
        return WantedCase(self.session.stash[_WANTED], self.path, self._eval_id, self._of)

    def runtest(self) -> None:
        """Nothing more: the session runs the case in the setup, and fails the test where it has failed."""

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the case is, and what its report is headed by."""
        return self.path, None, self.nodeid


def _wanted_of(session: pytest.Session) -> Wanted:
    """One run over all files that have a selected case."""
    config = session.config
    files = dict.fromkeys(str(item.path) for item in session.items if isinstance(item, EvalCaseItem))
    return Wanted(config.getoption("--adjudge-agent"), tuple(files), options_of(config))


def options_of(config: pytest.Config) -> dict[str, Any]:
    """The options that the user gave, as ``adjudge.open_run`` takes them.

    Raises:
        pytest.UsageError: one has not the right form.
    """
    given: list[str] = cast("Any", config).getoption("--adjudge-agent-option")
    pairs = [option.partition("=") for option in given]
    for key, equals, _ in pairs:
        if not key or not equals:
            raise pytest.UsageError(f"--adjudge-agent-option: expected KEY=VALUE, found {key!r}")
    options: dict[str, Any] = {
        "agent_options": {key: value for key, _, value in pairs},
        "config": config.getoption("--adjudge-config"),
        "judge": config.getoption("--adjudge-judge"),
        "isolate": config.getoption("--adjudge-isolate"),
    }
    numbers = {
        "num_runs": (config.getoption("--adjudge-num-runs"), 1),
        "timeout": (config.getoption("--adjudge-timeout"), 600.0),
    }
    options |= {name: value for name, (value, default) in numbers.items() if value != default}
    return {
        **{name: value for name, value in options.items() if value},
        "concurrency": config.getoption("--adjudge-concurrency"),
        # Whoever runs pytest on a folder runs the code in it: a conftest.py, and what a configuration names.
        "trust_code": True,
    }
