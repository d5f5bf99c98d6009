"""Keys: the hash of a question, and values derived from it with the installation's secret."""

from __future__ import annotations

import hashlib
import hmac
import random
from collections.abc import Mapping, Sequence

from adjudge.judge.parameters import GenerationParameters
from adjudge.model.base import JsonObject, canonical_sha256
from adjudge.model.judging import Exhibit, Prompt, Question

_FRAME = 2
"""Version of the text around prompts and exhibits. Increase it when that text changes: it invalidates caches."""


def question_key(question: Question, parameters: GenerationParameters) -> str:
    """The hash of a question with its prompt, exhibits and parameters, without delimiters and model."""
    asked = {"question": question.model_dump(mode="json", exclude={"prompt", "rule"})}
    return _key(asked, question.prompt, parameters)


def writing_key(
    prompt: Prompt, exhibits: Sequence[Exhibit], fields: Mapping[str, str], parameters: GenerationParameters
) -> str:
    """The hash of a request for texts, without delimiters and model."""
    shown = [exhibit.model_dump(mode="json") for exhibit in exhibits]
    return _key({"write": dict(fields), "exhibits": shown}, prompt, parameters)


def _key(asked: JsonObject, prompt: Prompt, parameters: GenerationParameters) -> str:
    return canonical_sha256(
        {
            "frame": _FRAME,
            **asked,
            "prompt": prompt.sha256,
            "parameters": parameters.known,
            "provider_options": parameters.others,
        }
    )


def request_key(question: str, model: str, fingerprint: JsonObject | None) -> str:
    """The key of one model's answers: the hash of the question key, the model, and the backend's fingerprint."""
    return canonical_sha256({"question": question, "model": model, "backend": fingerprint})


def delimiter(secret: bytes, key: str) -> str:
    """A delimiter that the author of an exhibit cannot guess; equal for equal questions, so that reruns are exact."""
    return hmac.new(secret, f"delimiter {key}".encode(), hashlib.sha256).hexdigest()[:12]


def order(secret: bytes, key: str, sample: int, length: int) -> list[int]:
    """The order in which a vote sees the items: positions ``0 … length - 1``, shuffled except for the first vote."""
    seed = hmac.new(secret, f"order {key} {sample}".encode(), hashlib.sha256).digest()
    positions = list(range(length))
    if sample:  # the first vote keeps the author's order
        random.Random(seed).shuffle(positions)  # noqa: S311 - the seed is the secret
    return positions


def seed(key: str, sample: int) -> int:
    """The seed of a vote, for providers that support seeds."""
    return int.from_bytes(hashlib.sha256(f"seed {key} {sample}".encode()).digest()[:4], "big") >> 1
