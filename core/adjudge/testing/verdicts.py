"""What a judge that is a program answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from adjudge.judging.prompting import VERDICT, items_of
from adjudge.model.judging import JudgeRequest


def verdicts(
    request: JudgeRequest,
    verdict: str | Callable[[str], str],
    *,
    notes: Mapping[str, str] | None = None,
) -> str:
    """The answer to a request of the judge client, as JSON text.

    Args:
        request: What a ``FakeJudge`` was asked.
        verdict: The label for every item, or a function from an item's text to its label.
        notes: Values of the notes that are asked for; otherwise each says ``"because"``.
    """
    asked = (request.schema_ or {}).get("properties", {})
    answer: dict[str, dict[str, str]] = {}
    for key, text in items_of(request).items():
        names = [name for name in asked[key]["properties"] if name != VERDICT]
        label = verdict if isinstance(verdict, str) else verdict(text)
        answer[key] = {**{name: (notes or {}).get(name, "because") for name in names}, VERDICT: label}
    return json.dumps(answer, ensure_ascii=False)
