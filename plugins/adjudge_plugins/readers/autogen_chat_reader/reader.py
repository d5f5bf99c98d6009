"""Finds the chats in a file: an object with ``chat_history`` or ``history``, a list of them, or one per line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from adjudge.kit import logs
from adjudge.kit.strict_json import JsonStream
from adjudge.plugin import ReadOptions, Source, Trajectory
from adjudge_plugins.readers.autogen_chat_reader.chat import trajectory_of

_LISTS: Final = ("chat_history", "history")
_MESSAGE: Final = frozenset({"name", "role", "content"})


class AutogenChatReader:
    """Reads one chat at a time; memory use is that of the longest chat in the file."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether the first object contains a list whose first element is a named message."""
        found = logs.outline(head)
        return any(_MESSAGE.issubset(found.lists.get(key, ())) for key in _LISTS)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield the chats in the order of the file.

        Raises:
            InputError: the file is malformed or has another format; the problem names the place.
        """
        name = source.path.name
        with logs.opened(source) as stream:
            count = 0
            for value, place, is_alone in _values(stream, name):
                chat = place.as_object(value, "a chat")
                key = next((key for key in _LISTS if isinstance(chat.get(key), list)), None)
                if key is None:
                    place.fail(f"found no chat: it has no list {' or '.join(_LISTS)}")
                yield trajectory_of(chat, key, place, options, name.split(".")[0] if is_alone else str(count))
                count += 1
            if not count:
                stream.fail("no chat; an object with a list of messages is expected.")


def _values(stream: JsonStream, name: str) -> Iterator[tuple[Any, logs.Place, bool]]:
    """Yield every value with its place, and whether it is the only value in the file."""
    first = True
    while stream.peek():
        place = logs.Place(name, line=stream.line)
        if stream.peek() == "[":
            for index in stream.elements():
                yield stream.value(), place.at(index), False
        else:
            value: Any = stream.value()
            yield value, place, first and not stream.peek()
        first = False
