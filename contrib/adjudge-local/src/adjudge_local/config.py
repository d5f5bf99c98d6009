"""The options of the backend, under ``[judge.backends.local]`` of ``adjudge.toml``."""

from __future__ import annotations

from pydantic import Field

from adjudge.plugin import ComponentConfig


class LocalConfig(ComponentConfig):
    """Options of ``local``."""

    context: int = Field(default=8192, ge=512, le=10_000_000)
    """Tokens that a question and its answer may have together; a model that was trained with fewer takes fewer."""
    max_tokens: int = Field(default=2048, ge=1, le=10_000_000)
    """Tokens of an answer where ``judge_model_config`` does not say."""
    max_text: int = Field(default=240, ge=1, le=2000)
    """Characters of each text in an answer, a rationale for instance. A small model may otherwise never end one."""
    threads: int | None = Field(default=None, ge=1, le=4096)
    """Threads that compute; unset: as many as this process has cores."""
    slots: int = Field(default=1, ge=1, le=256)
    """Questions answered at a time. With more than one, what is asked meanwhile can change an answer's last digits."""
