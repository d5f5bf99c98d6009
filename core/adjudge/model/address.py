"""Addresses without secrets, safe to show."""

from __future__ import annotations

import re


def shown_address(url: str) -> str:
    """Return a URL without its user information and without the values of its query.

    Queries often contain keys (``?key=…``), and the name of a parameter never proves that its value is not a key.
    A text that is not a URL is returned unchanged.
    """
    if "://" not in url:
        return url
    place, question, query = re.sub(r"//[^/?#]*@", "//***@", url, count=1).partition("?")
    pieces = (
        f"{name}=***" if equals else "***"
        for name, equals, _ in (piece.partition("=") for piece in query.split("&"))
    )
    return f"{place}?{'&'.join(pieces)}" if question else place
