"""A project: its settings (``adjudge.toml``, or ``[tool.adjudge]`` in ``pyproject.toml``), plugins and ``.env`` files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from pydantic import Field

from adjudge.errors import InputError, Problem
from adjudge.extension.configuration import ComponentConfig, short_repr, validated_config
from adjudge.extension.loader import Extensions
from adjudge.extension.plugin_folders import VARIABLE
from adjudge.extension.secrets import remember
from adjudge.extension.user_configuration import toml_table, user_file
from adjudge.model.environment import Environment


class PluginSettings(ComponentConfig):
    """The table ``[plugins]``."""

    disable: tuple[str, ...] = ()
    """Plugins or distributions that are not imported."""
    allow: tuple[str, ...] | None = None
    """If given, only these plugins or distributions and adjudge's own are imported."""
    require: tuple[str, ...] = ()
    """Requirements, for instance ``adjudge-text>=0.1``; a run stops before its start if one is not met."""


class JudgeSettings(ComponentConfig):
    """The table ``[judge]``."""

    model: str | tuple[str, ...] = ()
    """The default judge model of criteria; several models are a panel."""
    timeout: float = Field(default=120.0, gt=0, le=86_400)
    """The time limit of one request to a judge in seconds, at most a day."""
    backends: dict[str, dict[str, Any]] = {}
    """Options of judge backends, by name."""

    @property
    def models(self) -> tuple[str, ...]:
        """The models of ``model``, as a tuple."""
        return (self.model,) if isinstance(self.model, str) else self.model


class Settings(ComponentConfig):
    """The project's configuration."""

    plugins: PluginSettings = PluginSettings()
    judge: JudgeSettings = JudgeSettings()
    observers: dict[str, dict[str, Any]] = {}
    """Options of observers, by name."""
    aliases: dict[str, str] = {}
    """Short names of components and their canonical ids."""


def find_settings(folder: Path) -> Settings:
    """Read the configuration from the nearest folder that has one, ``folder`` or a parent.

    Raises:
        InputError: the file is not TOML, or has an unknown key.
    """
    for place in (folder, *folder.parents):
        own = place / "adjudge.toml"
        if own.is_file():
            return _settings(own, toml_table(own))
        project = place / "pyproject.toml"
        if project.is_file():
            tool: object = toml_table(project).get("tool", {})
            if isinstance(tool, dict) and "adjudge" in tool:
                return _settings(project, cast("dict[str, Any]", tool)["adjudge"], "$.tool.adjudge")
    return Settings()


def project_extensions(folder: Path, *, disable: Iterable[str] = (), only_listed: bool = False) -> Extensions:
    """Load the plugins with the settings of the project.

    Args:
        folder: The folder of the project; its configuration may also be in a parent folder.
        disable: Further plugins or distributions that are not imported.
        only_listed: Whether the plugins are only listed: a missing required plugin is then a warning, not an error.

    Raises:
        InputError: the project's configuration is invalid.
        PluginError: a required plugin is not available.
    """
    settings = find_settings(folder)
    required = settings.plugins.require
    extensions = Extensions.load(
        disable={*settings.plugins.disable, *disable},
        require=() if only_listed else required,
        allow=settings.plugins.allow,
        aliases=settings.aliases,
    )
    if only_listed:
        for problem in extensions.unmet(required):
            extensions.warn(f"required plugins are not available: {problem}")
    return extensions


def environment_with(folders: Iterable[Path]) -> Environment:
    """The environment variables, with those added that are only in ``.env`` files; earlier folders take precedence.

    The environment of the process is not changed.

    Raises:
        InputError: a ``.env`` file cannot be read.
    """
    values = dict(os.environ)
    files: dict[str, Path] = {}
    for folder in dict.fromkeys(folder.resolve() for folder in folders):
        path = folder / ".env"
        if path.is_file():
            for name, value in _values(path).items():
                if name not in values:
                    values[name], files[name] = value, path
    return Environment(values, files)


def _settings(path: Path, given: object, prefix: str = "$") -> Settings:
    if not isinstance(given, dict):
        what = f"must be a table, found {short_repr(given)}"
        raise InputError(
            Problem(what=what, file=str(path), path=prefix, hint="For instance [tool.adjudge.judge].")
        )
    plugins: object = cast("dict[str, Any]", given).get("plugins")
    if isinstance(plugins, dict) and "folders" in plugins:
        what = "a project cannot name folders of plugins: everyone who downloads the project would run their code"
        hint = f"Use --plugin-folder, {VARIABLE}, or the user's own file, {user_file()}."
        raise InputError(Problem(what=what, file=str(path), path=f"{prefix}.plugins.folders", hint=hint))
    return validated_config(Settings, cast("dict[str, Any]", given), file=str(path), path=prefix)


def _values(path: Path) -> dict[str, str]:
    from dotenv import dotenv_values  # not at the top: only needed if there is such a file

    try:
        found = dotenv_values(path, encoding="utf-8")
    except OSError as error:
        raise InputError(Problem(what=f"cannot be read: {error.strerror}", file=str(path))) from None
    except UnicodeDecodeError:
        raise InputError(Problem(what="is not UTF-8", file=str(path))) from None
    values = {name: value for name, value in found.items() if value is not None}
    remember(values)
    return values
