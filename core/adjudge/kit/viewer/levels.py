"""The aggregated views of a run that its judge saw, split into sections."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.kit.evaluation import STEP_LEVEL
from adjudge.kit.viewer.documents import JudgeLevel, ViewSection
from adjudge.kit.viewer.texts import text_of
from adjudge.model.aggregated import AggregatedSteps
from adjudge.model.printable import clean


def levels_of(views: Iterable[AggregatedSteps]) -> list[JudgeLevel]:
    """All views with their sections and the steps of each; the view with the most sections comes first."""
    levels: list[JudgeLevel] = [
        {
            "name": clean(view.granularity),
            "of_steps": view.granularity == STEP_LEVEL,
            "sections": _sections(view),
        }
        for view in views
    ]
    return sorted(levels, key=lambda level: (not level["of_steps"], -len(level["sections"])))


def _sections(view: AggregatedSteps) -> list[ViewSection]:
    """Split the content at lines that begin with a label of the mapping; text before the first one is a section too."""
    sections: list[ViewSection] = []
    lines: list[str] = []
    label, steps = "", list[int]()

    def close() -> None:
        if label or "".join(lines).strip():
            sections.append(
                {"label": clean(label), "steps": steps, "text": text_of("\n".join(lines).strip("\n"))}
            )

    waiting = sorted(view.step_mapping, key=len, reverse=True)
    for text in view.aggregated_content.split("\n"):
        found = next((name for name in waiting if _begins(text, name)), None)
        if found is not None:
            close()
            waiting.remove(found)
            label, steps, lines = found, list(view.step_mapping[found]), []
            text = text.lstrip("#*- ")[len(found) :].lstrip(":").strip()
            if not text:
                continue
        lines.append(text)
    close()
    if len(sections) == 1 and not sections[0]["label"]:
        sections[0]["steps"] = sorted(
            {number for numbers in view.step_mapping.values() for number in numbers}
        )
    return sections


def _begins(text: str, label: str) -> bool:
    rest = text.lstrip("#*- ")
    return rest.startswith(label) and not rest[len(label) : len(label) + 1].isalnum()
