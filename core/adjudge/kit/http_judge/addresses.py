"""The address of a server as an environment variable names it."""

from __future__ import annotations

import ipaddress
import socket
from typing import Final
from urllib.parse import SplitResult, urlsplit

_SECONDS: Final = 0.5
"""How long a server on this machine may take to accept a connection."""


def host_of(url: str) -> str:
    """The host of an address in lower case; empty where it is no ``http`` or ``https`` address."""
    parts = _parts(url)
    return (parts.hostname or "") if parts else ""


def address_problem(name: str, url: str) -> str | None:
    """Why ``url`` cannot be a base address; ``None`` where it can.

    Args:
        name: The environment variable that holds it. The message repeats no address that holds a password.
        url: The address.
    """
    parts = _parts(url)
    unreadable = parts is None or not parts.hostname
    if (parts is not None and parts.username is not None) or (unreadable and "@" in url):
        return f"{name} holds a user or a password: addresses are shown, so leave them out"
    if parts is None or not parts.hostname:
        return f"{name} is not an address that starts with http:// or https://: {url!r}"
    if parts.query or parts.fragment:
        return f"{name} holds '?' or '#': only the base address is expected, without a query"
    return None


def is_on_this_machine(host: str) -> bool:
    """Whether a host is this machine by its name or its number; nothing is looked up."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def nobody_listens(url: str) -> bool:
    """Whether the address is on this machine and no server accepts connections there."""
    parts = _parts(url)
    if parts is None or parts.hostname is None or not is_on_this_machine(parts.hostname):
        return False
    port = parts.port if parts.port is not None else {"http": 80, "https": 443}[parts.scheme]
    try:
        socket.create_connection((parts.hostname, port), timeout=_SECONDS).close()
    except TimeoutError:
        return False  # this machine is busy: where nobody listens, it says so at once
    except OSError:
        return True
    return False


def _parts(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises where it is no number
    except ValueError:
        return None
    return parts if parts.scheme in ("http", "https") else None
