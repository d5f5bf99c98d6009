"""Reports: output of a shell, an interpreter or a tool, in formats that store it in messages of a user.

Names: ``<returncode>`` of mini-SWE-agent, ``Observation:`` of ReAct, ``exitcode:`` of AutoGen's
``ConversableAgent``.
"""

from __future__ import annotations

import re
from typing import Final

from adjudge.kit import logs
from adjudge.model import Content, ErrorItem, Invocation, Item, Observation, Step, Text

GUESSED: Final = (
    "who wrote the messages of the user that begin like a tool's report: they are taken for the environment's"
)
"""The entry in ``lost`` if only the wording shows that a message is a report."""

_EXECUTION: Final = re.compile(r"exitcode: (-?\d+) \(execution (?:succeeded|failed)\)(?:\n|\Z)")
_SHELL: Final = re.compile(r"\s*<returncode>-?\d+</returncode>")
_REACT: Final = re.compile(r"\s*Observation:", re.IGNORECASE)


def is_of_execution(text: str) -> bool:
    """Whether a text begins like AutoGen's report of executed code."""
    return _EXECUTION.match(text) is not None


def is_report(text: str) -> bool:
    """Whether a text begins like a report. This does not prove who wrote it."""
    return any(form.match(text) for form in (_EXECUTION, _SHELL, _REACT))


def item_of(text: str) -> Item:
    """Convert a report to an error if it says that the execution failed, else to an observation.

    An exit code other than 0 alone is not an error: ``grep`` exits with 1 if nothing matches.
    """
    execution = _EXECUTION.match(text)
    if execution is None:
        return Observation(text=text, source="environment" if is_report(text) else None)
    if execution[1] != "0":
        return ErrorItem(message=text, code=execution[1])
    return Observation(text=text, source="execution")


def is_answer_to(before: Step, message: Step) -> bool:
    """Whether a user's message reports the result of the previous step.

    It must begin like a report, and that step must have an action in its text and no call that could have a
    result. Otherwise a message such as ``Observation: it is paid`` is taken as the user's own words.
    """
    if not message.items or not all(isinstance(item, Text) for item in message.items):
        return False
    move = Invocation(user_content=Content(role="user", has_parts=False), steps=(before,))
    return is_report(message.text) and logs.has_actions_in_prose([move])
