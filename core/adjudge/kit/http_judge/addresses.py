"""The address of a server from an environment variable."""

from __future__ import annotations

import ipaddress
import socket
from typing import Final
from urllib.parse import SplitResult, urlsplit

_SECONDS: Final = 0.5
"""The time limit for a connection to a server on this machine."""


def host_of(url: str) -> str:
    """The host of a URL in lower case; empty if it is not an ``http`` or ``https`` URL."""
    parts = _parts(url)
    return (parts.hostname or "") if parts else ""


def address_problem(name: str, url: str) -> str | None:
    """A message if ``url`` is not a valid base address; else ``None``.

    Args:
        name: The environment variable with the address. An address with a password is not repeated in the message.
        url: The address.
    """
    parts = _parts(url)
    unreadable = parts is None or not parts.hostname
    if (parts is not None and parts.username is not None) or (unreadable and "@" in url):
        return f"{name} contains a user or a password: addresses are shown in reports, so remove them"
    if parts is None or not parts.hostname:
        return f"{name} is not an address that starts with http:// or https://: {url!r}"
    if parts.query or parts.fragment:
        return f"{name} contains '?' or '#': only the base address is expected, without a query"
    return None


def is_on_this_machine(host: str) -> bool:
    """Whether a host name or IP address means this machine; without a DNS lookup."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def nobody_listens(url: str) -> bool:
    """Whether the address is on this machine, and no server accepts connections there."""
    parts = _parts(url)
    if parts is None or parts.hostname is None or not is_on_this_machine(parts.hostname):
        return False
    port = parts.port if parts.port is not None else {"http": 80, "https": 443}[parts.scheme]
    try:
        socket.create_connection((parts.hostname, port), timeout=_SECONDS).close()
    except TimeoutError:
        return False  # a timeout means that this machine is busy: a closed port refuses at once
    except OSError:
        return True
    return False


def _parts(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises if it is not a number
    except ValueError:
        return None
    return parts if parts.scheme in ("http", "https") else None
