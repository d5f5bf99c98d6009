"""Reports: what a shell, an interpreter or a tool answered, where a format has that in messages of a user.

Names: ``<returncode>`` of mini-SWE-agent, ``Observation:`` of ReAct, ``exitcode:`` of AutoGen's ``ConversableAgent``.
"""

from __future__ import annotations

import re
from typing import Final

from adjudge.kit import logs
from adjudge.model import Content, ErrorItem, Invocation, Item, Observation, Step, Text

GUESSED: Final = (
    "who wrote the messages of the user that begin like a tool's report: they are taken for the environment's"
)
"""What readers say in ``lost`` where the words alone told that a message is a report."""

_EXECUTION: Final = re.compile(r"exitcode: (-?\d+) \(execution (?:succeeded|failed)\)(?:\n|\Z)")
_SHELL: Final = re.compile(r"\s*<returncode>-?\d+</returncode>")
_REACT: Final = re.compile(r"\s*Observation:", re.IGNORECASE)


def is_of_execution(text: str) -> bool:
    """Whether it begins as AutoGen's report of executed code does."""
    return _EXECUTION.match(text) is not None


def is_report(text: str) -> bool:
    """Whether it begins as reports do. Anybody can write such words: who wrote them, they do not show."""
    return any(form.match(text) for form in (_EXECUTION, _SHELL, _REACT))


def item_of(text: str) -> Item:
    """A report as an error, where it says itself that the execution failed, else as an observation.

    The code that a shell returns is no error by itself: ``grep`` returns 1 where it found nothing.
    """
    execution = _EXECUTION.match(text)
    if execution is None:
        return Observation(text=text, source="environment" if is_report(text) else None)
    if execution[1] != "0":
        return ErrorItem(message=text, code=execution[1])
    return Observation(text=text, source="execution")


def is_answer_to(before: Step, message: Step) -> bool:
    """Whether a user's message reports what came of the step before it.

    It begins like a report, and the step has an action in its words, and no call that a result could answer. A
    person who writes ``Observation: it is paid`` to an agent that only talked, or that calls tools, says that.
    """
    if not message.items or not all(isinstance(item, Text) for item in message.items):
        return False
    move = Invocation(user_content=Content(role="user", has_parts=False), steps=(before,))
    return is_report(message.text) and logs.has_actions_in_prose([move])
