"""The page in this process, for a simulated user; and in one of its own, for a browser."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
from adjudge_web.safety import Safety
from adjudge_web.server import options, prepare
from nicegui import app, core, ui
from nicegui.functions.download import download
from nicegui.functions.navigate import Navigate
from nicegui.functions.notify import notify
from nicegui.testing import User

HOST = "127.0.0.1:8420"


class PatientUser(User):
    """Waits longer for what is to come: machines are slow at times."""

    async def should_see(self, *target: Any, retries: int = 100, **kind: Any) -> None:
        await super().should_see(*target, retries=retries, **kind)


async def simulated(folder: Path, steps: Callable[[User], Awaitable[None]]) -> None:
    """Prepare the pages as the command does, and let a user walk."""
    os.environ["NICEGUI_USER_SIMULATION"] = "true"
    prepare(Safety.of("127.0.0.1", 8420, None), folder)
    try:
        ui.run(**options())
        async with app.router.lifespan_context(core.app):
            transport = httpx.ASGITransport(core.app)
            async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
                await steps(PatientUser(client))
    finally:
        del os.environ["NICEGUI_USER_SIMULATION"]
        ui.navigate = Navigate()
        ui.notify = notify
        ui.download = download


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def started(folder: Path, *arguments: str, port: int) -> subprocess.Popen[bytes]:
    """`adjudge web` in a process, and a process group, of its own; it answers when this returns."""
    command = [sys.executable, "-m", "adjudge", "web", str(folder), "--port", str(port), *arguments]
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("NICEGUI", "PYTEST"))
    }
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, start_new_session=True)
    for _ in range(300):
        with contextlib.suppress(httpx.TransportError):
            httpx.get(f"http://127.0.0.1:{port}")
            return process
        if process.poll() is not None:
            raise AssertionError("the page did not start")
        time.sleep(0.1)
    process.kill()
    raise AssertionError("the page does not answer")


@contextlib.contextmanager
def served(folder: Path, *arguments: str, port: int | None = None) -> Iterator[str]:
    """The address of `adjudge web`, which ends afterwards."""
    port = port or free_port()
    process = started(folder, *arguments, port=port)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)
