"""A plugin with a judge that is a program: words in capitals in an item decide its votes."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.model import Citation, Usage
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

MENUS = (
    ("yes", "no", "unknown"),
    ("met", "not_met", "cannot_tell"),
    ("valid", "invalid", "unknown"),
    ("supported", "unsupported", "disputed"),
    ("safe", "unsafe", "unknown"),
)
"""What is good, what is bad and what is neither, in the words of each criterion."""
SPLIT = (True, False, True, False, False)


class ScriptedJudge:
    async def complete(self, request: JudgeRequest) -> JudgeReply:
        yes, no, unknown = next((menu for menu in MENUS if f"'{menu[1]}'" in str(request.schema_)), MENUS[0])

        def label(item: str) -> str:
            split = yes if SPLIT[request.sample % 5] else no
            sometimes = yes if request.sample else "off the menu"
            labels = {"LOST": "off the menu", "SOMETIMES": sometimes, "SPLIT": split, "UNKNOWN": unknown}
            labels |= {"NEVER": "not_applicable", "NOT": no}
            return next((label for word, label in labels.items() if word in item), yes)

        places = (
            Citation(step=step, field=name, quote=text.split("\n")[0][:40])
            for step, name, text in fields_shown(request)
            if name in ("action", "result", "observation") and len(text) > 3
        )
        shown = list(places)[:1]
        notes = {"rationale": "It says so.", "forbids": "no", "absent_words": "refund"}
        text = verdicts(request, label, notes=notes, citations=lambda item: [] if "NOT" in item else shown)
        return JudgeReply(text=text, model_version="m-2026", usage=Usage(input_tokens=100, output_tokens=10))


def _make(config: NoConfig, host: Host) -> JudgeBackend:
    return ScriptedJudge()


@hookimpl.judge_backends
def judge_backends() -> Iterable[JudgeBackendSpec]:
    return [JudgeBackendSpec(name="scripted", summary="A judge that is a program", factory=_make, prices="")]
