"""Prints tables: with borders in a terminal, as plain aligned text elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from adjudge.extension.terminal import say

_BETWEEN: Final = 3
"""The width of the space and border between two cells, in characters."""
_NARROWEST: Final = 24
"""The minimum width of a column with long texts, which are wrapped, in characters."""


def show_table(
    headers: Sequence[str], rows: Sequence[Sequence[str]], *, may_be_left_out: Sequence[str] = ()
) -> None:
    """Print rows of one-line texts under their headers.

    In a terminal that is too narrow for the table, long texts are wrapped, except in the first column, and columns
    that may be left out are left out and named below. If that is not enough, the rows are printed as a list.

    Args:
        headers: The header of each column.
        rows: The cells of each row, one for each header.
        may_be_left_out: Headers of columns that a narrow terminal may do without, the least important one first.
    """
    from adjudge.model.printable import one_line as clean_line

    headers, rows = list(map(clean_line, headers)), [list(map(clean_line, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    if sys.stdout.isatty():
        _draw(headers, rows, list(may_be_left_out))
        return
    for row in (headers, *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        say("  ".join(cells).rstrip())


def show_fields(fields: Sequence[tuple[str, str]]) -> None:
    """Print names and values, one per line, with aligned values; values of several lines are indented."""
    width = max(len(name) for name, _ in fields)
    for name, value in fields:
        indented = value.replace("\n", "\n" + " " * (width + 2))
        say(f"{name.ljust(width)}  {indented}".rstrip())


def one_line(text: str) -> str:
    """Replace line breaks and repeated white space by single spaces."""
    return " ".join(text.split())


def _least(column: Sequence[str], *, is_name: bool) -> int:
    """The columns of a terminal that a column needs: whole words of its header, and its cells, of which long ones wrap."""
    header, *cells = column
    longest = max(map(len, cells), default=0)
    if is_name:
        return max(len(header), longest)
    return max(max(map(len, header.split()), default=0), min(longest, _NARROWEST))


def _draw(headers: Sequence[str], rows: Sequence[Sequence[str]], may_be_left_out: Sequence[str]) -> None:
    from rich import box
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    cells = list(zip(headers, *rows, strict=True))
    least = [_least(column, is_name=not place) for place, column in enumerate(cells)]
    shown = list(range(len(headers)))
    left_out: list[str] = []
    for header in may_be_left_out:
        if sum(least[place] + _BETWEEN for place in shown) <= console.width:
            break
        shown.remove(headers.index(header))
        left_out.append(header)
    room = console.width - sum(least[place] + _BETWEEN for place in shown)
    if room >= 0:
        table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
        for place in shown:
            more = min(room, max(map(len, cells[place])) - least[place])
            room -= more
            table.add_column(headers[place], width=least[place] + more)
        for row in rows:
            table.add_row(*(Text(row[place]) for place in shown))
        console.print(table)
        if left_out:
            console.print(
                Text(f"not shown, because the terminal is too narrow: {', '.join(left_out)}", style="dim")
            )
        return
    for first, *others in rows:
        console.print(Text(first, style="bold"))
        told = " · ".join(
            f"{header}: {cell}" for header, cell in zip(headers[1:], others, strict=True) if cell
        )
        console.print(Padding(Text(told), (0, 0, 0, 2)))
