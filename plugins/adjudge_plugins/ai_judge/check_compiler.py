"""Compiling: from a criterion in words to locked checks, so that every run is asked the same."""

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
"""Tokens of a check. What is longer is no statement about one thing."""

_LINE: Final = re.compile(
    r"\s*(?P<mark>[-*•]\s|\d+[.)])?\s*(?:\**(?P<about>process|outcome|answer)\**\s*[:：]\**)?\s*(?P<statement>\S.*)",
    re.IGNORECASE,
)
_KINDS: Final[Mapping[str, CheckKind]] = {"process": "process", "outcome": "outcome", "answer": "answer"}
_KIND: Final = re.compile(r"\b(?:process|outcome|answer)\b")
_STRICTEST: Final[CheckKind] = "outcome"
"""What a check is taken to be about where nobody says it: what needs most to be shown."""

_NONE: Final = re.compile(r"\W*(?:none|n/?a|nothing|无|無|なし|없음)\W*", re.IGNORECASE)


async def compiled(criterion: WordedCriterion, writer: Writer | None) -> CompiledCriterion:
    """The criterion with its checks: the author's own, or those that a judge breaks it into, or itself.

    Args:
        criterion: What the author wrote.
        writer: Who may break it up; ``None``: the description is the one check.
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
            # Who answered: a recording answers in the name of another model.
            use = asked.use()
            return locked(criterion, parts, "judge" if use is None else ", ".join(use.models))
    text = criterion.description or criterion.name
    return locked(criterion, [(text, criterion.about or _STRICTEST)], "code")


def compiled_by_author(criterion: WordedCriterion) -> CompiledCriterion | None:
    """The criterion where its author says everything of the checks; ``None`` where a judge has to add to it."""
    about = criterion.about
    if not criterion.checks or about is None:
        return None
    return locked(criterion, [(text, about) for text in criterion.checks], "author")


async def _kinds(criterion: WordedCriterion, writer: Writer | None) -> list[CheckKind]:
    """What each of the author's checks is about, in the compiler's word; in doubt what asks for the strictest evidence."""
    fields = {f"statement_{at}": f"the kind of statement_{at}" for at in range(1, len(criterion.checks) + 1)}
    texts: Mapping[str, str] = {}
    if writer is not None:
        statements = zip(fields, criterion.checks, strict=True)
        exhibits = [
            Exhibit(name="criterion", text=f"{criterion.name}\n{criterion.description}"),
            Exhibit(name="statements", text="\n".join(f"{name}: {text}" for name, text in statements)),
        ]
        texts = await writer.write(read_prompt(__package__, "check_kinds"), exhibits, fields) or {}
    named = (_KIND.search(texts.get(name, "").lower()) for name in fields)
    return [_STRICTEST if found is None else _KINDS[found[0]] for found in named]


def locked(
    criterion: WordedCriterion, parts: Sequence[tuple[str, CheckKind]], compiled_by: str
) -> CompiledCriterion:
    """The criterion with these checks, and the hash that says it is this one."""
    checks = tuple(
        Check(check_id=f"c{number}", text=text, about=kind, reducer=reducer_of(text, kind))
        for number, (text, kind) in enumerate(parts, 1)
    )
    content = {
        **criterion.model_dump(mode="json", exclude={"checks"}),
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
    """The checks that a judge wrote, each once; none where a line is no check: it may be what is missing then."""
    parts: dict[str, CheckKind] = {}
    for line in filter(str.strip, text.splitlines()):
        found = cast("re.Match[str]", _LINE.fullmatch(line))
        statement = found["statement"].strip()
        if found["mark"] or found["about"]:
            if not _NONE.fullmatch(statement):
                parts[statement] = about or _KINDS.get((found["about"] or "").lower(), _STRICTEST)
        elif not statement.endswith((":", "：")):  # "Here are the checks:"
            return []
    is_usable = len(parts) <= _MOST and all(tokens_of(statement) <= _LONGEST for statement in parts)
    return list(parts.items()) if is_usable else []
