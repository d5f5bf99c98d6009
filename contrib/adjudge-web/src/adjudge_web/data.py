"""The addresses that the viewer in the browser asks: its script, its style, and documents as JSON."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from nicegui import app
from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import Response

import adjudge
from adjudge.kit.viewer import trace_document, viewer_css, viewer_js
from adjudge.plugin import AdjudgeError, Trajectory
from adjudge_web.pages.rooms import Rooms

_KINDS: Final = {
    "json": "application/json",
    "xml": "application/xml",
    "html": "text/html",
    "md": "text/markdown",
}


def add(rooms: Rooms) -> None:
    """Add the addresses."""

    def route(path: str, make: Callable[[Request], bytes]) -> None:
        async def answer(request: Request) -> Response:
            try:
                return Response(await asyncio.to_thread(make, request), media_type="application/json")
            except (AdjudgeError, ValueError, KeyError) as error:
                return Response(json.dumps({"error": str(error)}), 404, media_type="application/json")

        app.add_route(path, answer)

    route(
        "/data/runs/{name}",
        lambda request: rooms.views.document(
            request.path_params["name"], request.query_params.get("before", "")
        ),
    )
    route(
        "/data/runs/{name}/cases/{number:int}",
        lambda request: rooms.views.case(request.path_params["name"], request.path_params["number"]),
    )

    route(
        "/data/sessions/{name}",
        lambda request: _trace(rooms.sessions.get(request.path_params["name"]).trajectory),
    )

    route(
        "/data/cases",
        lambda request: _trace(
            rooms.eval_sets.expected(request.query_params["file"], request.query_params["id"])
        ),
    )

    route(
        "/data/logs",
        lambda request: rooms.logs.document(request.query_params["file"], int(request.query_params["run"])),
    )

    async def script(_: Request) -> Response:
        return Response(f"{viewer_js()}window.adjudgeViewer = adjudgeViewer;", media_type="text/javascript")

    async def style(_: Request) -> Response:
        return Response(viewer_css(), media_type="text/css")

    async def report(request: Request) -> Response:
        name, kind = request.path_params["name"], request.path_params["kind"]
        if kind not in _KINDS:
            return Response("There is no such report.", 404)
        try:
            return await asyncio.to_thread(_report, name, kind)
        except AdjudgeError as error:
            return Response(str(error), 404, media_type="text/plain")

    app.add_route("/data/viewer.js", script)
    app.add_route("/data/viewer.css", style)
    app.add_route("/data/reports/{name}.{kind}", report)


def _trace(trajectory: Trajectory) -> bytes:
    return to_json(trace_document(trajectory, trajectory.eval_id or ""))


def _report(name: str, kind: str) -> Response:
    """A report of a run, as `adjudge runs show --output` writes it."""
    with tempfile.TemporaryDirectory() as folder:
        # The name of a run is a plain name: what is none is refused before anything is written.
        path = Path(folder) / f"report.{kind}"
        _, unwritten = adjudge.write_reports(name, [path])
        if unwritten:
            raise AdjudgeError("\n".join(unwritten))
        content = path.read_bytes()
    # Saved and never shown: a page of its own would have this one's address.
    saved = {"content-disposition": f'attachment; filename="{name}.{kind}"'}
    return Response(content, media_type=_KINDS[kind], headers=saved)
