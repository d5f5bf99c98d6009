"""The mark ``adjudge``: runs a test function once for each case, with the agent's trajectory."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

from adjudge import EvaluatedCase, open_run
from adjudge.kit import render
from adjudge.kit.adk import eval_sets_by_id, find_eval_sets, open_eval_set, split_selection
from adjudge.plugin import AdjudgeError, did_you_mean
from adjudge_plugins.pytest_plugin.runs import Wanted, WantedCase
from adjudge_plugins.pytest_plugin.session import SEVERAL, session_of

_FIXTURE = "adjudge_case"
_OURS = frozenset({"agent", "eval_sets", "run", "folder", "extensions"})
"""Arguments of ``adjudge.open_run`` that are no options of a mark."""


def parametrize(metafunc: pytest.Metafunc, marks: Sequence[pytest.Mark]) -> None:
    """Make one test for each case that the mark names; several marks are refused, as only one could count."""
    if len(marks) > 1:
        _refuse(f"there are {len(marks)} on this test, {SEVERAL}")
    [mark] = marks
    if not mark.args or len(mark.args) < 2:
        _refuse("it names an agent and at least one eval set: @pytest.mark.adjudge(agent, eval_set, ...)")
    agent, *eval_sets = mark.args
    wanted = wanted_of(agent, eval_sets, mark.kwargs, metafunc.definition.path.parent)
    selected = dict.fromkeys(entry for named in wanted.files for entry in _selected(named))
    sizes = Counter(file for file, _ in selected)
    cases = [WantedCase(wanted, file, eval_id, sizes[file]) for file, eval_id in selected]
    if not cases:
        _refuse(f"there is no case in {', '.join(wanted.files)}")
    if _FIXTURE not in metafunc.fixturenames:
        metafunc.fixturenames.append(_FIXTURE)
    several = len({case.file for case in cases}) > 1
    ids = [f"{case.file.name}:{case.eval_id}" if several else case.eval_id for case in cases]
    metafunc.parametrize(_FIXTURE, cases, indirect=True, ids=[render.line(name).pieces[0][0] for name in ids])


def case_of(request: pytest.FixtureRequest) -> EvaluatedCase:
    """The case of a test, run and scored."""
    wanted: object = getattr(request, "param", None)
    if not isinstance(wanted, WantedCase):
        pytest.fail("adjudge_case is for tests with @pytest.mark.adjudge(agent, eval_set)", pytrace=False)
    return session_of(request.config).measured(request.node, wanted)


def wanted_of(agent: object, eval_sets: Any, options: Mapping[str, Any], folder: Path) -> Wanted:
    """The run that a test asks for.

    Args:
        agent: The agent or its target; a path like those of ``eval_sets``.
        eval_sets: Each relative to ``folder``, else to the working folder; or an id, of a file in the agent's folder.
        options: Of ``adjudge.open_run``.
        folder: Where the test is.
    """
    known = [name for name in inspect.signature(open_run).parameters if name not in _OURS]
    for name in options:
        if name not in known:
            _refuse(f"it has no option {name!r}.{did_you_mean(name, known)} Options are: {', '.join(known)}")
    given = dict(options)
    if isinstance(given.get("config"), (str, Path)):
        given["config"] = _placed(str(given["config"]), folder)
    # Whoever runs pytest on a folder runs the code in it.
    given.setdefault("trust_code", True)
    if isinstance(agent, str) and (folder / agent).exists():
        agent = str(folder / agent)
    files = [_by_id(str(item), agent) or _placed(str(item), folder) for item in eval_sets]
    return Wanted(agent, tuple(files), given)


def _placed(name: str, folder: Path) -> str:
    """A file beside the test where there is one; otherwise as it is named, relative to the working folder."""
    beside = str(folder / name)
    try:
        return beside if split_selection(beside)[0].exists() else name
    except AdjudgeError:
        return name


def _by_id(name: str, agent: object) -> str | None:
    """The file of an eval set that is named by its id, as on the command line: of a file in the agent's folder."""
    if not isinstance(agent, str) or not Path(agent).exists():
        return None
    eval_set_id, colon, ids = name.partition(":")
    file = eval_sets_by_id(Path(agent)).get(eval_set_id)
    return None if file is None else f"{file}{colon}{ids}"


def _selected(named: str) -> list[tuple[Path, str]]:
    """The files and ``eval_id`` of the cases that one argument of the mark names."""
    try:
        path, ids = split_selection(named)
        files = [(file, open_eval_set(file)) for file in find_eval_sets(path, ("*.test.json",))]
        return [
            (file.resolve(), entry.eval_id)
            for file, eval_set in files
            for entry in (eval_set.entries if ids is None else eval_set.select(ids))
        ]
    except AdjudgeError as error:
        _refuse(render.clean(str(error)))


def _refuse(why: str) -> NoReturn:
    pytest.fail(f"@pytest.mark.adjudge: {why}", pytrace=False)
