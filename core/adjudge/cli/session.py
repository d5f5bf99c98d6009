"""What commands that need plugins start with: the project's settings, and the loaded plugins."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from adjudge.extension.loader import Extensions
from adjudge.extension.settings import find_settings


def load_extensions(no_plugins: Iterable[str]) -> Extensions:
    """The plugins of this environment, as the project's configuration and ``--no-plugin`` say.

    Raises:
        InputError: the project's configuration is broken.
        PluginError: a required plugin is not available.
    """
    settings = find_settings(Path.cwd())
    return Extensions.load(
        disable={*settings.plugins.disable, *no_plugins},
        require=settings.plugins.require,
        aliases=settings.aliases,
    )
