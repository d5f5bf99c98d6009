"""The viewer in a page: results, traces, AI Judge and comparisons are shown by it alone."""

from __future__ import annotations

import json

from nicegui import ui


def mount_viewer(document: str, case: str = "") -> ui.element:
    """Show the document at an address; what its rows open is asked from ``case`` with their key after it."""
    ui.add_head_html('<link rel="stylesheet" href="/data/viewer.css"><script src="/data/viewer.js"></script>')
    host = ui.element("div").classes("ad-viewer").props('role="region" aria-label="Results"')
    with host:
        ui.label("Loading…").classes("ad-empty")
    # In the page itself: the document is asked for, and made, while the browser still gets what shows it.
    told = ", ".join(json.dumps(given).replace("<", "\\u003c") for given in (f"c{host.id}", document, case))
    ui.add_body_html(f"<script>adjudgeShow({told})</script>")
    return host


def mount_trace(document: str) -> None:
    """Show a trace alone, under a heading for who cannot see it: those inside are of the third level."""
    with ui.element("h2").classes("ad-hidden"):
        ui.label("Trace")
    mount_viewer(document)
