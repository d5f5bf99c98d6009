"""From a question to the messages and the schema of one vote."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from adjudge.judge.cache_key import delimiter, order, seed
from adjudge.judge.quoting import object_schema, quoted, words_about
from adjudge.model.base import JsonObject
from adjudge.model.judging import JudgeMessage, JudgeRequest, Question
from adjudge.model.tokens import clipped_to_tokens, tokens_asked
from adjudge.model.untrusted import addresses_judge, cleaned

_ANSWER_TOKENS: Final = 300
"""For each item, of an answer that is repeated to its judge: what is more is a judge that has lost its way."""

_MARGIN: Final = 300
"""Tokens of what is asked for with it, and of delimiters that happen to be all digits."""

VERDICT: Final = "verdict"
CITATIONS: Final = "citations"

_ANSWER: Final = """\
# Answer
Answer with one JSON object and nothing else. It has one key for each item: {keys}.
The value of each is an object with these keys, in this order: {fields}.
Possible values of "verdict":
{choices}{citations}
Decide every item on its own."""

_CITATIONS: Final = """
Each citation is an object with "step" (the number of a step), "field" (one of: {fields}) and "quote" (some words that stand there, copied exactly, without the mark at the beginning of the line). Without a citation that holds, a verdict counts for nothing."""


def _citation(fields: Sequence[str]) -> JsonObject:
    return object_schema(
        {
            "step": {"type": "integer"},
            "field": {"type": "string", "enum": list(fields)},
            "quote": {"type": "string"},
        }
    )


def flags_of(question: Question) -> tuple[str, ...]:
    """What is odd about the material, for every decision over it."""
    texts = [exhibit.text for exhibit in question.exhibits]
    texts += [item.text for item in question.items if item.quoted]
    odd = [_odd(text) for text in texts]
    flags: list[str] = []
    if any(addresses for addresses, _ in odd):
        flags.append("addresses_judge")
    if any(invisible for _, invisible in odd):
        flags.append("invisible_text")
    return tuple(flags)


@lru_cache(maxsize=32)  # the overview of a long run goes with every part of it
def _odd(text: str) -> tuple[bool, bool]:
    """Whether a text speaks to its judge, and whether it holds invisible characters."""
    clean, invisible = cleaned(text)
    return addresses_judge(clean), invisible


def item_key(position: int) -> str:
    """The name of an item in the answer, by its place in the question. It never depends on the order of a vote."""
    return f"item_{position + 1}"


class Composer:
    """Composes the votes of one question for one model."""

    def __init__(
        self,
        question: Question,
        key: str,
        secret: bytes,
        *,
        model: str,
        parameters: JsonObject,
        provider_options: JsonObject,
    ) -> None:
        """Prepare what all votes share."""
        self._question = question
        self._key = key
        self._secret = secret
        self._model = model
        self._parameters = {name: value for name, value in parameters.items() if name != "seed"}
        self._seed: int | None = parameters.get("seed")
        self._provider_options = provider_options
        self._token = delimiter(secret, key)
        self._exhibits = "\n\n".join(
            quoted(exhibit.name, exhibit.text, self._token) for exhibit in question.exhibits
        )

    def request(self, sample: int) -> JudgeRequest:
        """The call of one vote."""
        positions = order(self._secret, self._key, sample, len(self._question.items))
        material = f"{self._exhibits}\n\n# Items\n" if self._exhibits else "# Items\n"
        return JudgeRequest(
            model=self._model,
            messages=(
                JudgeMessage(role="system", text=self._system(positions)),
                JudgeMessage(role="user", text=material + "\n".join(self._item(at) for at in positions)),
            ),
            schema_=self._schema(positions),
            parameters=self._parameters,
            provider_options=self._provider_options,
            # A seed of the user's own must not make all votes the same.
            seed=seed(self._key, sample) if self._seed is None else (self._seed + sample) % 2**31,
            key=self._key,
            sample=sample,
        )

    def repair(self, request: JudgeRequest, answer: str, problem: str) -> JudgeRequest:
        """The one further call after an answer that is not of the schema."""
        answer = clipped_to_tokens(answer, _ANSWER_TOKENS * len(self._question.items))
        asked = (
            f"This answer cannot be read: {problem}. Give the whole answer again, as one JSON object with "
            f"the keys and values that were asked for, and nothing else."
        )
        repair = (
            *request.messages,
            JudgeMessage(role="assistant", text=answer or "(nothing)"),
            JudgeMessage(role="user", text=asked),
        )
        return request.model_copy(update={"messages": repair, "key": f"{request.key}:repair"})

    def _system(self, positions: Sequence[int]) -> str:
        choices = "\n".join(f'- "{choice.label}": {choice.meaning}' for choice in self._question.choices)
        notes = [f'"{name}" ({meaning})' for name, meaning in self._question.notes.items()]
        cites = self._question.cites
        if cites:
            notes.append(f'"{CITATIONS}" (where this can be seen: a list)')
        return "\n\n".join(
            (
                self._question.prompt.text,
                words_about(self._token),
                _ANSWER.format(
                    keys=", ".join(item_key(at) for at in positions),
                    fields=", ".join([*notes, f'"{VERDICT}"']),
                    choices=choices,
                    citations=_CITATIONS.format(fields=", ".join(cites)) if cites else "",
                ),
            )
        )

    def _item(self, position: int) -> str:
        item = self._question.items[position]
        if item.quoted:
            return f"{item_key(position)}:\n{quoted(item_key(position), item.text, self._token)}"
        text = " ".join(cleaned(item.text)[0].split())
        return f"{item_key(position)}: {text}"

    def _schema(self, positions: Sequence[int]) -> JsonObject:
        fields: JsonObject = {name: {"type": "string"} for name in self._question.notes}
        if self._question.cites:
            fields[CITATIONS] = {"type": "array", "items": _citation(self._question.cites)}
        fields[VERDICT] = {"type": "string", "enum": [choice.label for choice in self._question.choices]}
        item = object_schema(fields)
        return object_schema({item_key(at): item for at in positions})


def tokens_beside(question: Question) -> int:
    """The most tokens that a request has besides the texts of the exhibits, counted as ``tokens_shown`` does.

    What a repair adds is included.
    """
    bare = [exhibit.model_copy(update={"text": ""}) for exhibit in question.exhibits]
    framed = question.model_copy(update={"exhibits": tuple(bare)})
    composer = Composer(framed, "", b"", model="", parameters={}, provider_options={})
    return tokens_asked(composer.request(0)) + _ANSWER_TOKENS * len(question.items) + _MARGIN
