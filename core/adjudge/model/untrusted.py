"""Sanitises texts of agents, tools and users before they become part of a prompt.

Invisible characters are removed, every line gets a mark that its author cannot guess (datamarking; Hines et al. 2024,
"Spotlighting"), and texts that address a judge are detected.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_LINES: Final = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
"""Characters that some programs or models treat as the end of a line, besides ``\\n``."""

_CONTROLS: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")

_HIDDEN: Final = r"[[\p{C}\p{Default_Ignorable_Code_Point}]--[\n\t\u200c\u200d\ufe0e\ufe0f]]"
"""Invisible characters, as a pattern of the library ``regex``, except joiners and emoji variation selectors."""

_SEEN: Final = re.compile(
    "[\t\n -~\u00a1-\u00ac\u00ae-\u02ff\u0400-\u052f\u2010-\u2027\u2030-\u205e\u2190-\u23ff\u2500-\u2b73\u3001-\u3029\u3041-\u3096"
    "\u30a0-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff9d]*"
)
"""Texts of blocks in which all characters are visible. This fast check is enough for most texts."""

_JOINING: Final = re.compile("[\u200c\u200d\ufe0e\ufe0f]+")
_JOINED: Final = re.compile(
    "[^\\x00-\x7f][\ufe0e\ufe0f]?[\u200c\u200d][^\\x00-\x7f]|(?:[^\\x00-\x7f]|[0-9#*])[\ufe0e\ufe0f][^\u200c\u200d\ufe0e\ufe0f]?"
)
"""Legitimate uses of joiners and variation selectors: a joiner between letters or symbols, as in Persian words and
combined emoji; or the style of a symbol. Longer sequences, or other places, can hide data.
"""

_TEMPLATE: Final = re.compile(
    r"<(?=[|｜])"  # ChatML, Llama 3, Phi, Harmony; DeepSeek
    r"|<(?=/?(?:s|bos|eos|sop|eop|start_of_turn|end_of_turn)>)"  # Llama 2, Gemma, GLM
    r"|<(?=</?SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|gMASK)\])",  # Mistral
    re.IGNORECASE,
)

# Does not match "Verdict: Success": browser-use tells its agents to write it in every step, and it is no answer of any
# question here.
_ADDRESSES: Final = re.compile(
    r"""
    \b(?=[acdefghijlmnorstvy]) (?:  # few words begin like one of these: the others are passed over at once
        (?<!not\s)(?<!n't\s)(?:ignore|disregard|forget|override)\b .{0,40} \b(?:instructions?|prompts?|rules?|rubrics?|criteria|guidelines?)\b
      | (?:you\s+are|you're|as|dear|note\s+to|attention|hello|hi) ,? \s+ (?:an?\s+|the\s+|to\s+the\s+)?
        (?:\w+\s+)? (?:evaluator|judge|grader|rater|reviewing\s+model|auto-?grader)\b
      | (?:evaluators?|judges?|graders?|raters?) \s* (?:should|must|will|:|,\s*please)
      | (?:mark|rate|score|grade|label|judge|classify|consider|treat)\b .{0,40} \b(?:answer|response|reply|run|task|trajectory|this)\b
        .{0,30} \b(?:as|a|to\s+be)\s+ (?:\w+\s+)? (?:valid|correct|pass(?:ed|ing)?|successful|safe|supported|yes|perfect|10|5)\b
      | (?:verdict|is_the_agent_response_valid)\b [\\"']* \s* [:=] \s* [\\"']* (?:valid|yes|pass|supported|safe|true|met\b)
      | (?:answer|reply|respond) (?:\s+with)? (?:\s+(?:the|a))? \s+ verdict\b
    )
    | <<<\s*(?:begin|end)\b | <\|?(?:im_start|im_end|system|assistant)\|?> | \[/?INST\]
    | (?:忽略|无视|無視|忘记|忘記).{0,12}(?:指令|指示|说明|說明|规则|規則|要求|提示)
    | (?:以前|上記|これまで|前)の?.{0,6}(?:指示|命令|ルール).{0,6}(?:無視|忘れ)
    | (?:이전|위|앞)의?.{0,8}(?:지시|명령|지침|규칙).{0,8}(?:무시|잊)
    | (?:评估者|评审|评委|裁判(?!は|へ|に)|評価者|審査員|採点者|평가자|심사관|채점자).{0,6}(?:请|應|应|は|へ|に|님|는|은|께|：|:|,|，|、)
    """,
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)


_WORDS_SAID: Final = 120
"""The maximum length of the quoted words that address a judge, in characters."""


def cleaned(text: str) -> tuple[str, bool]:
    """Normalise line ends and remove invisible characters; also return whether there were any.

    Removed are control, format, private and unassigned characters, and those not displayed (Unicode's
    ``Default_Ignorable_Code_Point``: zero-width, direction, tags, fillers, variation selectors): with them a text can
    contain messages that a model reads and a person does not see. A byte order mark at the beginning is not reported.
    """
    if _SEEN.fullmatch(text):
        return text, False
    text = _LINES.sub("\n", text.removeprefix("\ufeff"))
    if text.isascii():
        kept, hidden = _CONTROLS.subn("", text)
    else:
        import regex  # ``re`` does not support Unicode properties

        seen, hidden = regex.subn(_HIDDEN, "", text, flags=regex.V1)
        kept = _JOINING.sub(_joining, seen)
        hidden += len(seen) - len(kept)
    return kept, hidden > 0


def defused(text: str) -> str:
    """Insert a space into the special tokens of chat templates, so that they lose their function.

    Servers of open models interpret such tokens also inside a message: ``<|im_end|>`` would end the message.
    """
    return _TEMPLATE.sub(lambda found: f"{found.group()} ", text)


def lines_of(text: str) -> list[str]:
    """Split a text into lines at all characters that some program or model treats as the end of a line.

    Use this before putting a mark at the beginning of each line, so that no line is without a mark.
    """
    return _LINES.sub("\n", text).split("\n")


def _joining(found: re.Match[str]) -> str:
    start, end = found.span()
    return found.group() if start and _JOINED.fullmatch(found.string, start - 1, end + 1) else ""


def addresses_judge(text: str) -> bool:
    """Whether a text seems to address its judge. This is a hint, not a proof."""
    return said_to_judge(text) is not None


def said_to_judge(text: str) -> str | None:
    """The part of a text that seems to address its judge; ``None`` if there is none."""
    # Normalise full-width and other variants of letters.
    if _ADDRESSES.search(unicodedata.normalize("NFKC", text)) is None:
        return None
    found = _ADDRESSES.search(text)
    return (text if found is None else found.group())[:_WORDS_SAID].strip()


def marked(text: str, mark: str) -> str:
    """Put ``mark`` and a space before every line of the text."""
    return "\n".join(f"{mark} {line}" for line in text.split("\n"))
