"""What is kept in mind while the spans of a run are read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from typing import Any

from adjudge.reading.losses import Losses
from adjudge.reading.spans.told import Message


class Notes:
    """What is lost, and every message once: each model call of a run repeats all messages before it."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.losses = Losses()
        self._messages: dict[bytes, Message] = {}

    def messages(self, raw: Iterable[Any], make: Callable[[Any], Message]) -> tuple[Message, ...]:
        """The messages of an input or an output; equal ones are one object, and their losses count once.

        Args:
            raw: Each as JSON.
            make: Reads one.
        """
        return tuple([self._message(one, make) for one in raw])

    def _message(self, raw: Any, make: Callable[[Any], Message]) -> Message:
        key = hashlib.sha256(json.dumps(raw).encode()).digest()
        known = self._messages.get(key)
        if known is None:
            known = self._messages[key] = make(raw)
        return known
