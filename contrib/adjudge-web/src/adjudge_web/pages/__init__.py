"""The pages, one module a place. They show what the rooms of adjudge say, and pass on what a person wants."""

from __future__ import annotations

from adjudge_web.pages import (
    agents,
    case,
    case_trace,
    eval_set,
    eval_sets,
    judge,
    labels,
    missing,
    plugins,
    run,
    runs,
    session,
)
from adjudge_web.pages.rooms import Rooms

__all__ = ["Rooms", "add_pages"]


def add_pages(rooms: Rooms) -> None:
    """Add every page to the application."""
    for page in (
        eval_sets,
        eval_set,
        case,
        case_trace,
        runs,
        run,
        labels,
        agents,
        session,
        judge,
        plugins,
        missing,
    ):
        page.add(rooms)
