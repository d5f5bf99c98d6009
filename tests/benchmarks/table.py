"""Rows, and the page that shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Target:
    """What DESIGN asks for: to be so many times better than the other side, or a figure not to exceed."""

    kind: Literal["times", "at_most"]
    value: float


def faster(times: float) -> Target:
    """At least so many times better than the other side; 1 is "not slower"."""
    return Target("times", times)


def at_most(value: float) -> Target:
    """A figure in the row's own unit."""
    return Target("at_most", value)


@dataclass(frozen=True, slots=True)
class Row:
    """One measured thing on both sides: medians."""

    work: str
    unit: Literal["s", "MiB", "turns/s", "KiB/turn", "packages", "calls"]
    other: float
    adjudge: float
    target: Target | None = None

    @property
    def ratio(self) -> float:
        """How many times better adjudge is; below 1 it is worse."""
        return self.adjudge / self.other if self.unit == "turns/s" else self.other / self.adjudge

    @property
    def reached(self) -> bool | None:
        """Whether the target is reached; ``None`` where there is none."""
        if self.target is None:
            return None
        if self.target.kind == "times":
            return self.ratio >= self.target.value
        return self.adjudge <= self.target.value


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured thing of adjudge alone: a median."""

    work: str
    unit: Literal["s", "ms", "MiB", "%"]
    value: float
    target: Target | None = None

    @property
    def reached(self) -> bool | None:
        """Whether the target is reached; ``None`` where there is none."""
        return None if self.target is None else self.value <= self.target.value


@dataclass(frozen=True, slots=True)
class Scale:
    """adjudge alone at one size."""

    cases: int
    turns: int
    seconds: float
    peak_mib: float


def comparison(rows: Sequence[Row], other: str) -> str:
    """A Markdown table of both sides."""
    lines = [
        f"| work | unit | {other} | adjudge | ratio | target | reached |",
        "| --- | --- | ---: | ---: | ---: | ---: | :---: |",
    ]
    for row in rows:
        cells = (
            row.work,
            row.unit,
            rounded(row.other),
            rounded(row.adjudge),
            f"{rounded(row.ratio)}x",
            _shown_target(row),
            {True: "yes", False: "no", None: ""}[row.reached],
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def listing(figures: Sequence[Figure]) -> str:
    """A Markdown table of one side."""
    lines = ["| work | unit | adjudge | target | reached |", "| --- | --- | ---: | ---: | :---: |"]
    lines += [
        f"| {figure.work} | {figure.unit} | {rounded(figure.value)} | "
        f"{'' if figure.target is None else f'at most {figure.target.value:g}'} | "
        f"{({True: 'yes', False: 'no', None: ''})[figure.reached]} |"
        for figure in figures
    ]
    return "\n".join(lines)


def scaling(rows: Sequence[Scale]) -> str:
    """A Markdown table of one side at growing sizes."""
    lines = ["| cases | turns | s | ms a case | peak MiB |", "| ---: | ---: | ---: | ---: | ---: |"]
    lines += [
        f"| {row.cases:,} | {row.turns:,} | {rounded(row.seconds)} | "
        f"{rounded(1000 * row.seconds / row.cases)} | {row.peak_mib:.0f} |"
        for row in rows
    ]
    return "\n".join(lines)


def markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; the first column is words, the others are figures."""
    lines = [f"| {' | '.join(columns)} |", f"| --- |{' ---: |' * (len(columns) - 1)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _shown_target(row: Row) -> str:
    match row.target:
        case None:
            return ""
        case Target("times", 1):
            return "not slower"
        case Target("times", value):
            return f"{value:g}x"
        case Target(_, value):
            return f"at most {value:g}"


def rounded(value: float) -> str:
    """Three significant digits, thousands grouped."""
    if value >= 1000:
        return f"{round(value, 3 - len(str(int(value)))):,.0f}"
    return f"{value:.3g}"
