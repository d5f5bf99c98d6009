"""What the ``recorded`` agent is told."""

from __future__ import annotations

from pathlib import Path

from adjudge.plugin import ComponentConfig


class RecordedAgentConfig(ComponentConfig):
    """Where the recordings are."""

    target: Path
    """The file; a relative path is looked up in the working folder."""
    reader: str | None = None
    """The trace reader to use; without it, the file's content decides."""
    any_conversation: bool = False
    """Whether a recording may belong to another eval set, and its user may say something else than the case."""
