"""Options of the ``http`` agent."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from adjudge.plugin import ComponentConfig


class HttpAgentConfig(ComponentConfig):
    """Where the agent listens, and how it is spoken to."""

    target: str
    """The address of the server, with ``http://`` or ``https://``."""
    kind: Literal["auto", "openai", "adk"] = "auto"
    """The protocol of the server. ``auto``: ``adk`` if the address ends in ``/run`` or ``app`` is set, otherwise ``openai``."""
    model: str | None = None
    """The ``model`` in requests to an OpenAI-compatible endpoint; unset: none is sent."""
    app: str | None = None
    """The app on an ADK API server; unset: the ``app_name`` of the case."""
    api_key_env: str | None = None
    """The *name* of the environment variable with the key, which is sent as a bearer token. Unset: chat endpoints of
    OpenAI and at ``OPENAI_BASE_URL`` receive ``OPENAI_API_KEY``, other servers receive no key."""
    timeout: float = Field(default=120.0, gt=0, le=86_400)
    """The time limit of one request, in seconds."""
