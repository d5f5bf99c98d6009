"""Writes the page: the viewer once, and the data of the run in parts that the viewer decompresses on demand."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from importlib.resources import files
from typing import BinaryIO

from adjudge.kit import render
from adjudge.kit.viewer import (
    Row,
    case_row,
    case_view,
    compared,
    criteria_of,
    run_document,
    viewer_css,
    viewer_js,
)
from adjudge.plugin import RunReport
from adjudge_plugins.reporters.html_reporter.parts import Packed, Part, Parts, encoded


class HtmlReporter:
    """Reads the cases once. Memory holds a compressed row of the list for each case, and not the case itself."""

    def write(self, report: RunReport, stream: BinaryIO) -> None:
        """Write the page."""
        import jinja2

        environment = jinja2.Environment(
            autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        page = environment.from_string(_asset("page.html"))
        script = viewer_js() + _asset("page.js")
        style = viewer_css() + _asset("page.css")
        pieces = page.generate(
            title=render.clean(f"{report.run.name}: {render.verdict_word(report)}"),
            version=render.clean(report.run.adjudge_version),
            policy=_policy(script, style),
            script=script,
            style=style,
            parts=_parts(report),
        )
        stream.writelines(piece.encode() for piece in pieces)


def _parts(report: RunReport) -> Iterator[Part]:
    """Yield the cases, and at the end the run with one row per case."""
    columns = criteria_of(report)
    tally, parts, run = render.Tally(), Parts(), Packed()
    before = b'{"rows":['
    to_compare: list[Row] = []
    for case in render.whole_cases(report):
        tally.add(case)
        row = case_row(case, columns, parts.next_key)
        if report.baseline is not None:
            to_compare.append(row)
        run.write(before + encoded(row))
        before = b","
        yield from parts.add(case_view(case, report.run))
    yield from parts.rest()
    if not tally.counts:
        run.write(before)
    comparison = None if report.baseline is None else compared(report.baseline, report, to_compare)
    document = run_document(report, tally, comparison=comparison)
    rest = {name: value for name, value in document.items() if name != "rows"}
    run.write(b"]," + encoded(rest)[1:])
    yield Part("run", run.text())


def _policy(script: str, style: str) -> str:
    """The content security policy: the page loads nothing, sends nothing, and runs only this script."""
    scripts, styles = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (script, style)
    )
    return (
        f"default-src 'none'; script-src 'sha256-{scripts}'; style-src 'sha256-{styles}'; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _asset(name: str) -> str:
    return (
        files("adjudge_plugins.reporters.html_reporter").joinpath("assets", name).read_text(encoding="utf-8")
    )
