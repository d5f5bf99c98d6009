"""Wording: what the words of a check say of the evidence that it needs.

Rules of words, in English, Chinese, Japanese and Korean. They err to the side that asks for more.
"""

from __future__ import annotations

import re
from typing import Final

from adjudge.kit.evaluation import CheckKind, Reducer

_REACHED: Final = re.compile(
    r"\b(?:succe(?:ss|ed)\w*|achiev\w*|accomplish\w*|complet(?:e[sd]?|ion|ing)|fulfil\w*|reach(?:es|ed)?|finish\w*|"
    r"final(?:ly)?|in the end|result(?:s|ed)?|outcome\w*|solv\w*|answers?)\b"
    r"|成功|完成|达成|達成|实现|结果|結果|最终|最後|最終|성공|완료|달성|결과|최종",
    re.IGNORECASE,
)
_RIGHT: Final = re.compile(
    r"\b(?:correct(?:ly)?|goal|satisf\w*)\b|目标|目標|正确|正確|正しい|목표|정확|올바", re.IGNORECASE
)
_THOUGHT: Final = re.compile(
    r"\b(?:reason(?:s|ed|ing)?|thoughts?|thinks?|thinking|rationales?)\b|推理|思考|推論|추론|사고",
    re.IGNORECASE,
)
_PROCESS: Final = re.compile(
    r"\b(?:step|each|every|never|always|before|after|first|tool|call|click|reason\w*|strateg\w*|plan\w*|"
    r"efficien\w*|explor\w*|coheren\w*|repeat\w*|hallucinat\w*)\b"
    r"|步骤|每一步|从不|总是|之前|之后|工具|调用|点击|推理|策略|计划|效率|探索|连贯|重复|幻觉",
    re.IGNORECASE,
)
_SAID: Final = re.compile(
    r"\b(?:answers?|response|reply|replies)\b[^.;]{0,80}?\b(?:names?|mentions?|states?|contains?|includes?|lists?|gives?|"
    r"says?|cites?|quotes?|explains?|describes?|apologi[sz]es?|does not (?:name|mention|state|contain|include|list|"
    r"give|say)|is (?:written|given|phrased|formatted|polite|friendly|short|brief|concise|clear|in))\b"
    r"|\b(?:tells?|informs?|asks?|warns?|thanks?|greets?|apologi[sz]es? to) (?:the |its |their )?"
    r"(?:user|customer|client|caller|person)\b"
    r"|(?:回答|答复|答覆|回复|回覆|答案)[^。；]{0,30}?(?:包含|包括|提到|提及|说明|說明|列出|给出|給出|写明|寫明|指出|"
    r"使用|是中文|是英文|礼貌|禮貌|简洁|簡潔|清楚)"
    r"|(?:告诉|告訴|告知|提醒|询问|詢問|问候)了?(?:用户|用戶|客户|客戶|顾客|顧客)"
    r"|(?:回答|答え|返答)[^。]{0,30}?(?:含|述べ|挙げ|丁寧|簡潔)"
    r"|(?:답변|응답|대답)[^.]{0,30}?(?:포함|언급|명시|제시|공손|간결)",
    re.IGNORECASE,
)
_HOLDS_TRUE: Final = re.compile(
    r"\b(?:correct|right|true|truth\w*|accura\w*|valid|exact\w*|match\w*|consisten\w*|actual\w*|real|succe(?:ss|ed)\w*|"
    r"achiev\w*|accomplish\w*|fulfil\w*|solv\w*|done|sent|submitted|saved|placed|booked|paid|best|most|least|"
    r"(?:cheap|low|high|fast|new|old|short|long|late|clos|near)\w*est)\b"
    r"|正确|正確|准确|準確|真实|真實|属实|屬實|一致|完成|成功|最(?![终終后後])|正しい|정확|올바|성공|완료|가장",
    re.IGNORECASE,
)
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


def kind_of(statement: str) -> CheckKind:
    """What a check is about. In doubt an outcome: that asks for the strictest evidence."""
    if is_about_words(statement):
        return "answer"
    if is_about_outcome(statement):
        return "outcome"
    is_process = _PROCESS.search(statement) is not None and _RIGHT.search(statement) is None
    return "process" if is_process or _THOUGHT.search(statement) else "outcome"


def is_about_outcome(statement: str) -> bool:
    """Whether the words of a check speak of something that was reached."""
    return _REACHED.search(statement) is not None


def is_about_words(statement: str) -> bool:
    """Whether a check is about the words of an answer alone: what stands in it, and not whether that is so."""
    return _SAID.search(statement) is not None and _HOLDS_TRUE.search(statement) is None


def says_no(statement: str) -> bool:
    """Whether a statement forbids: whether it is met where something does not happen."""
    return _NO.search(_NO_NO.sub(" ", _BESIDE.sub(" ", statement))) is not None


def says_every(statement: str) -> bool:
    """Whether a statement is about all of several things: then one of them shows that it is not met."""
    return _EVERY.search(statement) is not None


def reducer_of(statement: str) -> Reducer:
    """Which parts of a long run decide a check.

    One where the words say that once is enough. The last where something is to be reached or answered: before
    that it is not there yet. All where something is to hold for each step or to happen never, and for every
    process.
    """
    if says_no(statement):
        return "all"
    if _ANY.search(statement):
        return "any"
    return "all" if says_every(statement) or kind_of(statement) == "process" else "last"
