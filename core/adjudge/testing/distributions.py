"""Distributions that exist only in a folder, for tests of discovery."""

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
) -> Path:
    """Write an installed distribution with plugins of adjudge into ``folder``.

    The distribution is found once the folder is on ``sys.path`` (or on ``PYTHONPATH`` of another process).

    Args:
        folder: Where to write; made where absent. One folder may hold several distributions.
        name: The distribution's name.
        version: The distribution's version.
        entry_points: Names of plugins to their modules: ``{"acme": "acme_criteria"}``.
        commands: Names of commands to their functions: ``{"report": "acme_report:report_command"}``.
        modules: Dotted names of modules to their source.
        requires: Requirements, as in ``[project] dependencies``.

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
    (info / "METADATA").write_text("\n".join(metadata) + "\n", encoding="utf-8")
    lines: list[str] = []
    for group, entries in (("adjudge", entry_points), ("adjudge.commands", commands)):
        lines += [f"[{group}]", *(f"{entry} = {value}" for entry, value in (entries or {}).items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return info
