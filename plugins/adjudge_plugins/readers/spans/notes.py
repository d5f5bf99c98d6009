"""Collects losses and caches messages while the spans of a run are read."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Set
from typing import Any, Final

from pydantic_core import to_json

from adjudge.kit.logs import Losses
from adjudge_plugins.readers.spans.span import Span
from adjudge_plugins.readers.spans.span_records import Message

_INDEX: Final = re.compile(r"\.\d+(?=\.|$)")
_EXCEPTION: Final = "exception"
"""An event of every convention; the error of a span is read from it."""
_LONGEST: Final = 100
"""The length limit of a name in characters."""


class Notes:
    """The losses of a run, and a cache of its messages: each model call repeats all messages before it."""

    def __init__(self) -> None:
        """Start empty."""
        self.losses = Losses()
        self._messages: dict[bytes, Message] = {}

    def messages(self, raw: Iterable[Any], make: Callable[[Any], Message]) -> tuple[Message, ...]:
        """Convert the messages of an input or output. Equal messages are converted once, and their losses count once.

        Args:
            raw: The messages as JSON.
            make: Converts one message.
        """
        return tuple([self._message(one, make) for one in raw])

    def lose_others(self, span: Span, known: Set[str], lists: tuple[str, ...], events: Set[str]) -> None:
        """Note the attributes and events of a span that are not read, with ``*`` for every index in a name.

        Args:
            span: The span.
            known: The attributes that are read, or that repeat others.
            lists: Prefixes of further such attributes.
            events: The names of the events that are read, besides exceptions.
        """
        for name in span.attributes:
            if name not in known and not name.startswith(lists):
                self.losses.add(f"the attribute {_INDEX.sub('.*', name)[:_LONGEST]!r}")
        for event in span.events:
            if event.name != _EXCEPTION and event.name not in events:
                self.losses.add(f"the event {event.name[:_LONGEST]!r}")

    def _message(self, raw: Any, make: Callable[[Any], Message]) -> Message:
        key = hashlib.sha256(to_json(raw)).digest()
        known = self._messages.get(key)
        if known is None:
            known = self._messages[key] = make(raw)
        return known
