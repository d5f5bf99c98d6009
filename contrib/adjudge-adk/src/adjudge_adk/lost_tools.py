"""Detects toolsets that cannot be loaded: google-adk runs the agent without them, and only logs it."""

from __future__ import annotations

import logging
from contextvars import ContextVar
from typing import Final

_LOST: ContextVar[list[str] | None] = ContextVar("adjudge_adk_lost_tools", default=None)
_TELLS: Final = "Agent %s will run without the tools from toolset "
"""How google-adk 2.13.0 begins what it logs then (``agents/llm_agent.py``)."""


class _Listener(logging.Handler):
    """Notes what is lost in the current context. All else that google-adk logs is told with its case, or by nobody."""

    def emit(self, record: logging.LogRecord) -> None:
        """Note it."""
        lost = _LOST.get()
        if lost is None or not str(record.msg).startswith(_TELLS) or not isinstance(record.args, tuple):
            return
        agent, toolset, _, raised = record.args
        lost.append(
            f"agent {agent} ran without the tools of {toolset}, which failed to load: {_words(raised)}"
        )


_LISTENER: Final = _Listener()


def listen() -> None:
    """Hear google-adk from now on. Whoever sets up logging hears it as before."""
    logging.getLogger("google_adk").addHandler(_LISTENER)


def lost_tools() -> list[str]:
    """A list that gets what is lost from now on in this context, and in the tasks that are begun in it."""
    lost: list[str] = []
    _LOST.set(lost)
    return lost


def _words(raised: object) -> str:
    if not isinstance(raised, BaseException):
        return str(raised)
    return f"{type(raised).__name__}: {raised}".rstrip(": ")
