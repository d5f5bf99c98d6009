"""What the ``http`` agent is told."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from adjudge.plugin import ComponentConfig


class HttpAgentConfig(ComponentConfig):
    """Where the agent listens, and how it is spoken to."""

    target: str
    """The address."""
    kind: Literal["auto", "openai", "adk"] = "auto"
    """``auto``: ``adk`` where the address ends in ``/run`` or ``app`` is given, else ``openai``."""
    model: str | None = None
    """What an OpenAI-compatible endpoint is asked for as ``model``."""
    app: str | None = None
    """The app of an ADK API server; without it, the ``app_name`` of the case."""
    api_key_env: str | None = None
    """The *name* of an environment variable that holds the key sent as a bearer token. Without it a chat endpoint
    of OpenAI, or at ``OPENAI_BASE_URL``, is sent ``OPENAI_API_KEY``, and everybody else nothing."""
    timeout: float = Field(default=120.0, gt=0, le=86_400)
    """Seconds that one request may take."""
