"""Converts the environment variable ``OLLAMA_HOST`` to a URL.

The accepted forms are those of Ollama itself (https://github.com/ollama/ollama, ``envconfig/config.go``).
"""

from __future__ import annotations

import ipaddress
from typing import Final
from urllib.parse import urlsplit

_HOST: Final = "127.0.0.1"
_PORTS: Final = {"http": 80, "https": 443}
_PORT: Final = 11434
"""The default port for an address without a scheme; an address with a scheme uses the scheme's port."""


def base_url(text: str) -> str:
    """Convert ``HOST``, ``:PORT``, ``HOST:PORT``, an IPv6 address or a URL to a URL with a port.

    The wildcard addresses that servers listen on (``0.0.0.0``, ``::``) become the loopback address. An
    invalid address is returned unchanged.
    """
    written = text.strip().strip("\"'").strip()
    scheme, separator, rest = written.partition("://")
    if not separator:
        scheme, rest = "http", written
    place, _, path = rest.partition("/")
    if _is_ipv6(place):
        place = f"[{place}]"
    try:
        parts = urlsplit(f"//{place}")
        host, port = parts.hostname or _HOST, parts.port
    except ValueError:
        return written
    if parts.username is not None or scheme not in _PORTS:
        return f"{scheme}://{rest}"
    if port is None:
        port = _PORTS[scheme] if separator else _PORT
    return f"{scheme}://{_reachable(host)}:{port}/{path}".rstrip("/")


def _is_ipv6(text: str) -> bool:
    try:
        return ipaddress.ip_address(text).version == 6
    except ValueError:
        return False


def _reachable(host: str) -> str:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.version == 4:
        return _HOST if address.is_unspecified else host
    return "[::1]" if address.is_unspecified else f"[{host}]"
