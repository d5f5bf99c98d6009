"""What an interrupt asks the user, and what the graph is given for the user's reply."""

from __future__ import annotations

import json
from typing import Any

from adjudge.kit.framework_agent import answer_text, approved
from adjudge.kit.plain_json import plain_json
from adjudge.kit.strict_json import is_list, is_object
from adjudge.model import Content, JsonObject


def question(value: object) -> str:
    """The question of an interrupt: its value as text; for ``HumanInTheLoopMiddleware`` which calls wait."""
    requests = _requests(value)
    if not requests:
        return answer_text(value)
    asked = (f"{each.get('name')}({answer_text(each.get('args') or {})})" for each in requests)
    return f"May I call {' and '.join(asked)}?"


def reply(value: object, said: Content) -> Any:
    """The value that ``interrupt`` returns.

    Args:
        value: What the graph asked.
        said: The user's message. An object or a list in JSON is returned as it is. Otherwise the message decides about
            calls of ``HumanInTheLoopMiddleware``: it approves them if it begins with a yes, else rejects them; and is
            a text for other interrupts.
    """
    try:
        found: Any = json.loads(said.text)
    except (ValueError, RecursionError):
        found = None
    if is_object(found) or is_list(found):
        return found
    if not (requests := _requests(value)):
        return said.text
    decision = {"type": "approve"} if approved(said) else {"type": "reject", "message": said.text}
    return {"decisions": [decision] * len(requests)}


def _requests(value: object) -> list[JsonObject]:
    """The calls that wait for a decision, in the shape of LangChain's ``HumanInTheLoopMiddleware``."""
    found = plain_json([value])[0]
    if not is_object(found) or not is_list(found.get("review_configs")):
        return []
    return [each for each in found.get("action_requests") or () if is_object(each)]
