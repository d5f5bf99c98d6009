"""Masks keys from the environment and from ``.env`` files in texts of agents, tools and criteria before they are stored or shown."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Final

_NAMES: Final = re.compile(r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD)$", re.IGNORECASE)
"""Names of environment variables that contain a key."""
_SHORTEST: Final = 8
"""The minimum length of a key in characters. A shorter value could be a normal word of the text."""


_OF_FILES: Final[set[tuple[str, str]]] = set()
"""The variables of ``.env`` files that this process has read: the name, and the value."""


def remember(variables: Mapping[str, str]) -> None:
    """Let later ``Secrets`` also mask the keys among variables of a ``.env`` file."""
    _OF_FILES.update(variables.items())


class Secrets:
    """The keys in the environment at the time of creation, and in the ``.env`` files that were read by then."""

    def __init__(self) -> None:
        """Read the environment. A value of only letters does not count as a key."""
        values = {
            value
            for name, value in (*os.environ.items(), *_OF_FILES)
            if _NAMES.search(name) and len(value) >= _SHORTEST and not value.isalpha()
        }
        # The longest first, because one key may be the beginning of another. JSON texts contain the escaped key.
        self._texts = sorted({*values, *(json.dumps(value)[1:-1] for value in values)}, key=len, reverse=True)
        self._bytes = [text.encode(errors="surrogateescape") for text in self._texts]

    def masked(self, text: str) -> str:
        """The text with ``***`` in place of every key."""
        for secret in self._texts:
            text = text.replace(secret, "***")
        return text

    def masked_json(self, data: bytes) -> bytes:
        """Replace secrets in a JSON document; all other bytes are unchanged."""
        for secret in self._bytes:
            if secret in data:
                data = data.replace(secret, b"***")
        return data
