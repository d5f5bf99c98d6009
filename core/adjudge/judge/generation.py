"""Writing: texts of one model about exhibits. One answer, no vote; nothing of it is evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

from adjudge.adk.json_input import parse_json
from adjudge.errors import InputError
from adjudge.judge.cache_key import delimiter, seed, writing_key
from adjudge.judge.parsing import unfenced
from adjudge.judge.quoting import object_schema, quoted, words_about
from adjudge.model.base import JsonObject
from adjudge.model.judging import Exhibit, JudgeMessage, JudgeReply, JudgeRequest, Prompt

_ANSWER: Final = """\
# Answer
Answer with one JSON object and nothing else. It has these keys, in this order:
{fields}"""


def writing_request(
    prompt: Prompt,
    exhibits: Sequence[Exhibit],
    fields: Mapping[str, str],
    *,
    secret: bytes,
    model: str,
    parameters: JsonObject,
    provider_options: JsonObject,
) -> JudgeRequest:
    """The call that asks for the texts."""
    key = writing_key(prompt, exhibits, fields, parameters, provider_options)
    token = delimiter(secret, key)
    listed = "\n".join(f'- "{name}": {meaning}' for name, meaning in fields.items())
    system = (prompt.text, words_about(token), _ANSWER.format(fields=listed))
    return JudgeRequest(
        model=model,
        messages=(
            JudgeMessage(role="system", text="\n\n".join(system)),
            JudgeMessage(
                role="user",
                text="\n\n".join(quoted(exhibit.name, exhibit.text, token) for exhibit in exhibits),
            ),
        ),
        schema_=object_schema({name: {"type": "string"} for name in fields}),
        parameters=parameters,
        provider_options=provider_options,
        seed=seed(key, 0),
        key=key,
    )


def written(reply: JudgeReply, fields: Mapping[str, str]) -> Mapping[str, str] | None:
    """The texts of a reply; ``None`` where one is missing or blank."""
    try:
        answer = parse_json(unfenced(reply.text), source="answer")
    except InputError:
        return None
    found = cast("dict[str, object]", answer) if isinstance(answer, dict) else {}
    texts = {name: value.strip() for name in fields if isinstance(value := found.get(name), str)}
    return texts if len(texts) == len(fields) and all(texts.values()) else None
