"""adjudge evaluates LLM agents: the path that they took and the answer that they gave."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adjudge.running.api import RunResult, evaluate, evaluate_sync, resume, resume_sync

__version__ = "0.1.0"

__all__ = ["RunResult", "__version__", "evaluate", "evaluate_sync", "resume", "resume_sync"]


def __getattr__(name: str) -> object:
    """Import the public names on first use: ``adjudge --help`` must not pay for them."""
    if name in __all__:
        from adjudge.running import api

        return getattr(api, name)
    raise AttributeError(f"module 'adjudge' has no attribute {name!r}")
