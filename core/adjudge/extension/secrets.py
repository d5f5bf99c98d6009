"""Keys of the environment in what others write: agents, tools and criteria. They are kept and shown nowhere."""

from __future__ import annotations

import json
import os
import re
from typing import Final

_NAMES: Final = re.compile(r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD)$", re.IGNORECASE)
"""What variables are called that hold a key."""
_SHORTEST: Final = 8
"""Characters. A shorter value may be a word of the text."""


class Secrets:
    """The keys that the environment has when this is made."""

    def __init__(self) -> None:
        """Read the environment. A value that is one word of letters is taken for no key."""
        values = {
            value
            for name, value in os.environ.items()
            if _NAMES.search(name) and len(value) >= _SHORTEST and not value.isalpha()
        }
        # The longest first: one key may begin with another. In JSON a key stands escaped.
        self._texts = sorted({*values, *(json.dumps(value)[1:-1] for value in values)}, key=len, reverse=True)
        self._bytes = [text.encode(errors="surrogateescape") for text in self._texts]

    def masked(self, text: str) -> str:
        """The text with ``***`` in place of every key."""
        for secret in self._texts:
            text = text.replace(secret, "***")
        return text

    def masked_json(self, data: bytes) -> bytes:
        """The same for a JSON document; its other bytes stay as they are."""
        for secret in self._bytes:
            if secret in data:
                data = data.replace(secret, b"***")
        return data
