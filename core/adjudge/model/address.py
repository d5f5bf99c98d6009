"""Addresses as they may be shown."""

from __future__ import annotations

import re


def shown_address(url: str) -> str:
    """Return the address without its user and without the values of its query.

    Keys often stand in a query (``?key=…``), and no parameter name proves that its value is not one.
    A text that is not an address is returned as it is.
    """
    if "://" not in url:
        return url
    place, question, query = re.sub(r"//[^/?#]*@", "//***@", url, count=1).partition("?")
    pieces = (
        f"{name}=***" if equals else "***"
        for name, equals, _ in (piece.partition("=") for piece in query.split("&"))
    )
    return f"{place}?{'&'.join(pieces)}" if question else place
