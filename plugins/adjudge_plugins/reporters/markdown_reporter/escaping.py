"""Escapes texts of agents, tools and files for Markdown as code: without mark-up, HTML, mentions or references."""

from __future__ import annotations

import re
from typing import Final

from adjudge.kit import render

_RUNS: Final = re.compile("`+")


def code(text: str, limit: int, *, in_table: bool = False) -> str:
    """Format a text as a one-line code span, shortened to ``limit`` characters.

    Args:
        text: Any text.
        limit: The number of characters to show.
        in_table: Whether the span is in a table cell, where an unescaped ``|`` would end the cell.
    """
    shown = render.shortened(text, limit) or "(empty)"
    if in_table:
        shown = shown.replace("|", "\\|")
    fence = "`" * (max(map(len, _RUNS.findall(shown)), default=0) + 1)
    space = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{space}{shown}{space}{fence}"
