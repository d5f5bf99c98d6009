"""``adjudge plugins new``: the author's template, filled in."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Final

import click

from adjudge import __version__
from adjudge.plugin import InputError, Problem, say

_SUFFIX: Final = ".template"
"""Template files carry it so that no tool takes them for Python."""

_MODULE_FOLDER: Final = "_module_"


@click.command("new")
@click.argument("name")
@click.option(
    "--directory",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Where to make the folder of the package (default: here).",
)
def new_command(name: str, directory: Path) -> None:
    """Make a package with one criterion that passes its own tests.

    NAME is the plugin's name, for instance acme; the package is called adjudge-acme.
    """
    package = render_template(name, directory)
    say(f"made {package}")
    say(f"next: cd {package} && pip install -e '.[test]' && pytest")


def render_template(name: str, directory: Path) -> Path:
    """Make a package for the plugin ``name`` below ``directory`` and return its folder.

    Raises:
        InputError: the name cannot be a plugin's, or the folder exists and is not empty.
    """
    plugin = name.removeprefix("adjudge-")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", plugin):
        raise InputError(
            Problem(
                what=f"{name!r} cannot be the name of a plugin",
                hint="Use lower-case letters, digits and single hyphens, and begin with a letter: my-criteria.",
            )
        )
    module = f"adjudge_{plugin.replace('-', '_')}"
    words = {
        "plugin": plugin,
        "distribution": f"adjudge-{plugin}",
        "module": module,
        "criterion": f"{plugin.replace('-', '_')}_keywords",
        "adjudge_range": _compatible_range(__version__),
    }
    package = directory / f"adjudge-{plugin}"
    if package.exists() and (not package.is_dir() or any(package.iterdir())):
        raise InputError(
            Problem(what=f"{package} exists already", hint="Choose another name or --directory.")
        )
    template = _template_folder()
    for source in sorted(template.rglob(f"*{_SUFFIX}")):
        relative = source.relative_to(template).as_posix().replace(_MODULE_FOLDER, module)
        target = package / relative.removesuffix(_SUFFIX)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(Template(source.read_text(encoding="utf-8")).substitute(words), encoding="utf-8")
    return package


def _compatible_range(version: str) -> str:
    """Everything from this minor version up to the next major one."""
    major, minor = version.split(".")[:2]
    return f">={major}.{minor},<{int(major) + 1}"


def _template_folder() -> Path:
    package = Path(str(files("adjudge")))
    installed = package / "_template"
    if installed.is_dir():
        return installed
    # An editable install runs from the checkout, where the template is a contrib folder.
    return package.parents[1] / "contrib" / "_template"
