"""Reads JSON from a server while a run is planned, for instance its list of models."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping
from typing import Any, Final

from adjudge.kit.http_judge.connection import direct_routes, tls
from adjudge.kit.http_judge.response_body import body_within

_LARGEST: Final = 2**20
"""The maximum size of an answer in bytes."""
_MORE: Final = 5.0
"""Seconds after the time limit at which the call is abandoned, because a DNS lookup cannot be interrupted."""


def json_at(url: str, *, seconds: float, headers: Mapping[str, str] | None = None) -> Any:
    """Read the JSON at ``GET url``; ``None`` if there is no such answer within the time limit.

    Args:
        url: The full address. Redirects are not followed.
        seconds: The time limit of the whole call in seconds.
        headers: The headers, including the key if there is one.
    """
    import asyncio  # not at the top: listings of plugins import this module

    found: list[Any] = []

    def work() -> None:
        # After any failure there is no answer.
        with contextlib.suppress(Exception):
            found.append(asyncio.run(_answer(url, dict(headers or {}), seconds)))

    # In a separate thread, because planning is synchronous and may run inside a caller's event loop.
    thread = threading.Thread(target=work, name="adjudge probe", daemon=True)
    thread.start()
    thread.join(seconds + _MORE)
    return found[0] if found else None


async def _answer(url: str, headers: dict[str, str], seconds: float) -> Any:
    import asyncio

    import httpx  # only if there is a server to ask

    from adjudge.adk.json_input import parse_json

    # Read the certificates, which is slow, only for https: redirects are not followed.
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
