"""The server: one process on one address, with the pages and nothing else."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import app, ui
from starlette.middleware.gzip import GZipMiddleware

import adjudge
from adjudge.plugin import AdjudgeError, say
from adjudge_web import data
from adjudge_web.pages import Rooms, add_pages
from adjudge_web.safety import SafetyMiddleware

if TYPE_CHECKING:
    from adjudge_web.safety import Safety

_STATIC = Path(__file__).parent / "static"


def prepare(safety: Safety, folder: Path) -> Rooms:
    """Put the pages and the guard into the application."""
    rooms = Rooms(folder)
    app.add_static_files("/adjudge-web", _STATIC)
    # After all others, so that it is asked first: of every request, and of the WebSocket.
    app.add_middleware(SafetyMiddleware, safety=safety)
    ui.button.default_props("no-caps unelevated")
    add_pages(rooms)
    data.add(rooms)
    app.on_shutdown(rooms.workers.stop_all)  # pyright: ignore[reportUnknownMemberType]
    return rooms


def options() -> dict[str, Any]:
    """How the pages are served, in tests too."""
    return {
        "title": "adjudge",
        "language": "en-US",
        "dark": None,
        "reload": False,
        "show": False,
        "show_welcome_message": False,
        "favicon": _STATIC / "icon.svg",
        "tailwind": False,
        # Seconds. A page that was away for longer is made anew, and what was typed into it is lost.
        "reconnect_timeout": 60,
        # The framework's level, 9, takes ten times as long as sending what it saves, and nothing else is answered meanwhile.
        "gzip_middleware_factory": partial(GZipMiddleware, compresslevel=1),
    }


def serve(safety: Safety, *, host: str, port: int) -> None:
    """Serve until the process is told to end."""
    prepare(safety, Path.cwd())
    _import_readers()
    shown = f"[{host}]" if ":" in host else host
    query = "?token=…" if safety.token is not None else ""
    say(f"adjudge web: http://{shown}:{port}/{query}  (Ctrl-C ends it)")
    ui.run(host=host, port=port, **options())  # pyright: ignore[reportUnknownMemberType]


def _import_readers() -> None:
    """Import the plugins that read logs now: nobody waits for them when the first log is opened."""
    with suppress(AdjudgeError):  # said where a log is opened
        adjudge.read_log(__file__)
