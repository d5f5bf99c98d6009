"""The question for the step that made a run fail; its options are the steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from adjudge.kit.judged_criteria import read_prompt
from adjudge.model import Choice, Decision, Exhibit, JudgedItem, Passage, Question, Vote
from adjudge.plugin import Judge
from adjudge_plugins.ai_judge.named_steps import MOST_RUNNERS_UP, numbers_in, ranked
from adjudge_plugins.ai_judge.run_exhibits import FACTS, HIDDEN_TASK, INSTRUCTIONS, TASK, TOOLS

EXPECTED: Final = "expected answer"
LINES: Final = "lines"
STEPS: Final = "steps"

_NONE: Final = "none"
_ITEM: Final = "first_error"
_RUNNERS_UP: Final = "runners_up"
_AGENT: Final = "agent"
_TASK_DONE: Final = "The task is done as it was asked for."


def question_about(
    steps: Sequence[int],
    exhibits: Sequence[Exhibit],
    cites: Sequence[str],
    description: str,
    *,
    is_part: bool,
    asks_who: bool,
) -> Question:
    """Build the question.

    Args:
        steps: The numbers of the steps that may be chosen.
        exhibits: The exhibits.
        cites: The fields that may be cited.
        description: What the run had to meet; empty: its task.
        is_part: Whether the run has more steps than these.
        asks_who: Whether the run has several speakers, so that the agent is asked for too.
    """
    none = "the step that made the run fail is none of these" if is_part else "no step made the run fail"
    notes = {
        "rationale": "what is wrong with the step, and why it decided the failure, in one or two sentences",
        _RUNNERS_UP: f"the numbers of the next likeliest steps, the likeliest first, at most {MOST_RUNNERS_UP}; "
        "empty where there are none",
    }
    if asks_who:
        notes[_AGENT] = "the name of whose mistake it was, as the headings have it; empty where there is none"
    return Question(
        prompt=read_prompt(__package__, "first_error"),
        exhibits=tuple(exhibits),
        items=(
            JudgedItem(
                item_id=_ITEM,
                text="Which step is the first one that made the run fail?",
                purpose=description or _TASK_DONE,
                cites=tuple(cites),
            ),
        ),
        choices=(
            *(Choice(label=str(step), meaning=f"step {step}", value=float(step)) for step in steps),
            Choice(label=_NONE, meaning=none),
            Choice(label="cannot_tell", meaning="what is shown is not enough to say", abstains=True),
        ),
        notes=notes,
    )


def tokens_without_run(steps: Sequence[int], fields: Sequence[str], description: str, judge: Judge) -> int:
    """The maximum tokens of a request with these steps as options, without the exhibits' texts."""
    names = (FACTS, TASK, HIDDEN_TASK, INSTRUCTIONS, TOOLS, EXPECTED, LINES, STEPS)
    exhibits = [Exhibit(name=name, passages=(Passage(heading="", text=""),)) for name in names]
    question = question_about(steps, exhibits, fields, description, is_part=True, asks_who=True)
    return judge.tokens_beside(question)


def steps_named(decision: Decision) -> list[int]:
    """The steps that votes name, the likeliest first, including the runners-up of votes for no step."""
    return ranked(_named(vote) for vote in decision.votes if vote.label is not None)


def _named(vote: Vote) -> list[int | None]:
    own = int(vote.label) if vote.label is not None and vote.label.isdigit() else None
    others = [step for step in numbers_in(vote.notes.get(_RUNNERS_UP, "")) if step != own]
    return [own, *others[:MOST_RUNNERS_UP]]


def blamed(decision: Decision, speakers: Sequence[str]) -> str | None:
    """The speaker whom most votes for the step blame; ``None`` if they name no speaker of the run."""
    known = {speaker.casefold(): speaker for speaker in speakers}
    said = [vote.notes.get(_AGENT, "") for vote in decision.votes if vote.label == decision.label]
    found = [known[name] for name in (words.strip(" “”\"'").casefold() for words in said) if name in known]
    return max(found, key=found.count) if found else None
