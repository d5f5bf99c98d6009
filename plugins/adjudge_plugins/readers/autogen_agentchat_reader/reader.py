"""Finds messages in a file: a list, an object that contains them, one per line, or the state of a team."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from adjudge.kit import logs
from adjudge.model import JsonObject
from adjudge.plugin import ReadOptions, Source, Trajectory
from adjudge_plugins.readers.autogen_agentchat_reader.messages import KNOWN, Found, trajectory_of
from adjudge_plugins.readers.records import first_records, values_of

_MESSAGE: Final = frozenset({"content", "type"})
_TEAM: Final = "TeamState"
_THREAD: Final = "message_thread"


class AutogenAgentChatReader:
    """Reads one chat at a time; memory use is that of the longest chat in the file."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether the first value is a message or contains messages."""
        for first in first_records(head):
            found = logs.list_of(first) or [first]
            return _is_message(found[0]) or bool(_messages(logs.object_of(found[0])))
        beginning = logs.outline(head)  # the value is longer than the head
        return beginning.texts.get("type") in {*KNOWN, _TEAM} or any(
            _MESSAGE.issubset(keys) and "role" not in keys and {"source", "call_id", "thought"} & set(keys)
            for keys in (beginning.lists.get("messages", ()),)
        )

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield the chats in the order of the file. Messages one per line, or in one list, form one chat.

        Raises:
            InputError: the file is malformed or has another format; the problem names the place.
        """
        name = source.path.name
        with logs.opened(source) as stream:
            chats: list[tuple[JsonObject, list[Found], logs.Place]] = []
            loose: list[Found] = []
            for each, at in values_of(stream, name):
                if _is_message(each):
                    loose.append((logs.object_of(each), at))
                    continue
                chat = at.as_object(each, "a message or an object with messages")
                messages = _messages(chat, at)
                if not messages:
                    at.fail(
                        "found no message",
                        "A message has content, a type and, but for results, a source.",
                    )
                chats.append((chat, messages, at))
            if chats and stream.cut is not None:  # that line was a run
                raise stream.cut
            if loose:
                chats.append(({}, loose, loose[0][1]))
            if not chats:
                stream.fail("no message of AutoGen is here.")
        for index, (chat, messages, place) in enumerate(chats):
            own = name.split(".")[0] if len(chats) == 1 else str(index)
            yield trajectory_of(chat, messages, place, options, own)


def _is_message(value: object) -> bool:
    found = logs.object_of(value)
    return logs.text_of(found.get("type")) in KNOWN and "content" in found and "role" not in found


def _messages(chat: JsonObject, place: logs.Place | None = None) -> list[Found]:
    """The messages of a ``TaskResult``, of a model's context, or of the thread of a team; empty for other objects."""
    here = place or logs.Place("")
    for key in ("messages", "chat_history"):
        if _is_message(next(iter(logs.list_of(chat.get(key))), None)):
            return here.key(key).as_objects(chat[key])
    states = logs.object_of(chat.get("agent_states"))
    for name, state in states.items():
        inner = logs.object_of(state)
        at = here.key("agent_states").key(name)
        for holder, where in ((inner, at), (logs.object_of(inner.get("agent_state")), at.key("agent_state"))):
            if _is_message(next(iter(logs.list_of(holder.get(_THREAD))), None)):
                return where.key(_THREAD).as_objects(holder[_THREAD])
    context = logs.object_of(chat.get("llm_context"))
    if _is_message(next(iter(logs.list_of(context.get("messages"))), None)):
        return here.key("llm_context").key("messages").as_objects(context["messages"])
    return []
