"""Fixtures of every test."""

from __future__ import annotations

import pytest

from adjudge.testing.fixtures import home, ran, workspace

__all__ = ["home", "ran", "workspace"]


@pytest.fixture(autouse=True)
def _untraced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is exported."""
    monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")
