"""What commands that need plugins start with: the project's settings, and the loaded plugins."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from adjudge.extension.loader import Extensions
from adjudge.extension.project import find_settings, project_extensions
from adjudge.extension.terminal import say


def load_extensions(no_plugins: Iterable[str]) -> Extensions:
    """The plugins of this environment, as the project's configuration and ``--no-plugin`` say.

    Raises:
        InputError: the project's configuration is broken.
        PluginError: a required plugin is not available.
    """
    return project_extensions(Path.cwd(), disable=no_plugins)


def load_for_listing(no_plugins: Iterable[str]) -> Extensions:
    """The same plugins for a command that only lists: it never fails because of a plugin.

    What is required and not available, and what is broken, is told on standard error.

    Raises:
        InputError: the project's configuration is broken.
    """
    settings = find_settings(Path.cwd())
    extensions = Extensions.load(disable={*settings.plugins.disable, *no_plugins}, aliases=settings.aliases)
    for problem in extensions.unmet(settings.plugins.require):
        say(f"warning: required plugins are not available: {problem}", err=True)
    for warning in extensions.warnings:
        say(f"warning: {warning}", err=True)
    return extensions
