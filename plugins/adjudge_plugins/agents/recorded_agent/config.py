"""Options of the ``recorded`` agent."""

from __future__ import annotations

from pathlib import Path

from adjudge.plugin import ComponentConfig


class RecordedAgentConfig(ComponentConfig):
    """Where the recordings are."""

    target: Path
    """The file with the recordings; a relative path starts at the working folder."""
    reader: str | None = None
    """The name of the trace reader; unset: detected from the file's content."""
    any_conversation: bool = False
    """Whether recordings of another eval set, or with other messages of the user than the case, are scored too."""
