"""Selects eval sets, their cases and their configurations from the arguments of the user."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from adjudge.adk.config import load_config, parse_config
from adjudge.adk.eval_set_file import CaseEntry, EvalSetFile
from adjudge.adk.eval_set_pass import open_eval_set
from adjudge.adk.selection import (
    EVAL_SET_SUFFIX,
    check_name,
    eval_sets_by_id,
    files_below,
    find_eval_sets,
    split_selection,
)
from adjudge.errors import InputError, Problem, did_you_mean
from adjudge.extension.registry import Registered
from adjudge.extension.specs import CriterionSpec
from adjudge.model.config import CriterionEntry, EvalConfig
from adjudge.runner.problems import Problems
from adjudge.runner.request import RunRequest

CONFIG_FILE_NAME: Final = "test_config.json"
"""The configuration file for the eval sets in the same folder (seed 001, "test files")."""


@dataclass(frozen=True, slots=True)
class SelectedFile:
    """An eval-set file and its selected cases."""

    eval_set: EvalSetFile
    shown_path: str
    entries: Sequence[CaseEntry]


def select_files(request: RunRequest, problems: Problems) -> list[SelectedFile]:
    """Read the named files and select their cases; a file that is named twice runs once."""
    folder = Path(request.working_folder)
    chosen: dict[Path, tuple[str, set[str] | None]] = {}
    for argument in request.eval_sets:
        with problems.caught():
            named, ids = split_selection(str(folder / argument))
            named = _by_id(named, request) or named
            below = list(files_below(named)) if named.is_dir() else []
            for path in find_eval_sets(named, ("*.test.json",), below):
                check_name(path)
                shown, before = chosen.get(path.resolve(), (_shown(path, folder), set()))
                chosen[path.resolve()] = (shown, None if before is None or ids is None else {*before, *ids})
            problems.warn(_left_out(named, below, folder))
    found: list[SelectedFile] = []
    for path, (shown, wanted) in chosen.items():
        with problems.caught():
            eval_set = open_eval_set(path)
            problems.warn(f"{shown}, {warning}" for warning in eval_set.warnings)
            entries = eval_set.entries if wanted is None else eval_set.select(sorted(wanted))
            found.append(SelectedFile(eval_set, shown, entries))
    if not request.eval_sets:
        problems.add("no eval set is named", hint="Name at least one file or folder.")
    return found


def _left_out(named: Path, below: Iterable[Path], folder: Path) -> Iterator[str]:
    """Warn about ``*.evalset.json`` files of a folder: as in ADK, only its ``*.test.json`` files are evaluated."""
    others = sorted(_shown(path, folder) for path in below if path.name.endswith(EVAL_SET_SUFFIX))
    if others:
        several = f" and {len(others) - 1} more" if len(others) > 1 else ""
        yield (
            f"{_shown(named, folder)}: only the *.test.json files of a folder are evaluated, not {others[0]}{several}; "
            "to evaluate such a file, name it"
        )


def _by_id(path: Path, request: RunRequest) -> Path | None:
    """The file of an eval set named by its id, as in ``adk eval``: ``ID.evalset.json`` in the agent's folder.

    Raises:
        InputError: there is no such file and no such eval set, but the agent's folder has other eval sets.
    """
    agent = Path(request.working_folder, request.agent or "")
    if request.agent is None or path.exists() or not agent.exists():
        return None
    if path.parent != Path(request.working_folder) or path.suffix:
        return None
    files = eval_sets_by_id(agent)
    if not files or path.name in files:
        return files.get(path.name)
    raise InputError(
        Problem(
            what=f"there is no file {path.name}, and no eval set of that id in the folder of the agent."
            f"{did_you_mean(path.name, files)} It has: {', '.join(sorted(files))}"
        )
    )


def named_config(request: RunRequest) -> EvalConfig | None:
    """The configuration that the user gave for all files; ``None`` if there is none.

    Raises:
        InputError: the configuration is invalid, or there is no such file.
    """
    if request.config_file is not None:
        return _loaded(Path(request.working_folder) / request.config_file, Path(request.working_folder))
    return None if request.config is None else parse_config(request.config, source=None)


def config_beside(
    file: SelectedFile, request: RunRequest, criteria: Iterable[Registered[CriterionSpec]]
) -> EvalConfig:
    """The configuration in the folder of an eval set; without one, the installed default criteria of ADK.

    Raises:
        InputError: the configuration is invalid.
    """
    beside = file.eval_set.path.parent / CONFIG_FILE_NAME
    # A broken link is an error, not an absent configuration: defaults would replace what the user chose.
    is_there = beside.exists() or beside.is_symlink()
    return _loaded(beside, Path(request.working_folder)) if is_there else default_config(criteria)


def default_config(criteria: Iterable[Registered[CriterionSpec]]) -> EvalConfig:
    """The default configuration: the built-in criteria that ADK measures by default, the highest threshold first.

    Third-party criteria are never included: they measure only when the user names them.
    """
    default = [item for item in criteria if item.spec.in_adk_default and item.is_built_in]
    default.sort(key=lambda item: (-(item.spec.default_threshold or 0), item.id))
    return EvalConfig(
        criteria=tuple(
            CriterionEntry(name=item.spec.name, criterion=item.id, threshold=item.spec.default_threshold)
            for item in default
        ),
        is_default=True,
    )


def _loaded(path: Path, folder: Path) -> EvalConfig:
    return load_config(path).model_copy(update={"source": _shown(path, folder)})


def _shown(path: Path, folder: Path) -> str:
    """A path for messages and results: relative to the working folder if it lies inside."""
    return str(path.relative_to(folder) if path.is_relative_to(folder) else path)
