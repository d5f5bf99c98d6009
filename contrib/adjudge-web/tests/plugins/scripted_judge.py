"""A judge that is a program, loaded from this folder: it breaks every criterion into two checks, and what it decides is met."""

from adjudge.model import Citation
from adjudge.plugin import Host, JudgeBackendSpec, JudgeRequest, NoConfig, hookimpl
from adjudge.testing import FakeJudge, fields_shown, verdicts

CHECKS = "- outcome: The cheapest milk is in the cart.\n- answer: It names the milk."


def answer(request: JudgeRequest) -> str:
    """Cite what came back in the last step that shows anything."""
    shown = [item for item in fields_shown(request) if item[1] in ("result", "observation") and item[2]]
    cited = [
        Citation(step=step, field=name, quote=text.strip().split("\n")[0]) for step, name, text in shown[-1:]
    ]
    notes = {"rationale": "The log shows it.", "forbids": "no", "absent_words": "", "checks": CHECKS}
    return verdicts(request, "met", notes=notes, citations=cited)


def make(_config: NoConfig, _host: Host) -> FakeJudge:
    return FakeJudge(answer)


@hookimpl.judge_backends
def judge_backends() -> list[JudgeBackendSpec]:
    return [JudgeBackendSpec(name="scripted", summary="A program.", factory=make, prices="")]
