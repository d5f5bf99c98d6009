"""What is shown at an address that has no page."""

from __future__ import annotations

from nicegui import Client, app, ui
from starlette.requests import Request
from starlette.responses import Response

from adjudge_web.pages.frame import frame, heading, text
from adjudge_web.pages.rooms import Rooms


def add(rooms: Rooms) -> None:
    """Show it instead of the framework's own."""
    del rooms

    async def answer(request: Request, _: Exception) -> Response:
        if request.scope.get("endpoint") is not None:  # a file that a page asks for
            return Response("There is no such file.", 404, media_type="text/plain")
        with Client(ui.page(""), request=request) as client, frame("Not found", ""):
            heading("Not found")
            text(f"There is no page {request.url.path} here.")
            ui.link("All eval sets", "/")
        return client.build_response(request, 404)

    app.add_exception_handler(404, answer)
