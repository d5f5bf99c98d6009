"""The vocabulary of a run: the words of its texts and of its tools.

Words are compared without case. In alphabets they are compared by their stems or without English endings, so
that a search for ``deleted`` finds ``delete``. Chinese, Japanese and Korean texts have no spaces between
words: there every pair of adjacent characters counts as a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from adjudge.kit.trace import declared_tools, json_text
from adjudge.model import Invocation

_WORD: Final = re.compile(r"[^\W_]+")
_WIDE: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_SHORTEST_WORD: Final = 3
_STEM: Final = 4
_ENDING: Final = re.compile(r"(?<=\w{4})(?:ions?|ing|e[ds]?|s)\Z")
_SAY_NOTHING: Final = frozenset(
    [
        "agen",
        "and",
        "does",
        "each",
        "ever",
        "for",
        "from",
        "has",
        "have",
        "neve",
        "none",
        "not",
        "noth",
        "run",
        "step",
        "that",
        "the",
        "this",
        "was",
        "when",
        "with",
    ]
)
"""Stems of function words and of words that any statement may contain."""


def words_of(text: str) -> list[str]:
    """The content words of a text, in lower case."""
    found: list[str] = []
    for run in _WORD.findall(text.casefold()):
        for wide in _WIDE.findall(run):
            found += [wide[at : at + 2] for at in range(len(wide) - 1)]
        found += [
            word
            for word in _WIDE.sub(" ", run).split()
            if len(word) >= _SHORTEST_WORD and stem_of(word) not in _SAY_NOTHING
        ]
    return found


def stem_of(word: str) -> str:
    """The first characters of a word; words with equal stems count as the same."""
    return word[:_STEM]


def root_of(word: str) -> str:
    """A word without its English ending, so that all its forms are equal."""
    return _ENDING.sub("", word)


class Vocabulary:
    """The words in all texts of a run."""

    def __init__(self, task: str | None, invocations: Iterable[Invocation], fields: Iterable[str]) -> None:
        """Collect words from the task, from the messages, instructions and tools of the turns, and from ``fields``."""
        turns = tuple(invocations)
        told = [task or "", *(turn.user_content.text for turn in turns)]
        for agents in {id(turn.app_details): turn.app_details for turn in turns}.values():
            for agent in agents.agent_details.values() if agents is not None else ():
                told += [agent.instructions, json_text(agent.tool_declarations)]
        self._texts = [text.casefold() for text in (*told, *fields) if text]
        called = (call.name for turn in turns for step in turn.steps for call in step.calls)
        self._tools = frozenset(name.casefold() for name in (*declared_tools(turns), *called))
        self._known: dict[str, bool] = {}

    def is_tool(self, name: str) -> bool:
        """Whether a tool of this name is declared or was called."""
        return name.casefold() in self._tools

    def has(self, words: str) -> bool:
        """Whether these words occur in the run, at the beginning of a word."""
        if words not in self._known:
            before = "" if _WIDE.match(words) else r"(?<![^\W_])"
            pattern = re.compile(before + re.escape(words.casefold()))
            self._known[words] = any(pattern.search(text) for text in self._texts)
        return self._known[words]
