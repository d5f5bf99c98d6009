"""Reads a log outside of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from adjudge.extension.project import project_extensions
from adjudge.extension.protocols import ReadOptions
from adjudge.model.trajectory import Trajectory
from adjudge.runner.host import RunHost
from adjudge.runner.request import roles_of
from adjudge.runner.traces import Traces


def read_log(
    path: str | Path,
    *,
    reader: str | None = None,
    task: str | None = None,
    roles: Mapping[str, str] | None = None,
    disable: Iterable[str] = (),
) -> Iterator[Trajectory]:
    """The runs in a log, one at a time, read by the installed trace reader that knows its format.

    Args:
        path: The log.
        reader: A reader's name; ``None``: the content decides.
        task: The task, for a log that does not contain it.
        roles: In chat logs, the author of the messages of a role or name: ``user``, ``agent`` or ``environment``.
        disable: Plugins or distributions that are not imported.

    Raises:
        InputError: no reader knows the file, its format has no roles to map, or it is broken; while it is read, also
            later.
        PluginError: a required plugin is not available, or the reader raised something else.
    """
    extensions = project_extensions(Path.cwd(), disable=disable)
    traces = Traces(extensions, RunHost(extensions, Path.cwd()))
    registered = traces.reader_of(Path(path), name=reader)
    known_roles = roles_of(roles)
    if known_roles:
        traces.check_roles(Path(path), registered)
    return traces.read(Path(path), registered, ReadOptions(task=task, roles=known_roles))
