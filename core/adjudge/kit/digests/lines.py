"""A step in one line: ``[thinking] -> [action] -> [outcome]`` (seed 003, level 1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from adjudge.kit.digests import facts
from adjudge.kit.digests.texts import in_line
from adjudge.kit.trace import is_thought, place_of
from adjudge.model.items import Observation, Opaque, Text, ToolCall
from adjudge.model.step import Step
from adjudge.model.tokens import head_and_tail

NOTHING: Final = "-"
"""The placeholder for parts that the log does not have."""

_FORGED: Final = re.compile(r"\]\s*[-=–—]*[>→]+\s*\[")
"""Text of an agent that could imitate the beginning of the next part of its line."""


class Widths(NamedTuple):
    """The maximum length of each part in characters."""

    thinking: int
    action: int
    outcome: int


WIDTHS: Final = (Widths(240, 240, 320), Widths(120, 120, 160), Widths(60, 60, 80), Widths(24, 32, 40))
"""The possible widths, from the widest to the narrowest."""


class StepParts(NamedTuple):
    """The three parts of a step's line."""

    thinking: str
    action: str
    outcome: str

    def line(self, widths: Widths = WIDTHS[0]) -> str:
        """The parts as one line; parts that are too long are shortened in the middle."""
        return " -> ".join(
            f"[{head_and_tail(part, width)}]" for part, width in zip(self, widths, strict=True)
        )


def parts_of(steps: Sequence[Step]) -> list[StepParts]:
    """The parts of all steps, in order.

    *Thinking* is the agent's reasoning, or else its next goal, its memory, or what it told a thinking tool. *Action* is
    its other calls, and its texts.
    *Outcome* is its results and observations, errors first, and the page if the next step shows another one; if the
    log has none of these, the agent's claim about the step in the next step, after ``says:``.
    """
    pages = facts.pages_of(steps)
    several = len({step.author for step in steps if step.author}) > 1
    found: list[StepParts] = []
    for at, step in enumerate(steps):
        following = steps[at + 1] if at + 1 < len(steps) else None
        gone_to = None if following is None else facts.observed_page_of(following)
        gone_to = None if gone_to == pages[at] else gone_to
        author = step.author if several else None
        found.append(
            StepParts(
                thinking=_part(_thinking(step), WIDTHS[0].thinking),
                action=_part(_action(step, author), WIDTHS[0].action),
                outcome=_part(_outcome(step, following, gone_to), WIDTHS[0].outcome),
            )
        )
    return found


def step_line(step: Step) -> str:
    """The line of a single step."""
    return parts_of([step])[0].line()


def _thinking(step: Step) -> str:
    if said := step.thinking or step.claim("next_goal") or step.claim("memory"):
        return said
    thoughts = [item for item in step.items if isinstance(item, ToolCall) and is_thought(item.name)]
    return "; ".join(place[1] for item in thoughts if (place := place_of(item)))


def _action(step: Step, author: str | None) -> str:
    done: list[str] = []
    for item in step.items:
        if isinstance(item, ToolCall):
            if not is_thought(item.name):
                done.append(call_text(item))
        elif isinstance(item, Text):
            done.append(item.text)
        elif isinstance(item, Opaque) and item.name == "action":
            done.append(facts.text_of(item.value))
    said = "; ".join(text for text in done if text.strip())
    return f"{author}: {said}" if author and said else said


def call_text(call: ToolCall) -> str:
    """A call in the syntax of a function call: ``click(index=3)``."""
    if call.raw_args is not None:
        return f"{call.name}({call.raw_args})"
    args = (f"{name}={facts.text_of(value)}" for name, value in (call.args or {}).items())
    return f"{call.name}({', '.join(args)})"


def _outcome(step: Step, following: Step | None, gone_to: str | None) -> str:
    """Errors, then results, then the new page; the results share the width."""
    came = facts.shown(step)
    error = facts.error_of(step)
    told = [] if error is None else [f"error: {in_line(error, WIDTHS[0].outcome // 2)}"]
    texts = [item.text if isinstance(item, Observation) else facts.text_of(item.value) for item in came]
    texts = [text for text in texts if text.strip() and text != error]
    share = max(WIDTHS[0].outcome // max(len(texts), 1), WIDTHS[-1].outcome)
    told += [in_line(text, share) for text in texts]
    if gone_to is not None:
        told.append(f"now at {in_line(facts.without_query(gone_to), 80)}")
    if told or following is None:
        return "; ".join(told)
    claimed = following.claim("evaluation_previous_goal")
    return f"says: {claimed}" if claimed else ""


def _part(text: str, width: int) -> str:
    return _FORGED.sub("] / [", in_line(text, width)) or NOTHING
