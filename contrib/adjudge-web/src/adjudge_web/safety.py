"""Who may talk to the page: this machine's own browser, from a page of ours, or somebody who knows the token."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlencode

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
SHORTEST_TOKEN: Final = 16
_PARAMETER: Final = "token"

_HEADERS: Final = {
    # Vue compiles templates in the browser, which is 'unsafe-eval'; nothing comes from elsewhere, whatever a log says.
    "content-security-policy": (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'self'; "
        "form-action 'self'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Safety:
    """What is asked of every request and every WebSocket."""

    hosts: frozenset[str]
    """What the header ``Host`` may say: a page of somebody else's that resolves to this machine says another name."""
    token: str | None = None
    cookie: str = "adjudge-web"

    @classmethod
    def of(cls, host: str, port: int, token: str | None) -> Safety:
        """What holds for a server at an address."""
        names: Iterable[str] = LOOPBACK if host in LOOPBACK else (host, *LOOPBACK)
        if host in ("0.0.0.0", "::"):  # noqa: S104 - only compared
            names = ()  # whatever this machine is called: the token has to be known
        shown = {f"[{name}]" if ":" in name else name for name in names}
        found = {f"{name}:{port}" for name in shown} | (shown if port == 80 else set[str]())
        # Cookies do not know ports: two pages side by side must not share one.
        return cls(hosts=frozenset(found), token=token, cookie=f"adjudge-web-{port}")

    def knows_host(self, host: str) -> bool:
        """Whether a request for that host is meant for this page."""
        return host.lower() in self.hosts if self.hosts else bool(host)

    @property
    def proof(self) -> str:
        """What the cookie holds: made of the token, and not the token."""
        return hashlib.sha256(f"adjudge-web {self.token}".encode()).hexdigest()


class SafetyMiddleware:
    """Refuses what a page of ours in a browser would not send, over HTTP and WebSocket alike."""

    def __init__(self, app: ASGIApp, safety: Safety) -> None:
        """Guard ``app``."""
        self._app = app
        self._safety = safety

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or hand it on."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }
        if (refusal := self._refusal(scope, headers)) is not None:
            await _refuse(scope, send, *refusal)
            return
        if self._safety.token is not None and not self._is_known(headers):
            given = dict(parse_qsl(scope.get("query_string", b"").decode("latin-1"))).get(_PARAMETER, "")
            if scope["type"] == "http" and self._is_token(given):
                await self._let_in(scope, send)
                return
            await _refuse(
                scope, send, 401, "Open the address with the token that `adjudge web` was started with."
            )
            return
        await self._app(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if not self._safety.knows_host(host):
            return 421, "This host is not served here."
        origin = headers.get("origin")
        if origin is None:
            # Browsers name the origin of every WebSocket and of everything that changes something.
            if scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD"):
                return 403, "The origin is missing."
            return None
        if origin.lower() not in (f"http://{host.lower()}", f"https://{host.lower()}"):
            return 403, "Another page may not talk to this one."
        return None

    def _is_known(self, headers: dict[str, str]) -> bool:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self._safety.cookie)
        except CookieError:
            return False
        return found is not None and hmac.compare_digest(found.value.encode(), self._safety.proof.encode())

    def _is_token(self, given: str) -> bool:
        return self._safety.token is not None and hmac.compare_digest(
            given.encode(), self._safety.token.encode()
        )

    async def _let_in(self, scope: Scope, send: Send) -> None:
        """Keep the proof in a cookie, and take the token out of the address."""
        rest = [
            pair
            for pair in parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
            if pair[0] != _PARAMETER
        ]
        # Only the path of this page: "//elsewhere" would lead away.
        path = "/" + scope["path"].lstrip("/\\")
        place = f"{_quoted(path)}?{urlencode(rest)}" if rest else _quoted(path)
        cookie = (
            f"{self._safety.cookie}={self._safety.proof}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000"
        )
        headers = [(b"location", place.encode()), (b"set-cookie", cookie.encode()), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def _quoted(path: str) -> str:
    from urllib.parse import quote

    return quote(path)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            has = {name.lower() for name, _ in message.get("headers", [])}
            added: list[Any] = [
                (name.encode(), value.encode())
                for name, value in _HEADERS.items()
                if name.encode() not in has
            ]
            message = {**message, "headers": [*message.get("headers", []), *added]}
        await send(message)

    return sending


async def _refuse(scope: Scope, send: Send, status: int, why: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"x-content-type-options", b"nosniff")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": why.encode()})
