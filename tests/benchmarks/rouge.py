"""ROUGE-1 on texts of 40 words, inside one process; both sides must give the same scores."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import scripted
from environments import Environments
from measure import in_turns, median, worker
from table import Row, faster

_WARM_UP = 100
_PAIRS = 1500
_WORDS = 40


def rows(environments: Environments, rounds: int) -> Iterator[Row]:
    """Turns per second."""
    folder = environments.folder("rouge")
    pairs = folder / "pairs.json"
    chance = random.Random(1)
    texts = [_pair(chance) for _ in range(_WARM_UP + _PAIRS)]
    pairs.write_text(json.dumps(texts), encoding="utf-8")
    found = in_turns(
        {
            "adk": lambda: worker(environments.adk, "adk_rouge", folder, pairs, str(_WARM_UP)),
            "adjudge": lambda: worker(environments.adjudge, "adjudge_rouge", folder, pairs, str(_WARM_UP)),
        },
        rounds,
    )
    if found["adk"][0]["scores"] != found["adjudge"][0]["scores"]:
        raise RuntimeError("the scores of ROUGE-1 differ on ASCII texts")
    adk, adjudge = (median([run["per_second"] for run in found[side]]) for side in ("adk", "adjudge"))
    yield Row(f"ROUGE-1, {_WORDS} words, equal scores", "turns/s", adk, adjudge, faster(12))


def _pair(chance: random.Random) -> tuple[str, str]:
    """A reference, and an answer that keeps some of its words."""
    reference = scripted.sentence(chance, _WORDS)
    words = reference.split()
    kept = chance.sample(words, k=chance.randint(0, _WORDS))
    answer = [*kept, *scripted.sentence(chance, _WORDS).split()][:_WORDS]
    return reference, " ".join(answer)
