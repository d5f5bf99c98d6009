"""Builds the messages and the schema of one call from a question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from adjudge.judge.cache_key import delimiter, order, seed
from adjudge.judge.parameters import GenerationParameters
from adjudge.judge.quoting import object_schema, quoted, words_about
from adjudge.model.base import JsonObject
from adjudge.model.judging import Exhibit, JudgedItem, JudgeMessage, JudgeRequest, Passage, Prompt, Question
from adjudge.model.tokens import clipped_to_tokens, tokens_asked
from adjudge.model.untrusted import addresses_judge, cleaned

_ANSWER_TOKENS: Final = 300
"""Maximum tokens per item of an answer that is quoted in a repair request. Longer answers are truncated: the model is
probably looping."""
_MARGIN: Final = 300
"""Tokens reserved for the text of a repair request, and for delimiters that consist of digits by chance."""

REPAIR: Final = ":repair"
"""The suffix of the key of a repeated call after an answer that violates the schema."""

VERDICT: Final = "verdict"
CITATIONS: Final = "citations"

_VOTE: Final = """\
# Answer
Answer with one JSON object and nothing else. It has one key for each item: {keys}.
The value of each is an object with these keys, in this order: {fields}.
Possible values of "verdict":
{choices}{citations}
Decide every item on its own: what you say of one is no reason for another."""

_TEXTS: Final = """\
# Answer
Answer with one JSON object and nothing else. It has these keys, in this order:
{fields}"""

_CITATIONS: Final = """
Each citation is an object with "step" (the number of a step), "field" ({fields}) and "quote" (some words that stand there, in one piece and copied exactly, without the mark at the beginning of the line). Without a citation that holds{instead}, {verdicts} counts for nothing."""


def _citation(fields: Sequence[str]) -> JsonObject:
    return object_schema(
        {
            "step": {"type": "integer"},
            "field": {"type": "string", "enum": list(fields)},
            "quote": {"type": "string"},
        }
    )


def flags_of(question: Question) -> tuple[str, ...]:
    """Flags about the exhibits, for every decision based on them: prompt injection, invisible characters."""
    texts = [text for exhibit in question.exhibits for text in exhibit.texts]
    texts += [item.text for item in question.items if item.quoted]
    odd = [_odd(text) for text in texts]
    flags: list[str] = []
    if any(addresses for addresses, _ in odd):
        flags.append("addresses_judge")
    if any(invisible for _, invisible in odd):
        flags.append("invisible_text")
    return tuple(flags)


@lru_cache(maxsize=32)  # the overview of a long run is in the questions about each of its parts
def _odd(text: str) -> tuple[bool, bool]:
    """Whether a text addresses the judge, and whether it contains invisible characters."""
    clean, invisible = cleaned(text)
    return addresses_judge(clean), invisible


def item_key(position: int) -> str:
    """The key of an item in the answer, from its position in the question. It does not depend on the vote's order."""
    return f"item_{position + 1}"


@dataclass(frozen=True)
class Composer:
    """Composes the requests to one model about one set of exhibits."""

    prompt: Prompt
    exhibits: Sequence[Exhibit]
    key: str
    """The hash of the question."""
    secret: bytes
    """The secret from which delimiters and the order of items are derived."""
    model: str
    parameters: GenerationParameters

    def vote(self, question: Question, sample: int, among: Sequence[int] | None = None) -> JudgeRequest:
        """The request for one vote on all items, or only on the items at the positions ``among``."""
        asked = range(len(question.items)) if among is None else among
        drawn = [at for at in order(self.secret, self.key, sample, len(question.items)) if at in asked]
        purposes = list(dict.fromkeys(question.items[at].purpose for at in drawn))
        positions = sorted(drawn, key=lambda at: purposes.index(question.items[at].purpose))
        items = "\n".join(("# Items", *self._items(question, positions)))
        choices = "\n".join(f'- "{choice.label}": {choice.meaning}' for choice in question.choices)
        notes = [f'"{name}" ({meaning})' for name, meaning in question.notes.items()]
        cites: dict[tuple[str, ...], list[str]] = {}
        for at in sorted(positions):
            cites.setdefault(question.cites_of(question.items[at]), []).append(item_key(at))
        without = cites.pop((), [])
        if cites:
            aside = f"; not for {', '.join(without)}" if without else ""
            notes.append(f'"{CITATIONS}" (where this can be seen: a list{aside})')
        answer = _VOTE.format(
            keys=", ".join(item_key(at) for at in positions),
            fields=", ".join([*notes, f'"{VERDICT}"']),
            choices=choices,
            citations=_CITATIONS.format(fields=_fields_of(cites), **_needing(question)) if cites else "",
        )
        schema = {item_key(at): _answer_schema(question, question.items[at]) for at in positions}
        user = "\n\n".join(filter(None, (self._material, items)))
        request = self._request(answer, user, schema, sample)
        if len(positions) == len(question.items):
            return request
        return request.model_copy(update={"key": f"{self.key}:{','.join(map(str, sorted(positions)))}"})

    def texts(self, fields: Mapping[str, str], sample: int = 0) -> JudgeRequest:
        """The request for texts; ``fields`` are their names and descriptions. The answer is no vote and no evidence."""
        listed = "\n".join(f'- "{name}": {meaning}' for name, meaning in fields.items())
        schema: JsonObject = {name: {"type": "string"} for name in fields}
        return self._request(_TEXTS.format(fields=listed), self._material, schema, sample)

    def _request(self, answer: str, user: str, fields: JsonObject, sample: int) -> JudgeRequest:
        has_headings = any(exhibit.passages for exhibit in self.exhibits)
        about = words_about(self._token, has_headings=has_headings)
        system = "\n\n".join((self.prompt.text, about, answer))
        parameters = dict(self.parameters.known)
        own: int | None = parameters.pop("seed", None)
        return JudgeRequest(
            model=self.model,
            messages=(JudgeMessage(role="system", text=system), JudgeMessage(role="user", text=user)),
            schema_=object_schema(fields),
            parameters=parameters,
            provider_options=self.parameters.others,
            # Add the sample to the user's seed: with equal seeds all votes would be the same.
            seed=seed(self.key, sample) if own is None else (own + sample) % 2**31,
            key=self.key,
            sample=sample,
        )

    @cached_property
    def _token(self) -> str:
        return delimiter(self.secret, self.key)

    @cached_property
    def _material(self) -> str:
        return "\n\n".join(quoted(each.name, each.text, self._token, each.passages) for each in self.exhibits)

    def _items(self, question: Question, positions: Sequence[int]) -> Iterator[str]:
        """The lines of the items; a purpose is written before the first item that has it."""
        purpose = ""
        for at in positions:
            item = question.items[at]
            if item.purpose and item.purpose != purpose:
                yield f"Asked for: {_one_line(item.purpose)}"
            purpose = item.purpose
            yield self._item(item, item_key(at))
            if item.kind:
                yield f"({item_key(at)} is of the kind: {_one_line(item.kind)})"

    def _item(self, item: JudgedItem, key: str) -> str:
        if item.quoted:
            return f"{key}:\n{quoted(key, item.text, self._token)}"
        return f"{key}: {_one_line(item.text)}"


def _one_line(text: str) -> str:
    return " ".join(cleaned(text)[0].split())


def _answer_schema(question: Question, item: JudgedItem) -> JsonObject:
    """The schema of the answer to one item."""
    fields: JsonObject = {name: {"type": "string"} for name in question.notes}
    if cites := question.cites_of(item):
        fields[CITATIONS] = {"type": "array", "items": _citation(cites)}
    fields[VERDICT] = {"type": "string", "enum": [choice.label for choice in question.choices]}
    return object_schema(fields)


def _fields_of(cites: Mapping[tuple[str, ...], Sequence[str]]) -> str:
    """The text about the fields that may be cited; listed by item if they differ."""
    listed = {fields: ", ".join(fields) for fields in cites}
    if len(cites) == 1:
        return f"one of: {', '.join(listed.values())}"
    return "; ".join(f"for {', '.join(cites[fields])} one of: {listed[fields]}" for fields in cites)


def _needing(question: Question) -> dict[str, str]:
    """Which verdicts need a citation, and what may stand instead of one."""
    name = question.instead_of_citing
    labels = [f'"{choice.label}"' for choice in question.choices if choice.value is not None]
    told = "a verdict" if len(labels) in (0, len(question.choices)) else " or ".join(labels)
    return {"instead": f', or words in "{name}"' if name else "", "verdicts": told}


def repair_request(request: JudgeRequest, answer: str, problem: str, items: int) -> JudgeRequest:
    """The request to repair an invalid answer; it is made at most once.

    Args:
        request: The first request.
        answer: The invalid answer.
        problem: What is wrong with it.
        items: The number of items in the answer.
    """
    answer = clipped_to_tokens(answer, _ANSWER_TOKENS * items)
    asked = (
        f"This answer cannot be read: {problem}. Give the whole answer again, as one JSON object with "
        f"the keys and values that were asked for, and nothing else."
    )
    repair = (
        *request.messages,
        JudgeMessage(role="assistant", text=answer or "(nothing)"),
        JudgeMessage(role="user", text=asked),
    )
    return request.model_copy(update={"messages": repair, "key": f"{request.key}{REPAIR}"})


def tokens_beside(question: Question) -> int:
    """The maximum number of tokens of a request, with a repair but without the texts of the exhibits.

    The tokens of the exhibits are counted by ``tokens_shown``.
    """
    bare = [
        exhibit.model_copy(update={"text": "", "passages": (Passage(heading="", text=""),)})
        for exhibit in question.exhibits
    ]
    composer = Composer(question.prompt, bare, "", b"", "", GenerationParameters({}, {}))
    return tokens_asked(composer.vote(question, 0)) + _ANSWER_TOKENS * len(question.items) + _MARGIN
