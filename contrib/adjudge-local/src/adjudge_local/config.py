"""The options of the backend, under ``[judge.backends.local]`` of ``adjudge.toml``."""

from __future__ import annotations

from pydantic import Field

from adjudge.plugin import ComponentConfig


class LocalConfig(ComponentConfig):
    """Options of ``local``."""

    context: int = Field(default=8192, ge=512)
    """Tokens that a question and its answer may have together; a model that was trained with fewer takes fewer."""
    max_tokens: int = Field(default=1024, ge=1)
    """Tokens of an answer where ``judge_model_config`` does not say. A small model may otherwise never end."""
    threads: int | None = Field(default=None, ge=1)
    """Threads that compute; unset: as many as this process has cores."""
    slots: int = Field(default=1, ge=1)
    """Questions answered at a time. With more than one, what is asked meanwhile can change an answer's last digits."""
