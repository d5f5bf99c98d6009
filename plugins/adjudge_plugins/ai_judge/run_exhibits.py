"""The context of the steps for a judge: the task, the agent's instructions and tools, and facts about the run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from adjudge.kit.digests import clipped_to_tokens, error_of, in_line, said_by_user, tokens_shown
from adjudge.kit.trace import is_answer, json_text
from adjudge.model import AgentDetails, Exhibit, Trajectory
from adjudge_plugins.ai_judge.run_text import fair_share

TASK: Final = "task"
HIDDEN_TASK: Final = "what the user wanted, hidden from the agent"
INSTRUCTIONS: Final = "instructions of the agent"
TOOLS: Final = "tools of the agent"
FACTS: Final = "facts about the run, read from the log by a program"

_SAYS_HOW_IT_ENDED: Final = (
    "exit_status",
    "termination_reason",
    "stop_reason",
    "finish_reason",
    "err_msg",
    "truncated",
    "terminated",
)
"""The keys under which logs record why a run stopped."""

_A_DAY: Final = 86_400.0
_LINE: Final = 200
"""The length limit of a fact in characters."""


class RunExhibits:
    """The exhibits of a run besides its steps, truncated to fit into a request."""

    def __init__(self, trajectory: Trajectory) -> None:
        """Collect the exhibits."""
        said = [said_by_user(turn.user_content.text) for turn in trajectory.invocations]
        task = trajectory.task or ""
        first = next((text for text in said if text), "")
        # In a conversation the task may be more than the first message says. A task that no message states
        # was unknown to the agent.
        is_told = first in task or any(task in text for text in said)
        is_hidden = sum(map(bool, said)) > 1 and bool(task) and not is_told
        self._texts = {
            TASK: first if is_hidden else task or first,
            HIDDEN_TASK: task if is_hidden else "",
            INSTRUCTIONS: _instructions(trajectory),
            TOOLS: _tools(trajectory),
        }
        self._facts = "\n".join(_facts(trajectory))

    @property
    def texts(self) -> Iterable[str]:
        """The texts from the log, which are untrusted."""
        return self._texts.values()

    @property
    def tokens(self) -> int:
        """The tokens of all exhibits, untruncated."""
        return sum(tokens_shown(text) for text in (*self._texts.values(), self._facts) if text)

    def within(self, room: int, *, left_out: Sequence[str] = ()) -> tuple[Exhibit, ...]:
        """The exhibits within ``room`` tokens: the longest are shortened in the middle.

        Args:
            room: The token limit.
            left_out: Texts that are not shown.
        """
        texts = {name: text for name, text in self._texts.items() if text and text not in left_out}
        share = fair_share(
            [tokens_shown(text) for text in texts.values()], max(0, room - tokens_shown(self._facts))
        )
        cut = {name: clipped_to_tokens(text, share) for name, text in texts.items()}
        return tuple(
            Exhibit(name=name, text=text) for name, text in {FACTS: self._facts, **cut}.items() if text
        )


def _agents(trajectory: Trajectory) -> list[AgentDetails]:
    """The agents of all turns, one entry for each different instruction."""
    found: list[AgentDetails] = []
    for details in (turn.app_details for turn in trajectory.invocations):
        for agent in details.agent_details.values() if details is not None else ():
            if agent not in found:
                found.append(agent)
    return found


def _instructions(trajectory: Trajectory) -> str:
    told = [(agent.name, agent.instructions.strip()) for agent in _agents(trajectory)]
    told = list(dict.fromkeys((name, text) for name, text in told if text))
    if len(told) == 1:
        return told[0][1]
    return "\n\n".join(f"To {name}:\n{text}" for name, text in told)


def _tools(trajectory: Trajectory) -> str:
    agents = _agents(trajectory)
    lines = (
        f"{agent.name}: {json_text(tool)}" if len(agents) > 1 else json_text(tool)
        for agent in agents
        for tool in agent.tool_declarations
    )
    return "\n".join(dict.fromkeys(lines))


def _facts(trajectory: Trajectory) -> Iterable[str]:
    """Facts about the run that code can compute without judging."""
    steps = trajectory.steps
    yield f"steps: {len(steps)}"
    authors = list(dict.fromkeys(step.author for step in steps if step.author))
    if trajectory.agent or len(authors) == 1:
        yield f"agent: {in_line(trajectory.agent or authors[0], _LINE)}"
    if len(authors) > 1:
        yield f"who spoke or acted: {in_line(', '.join(authors), _LINE)}"
    times = [turn.creation_timestamp for turn in trajectory.invocations]
    times += [step.started_at for step in steps if step.started_at is not None]
    began = next((time for time in times if time > _A_DAY), None)
    if began is not None and (said := _date(began)):
        yield f"date: {said}"
    yield f"how it ended: {_ending(trajectory)}"
    extra = trajectory.extra or {}
    for key in _SAYS_HOW_IT_ENDED:
        value = extra.get(key)
        if isinstance(value, str | bool) and value not in ("", False):
            yield f"the log says {key}: {in_line(str(value), _LINE)}"


def _date(began: float) -> str:
    try:
        return datetime.fromtimestamp(began, UTC).strftime("%A, %Y-%m-%d %H:%M UTC")
    except (OverflowError, OSError, ValueError):
        return ""


def _ending(trajectory: Trajectory) -> str:
    """The last event in the log."""
    turn = trajectory.invocations[-1] if trajectory.invocations else None
    if turn is not None and turn.final_response is not None and turn.final_response.text.strip():
        return "with an answer of the agent"
    if turn is not None and not turn.steps and len(trajectory.invocations) > 1:
        return "with the user's last message"
    steps = [step for step in trajectory.steps if step.items]
    if not steps:
        return "the agent did nothing"
    last = steps[-1]
    if any(is_answer(call.name) for call in last.calls):
        return "the agent ended it by a call that answers"
    if error_of(last) is not None:
        return "after an error; no answer of the agent follows"
    if last.text.strip() and not last.calls:
        return "with words of the agent"
    return "after an action; no answer of the agent follows, so it was stopped or gave up"
