"""Compiles a criterion in words to fixed checks, so that every run is judged by the same questions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, cast

from adjudge.kit.digests import canonical_sha256, tokens_of
from adjudge.kit.evaluation import Check, CheckKind, CompiledCriterion
from adjudge.kit.judged_criteria import read_prompt
from adjudge.model import Exhibit, WordedCriterion
from adjudge.plugin import Writer, judge_use
from adjudge_plugins.ai_judge.check_classification import reducer_of

_MOST: Final = 5
_LONGEST: Final = 400
"""The token limit of a check: a longer text is not a single statement."""

_LINE: Final = re.compile(
    r"\s*(?P<mark>[-*•]\s|\d+[.)])?\s*(?:\**(?P<about>process|outcome|answer)\**\s*[:：]\**)?\s*(?P<statement>\S.*)",
    re.IGNORECASE,
)
_KINDS: Final[Mapping[str, CheckKind]] = {"process": "process", "outcome": "outcome", "answer": "answer"}
_KIND: Final = re.compile(r"\b(?:process|outcome|answer)\b")
_STRICTEST: Final[CheckKind] = "outcome"
"""The default subject of a check: the one with the strictest rules for evidence."""

_NONE: Final = re.compile(r"\W*(?:none|n/?a|nothing|无|無|なし|없음)\W*", re.IGNORECASE)


async def compiled(criterion: WordedCriterion, writer: Writer | None) -> CompiledCriterion:
    """Compile a criterion: its author's checks, else checks written by a judge, else the description as the only check.

    Args:
        criterion: The author's criterion.
        writer: The judge that may divide it into checks; ``None``: the description is the only check.
    """
    if (known := compiled_by_author(criterion)) is not None:
        return known
    if criterion.checks:
        kinds = await _kinds(criterion, writer)
        return locked(criterion, list(zip(criterion.checks, kinds, strict=True)), "author")
    if writer is not None:
        with judge_use() as asked:
            texts = await writer.write(
                read_prompt(__package__, "compile_checks"),
                [Exhibit(name="criterion", text=f"{criterion.name}\n{criterion.description}")],
                {"checks": "one check a line"},
            )
        parts = _parts(texts["checks"], criterion.about) if texts is not None else []
        if parts:
            # The model that answered: a recording answers in the name of another model.
            use = asked.use()
            return locked(criterion, parts, "judge" if use is None else ", ".join(use.models))
    text = criterion.description or criterion.name
    return locked(criterion, [(text, criterion.about or _STRICTEST)], "code")


def compiled_by_author(criterion: WordedCriterion) -> CompiledCriterion | None:
    """Compile a criterion without a judge; ``None`` if its author leaves something open."""
    said = _said(criterion)
    parts: list[tuple[str, CheckKind]] = [
        (text, about) for text, about in zip(criterion.checks, said, strict=True) if about is not None
    ]
    return locked(criterion, parts, "author") if parts and len(parts) == len(said) else None


def _said(criterion: WordedCriterion) -> list[CheckKind | None]:
    """The subject of each check, as given by the author."""
    of_each = criterion.checks_about or (None,) * len(criterion.checks)
    return [about or criterion.about for about in of_each]


async def _kinds(criterion: WordedCriterion, writer: Writer | None) -> list[CheckKind]:
    """The subject of each of the author's checks, chosen by a judge; the strictest one if the judge does not tell."""
    said = _said(criterion)
    statements = {
        f"statement_{at}": text
        for at, (text, about) in enumerate(zip(criterion.checks, said, strict=True), 1)
        if about is None
    }
    texts: Mapping[str, str] = {}
    if writer is not None:
        exhibits = [
            Exhibit(name="criterion", text=f"{criterion.name}\n{criterion.description}"),
            Exhibit(
                name="statements", text="\n".join(f"{name}: {text}" for name, text in statements.items())
            ),
        ]
        fields = {name: f"the kind of {name}" for name in statements}
        texts = await writer.write(read_prompt(__package__, "check_kinds"), exhibits, fields) or {}
    named = (_KIND.search(texts.get(f"statement_{at}", "").lower()) for at in range(1, len(said) + 1))
    return [
        about or (_STRICTEST if found is None else _KINDS[found[0]])
        for about, found in zip(said, named, strict=True)
    ]


def locked(
    criterion: WordedCriterion, parts: Sequence[tuple[str, CheckKind]], compiled_by: str
) -> CompiledCriterion:
    """Combine a criterion with its checks and a hash that identifies both."""
    checks = tuple(
        Check(check_id=f"c{number}", text=text, about=kind, reducer=reducer_of(text, kind))
        for number, (text, kind) in enumerate(parts, 1)
    )
    content = {
        **criterion.model_dump(mode="json", exclude={"checks", "checks_about"}),
        "checks": [check.model_dump(mode="json") for check in checks],
        "compiled_by": compiled_by,
    }
    return CompiledCriterion(
        name=criterion.name,
        description=criterion.description,
        granularity=criterion.granularity,
        threshold=criterion.threshold,
        checks=checks,
        compiled_by=compiled_by,
        sha256=canonical_sha256(content),
    )


def _parts(text: str, about: CheckKind | None) -> list[tuple[str, CheckKind]]:
    """The checks that a judge wrote, without duplicates; none if a line is invalid, as a check may be missing."""
    parts: dict[str, CheckKind] = {}
    for line in filter(str.strip, text.splitlines()):
        found = cast("re.Match[str]", _LINE.fullmatch(line))
        statement = found["statement"].strip()
        if found["mark"] or found["about"]:
            if not _NONE.fullmatch(statement):
                parts[statement] = about or _KINDS.get((found["about"] or "").lower(), _STRICTEST)
        elif not statement.endswith((":", "：")):  # skips a heading such as "Here are the checks:"
            return []
    is_usable = len(parts) <= _MOST and all(tokens_of(statement) <= _LONGEST for statement in parts)
    return list(parts.items()) if is_usable else []
