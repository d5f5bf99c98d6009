"""The texts of rubrics, which results refer to by id."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from adjudge.kit.viewer.documents import Finding
from adjudge.model.eval_set import EvalCase
from adjudge.model.printable import clean
from adjudge.model.result import RunInfo


class RubricTexts:
    """The rubrics of a case by id: those of the case and of its turns, and those of the criteria's configuration."""

    def __init__(self, case: EvalCase, run: RunInfo, eval_set_file: str | None) -> None:
        """Collect them."""
        turns = case.conversation or ()
        own = [*(case.rubrics or ()), *(rubric for turn in turns for rubric in turn.rubrics or ())]
        self._own = {rubric.rubric_id: rubric.text for rubric in own if rubric.text}
        info = run.eval_sets.get(eval_set_file or "")
        self._configured: dict[str, dict[str, str]] = {
            clean(name): dict(_configured(criterion.options.get("rubrics")))
            for name, criterion in (info.criteria if info else {}).items()
        }

    def add_to(self, findings: Iterable[Finding]) -> None:
        """Add the texts to the rubrics of these findings."""
        for finding in findings:
            known = {**self._own, **self._configured.get(finding["name"], {})}
            for check in finding.get("checks", ()):
                if not check["text"] and (text := known.get(check["id"])):
                    check["text"] = clean(text)


def _configured(rubrics: Any) -> Iterable[tuple[str, str]]:
    """The id and text of each rubric in the options of a criterion, in ADK's form."""
    for rubric in cast("list[Any]", rubrics) if isinstance(rubrics, list | tuple) else ():
        match rubric:
            case {"rubric_id": str(name), "rubric_content": {"text_property": str(text)}}:
                yield name, text
            case _:
                pass
