"""Fixtures of every test."""

from __future__ import annotations

from adjudge.testing.fixtures import home, ran, workspace

__all__ = ["home", "ran", "workspace"]
