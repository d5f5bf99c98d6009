"""The script and the style of the viewer. They are written by hand, without a build step."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_SCRIPTS = (
    "elements",
    "words",
    "lists",
    "texts",
    "findings",
    "trace",
    "phases",
    "levels",
    "judge",
    "cases",
    "results",
    "changes",
    "mount",
)
"""The files of the script, in order: each uses those before it."""


@cache
def viewer_js() -> str:
    """The script. It defines ``adjudgeViewer`` and no other name."""
    parts = "\n".join(_read(f"{name}.js") for name in _SCRIPTS)
    return f"const adjudgeViewer = (() => {{\n'use strict';\n{parts}\nreturn {{ mount, VERSION }};\n}})();\n"


@cache
def viewer_css() -> str:
    """The style sheet. All its rules are below ``.adjudge-viewer``."""
    return _read("viewer.css")


def _read(name: str) -> str:
    return files("adjudge.kit.viewer").joinpath("assets", name).read_text(encoding="utf-8")
