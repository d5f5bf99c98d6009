"""A project: its configuration in ``adjudge.toml`` or ``[tool.adjudge]`` of ``pyproject.toml``, its plugins, its ``.env``."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from pydantic import Field

from adjudge.errors import InputError, Problem
from adjudge.extension.configuration import ComponentConfig, short_repr, validated_config
from adjudge.extension.loader import Extensions
from adjudge.model.environment import Environment


class PluginSettings(ComponentConfig):
    """The table ``[plugins]``."""

    disable: tuple[str, ...] = ()
    """Plugins or distributions that are not imported."""
    require: tuple[str, ...] = ()
    """Requirements, for instance ``adjudge-text>=0.1``, without which nothing starts."""


class JudgeSettings(ComponentConfig):
    """The table ``[judge]``."""

    model: str | tuple[str, ...] = ()
    """The judge of criteria that name none; several are a panel."""
    timeout: float = Field(default=120.0, gt=0, le=86_400)
    """Seconds that one request to a judge may take, at most a day."""
    backends: dict[str, dict[str, Any]] = {}
    """Options of judge backends, by name."""

    @property
    def models(self) -> tuple[str, ...]:
        """The model, or the panel."""
        return (self.model,) if isinstance(self.model, str) else self.model


class Settings(ComponentConfig):
    """The project's configuration."""

    plugins: PluginSettings = PluginSettings()
    judge: JudgeSettings = JudgeSettings()
    aliases: dict[str, str] = {}
    """Short names of components, to canonical ids."""


def find_settings(folder: Path) -> Settings:
    """The configuration of the nearest folder, from ``folder`` upwards, that has one.

    Raises:
        InputError: the file is not TOML, or has a key that is not known.
    """
    for place in (folder, *folder.parents):
        own = place / "adjudge.toml"
        if own.is_file():
            return _settings(own, _table(own))
        project = place / "pyproject.toml"
        if project.is_file():
            tool: object = _table(project).get("tool", {})
            if isinstance(tool, dict) and "adjudge" in tool:
                return _settings(project, cast("dict[str, Any]", tool)["adjudge"], "$.tool.adjudge")
    return Settings()


def project_extensions(folder: Path, *, disable: Iterable[str] = ()) -> Extensions:
    """The plugins, loaded.

    Args:
        folder: Where the configuration is looked for, and in the folders above.
        disable: Plugins or distributions that are not imported besides.

    Raises:
        InputError: the project's configuration is broken.
        PluginError: a required plugin is not available.
    """
    settings = find_settings(folder)
    return Extensions.load(
        disable={*settings.plugins.disable, *disable},
        require=settings.plugins.require,
        aliases=settings.aliases,
    )


def environment_with(folders: Iterable[Path]) -> Environment:
    """The environment variables; what they lack, the ``.env`` of the first folder that has it fills in.

    Nothing is written back into the environment of the process.

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


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(Problem(what=f"cannot be read: {error.strerror}", file=str(path))) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(Problem(what=f"not a TOML file: {error}", file=str(path))) from None


def _settings(path: Path, given: object, prefix: str = "$") -> Settings:
    if not isinstance(given, dict):
        what = f"must be a table, found {short_repr(given)}"
        raise InputError(
            Problem(what=what, file=str(path), path=prefix, hint="For instance [tool.adjudge.judge].")
        )
    return validated_config(Settings, cast("dict[str, Any]", given), file=str(path), path=prefix)


def _values(path: Path) -> dict[str, str]:
    from dotenv import dotenv_values  # only where there is such a file

    try:
        found = dotenv_values(path, encoding="utf-8")
    except OSError as error:
        raise InputError(Problem(what=f"cannot be read: {error.strerror}", file=str(path))) from None
    except UnicodeDecodeError:
        raise InputError(Problem(what="is not UTF-8", file=str(path))) from None
    return {name: value for name, value in found.items() if value is not None}
