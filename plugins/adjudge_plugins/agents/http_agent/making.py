"""From options to an adapter: which protocol, which address, which key."""

from __future__ import annotations

import ipaddress
import os
from typing import Final

import httpx

from adjudge.plugin import AgentAdapter, InputError, Problem
from adjudge_plugins.agents.http_agent.adk_server import AdkServer
from adjudge_plugins.agents.http_agent.chat import ChatEndpoint
from adjudge_plugins.agents.http_agent.config import HttpAgentConfig
from adjudge_plugins.agents.http_agent.connection import Connection

_DEFAULT_KEY: Final = "OPENAI_API_KEY"
_CHAT: Final = "/chat/completions"
_RUN: Final = "/run"


def http_agent(config: HttpAgentConfig) -> AgentAdapter:
    """The adapter; no connection is opened yet.

    Raises:
        InputError: the address is not one, options contradict each other, or the key is not set.
    """
    url = _address(config.target)
    path = url.path.rstrip("/")
    is_adk = config.kind == "adk" or (
        config.kind == "auto" and (config.app is not None or path.endswith(_RUN))
    )
    if is_adk and config.model is not None:
        raise _problem("option 'model' is for an OpenAI-compatible endpoint; an ADK app has its own model")
    if not is_adk and config.app is not None:
        raise _problem("option 'app' is for an ADK API server, and kind=openai is asked for")
    connection = Connection(timeout=config.timeout, key=_key(config.api_key_env, url, is_adk))
    if is_adk:
        return AdkServer(connection, url.copy_with(path=path.removesuffix(_RUN) + "/"), config.app)
    endpoint = url.copy_with(path=path if path.endswith(_CHAT) else path + _CHAT)
    return ChatEndpoint(connection, endpoint, config.model)


def _address(target: str) -> httpx.URL:
    try:
        url = httpx.URL(target)
    except httpx.InvalidURL as error:
        raise _problem(f"{target!r} is not an address: {error}") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise _problem(f"{target!r} is not an address that begins with http:// or https://")
    if url.userinfo:
        raise _problem(
            "the address holds a password, which would be written into results",
            "Put a key into an environment variable and name it: --agent-option api_key_env=NAME",
        )
    return url


def _key(name: str | None, url: httpx.URL, is_adk: bool) -> str | None:
    if name is None:
        return None if is_adk or not _is_private(url) else os.environ.get(_DEFAULT_KEY) or None
    if not name.isidentifier():  # perhaps the key itself: it is not repeated
        raise _problem("option 'api_key_env' is the name of an environment variable, not the key")
    key = os.environ.get(name)
    if not key:
        raise _problem(f"the environment variable {name!r} (option 'api_key_env') is not set")
    return key


def _is_private(url: httpx.URL) -> bool:
    if url.scheme == "https" or url.host == "localhost":
        return True
    try:
        return ipaddress.ip_address(url.host).is_loopback
    except ValueError:
        return False


def _problem(what: str, hint: str | None = None) -> InputError:
    return InputError(Problem(what=what, hint=hint))
