"""Compiling: from a criterion in words to locked checks, so that every run is asked the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from adjudge.extension.judge_protocols import Writer
from adjudge.judged.prompts import read_prompt
from adjudge.judging.ledger import ledger
from adjudge.model.base import canonical_sha256
from adjudge.model.evaluation import Check, CompiledCriterion, WordedCriterion
from adjudge.model.judging import Exhibit

_MOST: Final = 5
_LINE: Final = re.compile(r"\s*(?:[-*•]|\d+[.)])?\s*(process|outcome)\s*[:：]\s*(\S.*)", re.IGNORECASE)

_OUTCOME: Final = re.compile(
    r"\b(?:succe(?:ss|ed)\w*|achiev\w*|accomplish\w*|complet\w*|fulfil\w*|reach(?:es|ed)?|finish\w*|final(?:ly)?|"
    r"in the end|result(?:s|ed)?|outcome\w*|correct(?:ly)?|goal|satisf\w*|solv\w*|answers?)\b"
    r"|成功|完成|达成|達成|实现|结果|結果|最终|最後|最終|目标|目標|正确|正しい|성공|완료|달성|결과|최종|목표",
    re.IGNORECASE,
)
_ANY: Final = re.compile(
    r"\b(?:at least once|at some point|ever|once)\b|至少一次|曾经|一度でも|少なくとも一度|적어도 한 번|한 번이라도",
    re.IGNORECASE,
)
_NEVER: Final = re.compile(r"\bnever\b|从不|从未|決して|一度も|결코|한 번도", re.IGNORECASE)


async def compiled(criterion: WordedCriterion, writer: Writer | None) -> CompiledCriterion:
    """The criterion with its checks: the author's own, or those that a judge breaks it into, or itself.

    Args:
        criterion: What the author wrote.
        writer: Who may break it up; ``None``: the description is the one check.
    """
    if (known := compiled_by_author(criterion)) is not None:
        return known
    if writer is not None:
        with ledger() as asked:
            texts = await writer.write(
                read_prompt(__package__, "compile_checks"),
                [Exhibit(name="criterion", text=f"{criterion.name}\n{criterion.description}")],
                {"checks": "one check a line"},
            )
        parts = _parts(texts["checks"]) if texts is not None else []
        if parts:
            # Who answered: a recording answers in the name of another model.
            use = asked.use()
            return locked(criterion, parts, "judge" if use is None else ", ".join(use.models))
    text = criterion.description or criterion.name
    return locked(criterion, [(text, about(text))], "code")


def compiled_by_author(criterion: WordedCriterion) -> CompiledCriterion | None:
    """The criterion with its author's checks; ``None`` where there are none."""
    if not criterion.checks:
        return None
    return locked(criterion, [(text, about(text)) for text in criterion.checks], "author")


def locked(
    criterion: WordedCriterion, parts: Sequence[tuple[str, Literal["process", "outcome"]]], compiled_by: str
) -> CompiledCriterion:
    """The criterion with these checks, and the hash that says it is this one."""
    checks = tuple(
        Check(check_id=f"c{number}", text=text, about=kind, reducer=_reducer(text))
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


def about(text: str) -> Literal["process", "outcome"]:
    """What a check is about, by its words. In doubt an outcome: that asks for the stricter evidence."""
    process = re.search(
        r"\b(?:step|each|every|never|always|before|after|first|tool|call|click|reason\w*|strateg\w*|plan\w*|"
        r"efficien\w*|explor\w*|coheren\w*|repeat\w*|hallucinat\w*)\b"
        r"|步骤|每一步|从不|总是|之前|之后|工具|调用|点击|推理|策略|计划|效率|探索|连贯|重复|幻觉",
        text,
        re.IGNORECASE,
    )
    return "process" if process and not _OUTCOME.search(text) else "outcome"


def _reducer(text: str) -> Literal["all", "any"]:
    return "any" if _ANY.search(text) and not _NEVER.search(text) else "all"


def _parts(text: str) -> list[tuple[str, Literal["process", "outcome"]]]:
    parts: list[tuple[str, Literal["process", "outcome"]]] = []
    for line in text.splitlines():
        found = _LINE.fullmatch(line)
        if found is not None:
            parts.append((found[2].strip(), "process" if found[1].lower() == "process" else "outcome"))
    return parts if len(parts) <= _MOST else []
