"""Asks a server for JSON while a run is planned, for instance for its list of models."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping
from typing import Any, Final

from adjudge.kit.http_judge.connection import direct_routes, tls
from adjudge.kit.http_judge.response_body import body_within

_LARGEST: Final = 2**20
"""Bytes of an answer."""
_MORE: Final = 5.0
"""Seconds beyond the limit after which nobody waits any more: looking up a name cannot be interrupted."""


def json_at(url: str, *, seconds: float, headers: Mapping[str, str] | None = None) -> Any:
    """The JSON that a server answers to ``GET url``; ``None`` where it answers none, or not in time.

    Args:
        url: The whole address. Redirects are not followed.
        seconds: The most that it may take as a whole, however slowly the answer trickles.
        headers: With the key, where there is one.
    """
    import asyncio  # not above: listings of plugins import this module, and ask no server

    found: list[Any] = []

    def work() -> None:
        # Whatever goes wrong here means that there is no such answer.
        with contextlib.suppress(Exception):
            found.append(asyncio.run(_answer(url, dict(headers or {}), seconds)))

    # A thread of its own: planning is synchronous, and may happen inside of somebody's event loop.
    thread = threading.Thread(target=work, name="adjudge probe", daemon=True)
    thread.start()
    thread.join(seconds + _MORE)
    return found[0] if found else None


async def _answer(url: str, headers: dict[str, str], seconds: float) -> Any:
    import asyncio

    import httpx  # only where there is somebody to ask

    from adjudge.adk.json_input import parse_json

    # Certificates take long to read, and only https needs them: a redirect is not followed.
    verify = tls() if url.lower().startswith("https:") else False
    async with (
        httpx.AsyncClient(timeout=None, verify=verify, mounts=direct_routes(url)) as client,  # noqa: S113
        asyncio.timeout(seconds),
    ):
        response = await client.send(client.build_request("GET", url, headers=headers), stream=True)
        content = await body_within(response, _LARGEST)
    return (
        parse_json(content, source="answer") if content is not None and response.status_code == 200 else None
    )
