"""A criterion as a plan makes it, asked about one case."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from adjudge.extension.configuration import validated_config
from adjudge.plugin import CaseUnderTest, Measurement
from adjudge.testing import FakeHost, manager

Measure = Callable[..., Measurement]


@pytest.fixture
def measure(tmp_path: Path) -> Measure:
    """Measure a case with the one criterion of a plugin module; keywords are its options.

    ``judge`` is what ``FakeHost`` takes.
    """

    def measure(plugin: ModuleType, case: CaseUnderTest, *, judge: Any = None, **options: Any) -> Measurement:
        [registered] = manager(plugin).criteria
        config = validated_config(registered.spec.config, options)
        criterion = registered.spec.factory(config, FakeHost(tmp_path, judge=judge))
        return asyncio.run(criterion.score(case))

    return measure
