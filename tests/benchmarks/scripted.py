"""What both systems' scripted agents do and say in a turn: a pure function of the user's text."""

from __future__ import annotations

import random
from typing import Any

WORDS_IN_AN_ANSWER = 24
_SYLLABLES = (
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "la",
    "me",
    "ni",
    "po",
    "ru",
    "sta",
    "tre",
    "vin",
    "wor",
    "zen",
    "ing",
)


def _vocabulary(size: int) -> list[str]:
    chance = random.Random(20)
    return ["".join(chance.choices(_SYLLABLES, k=chance.choice((1, 2, 2, 3)))) for _ in range(size)]


VOCABULARY = _vocabulary(2000)
"""Made-up words of one to three syllables."""


def sentence(chance: random.Random, words: int) -> str:
    """Words of the vocabulary; frequent ones are frequent, as in a language."""
    size = len(VOCABULARY)
    picked = [VOCABULARY[int(size * chance.random() ** 3)] for _ in range(words)]
    return " ".join(picked).capitalize() + "."


def prompt(case: int, turn: int) -> str:
    """What the user says."""
    return f"Case {case}, turn {turn}: please see to it."


def calls(text: str) -> list[dict[str, Any]]:
    """The two tool calls of a turn."""
    chance = random.Random(text)
    room, device = chance.choice(("kitchen", "bedroom", "hall", "cellar")), chance.randrange(1000)
    return [
        {"name": "find_device", "args": {"room": room, "kind": chance.choice(("lamp", "heater", "fan"))}},
        {"name": "set_device", "args": {"device_id": f"device-{device}", "on": True, "level": device % 100}},
    ]


def response(call: dict[str, Any]) -> dict[str, Any]:
    """What a tool gives back."""
    return {"result": "ok", "tool": call["name"]}


def answer(text: str) -> str:
    """The final response of a turn."""
    return sentence(random.Random(text[::-1]), WORDS_IN_AN_ANSWER)
