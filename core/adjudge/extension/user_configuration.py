"""The user's own configuration, which belongs to no project: ``$XDG_CONFIG_HOME/adjudge/adjudge.toml``."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from adjudge.errors import InputError, Problem
from adjudge.extension.configuration import ComponentConfig, validated_config


class _UserPlugins(ComponentConfig):
    """The table ``[plugins]`` of the user's own configuration."""

    folders: tuple[str, ...] = ()
    """Folders of plugins without packaging; relative paths start at the folder of the file."""


class _UserSettings(ComponentConfig):
    """The user's own configuration, which belongs to no project."""

    plugins: _UserPlugins = _UserPlugins()


def user_file() -> Path:
    """The path of the user's own configuration: ``$XDG_CONFIG_HOME/adjudge/adjudge.toml``."""
    configured = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    # Ignore relative paths, as the XDG specification demands: they would point into the current project.
    chosen = configured if configured.is_absolute() else Path("~/.config").expanduser()
    return chosen / "adjudge" / "adjudge.toml"


def user_folders(file: Path) -> tuple[str, ...]:
    """The folders of plugins named in the user's own configuration.

    Raises:
        InputError: the file is not TOML, or has an unknown key.
    """
    return validated_config(_UserSettings, toml_table(file), file=str(file)).plugins.folders


def toml_table(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises:
        InputError: the file cannot be read, or is not TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(Problem(what=f"cannot be read: {error.strerror}", file=str(path))) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(Problem(what=f"not a TOML file: {error}", file=str(path))) from None
