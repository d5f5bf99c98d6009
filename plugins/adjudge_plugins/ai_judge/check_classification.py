"""Wording: whether a check forbids or speaks of each of several things, and so which parts of a long run decide it.

Rules of words, in English, Chinese, Japanese and Korean. What a check is about its author says, or the compiler.
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
"""A clause that says when or why, not what."""


def says_no(statement: str) -> bool:
    """Whether a statement forbids: whether it is met where something does not happen."""
    return _NO.search(_NO_NO.sub(" ", _BESIDE.sub(" ", statement))) is not None


def says_every(statement: str) -> bool:
    """Whether a statement is about all of several things: then one of them shows that it is not met."""
    return _EVERY.search(statement) is not None


def reducer_of(statement: str, about: CheckKind) -> Reducer:
    """Which parts of a long run decide a check.

    One where the words say that once is enough. The last where something is to be reached or answered: before
    that it is not there yet. All where something is to hold for each step or to happen never, and for every
    process.
    """
    if says_no(statement):
        return "all"
    if _ANY.search(statement):
        return "any"
    return "all" if says_every(statement) or about == "process" else "last"
