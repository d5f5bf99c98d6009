"""A change of a case, as it is shown before it is saved."""

from __future__ import annotations

import json

from nicegui import ui

from adjudge.kit.eval_sets import ABSENT, Change
from adjudge.kit.render import clean, marked
from adjudge_web.pages.frame import text


def show_change(change: Change) -> None:
    """One place that changes, with the words that differ marked."""
    with ui.element("div").classes("ad-stack").style("gap: 2px"):
        text(change.path, mono=True).classes("ad-sub")
        if isinstance(change.old, str) and isinstance(change.new, str):
            for kind, sign, pieces in zip(
                ("ad-del", "ad-ins"), "−+", marked(change.old, change.new), strict=True
            ):
                with ui.element("div").classes(f"{kind} ad-text").props('dir="auto"'):
                    ui.label(sign).classes("ad-piece")
                    for piece in pieces:
                        # A word that differs has a tone beside it.
                        # The signs around it are for terminals without colours.
                        word, look = (piece, "") if isinstance(piece, str) else (piece[0][2:-2], " ad-marked")
                        ui.label(clean(word)).classes(f"ad-piece{look}")
            return
        if change.old is not ABSENT:
            _line("ad-del", "− " + json.dumps(change.old, ensure_ascii=False, indent=2))
        if change.new is not ABSENT:
            _line("ad-ins", "+ " + json.dumps(change.new, ensure_ascii=False, indent=2))


def _line(look: str, content: str) -> None:
    text(content).classes(look)
