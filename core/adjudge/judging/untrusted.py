"""Text of an agent, a tool or a user on its way into a prompt. Every such text goes through here.

It is data: invisible characters are taken out, every line carries a mark that its author cannot know
(datamarking, Hines et al. 2024, "Spotlighting"), and text that speaks to a judge is noticed.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_JOINERS: Final = "\u200c\u200d"
_KEPT: Final = frozenset("\n\t")

_ADDRESSES: Final = re.compile(
    r"""
      \b(?:ignore|disregard|forget|override)\b .{0,40} \b(?:instructions?|prompts?|rules?|rubrics?|criteria|guidelines?)\b
    | \b(?:you\s+are|you're|as|dear|note\s+to|attention|hello|hi) ,? \s+ (?:an?\s+|the\s+|to\s+the\s+)?
      (?:\w+\s+)? (?:evaluator|judge|grader|rater|reviewing\s+model|auto-?grader)\b
    | \b(?:evaluators?|judges?|graders?|raters?) \s* (?:should|must|will|:|,\s*please)
    | \b(?:mark|rate|score|grade|label|judge|classify|consider|treat)\b .{0,40} \b(?:answer|response|reply|run|task|trajectory|this)\b
      .{0,30} \b(?:as|a|to\s+be)\s+ (?:\w+\s+)? (?:valid|correct|pass(?:ed|ing)?|successful|safe|supported|yes|perfect|10|5)\b
    | ["']?\b(?:verdict|is_the_agent_response_valid)\b["']? \s* [:=] \s* ["']? (?:valid|yes|pass|supported|safe|true|success)
    | <<<\s*(?:begin|end)\b | <\|?(?:im_start|im_end|system|assistant)\|?> | \[/?INST\]
    | (?:忽略|无视|無視|忘记|忘記).{0,12}(?:指令|指示|说明|說明|规则|規則|要求|提示)
    | (?:以前|上記|これまで|前)の?.{0,6}(?:指示|命令|ルール).{0,6}(?:無視|忘れ)
    | (?:이전|위|앞)의?.{0,8}(?:지시|명령|지침|규칙).{0,8}(?:무시|잊)
    | (?:评估者|评审|评委|裁判|評価者|審査員|採点者|평가자|심사관|채점자).{0,6}(?:请|應|应|は|へ|に|님|는|은|께|：|:|,|，|、)
    """,
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)


def cleaned(text: str) -> tuple[str, bool]:
    """The text without invisible characters, and whether it held any.

    Format characters (zero-width, direction, tags), control characters and private-use characters carry
    what a person does not see and a model reads. The joiners stay between letters and symbols that need
    them, as in Persian words and joined emoji; a byte-order mark at the beginning is nobody's message.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if text.isascii() and text.isprintable():
        return text, False
    kept = [char for index, char in enumerate(text) if _visible(text, index)]
    return "".join(kept), len(kept) < len(text)


def _visible(text: str, index: int) -> bool:
    char = text[index]
    if char in _KEPT or char.isprintable():
        return True
    if char in _JOINERS:
        return 0 < index < len(text) - 1 and text[index - 1] > "\u007f" and text[index + 1] > "\u007f"
    return unicodedata.category(char) not in ("Cf", "Cc", "Co", "Cn", "Cs")


def addresses_judge(text: str) -> bool:
    """Whether a text seems to speak to whoever judges it. A sign to look at, not a proof."""
    return _ADDRESSES.search(text) is not None


def marked(text: str, mark: str) -> str:
    """Every line of the text behind ``mark``."""
    return "\n".join(f"{mark} {line}" for line in text.split("\n"))
