"""What is kept in mind while the spans of a run are read."""

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
"""The event that every convention shares: the error of a span is read from it."""
_LONGEST: Final = 100
"""Characters of a name."""


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

    def lose_others(self, span: Span, known: Set[str], lists: tuple[str, ...], events: Set[str]) -> None:
        """Note the attributes and the events of a span that nothing reads, with ``*`` for every index in a name.

        Args:
            span: The span.
            known: The attributes that are read, or repeat what is read.
            lists: What the names of further such attributes begin with.
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
