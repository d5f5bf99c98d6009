"""Tables: drawn in a terminal, plain aligned text everywhere else."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from adjudge.extension.terminal import say

_BETWEEN: Final = 3
"""Columns of a terminal that a drawn table puts between two cells."""


def show_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows of one-line texts under their headers.

    A terminal that is too narrow for the table gets a list.
    """
    from adjudge.model.printable import one_line as clean_line

    headers, rows = list(map(clean_line, headers)), [list(map(clean_line, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    if sys.stdout.isatty():
        _draw(headers, rows, sum(widths) + _BETWEEN * len(widths))
        return
    for row in (headers, *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        say("  ".join(cells).rstrip())


def show_fields(fields: Sequence[tuple[str, str]]) -> None:
    """Print names and values, one a line, values aligned; a value of several lines is indented."""
    width = max(len(name) for name, _ in fields)
    for name, value in fields:
        indented = value.replace("\n", "\n" + " " * (width + 2))
        say(f"{name.ljust(width)}  {indented}".rstrip())


def one_line(text: str) -> str:
    """A text of several lines as one."""
    return " ".join(text.split())


def _draw(headers: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> None:
    from rich import box
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    if width <= console.width:
        table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
        for header in headers:
            table.add_column(header)
        for row in rows:
            table.add_row(*map(Text, row))
        console.print(table)
        return
    for first, *others in rows:
        console.print(Text(first, style="bold"))
        told = " · ".join(
            f"{header}: {cell}" for header, cell in zip(headers[1:], others, strict=True) if cell
        )
        console.print(Padding(Text(told), (0, 0, 0, 2)))
