"""The study of the guide: real runs of an airline agent, scored against their expected actions."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


def test_the_study_prints_what_the_guide_says(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["tau_airline.py", str(shared_data / "tau_airline" / "runs.jsonl.gz")])

    runpy.run_path(str(REPOSITORY / "docs" / "examples" / "tau_airline.py"), run_name="__main__")

    printed = capsys.readouterr().out.strip()
    assert "| recall | 0.92 | 0.25 | 0.90 | 0.69 |" in printed
    assert printed in (REPOSITORY / "docs" / "guide" / "recorded-runs.md").read_text(encoding="utf-8")
