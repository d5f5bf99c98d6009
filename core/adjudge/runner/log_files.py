"""Finding logs: from files, folders and globs to the files that are read."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from adjudge.adk.selection import check_name, files_below
from adjudge.extension.registry import Registry
from adjudge.extension.specs import TraceReaderSpec
from adjudge.runner.problems import Problems

_MOST_ENDINGS: Final = 8
"""Maximum number of endings in the warning about ignored files."""


def found_logs(
    named: Sequence[str],
    folder: Path,
    readers: Registry[TraceReaderSpec],
    problems: Problems,
    is_of_the_run: Callable[[Path], bool] = lambda _: False,
) -> tuple[Path, ...]:
    """Find the log files, each once, in the order of the names; the files of one name are sorted.

    A name is a file, a folder or a glob, in which ``**`` matches any number of folders. A file is included whatever
    its ending. In a folder, files at any depth are included if their ending is in a pattern of a reader. Names that
    begin with a dot and virtual environments are ignored. Links to files are included, broken ones too; links to
    folders are not followed. A warning counts the ignored files, except those for which ``is_of_the_run`` is true,
    such as reports of the run.
    """
    endings = endings_of(readers)
    found: list[Path] = []
    for name in named:
        if not name.strip():
            problems.add("the name of a log is blank", hint='"." is the working folder.')
            continue
        path = folder / name
        if path.is_file():
            found.append(Path(name))
            continue
        if path.exists() and not path.is_dir():
            problems.add("it is neither a file nor a folder: it cannot be read twice", file=name)
            continue
        if path.is_dir():
            below, others = _below(Path(name), folder, endings)
            if left := [other for other in others if not is_of_the_run(other)]:
                problems.warn([_not_looked_at(name, left)])
            if not below:
                problems.add(
                    "there is no log in this folder",
                    file=name,
                    hint=f"Logs end with {', '.join(endings)}, all of them also with .gz.",
                )
        else:
            below = sorted(
                Path(match)
                for match in glob.glob(name, root_dir=folder, recursive=True)  # noqa: PTH207 - absolute ones too
                if (folder / match).is_file()
            )
            if not below:
                is_glob = glob.has_magic(name)
                problems.add("no file matches" if is_glob else "there is no such file or folder", file=name)
        found += below
    # Compare absolute paths without resolving links: two links to one file are two logs.
    once: dict[str, Path] = {}
    for path in found:
        with problems.caught():
            check_name(path)
        once.setdefault(os.path.abspath(folder / path), path)  # noqa: PTH100 - links stay links
    return tuple(once.values())


def endings_of(readers: Registry[TraceReaderSpec]) -> tuple[str, ...]:
    """The endings of log files in the patterns of the readers, for instance ``.json`` and ``.traj``."""
    endings: set[str] = set()
    for registered in readers:
        for pattern in registered.spec.patterns:
            dot = pattern.find(".", pattern.rfind("*") + 1)
            if dot >= 0:
                endings.add(pattern[dot:].removesuffix(".gz"))
    # Leave out ".evalset.json" if there is ".json", which includes it.
    return tuple(sorted(end for end in endings if not any(end != it and end.endswith(it) for it in endings)))


def _below(name: Path, folder: Path, endings: tuple[str, ...]) -> tuple[list[Path], list[Path]]:
    """The files below a folder with one of the endings, sorted; and the other files."""
    logs: list[Path] = []
    others: list[Path] = []
    for path in files_below(folder / name):
        if path.is_file() or (path.is_symlink() and not path.exists()):
            is_log = path.name.lower().removesuffix(".gz").endswith(endings)
            (logs if is_log else others).append(name / path.relative_to(folder / name))
    return sorted(logs), others


def _not_looked_at(name: str, files: Sequence[Path]) -> str:
    counts = Counter("".join(path.suffixes[-2:] if path.suffix == ".gz" else [path.suffix]) for path in files)
    told = [
        f"{count} {f'with {ending}' if ending else 'without a suffix'}"
        for ending, count in counts.most_common(_MOST_ENDINGS)
    ]
    if more := len(counts) - len(told):
        told.append(f"{more} more suffixes")
    were = "file was" if len(files) == 1 else "files were"
    return f"{name}: {len(files)} {were} skipped because of the suffix: {', '.join(told)}; to read a file, name it"
