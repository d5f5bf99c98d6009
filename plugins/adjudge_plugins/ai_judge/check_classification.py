"""Classifies checks by their wording (prohibitions, checks about each of several things), for runs in several parts.

The rules cover English, Chinese, Japanese and Korean. The author of a check, or the compiler, gives its subject.
"""

from __future__ import annotations

import re
from typing import Final

from adjudge.kit.evaluation import CheckKind, Reducer

_ANY: Final = re.compile(
    r"\bat (?:least once|some (?:point|time))\b|\bever\b|至少一次|曾经|曾經|一度でも|少なくとも一度|적어도 한 번|한 번이라도",
    re.IGNORECASE,
)
_NO: Final = re.compile(
    r"\b(?:no|not|never|none|nothing|nobody|nowhere|neither|nor|without|cannot|hardly|avoid\w*|refrain\w*)\b|n['’]t\b"
    r"|[不没沒无無未]|ない|なし|ません|せず|決して|않|없|못|말아야|결코",
    re.IGNORECASE,
)
_NO_NO: Final = re.compile(
    r"\bnot only\b|\bno (?:later|sooner|earlier) than\b"
    r"|不[仅僅但只同断斷错錯管论論少]|差不多|未来|未來|[无無](?:线|線|论|論)|だけでなく|뿐만? 아니라",
    re.IGNORECASE,
)
_EVERY: Final = re.compile(
    r"\b(?:each|every|all|always|any|throughout|whenever|everything)\b|每|总是|總是|始终|始終|所有|一切|凡是|都"
    r"|すべて|全て|常に|毎|各|모든|항상|매번|각각|각 (?:단계|행동)",
    re.IGNORECASE,
)
_BESIDE: Final = re.compile(
    r"\b(?:if|when|whenever|unless|where|while|until|because|although)\b[^,，;；]*"
    r"|(?:如果|若|当|當|除非|因为|因為|虽然|雖然)[^,，;；。]*",
    re.IGNORECASE,
)
"""A subordinate clause of condition, time or reason, which is not the statement itself."""


def says_no(statement: str) -> bool:
    """Whether a statement forbids something, so that it is met if that does not happen."""
    return _NO.search(_NO_NO.sub(" ", _BESIDE.sub(" ", statement))) is not None


def says_every(statement: str) -> bool:
    """Whether a statement is about each of several things, so that one of them is enough to show that it is not met."""
    return _EVERY.search(statement) is not None


def reducer_of(statement: str, about: CheckKind) -> Reducer:
    """The reducer that combines the parts of a long run for a check.

    ``any`` if the wording says that once is enough. ``last`` if something is to be achieved or answered,
    because it may not be there yet in earlier parts. ``all`` for what must hold in each step or never happen,
    and for checks of the process.
    """
    if says_no(statement):
        return "all"
    if _ANY.search(statement):
        return "any"
    return "all" if says_every(statement) or about == "process" else "last"
