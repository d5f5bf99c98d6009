"""Creates an adapter from options: protocol, address and key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

import httpx

from adjudge.kit import http_judge
from adjudge.plugin import AgentAdapter, InputError, Problem
from adjudge_plugins.agents.http_agent.adk_server import AdkServer
from adjudge_plugins.agents.http_agent.chat import ChatEndpoint
from adjudge_plugins.agents.http_agent.config import HttpAgentConfig
from adjudge_plugins.agents.http_agent.connection import Connection
from adjudge_plugins.agents.http_agent.detection import DetectedServer

_DEFAULT_KEY: Final = "OPENAI_API_KEY"
_BASE_URL: Final = "OPENAI_BASE_URL"
_OPENAI: Final = "api.openai.com"
_CHAT: Final = "/chat/completions"
_RUN: Final = "/run"
_SECRET: Final = re.compile(r"key|token|secret|pass|pwd|auth|sig|code|cred", re.IGNORECASE)
"""Names of query parameters whose values are removed from what a server repeats."""
_SHORTEST: Final = 8
"""The minimum length of such a value in characters. Shorter ones are ordinary words (``auth=basic``)."""


def http_agent(config: HttpAgentConfig, environment: Mapping[str, str]) -> AgentAdapter:
    """Create the adapter without opening a connection.

    Raises:
        InputError: the address is invalid, options contradict each other, or the key is not set.
    """
    url = _address(config.target)
    kind = _kind(config, url)
    if kind == "adk" and config.model is not None:
        raise _problem("option 'model' is for an OpenAI-compatible endpoint; an ADK app has its own model")
    if kind == "openai" and config.app is not None:
        raise _problem("option 'app' is for an ADK API server, and kind is openai")
    named = _named_key(config.api_key_env, environment)
    path = url.path.rstrip("/")
    secrets = [
        value for name, value in url.params.multi_items() if _SECRET.search(name) and len(value) >= _SHORTEST
    ]

    def connection(key: str | None) -> Connection:
        return Connection(timeout=config.timeout, key=key, secrets=secrets)

    adk = AdkServer(connection(named), url.copy_with(path=path.removesuffix(_RUN) + "/"), config.app)
    if kind == "adk":
        return adk
    chat = ChatEndpoint(
        connection(named or _default_key(url, environment)),
        url.copy_with(path=path if path.endswith(_CHAT) else path + _CHAT),
        config.model,
    )
    return chat if kind == "openai" else DetectedServer(chat, adk)


def _kind(config: HttpAgentConfig, url: httpx.URL) -> Literal["auto", "openai", "adk"]:
    """The protocol given by the options or the address; ``auto`` if neither tells."""
    path = url.path.rstrip("/")
    if config.kind != "auto":
        return config.kind
    if config.app is not None or path.endswith(_RUN):
        return "adk"
    return "openai" if config.model is not None or path.endswith(_CHAT) else "auto"


def _address(target: str) -> httpx.URL:
    try:
        url = httpx.URL(target)
    except httpx.InvalidURL as error:
        raise _problem(f"{http_judge.shown_address(target)!r} is not an address: {error}") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise _problem(
            f"{http_judge.shown_address(target)!r} is not an address that begins with http:// or https://"
        )
    if url.userinfo:
        raise _problem(
            "the address contains a password, which would be written into results",
            "Put a key into an environment variable and name it: --agent-option api_key_env=NAME",
        )
    return url


def _named_key(name: str | None, environment: Mapping[str, str]) -> str | None:
    if name is None:
        return None
    if not name.isidentifier():  # it may be the key itself, so the message does not repeat it
        raise _problem("option 'api_key_env' is the name of an environment variable, not the key")
    key = environment.get(name, "").strip()
    if not key:
        raise _problem(f"the environment variable {name!r} (option 'api_key_env') is not set")
    return _checked(key, name)


def _default_key(url: httpx.URL, environment: Mapping[str, str]) -> str | None:
    """``OPENAI_API_KEY`` for the server that it is meant for: OpenAI itself, or the one at ``OPENAI_BASE_URL``.

    Any other server is sent a key only where an option names its variable.
    """
    key = environment.get(_DEFAULT_KEY, "").strip()
    if not key or not (url.scheme == "https" or http_judge.is_on_this_machine(url.host)):
        return None
    if url.host == _OPENAI or url.host.endswith(f".{_OPENAI}"):
        return _checked(key, _DEFAULT_KEY)
    try:
        configured = httpx.URL(environment.get(_BASE_URL, "").strip())
    except httpx.InvalidURL:
        return None
    if (configured.scheme, configured.host, configured.port) != (url.scheme, url.host, url.port):
        return None
    if http_judge.key_problem(environment, address=_BASE_URL, key=_DEFAULT_KEY):
        return None
    return _checked(key, _DEFAULT_KEY)


def _checked(key: str, name: str) -> str:
    if not (key.isascii() and key.isprintable()):  # httpx's own error message would contain the key
        raise _problem(f"the environment variable {name!r} contains characters that cannot be sent as a key")
    return key


def _problem(what: str, hint: str | None = None) -> InputError:
    return InputError(Problem(what=what, hint=hint))
