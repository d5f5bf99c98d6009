"""Project configuration: ``adjudge.toml``, or ``[tool.adjudge]`` in ``pyproject.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, cast

from pydantic import ConfigDict

from adjudge.errors import InputError, Problem
from adjudge.extension.configuration import ComponentConfig, validated_config


class PluginSettings(ComponentConfig):
    """The table ``[plugins]``."""

    disable: tuple[str, ...] = ()
    """Plugins or distributions that are not imported."""
    require: tuple[str, ...] = ()
    """Requirements, for instance ``adjudge-text>=0.1``, without which nothing starts."""


class Settings(ComponentConfig):
    """The project's configuration."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    plugins: PluginSettings = PluginSettings()
    aliases: dict[str, str] = {}
    """Short names of components, to canonical ids."""
    source: str | None = None


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
            tool = _table(project).get("tool", {})
            if isinstance(tool, dict) and "adjudge" in tool:
                return _settings(project, cast("dict[str, Any]", tool["adjudge"]), "$.tool.adjudge")
    return Settings()


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(Problem(what=f"cannot be read: {error.strerror}", file=str(path))) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(Problem(what=f"not a TOML file: {error}", file=str(path))) from None


def _settings(path: Path, table: dict[str, Any], prefix: str = "$") -> Settings:
    plugins = table.get("plugins")
    if isinstance(plugins, dict):
        # Checked on its own, so that a misspelt key inside the table gets its suggestion too.
        validated_config(
            PluginSettings, cast("dict[str, Any]", plugins), file=str(path), path=f"{prefix}.plugins"
        )
    if "source" in table:
        raise InputError(Problem(what="unknown option 'source'.", file=str(path), path=prefix))
    settings, _ = validated_config(Settings, {**table, "source": str(path)}, file=str(path), path=prefix)
    return settings
