"""``adjudge plugins new``: renders the author's template."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any, Final

import click

from adjudge import __version__
from adjudge.plugin import InputError, Problem, say

KINDS: Final = (
    "criterion",
    "judged-criterion",
    "judge",
    "granularity",
    "agent",
    "reader",
    "reporter",
    "observer",
    "command",
)
"""The kinds of plugins, each a folder of the template beside the one that all share."""

_SUFFIX: Final = ".template"
"""The suffix of template files; it keeps tools from reading them as Python."""

_MODULE_FOLDER: Final = "_module_"
_COMMON: Final = "common"


@click.command("new")
@click.argument("name")
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default=KINDS[0],
    show_default=True,
    help="The kind of component in the package.",
)
@click.option(
    "--directory",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Where to make the folder of the package (default: here).",
)
@click.pass_context
def new_command(ctx: click.Context, name: str, kind: str, directory: Path) -> None:
    """Make a package with one component that passes its own tests, lint and types.

    NAME is the plugin's name, for instance acme; the package is called adjudge-acme.
    """
    words = _words(name, kind)
    package = render_template(words, kind, directory)
    for warning in _names_taken(words, kind, ctx):
        say(f"warning: {warning}", err=True)
    say(f"made {package}, with {words['about']}")
    say(f"next: cd {package} && pip install -e '.[test,lint]' && pytest")


def render_template(words: dict[str, str], kind: str, directory: Path) -> Path:
    """Render a package into a new folder of ``directory`` and return that folder.

    Args:
        words: The values of the template's placeholders.
        kind: One of ``KINDS``.
        directory: The parent folder.

    Raises:
        InputError: the folder exists and is not empty.
    """
    package = directory / words["distribution"]
    if package.exists() and (not package.is_dir() or any(package.iterdir())):
        raise InputError(
            Problem(what=f"{package} exists already", hint="Choose another name or --directory.")
        )
    for folder in (_template_folder() / _COMMON, _template_folder() / kind):
        for source in sorted(folder.rglob(f"*{_SUFFIX}")):
            relative = source.relative_to(folder).as_posix().replace(_MODULE_FOLDER, words["module"])
            target = package / relative.removesuffix(_SUFFIX)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(
                Template(source.read_text(encoding="utf-8")).substitute(words), encoding="utf-8"
            )
    return package


def _words(name: str, kind: str) -> dict[str, str]:
    plugin = name.removeprefix("adjudge-")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", plugin):
        raise InputError(
            Problem(
                what=f"{name!r} cannot be the name of a plugin",
                hint="Use lower-case letters, digits and single hyphens, and begin with a letter: my-criteria.",
            )
        )
    snake = plugin.replace("-", "_")
    words = {
        "plugin": plugin,
        "distribution": f"adjudge-{plugin}",
        "module": f"adjudge_{snake}",
        "snake": snake,
        "const": snake.upper(),
        "title": "".join(map(str.capitalize, plugin.split("-"))),
        "year": str(datetime.now(UTC).year),
        "adjudge_range": _compatible_range(__version__),
    }
    own: dict[str, Any] = {
        "group": "adjudge",
        "target": "${module}",
        "about_entry_point": "One line a plugin: its name, and the module whose functions describe components.",
        "dependencies": [],
        **tomllib.loads((_template_folder() / kind / "kind.toml").read_text(encoding="utf-8")),
    }
    own["dependencies"] = "".join(f', "{requirement}"' for requirement in own["dependencies"])
    # The other texts of a kind contain ``component``, so it is substituted first.
    words["component"] = Template(own.pop("component")).substitute(words)
    return (
        words
        | {key: Template(text.strip()).substitute(words) for key, text in own.items()}
        | {"dependencies": own["dependencies"]}
    )


def _names_taken(words: dict[str, str], kind: str, ctx: click.Context) -> Iterator[str]:
    """Report names of the new package that an installed distribution, plugin, component or command already has."""
    from adjudge import inventory

    installed = inventory(disable=ctx.obj or ())
    plugin, component = words["plugin"], words["component"]
    for found in installed.plugins:
        release = f"{found['distribution']} {found['version']}"
        if found["distribution"] == words["distribution"]:
            yield f"{release} is installed: a package of that name replaces it"
            return
        if found["name"] == plugin:
            yield f"the plugin name {plugin!r} is used by {release}: two plugins of one name are a conflict"
    if kind == "command":
        if component in ctx.find_root().command.list_commands(ctx.find_root()):  # type: ignore[attr-defined]
            yield f"adjudge has a command {component!r} here: choose another name"
        return
    for found in (item for listed in installed.components.values() for item in listed):
        if found["name"] == component:
            yield f"{found['id']} is called {component!r} too: with both installed, users must write the id"


def _compatible_range(version: str) -> str:
    """The version specifier from this minor version up to the next major one."""
    major, minor = version.split(".")[:2]
    return f">={major}.{minor},<{int(major) + 1}"


def _template_folder() -> Path:
    package = Path(str(files("adjudge")))
    installed = package / "_template"
    if installed.is_dir():
        return installed
    # In an editable install the template is in the checkout, as a folder of contrib.
    return package.parents[1] / "contrib" / "_template"
