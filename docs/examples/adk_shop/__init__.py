"""The folder of an ADK agent, as `adk create` makes it."""

from . import agent

__all__ = ["agent"]
