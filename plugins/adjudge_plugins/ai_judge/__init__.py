"""``ai_judge``: judges a whole run by a criterion in words, with evidence that code verifies in the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from adjudge.plugin import Criterion, CriterionSpec, Host, Need, hookimpl
from adjudge_plugins.ai_judge.config import AiJudgeConfig


def _make(config: AiJudgeConfig, host: Host) -> Criterion:
    from adjudge_plugins.ai_judge.criterion import made

    return made(config, host)


def _read_criteria(
    source: Path | Sequence[object], judges_words: Callable[[str], bool]
) -> list[dict[str, Any]]:
    from adjudge_plugins.ai_judge.criteria_file import read_criteria

    return read_criteria(source, judges_words)


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="ai_judge",
            summary="Whether a run meets a criterion in words, with evidence from its own steps",
            factory=_make,
            config=AiJudgeConfig,
            example_options={"description": "The user gets what was asked for."},
            needs=frozenset({Need.JUDGE}),
            simulated_conversations=True,
            default_threshold=1.0,
            read_criteria=_read_criteria,
        )
    ]
