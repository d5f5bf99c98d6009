"""The context of the steps for a judge: the task, the agent's instructions and tools, and facts about the run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final, cast

from adjudge.kit.digests import clipped_to_tokens, error_of, in_line, steps_with_words, task_of, tokens_shown
from adjudge.kit.trace import is_answer, json_text, place_of
from adjudge.model import AgentDetails, Exhibit, JsonObject, Step, Trajectory
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
    "execution_status",
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
        task = task_of(trajectory)
        self._texts = {
            TASK: task.told,
            HIDDEN_TASK: task.hidden,
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
    yield f"steps: {_counted(steps_with_words(trajectory))}"
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
    inner: object = extra.get("info")  # SWE-agent and mini-SWE-agent
    places: list[JsonObject] = [extra, cast("JsonObject", inner) if isinstance(inner, dict) else {}]
    for key in _SAYS_HOW_IT_ENDED:
        for place in places:
            value: object = place.get(key)
            told = cast("JsonObject", value).get("type") if isinstance(value, dict) else value
            if isinstance(told, str | bool) and told not in ("", False):
                yield f"the log says {key}: {in_line(str(told), _LINE)}"


def _counted(steps: Sequence[Step]) -> str:
    """How many steps there are, and which ones where their numbers or their contents do not show it."""
    numbers = [step.number for step in steps]
    told = str(len(steps))
    if numbers and numbers != list(range(1, len(steps) + 1)):
        told += f", numbered {numbers[0]} to {numbers[-1]}"
    if empty := sum(not step.items for step in steps):
        told += f", {empty} of them empty"
    return told


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
    fields = [place[0] for item in last.items if (place := place_of(item))]
    if answering := next((call.name for call in last.calls if is_answer(call.name)), None):
        return f"with a call of the agent that answers: {in_line(answering, _LINE)}"
    if error_of(last) is not None:
        return "with an error; no answer of the agent follows"
    if last.text.strip() and "action" not in fields:
        return "with words of the agent"
    if "action" in fields:
        called = ", ".join(dict.fromkeys(call.name for call in last.calls))
        named = f": {in_line(called, _LINE)}" if called else ""
        return f"with an action of the agent{named}; no answer of the agent follows"
    if any(field in ("result", "observation") for field in fields):
        return "with what came back; no answer of the agent follows"
    return "with a thought of the agent; no answer follows"
