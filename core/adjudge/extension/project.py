"""The plugins of a project: those of this environment, as the project's configuration says."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from adjudge.extension.loader import Extensions
from adjudge.extension.settings import find_settings


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
