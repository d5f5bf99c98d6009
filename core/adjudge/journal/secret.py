"""The installation's secret, from which the delimiters of prompts are derived."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Final

from adjudge.errors import RunError
from adjudge.extension.home_folder import home, make_folder

_LENGTH: Final = 32


def installation_secret() -> bytes:
    """32 random bytes, created at the first use in a file that only its owner can read.

    Raises:
        RunError: the file cannot be created or read, or is not such a file.
    """
    path = home() / "secret"
    try:
        if not path.exists():
            _create(path)
        secret = path.read_bytes()
    except OSError as error:
        raise RunError(f"the secret of this installation, {path}, cannot be used: {error.strerror}") from None
    if len(secret) != _LENGTH:
        raise RunError(f"{path} is not the secret of an installation; remove it, and a new one is made")
    return secret


def _create(path: Path) -> None:
    """Create the file completely or not at all; if two processes do, the first one's file stays."""
    make_folder(path.parent)
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(_LENGTH))
        try:
            os.link(temporary, path)
        except FileExistsError:
            return
        except OSError:  # the file system has no hard links
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
