"""Keys: where they may go, and how they are kept out of what is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from adjudge.kit.http_judge.response_body import redacted
from adjudge.model.environment import Environment

_SHORTEST: Final = 8
"""Characters. Shorter values are placeholders (``EMPTY``, ``ollama``) and ordinary words of an answer."""


def key_problem(environment: Mapping[str, str], *, address: str, key: str) -> str | None:
    """Why a key may not be sent to an address; ``None`` where it may.

    A ``.env`` file that came along with a folder must not name the server that the user's own key is sent
    to. So an address from such a file gets a key from the same file and no other.

    Args:
        environment: The host's.
        address: The variable that holds the address.
        key: The variable that holds the key. Where it is not set, the key is the user's own all the same.
    """
    if not isinstance(environment, Environment):  # a plain mapping says nothing of files
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
    """JSON from a server without the secrets that it repeats, of at least 8 characters each."""
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
