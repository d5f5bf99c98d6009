"""Replies of a fake judge."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from adjudge.judge.prompt import CITATIONS, VERDICT
from adjudge.model.evidence import Citation
from adjudge.model.judging import JudgeRequest


def verdicts(
    request: JudgeRequest,
    verdict: str | Callable[[str], str],
    *,
    notes: Mapping[str, str] | None = None,
    citations: Sequence[Citation] | Callable[[str], Sequence[Citation]] = (),
) -> str:
    """Make the answer to a request of the judge client, as JSON text.

    Args:
        request: The request that a ``FakeJudge`` received: a question, or a request for texts.
        verdict: The label for every item, or a function from an item's text to its label.
        notes: The values of the requested notes or texts by name; the default value is ``"because"``.
        citations: The citations for every item, or a function from an item's text to its citations. They are used if
            the question requires citations.
    """
    asked: dict[str, Any] = (request.schema_ or {}).get("properties", {})
    given = notes or {}
    # A request for texts has no items: its fields are texts themselves.
    answer: dict[str, Any] = {
        name: given.get(name, "because") for name, field in asked.items() if field.get("type") == "string"
    }
    for key, text in items_of(request).items():
        entry: dict[str, Any] = {name: given.get(name, "because") for name in asked[key]["properties"]}
        if CITATIONS in entry:
            places = citations(text) if callable(citations) else citations
            entry[CITATIONS] = [place.model_dump() for place in places]
        answer[key] = {**entry, VERDICT: verdict if isinstance(verdict, str) else verdict(text)}
    return json.dumps(answer, ensure_ascii=False)


_HEADING: Final = re.compile(r"\w{4}# step (\d+) (\w+)(?:, by .*)?")


def fields_shown(request: JudgeRequest) -> list[tuple[int, str, str]]:
    """The fields of steps shown in a request: step number, name and text. Useful for writing fake judges."""
    shown: list[tuple[int, str, list[str]]] = []
    for line in request.messages[1].text.split("\n"):
        mark, _, rest = line.partition(" ")
        if found := _HEADING.fullmatch(line):
            shown.append((int(found[1]), found[2], []))
        elif re.fullmatch(r"\w{4}\|", mark) and shown:
            shown[-1][2].append(rest)
        elif re.match(r"\w{4}# |<<<BEGIN ", line):  # the following lines belong to something else
            shown.append((0, "", []))
    return [(step, name, "\n".join(lines)) for step, name, lines in shown if name]


_ITEM: Final = re.compile(r"^(item_\d+):(?: (.*)|\n<<<BEGIN.*\n((?:.*\n)*?)<<<END.*)$", re.MULTILINE)


def items_of(request: JudgeRequest) -> dict[str, str]:
    """The texts of the items in a request, by their keys in the answer. Useful for writing fake judges."""
    # Only adjudge's own lines begin with "#": all lines of exhibits and quoted items have a mark before them.
    listed = re.split(r"^# Items\n", request.messages[1].text, maxsplit=1, flags=re.MULTILINE)[-1]
    return {
        name: plain or "\n".join(line.partition("| ")[2] for line in quoted.split("\n")[:-1])
        for name, plain, quoted in _ITEM.findall(listed)
    }
