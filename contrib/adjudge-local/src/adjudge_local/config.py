"""The options of the backend, under ``[judge.backends.local]`` of ``adjudge.toml``."""

from __future__ import annotations

from pydantic import Field

from adjudge.plugin import ComponentConfig


class LocalConfig(ComponentConfig):
    """Options of ``local``."""

    context: int = Field(default=8192, ge=512, le=10_000_000)
    """The context size in tokens, for a request and its answer together; limited by the context size of the model."""
    max_tokens: int = Field(default=2048, ge=1, le=10_000_000)
    """The maximum number of tokens of an answer, unless ``judge_model_config`` sets it."""
    max_text: int = Field(default=240, ge=1, le=2000)
    """The maximum number of characters of each text in an answer, for instance a rationale, because small models may never end it."""
    threads: int | None = Field(default=None, ge=1, le=4096)
    """The number of threads; unset: the number of cores of this process."""
    slots: int = Field(default=1, ge=1, le=256)
    """The number of requests that are answered in parallel. With more than one, answers may differ slightly between runs."""
