"""A judge backend that is a program, for the benchmarks: ``scripted/met`` or ``scripted/not_met``.

It says the same of every check, cites the first place that it is shown, and notes what it was asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from adjudge.model import Citation
from adjudge.model.tokens import tokens_asked
from adjudge.plugin import (
    Host,
    JudgeBackend,
    JudgeBackendSpec,
    JudgeReply,
    JudgeRequest,
    NoConfig,
    hookimpl,
)
from adjudge.testing import fields_shown, verdicts

_FIELDS: Final = ("action", "result", "observation", "error")
_WORDS: Final = ("final_response", "text")
_OF_A_PART: Final = "a part of the run"
"""What the choices of a question about a part say."""
_TEXT: Final = (
    "The agent looked for the thing on the list, compared two offers and noted the cheaper one. " * 2
)

tokens: list[int] = []
"""What each request has by adjudge's own count, the schema of the answer included."""
texts: list[str] = []
"""The messages of each."""
written: list[bool] = []
"""Whether each asked for texts, and not for a decision."""


class ScriptedJudge:
    """Answers at once."""

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        tokens.append(tokens_asked(request))
        texts.append("\n".join(message.text for message in request.messages))
        written.append("# Items" not in request.messages[-1].text)
        # Of a text that is shortened the beginning may be left out.
        places = [place for place in fields_shown(request) if len(place[2]) > 3 and "…" not in place[2][:61]]
        done = [place for place in places if place[1] in _FIELDS]
        # Where nothing was done, an agent that only talks is judged by its words; those of a part show no outcome.
        shown = done or [place for place in places if place[1] in _WORDS]
        is_bare_part = not done and _OF_A_PART in request.messages[0].text
        label = "not_applicable" if is_bare_part else request.model
        citations = [
            Citation(step=step, field=name, quote=text.split("\n")[0][:60]) for step, name, text in shown[:1]
        ]
        fields = request.schema_["properties"] if request.schema_ else {}
        notes = dict.fromkeys(fields, _TEXT) if written[-1] else {"absent_words": "", "steps_wanted": ""}
        return JudgeReply(text=verdicts(request, label, notes=notes, citations=citations))


def _make(config: NoConfig, host: Host) -> JudgeBackend:
    return ScriptedJudge()


@hookimpl.judge_backends
def judge_backends() -> Iterable[JudgeBackendSpec]:
    return [JudgeBackendSpec(name="scripted", summary="A judge that is a program", factory=_make)]
