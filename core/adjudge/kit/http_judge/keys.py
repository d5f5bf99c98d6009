"""API keys: checks where they may be sent, and removes them from texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from adjudge.kit.http_judge.response_body import redacted
from adjudge.model.environment import Environment

_SHORTEST: Final = 8
"""The minimum length of a secret in characters. Shorter values are placeholders (``EMPTY``, ``ollama``) or words."""


def key_problem(environment: Mapping[str, str], *, address: str, key: str) -> str | None:
    """A message if a key may not be sent to an address; else ``None``.

    A ``.env`` file from an untrusted folder must not choose the server to which the user's own key is sent. So for an
    address from such a file only a key from the same file is allowed.

    Args:
        environment: The host's environment.
        address: The variable with the address.
        key: The variable with the key. If it is not set, the key counts as the user's own.
    """
    if not isinstance(environment, Environment):  # a plain mapping does not know about files
        return None
    file = environment.file_of(address)
    if file is None or environment.file_of(key) == file:
        return None
    return (
        f"{address} comes from {file}, and {key} {_place(environment.file_of(key))}: a key is sent only to an "
        "address from the same file or from the environment. Set both in one place"
    )


def _place(file: Path | None) -> str:
    return "from the environment" if file is None else f"from {file}"


def without_secrets(value: Any, secrets: Iterable[str]) -> Any:
    """Replace secrets of at least 8 characters in the JSON of a server."""
    hidden = [secret for secret in secrets if len(secret) >= _SHORTEST]
    return _hidden(value, hidden) if hidden else value


def _hidden(value: Any, secrets: list[str]) -> Any:
    if isinstance(value, str):
        return redacted(value, secrets)
    if isinstance(value, list):
        return [_hidden(item, secrets) for item in cast("Sequence[Any]", value)]
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {redacted(name, secrets): _hidden(item, secrets) for name, item in items}
    return value
