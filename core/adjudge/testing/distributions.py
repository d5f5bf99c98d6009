"""Fake distributions in a folder, for tests of discovery."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path


def fake_distribution(
    folder: Path,
    name: str,
    version: str = "1.0",
    *,
    entry_points: Mapping[str, str] | None = None,
    commands: Mapping[str, str] | None = None,
    modules: Mapping[str, str] | None = None,
    requires: Iterable[str] = (),
    urls: Mapping[str, str] | None = None,
) -> Path:
    """Write the files of an installed distribution with adjudge plugins into ``folder``.

    The distribution is found if the folder is on ``sys.path`` (or in ``PYTHONPATH`` of another process).

    Args:
        folder: The folder, which is created if it does not exist. It may contain several distributions.
        name: The distribution's name.
        version: The distribution's version.
        entry_points: The module of each plugin: ``{"acme": "acme_criteria"}``.
        commands: The function of each command: ``{"report": "acme_report:report_command"}``.
        modules: The source code of each module, by its dotted name.
        requires: Requirements, as in ``[project] dependencies``.
        urls: URLs by label, as in ``[project.urls]``.

    Returns:
        The ``.dist-info`` folder.
    """
    sources = dict(modules or {})
    for module, source in sources.items():
        path = folder.joinpath(*module.split("."))
        is_package = any(other.startswith(f"{module}.") for other in sources)
        path = path / "__init__.py" if is_package else path.with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    metadata = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    metadata += [f"Requires-Dist: {requirement}" for requirement in requires]
    metadata += [f"Project-URL: {label}, {url}" for label, url in (urls or {}).items()]
    (info / "METADATA").write_text("\n".join(metadata) + "\n", encoding="utf-8")
    lines: list[str] = []
    for group, entries in (("adjudge", entry_points), ("adjudge.commands", commands)):
        lines += [f"[{group}]", *(f"{entry} = {value}" for entry, value in (entries or {}).items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return info
