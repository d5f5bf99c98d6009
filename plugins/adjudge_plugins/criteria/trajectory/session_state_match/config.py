"""Options of ``session_state_match``."""

from __future__ import annotations

from typing import Literal

from adjudge.kit.matching import Tolerance
from adjudge.plugin import ComponentConfig


class SessionStateMatchConfig(ComponentConfig):
    """Options of ``session_state_match``.

    ``ignore`` and ``tolerance`` name keys by dotted paths: ``user.id``, ``items.0.price``. A segment may be
    a glob (``*_at``); ``**`` stands for any number of segments.
    """

    mode: Literal["subset", "exact"] = "subset"
    """``subset``: the state may hold further keys, at every depth. ``exact``: it may not."""
    ignore: tuple[str, ...] = ()
    """Keys that do not count, with everything below them."""
    tolerance: dict[str, Tolerance] = {}
    """What a number at a path may deviate by."""
