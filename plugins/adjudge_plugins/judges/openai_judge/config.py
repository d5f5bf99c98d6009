"""Options of the ``openai`` backend."""

from __future__ import annotations

from adjudge.plugin import ComponentConfig


class OpenAIJudgeConfig(ComponentConfig):
    """``[judge.backends.openai]`` in ``adjudge.toml``."""

    seed: bool = True
    """Whether votes carry a ``seed``; set it to false for a server that refuses the parameter."""
